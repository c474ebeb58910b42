"""The sink of sanitization runs, and the files that are written from its shards."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from privasis.stage import EMPTY_POOL, Pool
from privasis.store.run import RunFolder
from privasis.store.shards import Shards
from privasis.store.summary import RejectRow, TableFile, Usage, count_calls, total_of, write_json
from privasis.text.words import count_words
from privasis.types import Outcome, Triplet, TripletSet


class TripletSink:
    """Commits shards of triplets; every record of the source is wanted."""

    def __init__(self, shards: Shards[TripletSet], count: int) -> None:
        self._shards = shards
        self._count = count
        self._done = set(shards.done())

    def done(self) -> frozenset[int]:
        """Return the indices of the committed shards."""
        return frozenset(self._done)

    def pool(self, shard: int) -> Pool | None:
        """Return the empty pool: records are sanitized independently of each other."""
        return EMPTY_POOL

    def commit(self, shard: int, outcomes: Sequence[Outcome[TripletSet]]) -> None:
        """Keep a shard whole.

        Raises:
            DiskError: If the disk is full or refuses.
        """
        self._shards.commit(shard, outcomes)
        self._done.add(shard)

    def wanted(self, in_flight: int) -> bool:
        """Tell that another shard should be started, always."""
        return True

    def complete(self) -> bool:
        """Tell whether all shards are there."""
        return len(self._done) >= self._count


@dataclass(slots=True)
class TripletsSummary:
    """The counts of a sanitization run. sanitized + failed + rejected = tried."""

    records: int  # in the source
    skipped: tuple[str, ...] = ()  # bad rows of the source, one line each
    tried: int = 0
    sanitized: int = 0  # records that gave at least one triplet
    failed: int = 0  # records whose triplets were all made and not selected
    rejected: int = 0
    rejected_by_reason: dict[str, int] = field(default_factory=dict)
    failures_by_reason: dict[str, int] = field(default_factory=dict)  # of triplets
    triplets: int = 0
    words: int = 0
    instruction_words: int = 0
    targets: int = 0
    grouped_targets: int = 0
    dropped_targets: int = 0
    keeps: int = 0
    edits: int = 0
    edited_characters: int = 0  # of the originals
    characters: int = 0
    edits_by_step: dict[str, int] = field(default_factory=dict)
    by_step: dict[str, Usage] = field(default_factory=dict)
    by_model: dict[str, Usage] = field(default_factory=dict)

    def add(self, outcome: Outcome[TripletSet]) -> None:
        """Count one outcome."""
        self.tried += 1
        count_calls(outcome.calls, self.by_step, self.by_model)
        if outcome.result is not None:
            self._add_set(outcome.result)
        elif outcome.rejection is not None:
            self.rejected += 1
            _count(self.rejected_by_reason, f"{outcome.rejection.step}: {outcome.rejection.reason}")

    def _add_set(self, made: TripletSet) -> None:
        self.sanitized += bool(made.triplets)
        self.failed += not made.triplets
        for failure in made.failures:
            _count(self.failures_by_reason, failure.reason)
        for triplet in made.triplets:
            self._add_triplet(triplet)

    def _add_triplet(self, triplet: Triplet) -> None:
        self.triplets += 1
        self.words += count_words(triplet.text)
        self.instruction_words += count_words(triplet.instruction)
        self.targets += len(triplet.targets)
        self.grouped_targets += sum(target.grouped for target in triplet.targets)
        self.dropped_targets += sum(target.action == "drop" for target in triplet.targets)
        self.keeps += len(triplet.keeps)
        self.characters += len(triplet.text)
        for edit in triplet.edits:
            self.edits += 1
            self.edited_characters += edit.end - edit.start
            _count(self.edits_by_step, edit.step)

    def total(self) -> Usage:
        """Return what the whole run took."""
        return total_of(self.by_step)


def _count(counts: dict[str, int], word: str) -> None:
    counts[word] = counts.get(word, 0) + 1


def write_triplets(run: RunFolder, records: int, skipped: tuple[str, ...]) -> TripletsSummary:
    """Fold the shards of a sanitization run into its files, in flat memory, and return the counts.

    CORPUS/triplets.parquet holds the selected triplets; CORPUS/rejects.parquet the records without one and
    the triplets that were not selected, these as JSON in ``detail``; CORPUS/summary.json the counts.

    Raises:
        DiskError: If the disk is full or refuses.
        RunFolderError: If a shard is broken.
    """
    summary = TripletsSummary(records, skipped)
    with (
        TableFile(run.path / "triplets.parquet", Triplet) as triplets,
        TableFile(run.path / "rejects.parquet", RejectRow) as rejects,
    ):
        for outcome in Shards(run.shards, TripletSet):
            summary.add(outcome)
            made = outcome.result
            for triplet in made.triplets if made else ():
                triplets.add(triplet)
            lost = made.failures if made else (outcome.rejection,)
            for one in lost:
                if one is not None:
                    rejects.add(RejectRow(outcome.id, outcome.number, one.step, one.reason, one.detail))
    write_json(run.path / "summary.json", _as_json(summary))
    return summary


def _as_json(summary: TripletsSummary) -> dict[str, Any]:
    each = max(summary.triplets, 1)
    return {
        **dataclasses.asdict(summary),
        "words_per_record": summary.words / each,
        "targets_per_triplet": summary.targets / each,
        "grouped_share": summary.grouped_targets / max(summary.targets, 1),
        "instruction_words_per_triplet": summary.instruction_words / each,
        "edits_per_triplet": summary.edits / each,
        "edited_share": summary.edited_characters / max(summary.characters, 1),
        "total": dataclasses.asdict(summary.total()),
    }
