"""Time of cleaning against length, up to 1 MB, on inputs that made other sanitizers hang, and on prose.

Usage: python benchmarks/bench_clean.py [--most 1000000] [--runs 3]
"""

from __future__ import annotations

import argparse
import statistics
import time

from privasis.cleaner.cleaning import clean_with
from privasis.cleaner.results import Wish

WISHES = (
    Wish("Zofia Brandt", "drop", ("Zofia Brandt",)),
    Wish("e-mail addresses", "drop"),
    Wish("phone numbers", "drop"),
    Wish("web addresses", "drop"),
    Wish("all dates", "abstract"),
)
PROSE = (
    "On Monday 3 March 2024 Zofia Brandt wrote to zofia.brandt@example.org about the boiler. "
    "Ravi Moreno called 212-555-0147 and said that the invoice over 312 EUR was paid. "
    "The garden needs rain, and so do we.\n"
)
UNITS = {
    "a.": "a.",
    "a@": "a@",
    "digits": "7",
    "digits and blanks": "12 ",
    "brackets": "[{(",
    "tags": "<a ",
    "JSON": '{"a": ["Zofia Brandt", 12]}\n',
    "zero width": "Z\u200bo\u200b",
    "prose": PROSE,
}


def seconds(text: str, runs: int) -> float:
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        clean_with(text, WISHES)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--most", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    lengths = [arguments.most // 16, arguments.most // 4, arguments.most]
    columns = " ".join(f"{length:>10,}" for length in lengths)
    print(f"{'input':18} {columns}   last step (4.0 is linear)")
    for name, unit in UNITS.items():
        took = [seconds((unit * (length // len(unit) + 1))[:length], arguments.runs) for length in lengths]
        print(
            f"{name:18} " + " ".join(f"{s:9.2f}s" for s in took) + f"   {took[-1] / took[-2]:.1f}", flush=True
        )


if __name__ == "__main__":
    main()
