"""Which candidates are accepted: a fold over the shards in the order of their numbers.

Shards may end in any order; the fold goes over them by number, so the accepted set, the near-duplicates
and the diversity pool depend on numbers alone and never on timing (docs/decisions/pool.md).
"""

from __future__ import annotations

import hashlib
import heapq
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from privasis.stage import EMPTY_POOL, Pool
from privasis.types import Outcome, Record

NEAR_DUPLICATE = "near_duplicate"


class Candidate(NamedTuple):
    """What the fold needs to know of one candidate; the last two are None when it was rejected."""

    number: int
    fingerprint: tuple[int, ...] | None
    embedding: bytes | None


def candidate_of(outcome: Outcome[Record]) -> Candidate:
    """Return what the fold needs of an outcome."""
    if outcome.result is None:
        return Candidate(outcome.number, None, None)
    return Candidate(outcome.number, outcome.result.fingerprint, outcome.result.embedding)


class Acceptance:
    """The fold itself: shards go in by number, accepted candidates come out."""

    def __init__(self) -> None:
        self._bands: set[int] = set()

    def take(self, candidates: Iterable[Candidate]) -> list[Candidate]:
        """Return those that were not rejected and are no near-duplicate of an earlier accepted one."""
        accepted = []
        for candidate in candidates:
            if candidate.fingerprint is None:
                continue
            # Bands are salted with their place, so that equal values in different bands do not meet.
            bands = {hash((place, band)) for place, band in enumerate(candidate.fingerprint)}
            if self._bands.isdisjoint(bands):
                self._bands |= bands
                accepted.append(candidate)
        return accepted


class PoolSample:
    """A uniform sample of at most ``size`` accepted records that depends on their numbers alone.

    It keeps the records with the smallest keyed hashes of their numbers (bottom-k sampling): adding records
    in any order gives the same sample, and memory stays flat however long the run.
    """

    def __init__(self, seed: int, size: int) -> None:
        self._seed = seed
        self._size = size
        self._heap: list[tuple[int, int, bytes]] = []  # (-hash, number, embedding)

    def add(self, candidates: Iterable[Candidate]) -> None:
        """Add accepted candidates."""
        for candidate in candidates:
            assert candidate.embedding is not None
            entry = (-self._key(candidate.number), candidate.number, candidate.embedding)
            if len(self._heap) < self._size:
                heapq.heappush(self._heap, entry)
            else:
                heapq.heappushpop(self._heap, entry)

    def snapshot(self) -> Pool:
        """Return the sample as arrays, ordered by number."""
        if not self._heap:
            return EMPTY_POOL
        entries = sorted((number, embedding) for _, number, embedding in self._heap)
        flat = np.frombuffer(b"".join(embedding for _, embedding in entries), dtype="<f2")
        numbers = np.array([number for number, _ in entries], dtype=np.int64)
        return Pool(numbers, flat.reshape(len(entries), -1))

    def _key(self, number: int) -> int:
        digest = hashlib.blake2b(f"{self._seed}/pool/{number}".encode(), digest_size=8).digest()
        return int.from_bytes(digest, "little")
