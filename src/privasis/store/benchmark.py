"""Read what is evaluated: rows of a test set, and the predictions of a system. Knows no benchmark's nouns."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from privasis.errors import InputError

_SHOWN = 5  # ids named in a message
_BATCH = 256  # rows that are held in memory
_PREDICTION = ("id", "sanitized_text")
_SETS = ("vanilla", "hard")  # §4.2; found in a file's name
_TRIPLETS = "triplets.parquet"


class Row(NamedTuple):
    """A row of a file; ``where`` names both in messages."""

    number: int  # from 0
    values: dict[str, Any]
    where: str


class BenchFile(NamedTuple):
    """A file of a test set, and the name of the set: 'vanilla', 'hard' or ''."""

    path: Path
    set_name: str


def bench_files(path: Path) -> tuple[BenchFile, ...]:
    """Return the files of a test set: the one that is named, or those of a corpus folder.

    Of a folder, the files whose names hold 'vanilla' or 'hard' are taken; where there are none, its triplets.

    Raises:
        InputError: If there is nothing to read.
    """
    if path.is_file():
        return (BenchFile(path, _set_of(path)),)
    if not path.exists():
        raise InputError(f"{path} does not exist. Give a corpus folder, or a Parquet or JSONL file.")
    files = (BenchFile(file, _set_of(file)) for file in sorted(path.glob("**/*.parquet")))
    tests = tuple(file for file in files if file.set_name)
    if tests:
        return tests
    if (path / _TRIPLETS).is_file():
        return (BenchFile(path / _TRIPLETS, ""),)
    raise InputError(f"{path} holds no test set: neither {_TRIPLETS} nor a file of a vanilla or hard set.")


def _set_of(path: Path) -> str:
    words = re.split(r"[^a-z]+", path.stem.casefold())  # a shard is not hard
    return next((name for name in _SETS if name in words), "")


def read_rows(path: Path) -> Iterator[Row]:
    """Walk the rows of a Parquet or JSONL file.

    Numbers with a fraction come from JSONL as they are written there, as strings: 2.50 stays 2.50.

    Raises:
        InputError: If the file cannot be read; the message names the line.
    """
    for number, values in enumerate(_parquet(path) if path.suffix == ".parquet" else _lines(path)):
        yield Row(number, values, f"{path} row {number + 1}")


def _parquet(path: Path) -> Iterator[dict[str, Any]]:
    try:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(_BATCH):
                yield from batch.to_pylist()
    except FileNotFoundError:
        raise InputError(f"{path} does not exist.") from None
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"{path} is no Parquet file that can be read ({type(error).__name__}).") from None


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    try:
        with path.open(encoding="utf-8-sig") as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    yield _object(line, f"{path} line {number}")
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise InputError(f"{path} is not UTF-8 text. Give a Parquet or JSONL file.") from None


def _object(line: str, where: str) -> dict[str, Any]:
    try:
        value = json.loads(line, parse_float=str)
    except (ValueError, RecursionError):
        raise InputError(f"{where} is no JSON.") from None
    if not isinstance(value, dict):
        raise InputError(f"{where} is no JSON object.")
    return value


def read_predictions(path: Path, known: Collection[str], wanted: Collection[str]) -> dict[str, str]:
    """Return the sanitized text of each wanted item.

    Args:
        path: A Parquet or JSONL file of ``{id, sanitized_text}``.
        known: The ids of the whole test set.
        wanted: Those that are to be scored.

    Raises:
        InputError: Ids that are unknown, missing or there twice, empty texts, or other columns.
    """
    pairs = [_prediction(row) for row in read_rows(path)]
    texts = dict(pairs)
    refuse(path, "twice the same id", repeated(id for id, _ in pairs))
    refuse(path, "an id that the test set does not have", [id for id in texts if id not in known])
    refuse(path, "an empty text", [id for id, text in pairs if not text.strip()])
    missing = [id for id in wanted if id not in texts]
    if missing:
        raise InputError(f"{path}: no prediction for {named(missing)} of the test set's items.")
    return {id: texts[id] for id in wanted}


def _prediction(row: Row) -> tuple[str, str]:
    if not all(column in row.values for column in _PREDICTION):
        raise InputError(
            f"{row.where}: the columns are {spelled(row.values)}; predictions have id and sanitized_text."
        )
    id, text = (row.values[column] for column in _PREDICTION)
    if not isinstance(id, str | int) or not isinstance(text, str | None):
        raise InputError(f"{row.where}: id and sanitized_text have to be text.")
    return str(id), text or ""


def spelled(columns: Mapping[str, Any]) -> str:
    """Return the names of some columns, for a message."""
    return ", ".join(sorted(columns)) or "none"


def repeated(ids: Iterable[str]) -> list[str]:
    """Return the ids that come more than once, each once."""
    return [id for id, count in Counter(ids).items() if count > 1]


def named(ids: list[str]) -> str:
    """Return the count of some ids and the first few of them, for a message."""
    more = ", ..." if len(ids) > _SHOWN else ""
    return f"{len(ids)} ({', '.join(ids[:_SHOWN])}{more})"


def refuse(path: Path, what: str, ids: list[str], hint: str = "") -> None:
    """Refuse a file in which some rows have a fault.

    Raises:
        InputError: If there are any.
    """
    if ids:
        raise InputError(f"{path}: rows with {what}: {named(ids)}.{hint}")
