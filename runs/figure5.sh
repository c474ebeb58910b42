#!/usr/bin/env bash
# Figure 5 (Appendix B): one sanitizer, given chunks of several sizes.
# usage: runs/figure5.sh BENCH OUT [options of privasis evaluate: --model, --base-url, --evaluator, ...]
set -euo pipefail
bench=$1 out=$2
shift 2
privasis=$(cd "$(dirname "$0")/.." && pwd)/.venv/bin/privasis
for size in 128 256 512 1024 2048; do
    "$privasis" evaluate "$bench" --out "$out/$size" --chunk-size "$size" "$@"
done
exec "$privasis" table figure-5 "$out"/{128,256,512,1024,2048}
