"""Misbehaviour on order: which request meets which fault is decided by the request's own hash."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from hashlib import sha256
from threading import Lock
from typing import Literal

Fault = Literal[
    "rate_limit",  # 429 with Retry-After
    "server_error",  # 500
    "drop",  # the connection is closed without an answer
    "hang",  # nothing comes for a long while
    "cut_off",  # half of the reply's JSON
    "wrong_shape",  # valid JSON that is not what was asked for
    "empty",  # an empty answer
    "refusal",  # the refusal field
]
PASSING: tuple[Fault, ...] = ("rate_limit", "server_error", "drop", "hang", "cut_off")
CONTENT: tuple[Fault, ...] = ("wrong_shape", "empty", "refusal")
EVERY: tuple[Fault, ...] = PASSING + CONTENT


@dataclass(frozen=True)
class FaultPlan:
    """Faults for a share of all requests, the same share whenever it is run.

    Faults of the transport pass after ``times`` tries of the same request; faults of content stay, so that a
    request gets the same answer before and after a kill, and asking again in other words draws anew.
    """

    rate: float
    kinds: tuple[Fault, ...] = EVERY
    times: int = 1
    hang_s: float = 30.0
    retry_after: str = "0.05"  # the header as it is sent: seconds or a date
    seed: int = 0

    def draw(self, body: bytes) -> Fault | None:
        """The fault that a request is meant to meet, if any."""
        digest = sha256(self.seed.to_bytes(8, "big") + body).digest()
        if int.from_bytes(digest[:8], "big") >= self.rate * 2**64:
            return None
        return self.kinds[int.from_bytes(digest[8:12], "big") % len(self.kinds)]


class FaultDrawer:
    """Remembers how often each request met its fault."""

    def __init__(self, plan: FaultPlan | None) -> None:
        self.plan = plan
        self.met: Counter[Fault] = Counter()
        self._tries: Counter[bytes] = Counter()
        self._lock = Lock()

    def next(self, body: bytes) -> Fault | None:
        """The fault for this try of a request."""
        fault = self.plan.draw(body) if self.plan else None
        if fault is None:
            return None
        with self._lock:
            if fault in PASSING:
                key = sha256(body).digest()
                self._tries[key] += 1
                if self._tries[key] > self.plan.times:
                    return None
            self.met[fault] += 1
        return fault
