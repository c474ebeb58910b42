#!/usr/bin/env bash
# Records as in §2.1, on an endpoint of yours. usage: runs/records.sh BASE_URL MODEL N OUT
set -euo pipefail
cd "$(dirname "$0")/.."
exec .venv/bin/privasis generate --base-url "$1" --model "$2" --records "$3" --out "$4" --concurrency 64
