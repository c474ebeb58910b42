#!/usr/bin/env bash
# Tables 4, 5, 6 and 10 as Markdown, from folders of scores. usage: runs/tables.sh OUT SCORES...
set -euo pipefail
privasis=$(cd "$(dirname "$0")/.." && pwd)/.venv/bin/privasis
out=$1
shift
mkdir -p "$out"
for table in 4 5 6 10; do
    "$privasis" table "$table" "$@" --out "$out/table-$table.md"
done
