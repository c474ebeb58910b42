"""Parquet shards of a dataset: each written whole under a name that its rows decide, with its own counts."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from privasis.errors import RunFolderError
from privasis.store.files import write_whole
from privasis.store.rows import Rows
from privasis.text.words import count_words

_COUNTS = b"privasis.counts"  # key of a shard's metadata
_LISTS = ("attributes", "groups", "targets", "edits", "keeps")


@dataclass(slots=True)
class Counts:
    """What some rows hold; sums, so that the counts of shards add up."""

    rows: int = 0
    words: int = 0
    longest: int = 0  # words
    lists: dict[str, int] = field(default_factory=dict)  # entries of the columns that hold lists
    languages: dict[str, int] = field(default_factory=dict)
    models: dict[str, int] = field(default_factory=dict)
    categories: dict[str, int] = field(default_factory=dict)

    def add_batch(self, batch: pa.RecordBatch) -> None:
        """Count the rows of a batch."""
        self.rows += batch.num_rows
        sizes = [count_words(text) for text in batch.column("text").to_pylist()]
        self.words += sum(sizes)
        self.longest = max(self.longest, *sizes)
        for name in _LISTS:
            if name in batch.schema.names:
                entries = pc.sum(pc.list_value_length(batch.column(name))).as_py() or 0
                self.lists[name] = self.lists.get(name, 0) + int(entries)
        _tally(self.languages, batch, ("language",))
        _tally(self.models, batch, ("model",))
        _tally(self.categories, batch, ("category",) if "category" in batch.schema.names else _EVENT)

    def add(self, other: Counts) -> None:
        """Add the counts of other rows."""
        self.rows += other.rows
        self.words += other.words
        self.longest = max(self.longest, other.longest)
        for name in ("lists", "languages", "models", "categories"):
            mine = getattr(self, name)
            for key, count in getattr(other, name).items():
                mine[key] = mine.get(key, 0) + count


_EVENT = ("profile", "event", "category")


def _tally(counts: dict[str, int], batch: pa.RecordBatch, path: tuple[str, ...]) -> None:
    if path[0] not in batch.schema.names:
        return
    column = batch.column(path[0])
    for name in path[1:]:
        column = pc.struct_field(column, name)
    for value, count in Counter(column.to_pylist()).items():
        counts[str(value)] = counts.get(str(value), 0) + count


@dataclass(frozen=True, slots=True)
class DatasetShards:
    """The shards of one split, as a folder ``data`` of the Hugging Face layout holds them."""

    folder: Path
    rows: Rows
    columns: tuple[str, ...]
    size: int  # rows of a shard

    @property
    def count(self) -> int:
        """The number of shards; at least one."""
        return max(1, -(-self.rows.count // self.size))

    def path(self, index: int) -> Path:
        """Return where a shard lies."""
        return self.folder / "data" / f"train-{index:05d}-of-{self.count:05d}.parquet"

    def commit(self, index: int) -> Counts:
        """Write a shard whole if it is not there; return its counts in either case.

        Raises:
            DiskError: If the disk is full or refuses.
            InputError: If the source cannot be read.
            RunFolderError: If a shard that lies there is broken.
        """
        path = self.path(index)
        if path.exists():
            return self._counts(path, index)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, lambda beside: self._write(beside, index))
        return self._counts(path, index)

    def _write(self, path: Path, index: int) -> None:
        schema = pa.schema([self.rows.schema.field(name) for name in self.columns])
        counts = Counts()
        with pq.ParquetWriter(path, schema, compression="zstd") as writer:
            for batch in self.rows.batches(index * self.size, (index + 1) * self.size):
                counts.add_batch(batch)
                writer.write_batch(batch.select(list(self.columns)))
            writer.add_key_value_metadata({_COUNTS.decode(): json.dumps(asdict(counts))})

    def _counts(self, path: Path, index: int) -> Counts:
        try:
            footer = pq.read_metadata(path)
            held: dict[str, Any] = json.loads(footer.metadata[_COUNTS])
            counts = Counts(**held)
        except (pa.ArrowException, OSError, KeyError, TypeError, ValueError) as error:
            raise RunFolderError(
                f"{path} is broken or of another version ({type(error).__name__}). "
                "Delete this file and give the command again."
            ) from None
        expected = min(self.size, self.rows.count - index * self.size)
        if footer.num_rows != expected:
            raise RunFolderError(
                f"{path} has {footer.num_rows} rows instead of {expected}: "
                "delete it and give the command again."
            )
        return counts
