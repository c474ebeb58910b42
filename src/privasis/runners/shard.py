"""Run the items of one shard at once: what every runner does, wherever it does it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from privasis.stage import Item, Result
from privasis.types import Outcome


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
