"""How near a record run comes to what its endpoint could serve, and how its memory grows.

    python benchmarks/bench_records.py                       # 2,000 items at 50 ms, 256 slots; then 500 ms
    python benchmarks/bench_records.py --memory              # peak memory at 2,000 and 20,000 items

The scripted server is a process of its own. The encoder is replaced by a hash of the text: the real one
takes 15 to 30 ms of a core for each draft, which on two cores would be all that is measured. "Share of the
ideal" is (calls x latency / slots) / wall time, the median of the runs.
"""

from __future__ import annotations

import argparse
import asyncio
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from hashlib import blake2b
from pathlib import Path
from statistics import median

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from privasis.jobs.records import Candidates
from privasis.llm.cache import ResponseCache
from privasis.llm.client import open_client
from privasis.llm.messages import ClientOptions, Model
from privasis.pipelines import RECORDS
from privasis.runners.local import LocalRunner
from privasis.stage import Context
from privasis.store.records import RecordSink
from privasis.store.shards import Shards
from privasis.synthesis.options import SynthesisOptions
from privasis.types import Record
from support.fast_server import FastServer

IN_WORK = 320  # a quarter above the slots, so that none waits for the next request
SLOTS = 256


class HashEncoder:
    """Stands in for the sentence encoder at no cost."""

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        seeds = [int.from_bytes(blake2b(text.encode(), digest_size=4).digest(), "little") for text in texts]
        rows = np.array([np.random.Generator(np.random.PCG64(seed)).standard_normal(384) for seed in seeds])
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def run(items: int, latency_s: float, folder: Path) -> tuple[float, int]:
    """Run so many candidates; return wall time and calls."""
    with FastServer(latency_s=latency_s, slots=SLOTS) as server:
        model = Model("scripted", server.base_url, key_env="")

        @asynccontextmanager
        async def context() -> AsyncIterator[Context[SynthesisOptions]]:
            with ResponseCache(folder / "cache") as cache:
                async with open_client([model], ClientOptions(concurrency=IN_WORK), cache) as client:
                    options = SynthesisOptions(pool_size=0)
                    yield Context("bench", 7, options, (model,), client, HashEncoder())  # type: ignore[arg-type]

        source = Candidates(items, 64)
        sink = RecordSink(
            Shards(folder / "shards", Record), wanted=items, seed=7, shard_sizes=source.sizes(), pool_lag=512
        )
        began = time.perf_counter()
        asyncio.run(LocalRunner(IN_WORK)(RECORDS, source, sink, context, lambda outcome: None))
        return time.perf_counter() - began, int(server.stats()["requests"])


def throughput(items: int, latencies: Sequence[float], repeats: int) -> None:
    print(f"{items} items, {SLOTS} slots, {IN_WORK} in work; medians of {repeats}")
    print("latency   calls   calls/s   CPU ms a call   share of the ideal")
    for latency_s in latencies:
        shares, rates, costs, calls = [], [], [], 0
        for _ in range(repeats):
            with tempfile.TemporaryDirectory() as folder:
                before = time.process_time()
                wall, calls = run(items, latency_s, Path(folder))
                costs.append(1000 * (time.process_time() - before) / calls)
            rates.append(calls / wall)
            shares.append(calls * latency_s / SLOTS / wall)
        row = f"{median(rates):9.0f} {median(costs):15.3f} {median(shares):20.1%}"
        print(f"{latency_s * 1000:5.0f} ms {calls:7d} {row}")


def memory() -> None:
    peaks = {}
    for items in (2_000, 20_000):
        command = [sys.executable, __file__, "--one", str(items)]
        peaks[items] = int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        print(f"{items:6d} items: peak {peaks[items] / 1024:.0f} MB")
    print(f"ratio {peaks[20_000] / peaks[2_000]:.2f} (at most 1.5 is wanted)")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--items", type=int, default=2000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--memory", action="store_true")
    parser.add_argument("--one", type=int)
    options = parser.parse_args()
    if options.one:
        with tempfile.TemporaryDirectory() as folder:
            run(options.one, 0.005, Path(folder))
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    elif options.memory:
        memory()
    else:
        throughput(options.items, (0.05, 0.5), options.repeats)


if __name__ == "__main__":
    main()
