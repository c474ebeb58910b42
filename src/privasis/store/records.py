"""The sink of record runs, and the files that are written from its shards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from privasis.stage import Pool
from privasis.store.acceptance import (
    NEAR_DUPLICATE,
    Acceptance,
    Candidate,
    PoolSample,
    candidate_of,
)
from privasis.store.shards import Shards
from privasis.types import Outcome, Record, Rejection

POOL_SAMPLE = 4096  # records that a shard may compare with; each evaluation draws n_P of them


class RecordSink:
    """Commits shards of candidates and knows which are accepted so far."""

    def __init__(
        self, shards: Shards[Record], *, wanted: int, seed: int, shard_sizes: Sequence[int], pool_lag: int
    ) -> None:
        self._shards = shards
        self._wanted = wanted
        self._sizes = shard_sizes
        # A shard's pool ends this many shards before it; at least one, since a shard is committed whole.
        self._lag = max(1, -(-pool_lag // max(shard_sizes[0], 1)))
        self._acceptance = Acceptance()
        self._sample = PoolSample(seed, POOL_SAMPLE)
        self._committed: dict[int, list[Candidate]] = {}  # not yet folded
        self._folded = 0
        self._accepted: dict[int, list[Candidate]] = {}  # folded, not yet in the sample
        self._sampled = 0
        self._snapshot: Pool | None = None
        self.accepted = 0
        self._passed_ahead = 0  # results that wait behind a shard still in work
        self._tried = 0
        self._done: set[int] = set()
        self._read_done()
        self._fold()

    def done(self) -> frozenset[int]:
        """Return the indices of the committed shards."""
        return frozenset(self._done)

    def commit(self, shard: int, outcomes: Sequence[Outcome[Record]]) -> None:
        """Keep a shard whole.

        Raises:
            DiskError: If the disk is full or refuses.
        """
        self._shards.commit(shard, outcomes)
        self._note(shard, [candidate_of(outcome) for outcome in outcomes])
        self._fold()

    def pool(self, shard: int) -> Pool | None:
        """Return the sample of the records accepted up to a fixed lag before this shard; None: not yet."""
        line = max(0, shard - self._lag)
        if line > self._folded:
            return None
        while self._sampled < line:
            self._sample.add(self._accepted.pop(self._sampled))
            self._sampled += 1
            self._snapshot = None
        if self._snapshot is None:
            self._snapshot = self._sample.snapshot()
        return self._snapshot

    def wanted(self, in_flight: int) -> bool:
        """Tell whether the results so far and those expected of the items in work fall short."""
        rate = (self.accepted + self._passed_ahead + 1) / (self._tried + 1)
        return self.accepted + self._passed_ahead + in_flight * rate < self._wanted

    def complete(self) -> bool:
        """Tell whether the first N accepted candidates are known."""
        return self.accepted >= self._wanted

    def _read_done(self) -> None:
        for index in sorted(self._shards.done()):
            if index >= len(self._sizes) or self._shards.rows(index) != self._sizes[index]:
                continue  # written under a smaller --max-candidates: made anew, from the cache
            self._note(index, list(_candidates(self._shards, index)))

    def _note(self, shard: int, candidates: list[Candidate]) -> None:
        self._committed[shard] = candidates
        self._tried += len(candidates)
        self._passed_ahead += sum(candidate.fingerprint is not None for candidate in candidates)
        self._done.add(shard)

    def _fold(self) -> None:
        while self._folded in self._committed:
            candidates = self._committed.pop(self._folded)
            accepted = self._acceptance.take(candidates)
            self._passed_ahead -= sum(candidate.fingerprint is not None for candidate in candidates)
            self.accepted += len(accepted)
            self._accepted[self._folded] = accepted
            self._folded += 1


def _candidates(shards: Shards[Record], index: int) -> Iterator[Candidate]:
    for row in shards.read_columns(index, ["number", "result.fingerprint", "result.embedding"]):
        result = row["result"]
        if result is None:
            yield Candidate(row["number"], None, None)
        else:
            yield Candidate(row["number"], tuple(result["fingerprint"]), result["embedding"])


def judged(shards: Shards[Record], wanted: int) -> Iterator[tuple[Outcome[Record], bool]]:
    """Walk the outcomes by number up to the last wanted one; near-duplicates come as rejections.

    The flag is True for outcomes beyond the wanted set: made ahead of need, kept, and not counted.
    """
    acceptance = Acceptance()
    accepted = 0
    for outcome in shards:
        surplus = accepted >= wanted
        if surplus or outcome.result is None:
            yield outcome, surplus
        elif acceptance.take([candidate_of(outcome)]):
            accepted += 1
            yield outcome, False
        else:
            rejection = Rejection("filter", NEAR_DUPLICATE, outcome.result.text)
            yield Outcome(outcome.id, outcome.number, None, rejection, outcome.result.calls), False


def accepted_records(shards: Shards[Record], wanted: int) -> Iterator[Record]:
    """Walk the accepted records by number."""
    for outcome, surplus in judged(shards, wanted):
        if outcome.result is not None and not surplus:
            yield outcome.result
