"""How many records of 500 words a finder searches in a second, with eight phrases.

    python benchmarks/bench_finder.py MODEL/finder

Speed depends on the network's shape alone, not on what was learnt.
"""

from __future__ import annotations

import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from privasis.cleaner.finder import open_finder
from privasis.gold.source import packaged_gold

PHRASES = (
    "name",
    "date of birth",
    "phone",
    "address",
    "employer",
    "diagnosis",
    "account number",
    "sister's name",
)
RECORDS = 20


def main() -> None:
    cores = len(os.sched_getaffinity(0))
    finder = open_finder(Path(sys.argv[1]), threads=1)
    words = " ".join(record.text for record in packaged_gold()).split()
    texts = [" ".join(words[first : first + 500]) for first in range(0, len(words) - 500, 250)][:RECORDS]
    finder.find(texts[0], PHRASES)
    began = time.perf_counter()
    with ThreadPoolExecutor(cores) as pool:
        list(pool.map(lambda text: finder.find(text, PHRASES), texts))
    rate = len(texts) / (time.perf_counter() - began)
    print(f"{len(texts)} records, {len(PHRASES)} phrases, {cores} cores: {rate:.1f} records/s")


if __name__ == "__main__":
    main()
