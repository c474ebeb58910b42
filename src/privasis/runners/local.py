"""Run a stage in this process: many items at once on one event loop, shard by shard."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Generic

from privasis.errors import Stop
from privasis.runners.shard import cancel_all, run_together, uncommitted
from privasis.stage import (
    Context,
    Item,
    OpenContext,
    Options,
    Progress,
    Result,
    Sink,
    Source,
    Stage,
)
from privasis.types import Outcome


@dataclass(frozen=True, slots=True)
class LocalRunner:
    """Keeps up to ``concurrency`` items in work; commits a shard when all its items have ended."""

    concurrency: int

    async def __call__(
        self,
        stage: Stage[Item, Result, Options],
        source: Source[Item],
        sink: Sink[Result],
        open_context: OpenContext[Options],
        progress: Progress,
    ) -> None:
        """Run until the sink is complete or the source is used up.

        Shards start in the order of their numbers, each when a place is free and its pool is settled. When
        an item raises (a Stop, an error of the user's), work in progress is cancelled; committed shards and
        cached answers stay.
        """
        shards = uncommitted(source, sink)
        async with open_context() as ctx:
            work = _Work(stage, source, sink, ctx, progress)
            try:
                await work.drive(shards, self.concurrency)
            finally:
                await cancel_all(work.running)


@dataclass(slots=True)
class _Work(Generic[Item, Result, Options]):
    stage: Stage[Item, Result, Options]
    source: Source[Item]
    sink: Sink[Result]
    ctx: Context[Options]
    progress: Progress
    in_flight: int = 0
    running: dict[asyncio.Task[list[Outcome[Result]]], int] = field(default_factory=dict)
    ended: asyncio.Event = field(default_factory=asyncio.Event)

    async def drive(self, todo: Iterator[int], concurrency: int) -> None:
        upcoming = next(todo, None)
        while not self.sink.complete():
            while upcoming is not None and self.in_flight < concurrency and self._start(upcoming):
                upcoming = next(todo, None)
            if not self.running:
                return
            self.ended.clear()
            await self.ended.wait()
            try:
                self._commit_finished()
            except Stop:
                await self._settle_rest()
                raise

    async def _settle_rest(self) -> None:
        """Let what is in work end by itself, and keep the shards that end whole."""
        await asyncio.gather(*self.running, return_exceptions=True)
        for task, shard in self.running.items():
            if task.exception() is None:
                self.sink.commit(shard, task.result())
        self.running.clear()

    def _start(self, shard: int) -> bool:
        if not self.sink.wanted(self.in_flight):
            return False
        pool = self.sink.pool(shard)
        if pool is None:
            return False
        items = self.source.shard(shard)
        self.in_flight += len(items)
        ctx = self.ctx.with_pool(pool)
        task = asyncio.create_task(run_together(items, lambda item: self._run_item(item, ctx)))
        task.add_done_callback(lambda _: self.ended.set())
        self.running[task] = shard
        return True

    async def _run_item(self, item: Item, ctx: Context[Options]) -> Outcome[Result]:
        try:
            outcome = await self.stage.run(item, ctx)
        finally:
            self.in_flight -= 1
            self.ended.set()
        self.progress(outcome)
        return outcome

    def _commit_finished(self) -> None:
        for task in [task for task in self.running if task.done()]:
            shard = self.running.pop(task)
            self.sink.commit(shard, task.result())
