"""How long the viewer takes for a search over many records: index, then single words, two words and facets.

Usage: python benchmarks/bench_view.py [--records 100000]
"""

from __future__ import annotations

import argparse
import resource
import statistics
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from starlette.testclient import TestClient

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from privasis.store.run import open_run
from privasis.store.shards import Shards
from privasis.types import Outcome, Record
from privasis.web.app import create_app
from support.sanitizing import record_of

WORDS = [f"w{n:04d}" for n in range(5000)]
SHARD = 1000


def write(folder: Path, count: int) -> None:
    rng = np.random.default_rng(7)
    weights = 1 / np.arange(1, len(WORDS) + 1)
    with open_run(folder, "records", {}) as run:
        shards = Shards(run.shards, Record)
        for shard in range(count // SHARD):
            drawn = rng.choice(WORDS, (SHARD, 300), p=weights / weights.sum())
            records = [
                record_of(" ".join(words), {"city": str(words[0])}, number=n, id=f"r{shard}-{n}")
                for n, words in enumerate(drawn)
            ]
            shards.commit(shard, [Outcome(record.id, record.number, record, None, ()) for record in records])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=100_000)
    count = parser.parse_args().records
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder / "run", count)
        app = create_app(folder / "index.sqlite", [folder / "run"])
        client = TestClient(app, base_url="http://127.0.0.1")
        start = time.perf_counter()
        client.get("/")
        print(f"index of {count:,} records: {time.perf_counter() - start:.1f} s")
        for what, query in (
            ("a common word", {"q": "w0003"}),
            ("a rare word", {"q": "w4321"}),
            ("two words", {"q": "w0100 w0200"}),
            ("a beginning", {"q": "w10"}),
            ("a facet", {"kind": "record", "q": "w0500"}),
            ("an attribute", {"attribute": "city"}),
        ):
            times = []
            for _ in range(7):
                start = time.perf_counter()
                assert client.get("/", params=query).status_code == 200
                times.append(time.perf_counter() - start)
            print(f"{what:16} {statistics.median(times) * 1000:7.0f} ms")
        print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
