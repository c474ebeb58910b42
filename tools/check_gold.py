"""Check gold records: ``python tools/check_gold.py [FILES]``; without files the whole packaged corpus."""

from __future__ import annotations

import sys
from pathlib import Path

from privasis.errors import InputError
from privasis.gold.check import corpus_faults, faults_of
from privasis.gold.source import packaged_gold, read_gold


def main(arguments: list[str]) -> int:
    """Print the faults; return 1 where there is one."""
    faults = 0
    for path in map(Path, arguments):
        try:
            found = list(faults_of(read_gold(path)))
        except InputError as error:
            found = [str(error)]
        faults += len(found)
        print("\n".join([f"{path.name}: {len(found)} faults", *(f"  {fault}" for fault in found)]))
    if not arguments:
        records = list(packaged_gold())
        for record in records:
            for fault in faults_of(record):
                print(f"{record.id}: {fault}")
                faults += 1
        for fault in corpus_faults(records):
            print(f"corpus: {fault}")
            faults += 1
        print(f"{len(records)} records")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
