"""A real Ray cluster of two nodes on this machine, and what can be done to it."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


@contextmanager
def two_nodes(cpus: int = 1) -> Iterator[Any]:
    """A head and a second node, each with so many processors."""
    from ray.cluster_utils import Cluster

    small = {"num_cpus": cpus, "object_store_memory": 100 * 2**20}
    cluster = Cluster(initialize_head=True, head_node_args={**small, "include_dashboard": False})
    try:
        cluster.second = cluster.add_node(**small)
        cluster.wait_for_nodes()
        yield cluster
    finally:
        cluster.shutdown()


def kill_a_worker(cluster: Any) -> int:
    """Kill one process that works at shards with SIGKILL; return its number."""
    raylets = {
        info.process.pid for node in cluster.list_all_nodes() for info in node.all_processes.get("raylet", [])
    }
    for process in sorted(Path("/proc").iterdir()):
        if process.name.isdecimal() and _is_worker(process, raylets):
            os.kill(int(process.name), signal.SIGKILL)
            return int(process.name)
    raise AssertionError("no worker is there")


def _is_worker(process: Path, raylets: set[int]) -> bool:
    try:
        named = (process / "cmdline").read_bytes().startswith(b"ray::Worker")
        parent = int((process / "stat").read_text().rpartition(")")[2].split()[1])
    except (OSError, ValueError):
        return False
    return named and parent in raylets


def stop_second_node(cluster: Any) -> None:
    """Take the second node away, without a goodbye."""
    cluster.remove_node(cluster.second, allow_graceful=False)


def wait_for_shards(folder: Path, more: int, process: subprocess.Popen[bytes], longest_s: float = 60) -> None:
    """Return when so many more shards are committed than now."""
    wanted = count_shards(folder) + more
    _wait(lambda: count_shards(folder) >= wanted, process, longest_s)


def count_shards(folder: Path) -> int:
    """The number of committed shards."""
    return len(list((folder / "shards").glob("shard-*.parquet")))


def _wait(is_so: Callable[[], bool], process: subprocess.Popen[bytes], longest_s: float) -> None:
    end = time.monotonic() + longest_s
    while not is_so():
        assert process.poll() is None, process.communicate()[1].decode()
        assert time.monotonic() < end, "too slow"
        time.sleep(0.05)
