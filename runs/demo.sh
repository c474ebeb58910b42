#!/usr/bin/env bash
# The whole chain on a bare laptop: what `make demo` runs.
set -euo pipefail
cd "$(dirname "$0")/.."
exec .venv/bin/privasis demo "$@"
