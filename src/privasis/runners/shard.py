"""Which shards are left, and their items at once: what every runner does, wherever it does it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterator, Sequence
from typing import Any

from privasis.stage import Item, Result, Sink, Source
from privasis.types import Outcome


def uncommitted(source: Source[Any], sink: Sink[Any]) -> Iterator[int]:
    """Walk the shards that are not committed yet, in order."""
    done = sink.done()
    return iter([index for index in range(source.shards) if index not in done])


async def cancel_all(tasks: Collection[asyncio.Task[Any]]) -> None:
    """Cancel tasks and wait until they have ended, however they end."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def run_together(
    items: Sequence[Item], run_item: Callable[[Item], Awaitable[Outcome[Result]]]
) -> list[Outcome[Result]]:
    """Run all items at once and return their outcomes in order.

    All items end before one's exception counts: answers that are under way are paid for, and cached.

    Raises:
        PrivasisError: Of the first item, in order, that ended by one.
    """
    ends = await asyncio.gather(*(run_item(item) for item in items), return_exceptions=True)
    for end in ends:
        if isinstance(end, BaseException):
            raise end
    return [end for end in ends if isinstance(end, Outcome)]
