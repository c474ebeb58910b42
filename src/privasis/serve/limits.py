"""What the service takes at most, and how it says no."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

MAX_CHARACTERS: Final = 1_000_000  # of one text: up to here the Cleaner's time is measured to be linear
MAX_TEXTS: Final = 256
MAX_INSTRUCTION: Final = 10_000
MAX_PHRASES: Final = 100
MAX_PHRASE: Final = 1_000


@dataclass(frozen=True, slots=True)
class Limits:
    """Sizes and times of the service.

    Attributes:
        workers: Processes that clean, each one text at a time.
        queue: Requests that may wait besides those in work; one more gets 429.
        body_bytes: Of one request.
        text_seconds: That one text may take; then its worker is ended.
        read_seconds: That a client may take to send its request, or to take a part of its answer.
        connections: Open at once.
    """

    workers: int = 2
    queue: int = 128
    body_bytes: int = 4 << 20
    text_seconds: float = 60.0
    read_seconds: float = 20.0
    connections: int = 1024

    @property
    def requests(self) -> int:
        """Requests that may be held at once, in work and waiting: with ``body_bytes`` the bound of memory."""
        return self.workers + self.queue


class Refused(Exception):
    """A request that gets no text back; the message holds nothing of the request.

    Args:
        status: The HTTP status.
        code: One word for programs.
        message: What, and what to do, for a person.
    """

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message

    def __reduce__(self) -> tuple[type[Refused], tuple[int, str, str]]:
        """Survive the way from a worker's process: an exception is remade from its arguments."""
        return type(self), (self.status, self.code, self.message)


class Gate:
    """Counts the requests that are held, and lets no more in than may be."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.held = 0

    @contextmanager
    def place(self) -> Iterator[None]:
        """Hold a place for as long as the block lasts.

        Raises:
            Refused: All places are held.
        """
        if self.held >= self.most:
            raise Refused(429, "busy", f"{self.most} requests are in work or waiting. Try again later.")
        self.held += 1
        try:
            yield
        finally:
            self.held -= 1
