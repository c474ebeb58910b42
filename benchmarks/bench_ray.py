"""Three ways to sanitize the same records (by --llm-only) against one scripted server of 256 slots.

    python benchmarks/bench_ray.py                      # 1,000 records, 0.5 s an answer
    python benchmarks/bench_ray.py --records 2000 --ways local,ray

local:   our runner in one process, 320 records in work.
ray:     the same on a cluster of two nodes on this machine, 320 records in work in all.
threads: as the authors' code does it: a thread for each record (256 at once), synchronous official client,
         one lock around one JSONL file. The stage is the same; only its calls block their thread.

"Ideal" is calls x latency / slots. "Steady" counts the items between the first and the last tenth, so that
the start of processes is left out. CPU and peak memory are those of the process itself: for Ray, its
workers are others', so none is given.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from privasis.jobs.triplets import TripletsJob, open_source, run_triplets
from privasis.llm.client import Client
from privasis.llm.messages import ClientOptions, Model
from privasis.llm.wire import read_reply
from privasis.pipelines import TRIPLETS
from privasis.sanitization.options import SanitizeOptions
from privasis.stage import Context
from privasis.store.schema import to_row
from support.clusters import two_nodes
from support.fast_server import FastServer

SLOTS = 256
IN_WORK = 320
SHARD = 8
ALGORITHM_1 = SanitizeOptions(
    llm_only=True
)  # model calls alone: no encoder, whose processor time would hide all else


class BlockingDispatch:
    """Asks by the synchronous client: the thread waits for the answer."""

    def __init__(self, base_url: str) -> None:
        from openai import OpenAI

        self._client = OpenAI(base_url=base_url, api_key="none")

    async def send(self, question: Any, plain: bytes, tally: Any) -> Any:
        raw = self._client.chat.completions.with_raw_response.create(**json.loads(plain))
        tally.tried(1)
        return read_reply(raw.content)


def by_threads(records: Path, folder: Path, url: str, note: Any) -> None:
    folder.mkdir()
    source = open_source(TripletsJob(records, folder, ()))
    lock, model = threading.Lock(), Model("fast", url)
    client = Client((), ClientOptions(), None)
    client._dispatch = BlockingDispatch(url)  # type: ignore[assignment]
    ctx = Context("threads", 0, ALGORITHM_1, (model,), client, None)  # type: ignore[arg-type]

    def work(record: Any) -> None:
        outcome = asyncio.run(TRIPLETS.run(record, ctx))
        with lock, (folder / "out.jsonl").open("a") as file:
            file.write(json.dumps(to_row(outcome)) + "\n")
            note(outcome)

    items = [item for index in range(source.shards) for item in source.shard(index)]
    with ThreadPoolExecutor(SLOTS) as threads:
        list(threads.map(work, items))


def by_runner(records: Path, folder: Path, url: str, cluster: str | None, note: Any) -> None:
    options = ClientOptions(concurrency=IN_WORK)
    job = TripletsJob(
        records,
        folder,
        (),
        concurrency=IN_WORK,
        shard_size=SHARD,
        options=ALGORITHM_1,
        client=options,
        cluster=cluster,
    )
    run_triplets(replace(job, models=(Model("fast", url),)), open_source(job), note)


def one(way: str, records: Path, folder: Path, url: str, cluster: str) -> None:
    """In a process of its own: run, and print the times at which items ended."""
    ends: list[float] = []
    began = time.perf_counter()

    def note(outcome: object) -> None:
        ends.append(time.perf_counter() - began)

    if way == "threads":
        by_threads(records, folder, url, note)
    else:
        by_runner(records, folder, url, cluster or None, note)
    wall = time.perf_counter() - began
    tenth = len(ends) // 10
    steady = (len(ends) - 2 * tenth) / (ends[-tenth - 1] - ends[tenth - 1])
    print(json.dumps({"items": len(ends), "wall": wall, "steady": steady}))


def measure(way: str, records: Path, latency_s: float) -> None:
    with ExitStack() as stack:
        server = stack.enter_context(FastServer(latency_s=latency_s, slots=SLOTS))
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "out"
        address = stack.enter_context(two_nodes()).address if way == "ray" else ""
        command = [
            sys.executable,
            __file__,
            "--one",
            way,
            str(records),
            str(folder),
            server.base_url,
            address,
        ]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        said = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        assert status == 0, said
        made = json.loads(said.splitlines()[-1])
        calls = server.stats()["requests"]
    ideal = calls * latency_s / SLOTS
    row = f"{way:8} {made['items'] / made['wall']:8.1f} {made['steady']:8.1f} {ideal / made['wall']:8.1%}"
    cost = f"{1000 * (usage.ru_utime + usage.ru_stime) / calls:12.2f} {usage.ru_maxrss / 1024:10.0f}"
    print(f"{row} {cost if way != 'ray' else ''}  ({calls} calls, {made['wall']:.1f} s)", flush=True)


def write_records(path: Path, count: int) -> None:
    with path.open("w") as file:
        for number in range(count):
            name, town = f"Lena Roth{number}", f"Graz{number}"
            text = f"{name} lives in {town}. {name} pays {400 + number} euros every month for the room."
            facts = [{"name": "full_name", "value": name}, {"name": "city", "value": town}]
            groups = [{"label": "who and where", "attributes": ["full_name", "city"]}]
            row = {"id": f"r{number}", "text": text, "attributes": facts, "groups": groups}
            file.write(json.dumps(row) + "\n")


def main() -> None:
    if sys.argv[1:2] == ["--one"]:
        way, records, folder, url, cluster = sys.argv[2:]
        one(way, Path(records), Path(folder), url, cluster)
        return
    parser = argparse.ArgumentParser()
    parser.add_argument("--records", type=int, default=1000)
    parser.add_argument("--latency", type=float, default=0.5)
    parser.add_argument("--ways", default="threads,local,ray")
    options = parser.parse_args()
    print(f"{options.records} records, {SLOTS} slots, {options.latency:g} s an answer")
    print("way       items/s   steady  of ideal  CPU ms/call    peak MB")
    with tempfile.TemporaryDirectory() as folder:
        records = Path(folder) / "records.jsonl"
        write_records(records, options.records)
        for way in options.ways.split(","):
            measure(way, records, options.latency)


if __name__ == "__main__":
    main()
