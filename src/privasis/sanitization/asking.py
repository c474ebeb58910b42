"""Several questions of one item at the same time, with the same seeds in whatever order they are answered."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterable, Sequence
from typing import TypeVar

from privasis.errors import Reject
from privasis.stage import Asker

T = TypeVar("T")


def branch(asker: Asker, name: str) -> Asker:
    """Return an asker of its own for one of several questions: its seeds depend on its name alone."""
    return Asker(asker.client, asker.model, asker.seed, f"{asker.item}/{name}")


async def answered(question: Awaitable[T], instead: T) -> T:
    """Await a question; a model that gives no valid answer gives another one in its place.

    Raises:
        Reject: If the endpoint fails.
    """
    try:
        return await question
    except Reject as reject:
        if reject.reason == "endpoint_failed":
            raise
        return instead


async def together(asker: Asker, branches: Sequence[Asker], questions: Iterable[Awaitable[T]]) -> list[T]:
    """Await all questions; the branches' calls go to the asker in the order of the questions.

    Raises:
        Reject: The first question's, in their order, that got no valid answer; all were awaited before.
    """
    ends = await asyncio.gather(*questions, return_exceptions=True)
    for one in branches:
        asker.calls.extend(one.calls)
    answers: list[T] = []
    for end in ends:
        if isinstance(end, BaseException):
            raise end
        answers.append(end)
    return answers
