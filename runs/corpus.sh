#!/usr/bin/env bash
# The sanitization corpus as in §3, and its splits. usage: runs/corpus.sh BASE_URL MODEL RECORDS OUT
set -euo pipefail
privasis=$(cd "$(dirname "$0")/.." && pwd)/.venv/bin/privasis
"$privasis" sanitize "$3" --base-url "$1" --model "$2" --out "$4" --concurrency 64
exec "$privasis" split "$4" --out "$4-splits"
