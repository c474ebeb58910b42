"""Many rows through export and dedupe: time and peak memory, each command in a process of its own.

    python benchmarks/bench_scale.py                          # 10,000 and 100,000 rows
    python benchmarks/bench_scale.py --rows 1000000           # by hand: about half an hour on one core

Rows hold texts of 120 random words; one in fifty repeats an earlier one, exactly or nearly. Times include
the start of the program.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from support.rows import write_rows


def measure(command: str, source: Path, out: Path) -> tuple[float, float]:
    """Run a command; return seconds and peak memory in MB."""
    began = time.perf_counter()
    arguments = [sys.executable, "-m", "privasis", command, str(source), "--out", str(out)]
    process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0, f"{command} failed"
    return time.perf_counter() - began, usage.ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000, 100_000])
    options = parser.parse_args()
    print("command      rows  seconds   us/row  peak MB")
    for rows in options.rows:
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "rows.parquet"
            write_rows(source, rows)
            for command in ("export", "dedupe"):
                seconds, peak = measure(command, source, Path(folder) / command)
                each = 1e6 * seconds / rows
                print(f"{command:8} {rows:8d} {seconds:8.1f} {each:8.0f} {peak:8.0f}", flush=True)


if __name__ == "__main__":
    main()
