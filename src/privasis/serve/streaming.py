"""Progress while texts are cleaned, as lines of JSON or as server-sent events."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Sequence
from typing import Final, Literal

from privasis.serve.batch import Service, tasks_of
from privasis.serve.workers import Job

Form = Literal["ndjson", "sse"]
MEDIA_TYPES: Final[dict[Form, str]] = {"ndjson": "application/x-ndjson", "sse": "text/event-stream"}
_BEAT_SECONDS: Final = 1.0


async def events(jobs: Sequence[Job], service: Service, form: Form) -> AsyncIterator[bytes]:
    """Yield ``progress`` every second, a ``result`` for each text when it is whole, and ``end``.

    A text is never sent in parts: whether something is left in it is known at its end only.
    """
    start = time.monotonic()
    ended = 0

    def told() -> dict[str, object]:
        seconds = round(time.monotonic() - start, 3)
        characters = sum(len(job.text) for job in jobs)
        return {"done": ended, "of": len(jobs), "characters": characters, "seconds": seconds}

    yield _event(form, "progress", told())
    async with tasks_of(jobs, service) as tasks:
        pending = set(tasks)
        while pending:
            finished, pending = await asyncio.wait(
                pending, timeout=_BEAT_SECONDS, return_when=asyncio.FIRST_COMPLETED
            )
            for task in finished:
                number, done = task.result()
                ended += 1
                yield _result(form, number, done.body)
            yield _event(form, "progress" if pending else "end", told())


def _event(form: Form, name: str, fields: dict[str, object]) -> bytes:
    return _line(form, name, json.dumps({"event": name, **fields}).encode())


def _result(form: Form, number: int, body: bytes) -> bytes:
    return _line(form, "result", b'{"event":"result","index":%d,"result":%b}' % (number, body))


def _line(form: Form, name: str, data: bytes) -> bytes:
    """JSON has no line break outside its strings, and none but an escaped one in them."""
    if form == "ndjson":
        return data + b"\n"
    return b"event: %b\ndata: %b\n\n" % (name.encode(), data)
