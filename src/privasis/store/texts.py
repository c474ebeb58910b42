"""Read what is measured: run folders, tables, and folders of texts that people wrote, by the columns needed.

A run in progress is read as far as it is committed. Of a Parquet file only the named columns are read, so
that a million records with their embeddings and histories pass in flat memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from privasis.errors import InputError, RunFolderError
from privasis.store.benchmark import Row, spelled
from privasis.store.datasets import data_files, walk_rows
from privasis.store.records import accepted_records
from privasis.store.run import read_config
from privasis.store.schema import to_row
from privasis.store.shards import Shards
from privasis.types import Record, TripletSet

TEXT_COLUMNS = ("text", "original_record", "record", "document", "content", "body")
NOT_LABELLED = "(not labelled)"
_PLAIN = (".txt", ".md")  # a file is one document
_TABLES = {"records": "records.parquet", "triplets": "triplets.parquet"}
_BATCH = 256  # rows that are held in memory
_NO_END = 1 << 60  # of a run in progress every accepted record is wanted
# Where a record keeps what documents are grouped by, when it is no column of its own.
_NESTED = {"category": ("profile", "event", "category"), "record_type": ("controls", "record_type")}


@dataclass(frozen=True, slots=True)
class Document:
    """A text with what it is grouped by, and its stored embedding, empty where there is none."""

    id: str
    text: str
    label: str
    embedding: bytes


def read_documents(path: Path, column: str | None = None, by: str | None = None) -> Iterator[Document]:
    """Walk the texts of a source; rows without a text are left out.

    Args:
        path: A run folder of records or triplets, a Parquet, JSONL, JSON, CSV or Arrow file, a folder of
            these, or a .txt or .md file or a folder of them, each file one document.
        column: Holds the text; by default the first of TEXT_COLUMNS that is there.
        by: A column, or ``category`` or ``record_type`` of records of ours, that gives the label.

    Raises:
        InputError: If nothing can be read, or no column holds a text.
        RunFolderError: If a run folder holds something else.
    """
    plain = _plain_files(path)
    if plain:
        yield from _plain_documents(plain)
        return
    nested = ".".join(_NESTED[by]) if by in _NESTED else None
    wanted = [*TEXT_COLUMNS, "id", "embedding", *(name for name in (column, by, nested) if name)]
    trusted = is_run(path)  # whose embeddings are of our encoder
    for row in walk_source(path, wanted):
        text = _text(row, column)
        if text.strip():
            id = str(row.values.get("id") or row.number)
            embedding = row.values.get("embedding") if trusted else None
            yield Document(id, text, _label(row, by), embedding or b"")


def _text(row: Row, column: str | None) -> str:
    names = (column,) if column else TEXT_COLUMNS
    name = next((name for name in names if name in row.values), None)
    if name is None:
        raise InputError(
            f"{row.where}: no column {' or '.join(names)}; there are {spelled(row.values)}. "
            "Name the text's with --column."
        )
    value = row.values[name]
    if value is not None and not isinstance(value, str):
        raise InputError(f"{row.where}: the column {name!r} holds no text.")
    return value or ""


def _label(row: Row, by: str | None) -> str:
    if by is None:
        return ""
    value = row.values.get(by)
    if value is None and by in _NESTED:
        value = row.values
        for part in _NESTED[by]:
            value = value.get(part) if isinstance(value, dict) else None
    return str(value) if isinstance(value, str | int) and str(value).strip() else NOT_LABELLED


def is_run(path: Path) -> bool:
    """Tell whether a path is a run folder."""
    return (path / "config.json").is_file()


def kind_of(path: Path) -> str | None:
    """Return what a run folder holds, such as ``records``; None for anything else.

    Raises:
        RunFolderError: If its config.json is broken.
    """
    if not is_run(path):
        return None
    kind: str = read_config(path)["kind"]
    return kind


def walk_source(path: Path, columns: Sequence[str]) -> Iterator[Row]:
    """Walk the rows of a run folder, of a file, or of a folder of files.

    Args:
        path: See ``read_documents``.
        columns: Those that are needed; of a Parquet file no others are read, and what is not there is left
            out. A dotted name is a field of a nested one.

    Raises:
        InputError: If there is nothing that can be read; names the file and the line.
        RunFolderError: If a run folder holds neither records nor triplets.
    """
    kind = kind_of(path)
    if kind is not None:
        return _run_rows(path, kind, columns)
    files = data_files(path)
    if files[0].suffix != ".parquet":
        return walk_rows(path)
    return _numbered(row for file in files for row in _parquet(file, columns))


def _run_rows(path: Path, kind: str, columns: Sequence[str]) -> Iterator[Row]:
    table = _TABLES.get(kind)
    if table is None:
        raise RunFolderError(f"{path} holds {kind}: name a run of records or triplets.")
    if (path / table).is_file():
        return _numbered(_parquet(path / table, columns))
    return _numbered((to_row(made), str(path)) for made in _committed(path, kind))


def _committed(path: Path, kind: str) -> Iterator[Any]:
    """What a run without a table yet has made so far."""
    if kind == "records":
        yield from accepted_records(Shards(path / "shards", Record), _NO_END)
        return
    for outcome in Shards(path / "shards", TripletSet):
        yield from outcome.result.triplets if outcome.result else ()


def _numbered(rows: Iterator[tuple[dict[str, Any], str]]) -> Iterator[Row]:
    for number, (values, where) in enumerate(rows):
        yield Row(number, values, f"{where} row {number + 1}")


def _parquet(path: Path, columns: Sequence[str]) -> Iterator[tuple[dict[str, Any], str]]:
    try:
        with pq.ParquetFile(path) as file:
            heads = set(file.schema_arrow.names)
            there = [name for name in dict.fromkeys(columns) if name.split(".")[0] in heads]
            if not there:
                raise InputError(f"{path} has none of the columns {', '.join(columns)}.")
            for batch in file.iter_batches(_BATCH, columns=there):
                yield from ((row, str(path)) for row in batch.to_pylist())
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"{path} is no Parquet file that can be read ({type(error).__name__}).") from None


def _plain_files(path: Path) -> tuple[Path, ...]:
    """The documents of a folder of plain texts, or the one that is named; none where there are tables."""
    if path.is_file():
        return (path,) if path.suffix in _PLAIN else ()
    if is_run(path) or not path.is_dir():
        return ()
    try:
        data_files(path)
    except InputError:
        return tuple(file for file in sorted(path.rglob("*")) if file.suffix in _PLAIN and file.is_file())
    return ()


def _plain_documents(files: Sequence[Path]) -> Iterator[Document]:
    for file in files:
        try:
            text = file.read_text(encoding="utf-8-sig")
        except OSError as error:
            raise InputError(f"{file} cannot be read: {error.strerror}.") from None
        except UnicodeDecodeError:
            raise InputError(f"{file} is not UTF-8 text.") from None
        if text.strip():
            yield Document(file.name, text, "", b"")
