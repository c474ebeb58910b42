"""Write what a finished session leaves for people: records.parquet, rejects.parquet, summary.json."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from privasis.store.files import write_text
from privasis.store.records import judged
from privasis.store.run import RunFolder
from privasis.store.schema import arrow_schema, to_row
from privasis.store.shards import Shards
from privasis.text.words import count_words
from privasis.types import Call, Outcome, Record

_BATCH = 256  # rows that are held in memory


@dataclass(frozen=True, slots=True)
class RejectRow:
    """One row of rejects.parquet."""

    id: str
    number: int
    step: str
    reason: str
    detail: str


@dataclass(slots=True)
class Usage:
    """What a step or a model took: calls, tokens and money (0 where an answer came from the cache)."""

    calls: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0

    def add(self, call: Call) -> None:
        """Count one call."""
        self.calls += 1
        self.prompt_tokens += call.prompt_tokens
        self.cached_tokens += call.cached_tokens
        self.completion_tokens += call.completion_tokens
        self.cost += call.cost


def count_calls(calls: Iterable[Call], by_step: dict[str, Usage], by_model: dict[str, Usage]) -> None:
    """Count calls by their step and by their model."""
    for call in calls:
        by_step.setdefault(call.step, Usage()).add(call)
        by_model.setdefault(call.model, Usage()).add(call)


def total_of(usages: Mapping[str, Usage]) -> Usage:
    """Return the sum of what was taken."""
    total = Usage()
    for usage in usages.values():
        total.calls += usage.calls
        total.prompt_tokens += usage.prompt_tokens
        total.cached_tokens += usage.cached_tokens
        total.completion_tokens += usage.completion_tokens
        total.cost += usage.cost
    return total


@dataclass(slots=True)
class RecordsSummary:
    """The counts of a record run. accepted + rejected + surplus = tried."""

    wanted: int
    tried: int = 0
    accepted: int = 0
    rejected: int = 0
    surplus: int = 0  # made ahead of need, beyond the last accepted one
    rejected_by_reason: dict[str, int] = field(default_factory=dict)
    words: int = 0
    attributes: int = 0
    attributes_from_profile: int = 0
    groups: int = 0
    grouped_attributes: int = 0
    refinement_steps: int = 0
    refinements_accepted: int = 0
    by_step: dict[str, Usage] = field(default_factory=dict)
    by_model: dict[str, Usage] = field(default_factory=dict)

    def add(self, outcome: Outcome[Record], surplus: bool) -> None:
        """Count one outcome."""
        self.tried += 1
        self.surplus += surplus
        count_calls(outcome.calls, self.by_step, self.by_model)
        if surplus:
            return
        if outcome.result is not None:
            self._add_record(outcome.result)
        elif outcome.rejection is not None:
            self.rejected += 1
            reason = f"{outcome.rejection.step}: {outcome.rejection.reason}"
            self.rejected_by_reason[reason] = self.rejected_by_reason.get(reason, 0) + 1

    def _add_record(self, record: Record) -> None:
        self.accepted += 1
        self.words += count_words(record.text)
        self.attributes += len(record.attributes)
        self.attributes_from_profile += sum(a.source == "profile" for a in record.attributes)
        self.groups += len(record.groups)
        self.grouped_attributes += sum(len(group.attributes) for group in record.groups)
        self.refinement_steps += len(record.refinement)
        self.refinements_accepted += sum(step.accepted for step in record.refinement)

    def total(self) -> Usage:
        """Return what the whole run took."""
        return total_of(self.by_step)


class TableFile:
    """A Parquet file of dataclasses, written in batches beside its place and renamed when whole."""

    def __init__(self, path: Path, noun: type[Any]) -> None:
        self._path = path
        self._schema = arrow_schema(noun)  # type: ignore[arg-type]  # classes are hashable
        self._rows: list[dict[str, Any]] = []
        self._beside = path.with_name(f".{path.name}.tmp")
        self._writer = pq.ParquetWriter(self._beside, self._schema, compression="zstd")

    def __enter__(self) -> TableFile:
        """Start writing."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        """Finish the file, or leave the old one when something went wrong."""
        if kind is None:
            self.finish()
        else:
            self.abandon()

    def finish(self) -> None:
        """Write what waits and put the file into its place."""
        self._flush()
        self._writer.close()
        self._beside.replace(self._path)

    def abandon(self) -> None:
        """Leave the old file as it was."""
        self._writer.close()
        self._beside.unlink(missing_ok=True)

    def add(self, value: Any) -> None:
        """Add one row."""
        self._rows.append(to_row(value))
        if len(self._rows) >= _BATCH:
            self._flush()

    def _flush(self) -> None:
        if self._rows:
            self._writer.write_table(pa.Table.from_pylist(self._rows, self._schema))
            self._rows.clear()


def write_summary(run: RunFolder, wanted: int) -> RecordsSummary:
    """Fold the shards of a record run into its files, in flat memory, and return the counts.

    Raises:
        DiskError: If the disk is full or refuses.
        RunFolderError: If a shard is broken.
    """
    shards = Shards(run.shards, Record)
    summary = RecordsSummary(wanted)
    with (
        TableFile(run.path / "records.parquet", Record) as records,
        TableFile(run.path / "rejects.parquet", RejectRow) as rejects,
    ):
        for outcome, surplus in judged(shards, wanted):
            summary.add(outcome, surplus)
            if outcome.result is not None and not surplus:
                records.add(outcome.result)
            elif outcome.rejection is not None and not surplus:
                rejection = outcome.rejection
                rejects.add(
                    RejectRow(outcome.id, outcome.number, rejection.step, rejection.reason, rejection.detail)
                )
    write_json(run.path / "summary.json", _as_json(summary))
    return summary


def write_json(path: Path, value: dict[str, Any]) -> None:
    """Write a JSON file whole.

    Raises:
        DiskError: If the disk is full or refuses.
    """
    write_text(path, json.dumps(value, indent=2, ensure_ascii=False) + "\n")


def _as_json(summary: RecordsSummary) -> dict[str, Any]:
    per_record = max(summary.accepted, 1)
    return {
        **dataclasses.asdict(summary),
        "words_per_record": summary.words / per_record,
        "attributes_per_record": summary.attributes / per_record,
        "groups_per_record": summary.groups / per_record,
        "attributes_per_group": summary.grouped_attributes / max(summary.groups, 1),
        "total": dataclasses.asdict(summary.total()),
    }
