"""Run a stage on a Ray cluster: the same stages, shards as the unit of work and of commit.

Workers are given whole shards and hand back their outcomes; this process alone commits them, so a run folder
has one writer, and a shard is there whole or not there. What a shard may read of earlier results (the pool)
is settled by the sink from committed shards, as in the local runner.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Generic

from privasis.errors import ClusterError, MissingExtraError
from privasis.runners.crew import Crew
from privasis.runners.shard import cancel_all, uncommitted
from privasis.stage import Item, OpenContext, Options, Pool, Progress, Result, Sink, Source, Stage
from privasis.types import Outcome

HERE = "local"  # an address: a cluster of this machine alone, for as long as the run lasts
AHEAD = 2  # items given to workers for each that they have in work, so that none waits for the next shard
ITEMS_A_WORKER = 64  # about what one process can keep in work without waiting for its own processor
CONNECT_S = 5.0


@dataclass(frozen=True, slots=True)
class RayRunner:
    """Keeps up to ``concurrency`` items in work on a cluster; commits a shard when all of it has ended."""

    concurrency: int
    address: str  # 'auto', HOST:PORT, 'ray://HOST:PORT', or HERE

    async def __call__(
        self,
        stage: Stage[Item, Result, Options],
        source: Source[Item],
        sink: Sink[Result],
        open_context: OpenContext[Options],
        progress: Progress,
    ) -> None:
        """Run until the sink is complete or the source is used up.

        Raises:
            MissingExtraError: If Ray is not installed.
            ClusterError: If the cluster does not answer, or its workers cannot be kept alive.
            PrivasisError: Whatever a stage raised; work in progress is dropped, committed shards stay.
        """
        ray = _import_ray()
        shards = uncommitted(source, sink)
        with _connected(ray, self.address):
            size = _workers(ray, self.concurrency)
            crew = Crew(ray, stage, open_context, size, -(-self.concurrency // size))
            work = _Work(ray, crew, source, sink, progress, AHEAD * self.concurrency)
            crew.hire_all()
            try:
                await work.drive(shards)
            finally:
                await cancel_all(work.running)
                await crew.dismiss()


@dataclass(slots=True)
class _Work(Generic[Item, Result, Options]):
    ray: Any
    crew: Crew[Item, Result, Options]
    source: Source[Item]
    sink: Sink[Result]
    progress: Progress
    most: int  # items given to workers
    given: int = 0
    running: dict[asyncio.Task[list[Outcome[Result]]], tuple[int, int]] = field(default_factory=dict)
    put: tuple[Pool, Any] | None = None  # the last pool, and its place in Ray's object store

    async def drive(self, todo: Iterator[int]) -> None:
        upcoming = next(todo, None)
        while not self.sink.complete():
            while upcoming is not None and self.given < self.most and self._start(upcoming):
                upcoming = next(todo, None)
            if not self.running:
                return
            ended, _ = await asyncio.wait(self.running, return_when=asyncio.FIRST_COMPLETED)
            for task in ended:
                self._commit(task)

    def _start(self, shard: int) -> bool:
        if not self.sink.wanted(self.given):
            return False
        pool = self.sink.pool(shard)
        if pool is None:
            return False
        items = list(self.source.shard(shard))
        running = self.crew.run(self.ray.put(items), len(items), self._place_of(pool))
        self.running[asyncio.create_task(running)] = (shard, len(items))
        self.given += len(items)
        return True

    def _place_of(self, pool: Pool) -> Any:
        """Put a pool where workers can read it; many shards share one."""
        if self.put is None or self.put[0] is not pool:
            self.put = (pool, self.ray.put(pool))
        return self.put[1]

    def _commit(self, task: asyncio.Task[list[Outcome[Result]]]) -> None:
        shard, count = self.running.pop(task)
        self.given -= count
        outcomes = task.result()
        self.sink.commit(shard, outcomes)
        for outcome in outcomes:
            self.progress(outcome)


def _import_ray() -> Any:
    try:
        import ray
    except ImportError:
        raise MissingExtraError("--runner ray needs an extra: pip install 'privasis[ray]'.") from None
    return ray


@contextmanager
def _connected(ray: Any, address: str) -> Iterator[None]:
    _knock(address)
    options: dict[str, Any] = {"log_to_driver": False, "logging_level": "error"}
    if address == HERE:
        options["include_dashboard"] = False
    try:
        ray.init(address=address, **options)
    except (ConnectionError, RuntimeError, ValueError, TimeoutError) as error:
        raise ClusterError(
            f"--address {address}: no Ray cluster answers ({type(error).__name__}). Start one by "
            "'ray start --head', or leave --address out to use this machine."
        ) from None
    try:
        yield
    finally:
        ray.shutdown()


def _knock(address: str) -> None:
    """Find out at once whether anybody listens: Ray itself tries for a minute."""
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if not colon or not port.isdecimal():
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), CONNECT_S).close()
    except (OSError, OverflowError):
        raise ClusterError(
            f"--address {address} does not answer. Is the head of the cluster running there, "
            "and is it HOST:PORT of 'ray start --head'?"
        ) from None


def _workers(ray: Any, concurrency: int) -> int:
    """Return how many workers are hired: one a machine at least, and enough for the items in work."""
    machines = sum(1 for node in ray.nodes() if node["Alive"])
    processors = int(ray.cluster_resources().get("CPU", 1))
    wanted = max(machines, -(-concurrency // ITEMS_A_WORKER))
    return max(1, min(processors, wanted, concurrency))
