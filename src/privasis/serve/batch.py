"""The texts of one request, cleaned side by side."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from privasis.serve.forms import Answer, Problem
from privasis.serve.limits import Refused
from privasis.serve.metrics import Metrics
from privasis.serve.workers import Done, Job, Workers


@dataclass(frozen=True, slots=True)
class Service:
    """What cleans, and what counts it."""

    workers: Workers
    metrics: Metrics


async def clean_one(job: Job, service: Service) -> Done:
    """Clean a text and count it.

    Raises:
        Refused: It cannot be cleaned.
    """
    try:
        done = await service.workers.clean(job)
    except Refused as refusal:
        service.metrics.result(refusal.code, len(job.text))
        raise
    service.metrics.result(done.status, len(job.text))
    return done


async def clean_many(jobs: Sequence[Job], service: Service) -> list[Done]:
    """Clean texts; one that is refused says so in its place."""
    async with tasks_of(jobs, service) as tasks:
        return [done for _, done in await asyncio.gather(*tasks)]


@asynccontextmanager
async def tasks_of(
    jobs: Sequence[Job], service: Service
) -> AsyncIterator[list[asyncio.Task[tuple[int, Done]]]]:
    """Start a task for each text, which gives its place and what became of it; end with the block.

    No more than there are workers wait for one at a time, so that one large request lets others in between.
    """
    places = asyncio.Semaphore(service.workers.count)

    async def one(number: int, job: Job) -> tuple[int, Done]:
        async with places:
            try:
                return number, await clean_one(job, service)
            except Refused as refusal:
                return number, refused(refusal)

    tasks = [asyncio.create_task(one(number, job)) for number, job in enumerate(jobs)]
    try:
        yield tasks
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def refused(refusal: Refused) -> Done:
    """Return the answer to a text that cannot be cleaned, among others that can."""
    problem = Problem(code=refusal.code, message=refusal.message)
    return Done("refused", Answer(status="refused", error=problem).model_dump_json().encode())


def joined(results: Sequence[Done]) -> bytes:
    """Return the body for several texts; what the workers wrote is not read again."""
    return b'{"results":[' + b",".join(done.body for done in results) + b"]}"
