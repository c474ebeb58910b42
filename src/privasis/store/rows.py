"""Many rows of Parquet, as Arrow batches in flat memory: what is exported, and what is deduplicated."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pyarrow as pa
import pyarrow.parquet as pq

from privasis.errors import InputError, RunFolderError
from privasis.store.run import read_config

BATCH = 256  # rows in memory at once
_FOOTER = 65_536  # bytes at the end of a Parquet file: sizes, offsets and statistics of what it holds
_TABLES = ("records.parquet", "triplets.parquet")

Noun = Literal["records", "triplets"]


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of some Parquet files of one schema, in a fixed order."""

    files: tuple[Path, ...]
    counts: tuple[int, ...]  # rows of each file
    schema: pa.Schema
    noun: Noun
    digest: str  # of the files' footers: changes when their contents do

    @property
    def count(self) -> int:
        """The number of rows."""
        return sum(self.counts)

    def batches(self, start: int, stop: int, columns: list[str] | None = None) -> Iterator[pa.RecordBatch]:
        """Walk the rows from ``start`` up to ``stop``, at most ``BATCH`` at once.

        Raises:
            InputError: If a file cannot be read.
        """
        first = 0
        for path, count in zip(self.files, self.counts, strict=True):
            if first < stop and first + count > start:
                yield from _slices(path, max(start - first, 0), min(stop - first, count), columns)
            first += count


def _slices(path: Path, start: int, stop: int, columns: list[str] | None) -> Iterator[pa.RecordBatch]:
    try:
        with pq.ParquetFile(path) as file:
            first = 0
            for group in range(file.metadata.num_row_groups):
                count = file.metadata.row_group(group).num_rows
                if first < stop and first + count > start:  # others are not even read
                    yield from _of_group(file, group, start - first, stop - first, columns)
                first += count
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"{path} cannot be read ({type(error).__name__}). Make it again.") from None


def _of_group(
    file: pq.ParquetFile, group: int, start: int, stop: int, columns: list[str] | None
) -> Iterator[pa.RecordBatch]:
    first = 0
    for batch in file.iter_batches(BATCH, row_groups=[group], columns=columns):
        low, high = max(start - first, 0), min(stop - first, batch.num_rows)
        if low < high:
            yield batch.slice(low, high - low)
        first += batch.num_rows


def open_rows(path: Path) -> Rows:
    """Find the records or triplets of a folder or file, and look at their footers.

    Args:
        path: A folder of a run, a corpus, deduplicated rows or Parquet files; or one Parquet file.

    Raises:
        InputError: If there are none, or they differ in their schema.
        RunFolderError: If a run has not been summed up yet.
    """
    files = _files_of(path)
    footers = [_footer(file) for file in files]
    schema = footers[0].schema.to_arrow_schema().remove_metadata()
    for file, footer in zip(files, footers, strict=True):
        if not footer.schema.to_arrow_schema().remove_metadata().equals(schema):
            raise InputError(f"{file} has other columns than {files[0]}: give files of one version.")
    if "text" not in schema.names or "id" not in schema.names:
        raise InputError(f"{files[0]} has no columns 'id' and 'text': records or triplets are needed.")
    digest = hashlib.sha256()
    for file in files:
        digest.update(_end_of(file))
    counts = tuple(footer.num_rows for footer in footers)
    noun: Noun = "triplets" if "sanitized" in schema.names else "records"
    return Rows(files, counts, schema, noun, digest.hexdigest()[:16])


def _files_of(path: Path) -> tuple[Path, ...]:
    if path.is_file():
        return (path,)
    if not path.exists():
        raise InputError(f"{path} does not exist: name a run folder, a corpus or a Parquet file.")
    for name in _TABLES:
        if (path / name).is_file():
            return (path / name,)
    if (path / "config.json").exists() and not (path / "data").exists():
        kind = read_config(path)["kind"]
        raise RunFolderError(f"{path} ({kind}) has no table yet: give the command that makes it again.")
    files = tuple(sorted(file for file in path.rglob("*.parquet") if not file.name.startswith(".")))
    if not files:
        raise InputError(f"{path} holds no Parquet file.")
    return files


def _footer(path: Path) -> pq.FileMetaData:
    try:
        return pq.read_metadata(path)
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"{path} is no Parquet file that can be read ({type(error).__name__}).") from None


def _end_of(path: Path) -> bytes:
    size = path.stat().st_size
    with path.open("rb") as file:
        file.seek(max(size - _FOOTER, 0))
        return size.to_bytes(8, "big") + file.read()
