"""The workers of a Ray run: hired, given shards by load, replaced when they die. See docs/cluster.md."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any, Generic

from privasis.errors import ClusterError, PrivasisError
from privasis.runners.shard import run_together
from privasis.stage import Context, Item, OpenContext, Options, Pool, Result, Stage
from privasis.types import Outcome

START_S = 120.0  # how long a run waits when not one worker is there
DEATHS_OF_A_SHARD = 5  # a shard that outlives so many workers is what kills them
CALLS_AT_ONCE = 1000  # shards that may be with one worker


class Worker(Generic[Item, Result, Options]):
    """Runs in a process of its own on some machine: holds one context, and works at some items at once."""

    def __init__(
        self, stage: Stage[Item, Result, Options], open_context: OpenContext[Options], share: int
    ) -> None:
        self._stage = stage
        self._open_context = open_context
        self._share = share
        self._stack = AsyncExitStack()
        self._ctx: Context[Options] | None = None

    async def open(self) -> None:
        """Open the context: clients, cache and encoder, on this process's event loop."""
        self._places = asyncio.Semaphore(self._share)
        self._ctx = await self._stack.enter_async_context(self._open_context())

    async def run(self, items: Sequence[Item], pool: Pool) -> list[Outcome[Result]]:
        """Run a shard. Items of several shards share the places, in the order in which shards came."""
        assert self._ctx is not None
        ctx = self._ctx.with_pool(pool)

        async def run_item(item: Item) -> Outcome[Result]:
            async with self._places:
                return await self._stage.run(item, ctx)

        return await run_together(items, run_item)

    async def close(self) -> None:
        """Write what the cache still holds, and close the connections."""
        await self._stack.aclose()


@dataclass(slots=True, eq=False)
class _Hired:
    actor: Any
    load: int = 0  # items that it was given and has not finished


@dataclass(slots=True)
class Crew(Generic[Item, Result, Options]):
    """All workers of a run. A worker that dies is replaced, and its shards go to others."""

    ray: Any  # the module
    stage: Stage[Item, Result, Options]
    open_context: OpenContext[Options]
    size: int
    share: int  # items that one worker has in work
    _here: list[_Hired] = field(default_factory=list)
    _hiring: set[asyncio.Task[None]] = field(default_factory=set)
    _changed: asyncio.Event = field(default_factory=asyncio.Event)
    _failure: PrivasisError | None = None

    def hire_all(self) -> None:
        """Start the workers; shards wait for the first that is there."""
        for _ in range(self.size):
            self._hire()

    async def run(self, items: Any, count: int, pool: Any) -> list[Outcome[Result]]:
        """Have a shard done by whoever has the least to do, and by another if that one dies.

        Args:
            items: The shard, as a reference to Ray's object store.
            count: Its number of items.
            pool: The pool, as such a reference.

        Raises:
            ClusterError: If no worker starts, or this shard's workers die again and again.
            PrivasisError: Whatever the stage raised.
        """
        for _ in range(DEATHS_OF_A_SHARD):
            worker = await self._least_loaded()
            worker.load += count
            try:
                outcomes: list[Outcome[Result]] = await worker.actor.run.remote(items, pool)
                return outcomes
            except self.ray.exceptions.RayTaskError as error:
                raise _cause(error) from None
            except self.ray.exceptions.RayError:
                self._lost(worker)
            finally:
                worker.load -= count
        raise ClusterError(
            f"{DEATHS_OF_A_SHARD} workers died over the same shard. Have the machines enough memory? "
            "Look at Ray's logs, and give the same command again."
        )

    async def dismiss(self) -> None:
        """Let the workers close what they hold, and end them."""
        for task in self._hiring:
            task.cancel()
        await asyncio.gather(*self._hiring, return_exceptions=True)
        closing = [worker.actor.close.remote() for worker in self._here]
        await asyncio.gather(*closing, return_exceptions=True)
        for worker in self._here:
            self.ray.kill(worker.actor)

    def _hire(self) -> None:
        task = asyncio.create_task(self._open_one())
        self._hiring.add(task)
        task.add_done_callback(self._hiring.discard)

    async def _open_one(self) -> None:
        options = {"num_cpus": 1, "max_restarts": 0, "max_concurrency": CALLS_AT_ONCE}
        made = self.ray.remote(Worker).options(scheduling_strategy="SPREAD", **options)
        for _ in range(DEATHS_OF_A_SHARD):
            actor = made.remote(self.stage, self.open_context, self.share)
            try:
                await actor.open.remote()
            except self.ray.exceptions.RayTaskError as error:
                self._fail(_cause(error))
                return
            except self.ray.exceptions.RayError:
                continue  # its machine went away before it began
            self._here.append(_Hired(actor))
            self._changed.set()
            return
        if not self._here:
            self._fail(ClusterError("no worker starts on the cluster: look at Ray's logs (ray status)."))

    def _fail(self, failure: PrivasisError) -> None:
        self._failure = failure
        self._changed.set()

    def _lost(self, worker: _Hired) -> None:
        if worker in self._here:  # else another shard has told already
            self._here.remove(worker)
            self.ray.kill(worker.actor)
            self._hire()

    async def _least_loaded(self) -> _Hired:
        while not self._here:
            if self._failure:
                raise self._failure
            self._changed.clear()
            try:
                await asyncio.wait_for(self._changed.wait(), START_S)
            except TimeoutError:
                raise ClusterError(
                    f"no worker could start within {START_S:.0f} s: the cluster has no free processor "
                    "(ray status). Wait, add a machine, or lower --concurrency."
                ) from None
        return min(self._here, key=lambda worker: worker.load)


def _cause(error: Any) -> PrivasisError:
    """Return what the worker raised: Ray wraps it, with a traceback that may hold a record's text."""
    cause = error.cause
    if isinstance(cause, PrivasisError):
        return cause
    return ClusterError(
        f"a worker failed ({type(cause).__name__}). Is the same version of privasis on every machine?"
    )
