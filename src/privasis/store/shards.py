"""A shard is a Parquet file of outcomes: the unit of work and of commit."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Generic, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq

from privasis.errors import RunFolderError
from privasis.store.files import write_whole
from privasis.store.schema import arrow_schema, from_row, to_row
from privasis.types import Call, Outcome, Rejection

Result = TypeVar("Result")

_NAME = re.compile(r"shard-(\d{6})\.parquet")


@cache
def _schema(noun: Any) -> pa.Schema:
    return pa.schema(
        [
            pa.field("id", pa.string(), nullable=False),
            pa.field("number", pa.int64(), nullable=False),
            pa.field("result", pa.struct(arrow_schema(noun)), nullable=True),
            pa.field("rejection", pa.struct(arrow_schema(Rejection)), nullable=True),
            pa.field("calls", pa.list_(pa.struct(arrow_schema(Call))), nullable=False),
        ]
    )


class Shards(Generic[Result]):
    """The committed shards of one folder. What lies there is the only truth about progress."""

    def __init__(self, folder: Path, noun: type[Result]) -> None:
        self._folder = folder
        self._noun = noun

    def done(self) -> frozenset[int]:
        """Return the indices of all committed shards."""
        if not self._folder.exists():
            return frozenset()
        matches = (_NAME.fullmatch(entry.name) for entry in self._folder.iterdir())
        return frozenset(int(match[1]) for match in matches if match)

    def commit(self, index: int, outcomes: Sequence[Outcome[Result]]) -> None:
        """Write a shard whole, under its deterministic name.

        Raises:
            DiskError: If the disk is full or refuses.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        table = pa.Table.from_pylist([to_row(outcome) for outcome in outcomes], _schema(self._noun))  # type: ignore[arg-type]  # classes are hashable
        write_whole(self._path(index), lambda beside: pq.write_table(table, beside, compression="zstd"))

    def read(self, index: int) -> list[Outcome[Result]]:
        """Read a committed shard.

        Raises:
            RunFolderError: If the file is broken or of another version.
        """
        rows = self._rows(index, None)
        where = f"{self._path(index)} row "
        return [
            from_row(Outcome[self._noun], row, f"{where}{number}")  # type: ignore[name-defined]
            for number, row in enumerate(rows, start=1)
        ]

    def read_columns(self, index: int, columns: Sequence[str]) -> list[dict[str, Any]]:
        """Read some (nested) columns of a committed shard as plain rows."""
        return self._rows(index, columns)

    def rows(self, index: int) -> int:
        """Return the number of outcomes in a committed shard.

        Raises:
            RunFolderError: If the file is broken.
        """
        try:
            count: int = pq.read_metadata(self._path(index)).num_rows
        except (pa.ArrowException, OSError) as error:
            raise self._broken(index, error) from None
        return count

    def __iter__(self) -> Iterator[Outcome[Result]]:
        """Walk all outcomes in the order of their numbers, one shard in memory at a time."""
        for index in sorted(self.done()):
            yield from self.read(index)

    def _rows(self, index: int, columns: Sequence[str] | None) -> list[dict[str, Any]]:
        try:
            with pq.ParquetFile(self._path(index)) as file:  # reads "a.b" as a part of the struct a
                table = file.read(columns=list(columns) if columns else None)
        except (pa.ArrowException, OSError) as error:
            raise self._broken(index, error) from None
        rows: list[dict[str, Any]] = table.to_pylist()
        return rows

    def _broken(self, index: int, error: Exception) -> RunFolderError:
        return RunFolderError(
            f"{self._path(index)} cannot be read ({type(error).__name__}). Delete this file and give the "
            "command again: the shard will be made anew, from the cache where it can."
        )

    def _path(self, index: int) -> Path:
        return self._folder / f"shard-{index:06d}.parquet"
