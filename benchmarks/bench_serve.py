"""The service under a crowd: requests a second, waiting times and memory, with three of ten requests bad.

Usage: python benchmarks/bench_serve.py [--clients 64] [--requests 1000] [--workers 2] [--rounds 4]
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from support.service_load import crowd, memory, service_process


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--requests", type=int, default=1000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=4)
    arguments = parser.parse_args()
    with service_process(arguments.workers) as (url, pid):
        for number in range(1, arguments.rounds + 1):
            start = time.perf_counter()
            tally = asyncio.run(crowd(url, arguments.clients, arguments.requests))
            rate = arguments.requests / (time.perf_counter() - start)
            half, nearly_all = (
                statistics.median(tally.seconds),
                statistics.quantiles(tally.seconds, n=100)[98],
            )
            statuses = ", ".join(
                f"{kind} {code or ''}: {n}" for (kind, code), n in sorted(tally.statuses.items())
            )
            print(
                f"round {number}: {rate:.0f} requests/s, good ones p50 {half:.3f} s, p99 {nearly_all:.3f} s, "
                f"{tally.wrong} wrong, memory {memory(pid) / 1e6:.0f} MB ({statuses})",
                flush=True,
            )


if __name__ == "__main__":
    main()
