"""Walk the rows of what others publish: Parquet, JSONL, JSON, CSV and Arrow files, and folders of them.

A folder is one that the library ``datasets`` has saved (Arrow files, perhaps a folder a split) or a copy of a
hub repository. No library but pyarrow is needed for either.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from privasis.errors import InputError
from privasis.store.benchmark import Row, read_rows

_SUFFIXES = (".parquet", ".arrow", ".jsonl", ".csv", ".json")  # of a folder, the first that is there
_NO_DATA = frozenset({"dataset_info.json", "state.json", "dataset_dict.json", "dataset_infos.json"})


def walk_rows(path: Path) -> Iterator[Row]:
    """Walk the rows of a file, or of the data files of a folder, sorted by name.

    Raises:
        InputError: If there is nothing that can be read; names the file and the line.
    """
    number = 0
    for file in data_files(path):
        for row in _rows(file):
            yield Row(number, row.values, row.where)
            number += 1


def data_files(path: Path) -> tuple[Path, ...]:
    """Return the data files of a path: itself, or those of the folder, of one kind.

    Raises:
        InputError: If there are none.
    """
    if path.is_file():
        return (path,)
    if not path.exists():
        raise InputError(f"{path} does not exist.")
    for suffix in _SUFFIXES:
        files = [file for file in sorted(path.rglob(f"*{suffix}")) if file.name not in _NO_DATA]
        if files:
            return tuple(files)
    raise InputError(f"{path} holds no data: no file in {', '.join(_SUFFIXES)}.")


def _rows(path: Path) -> Iterator[Row]:
    match path.suffix:
        case ".parquet" | ".jsonl":
            return read_rows(path)
        case ".arrow":
            values = _arrow(path)
        case ".csv":
            values = _csv(path)
        case ".json":
            values = _json(path)
        case _:
            raise InputError(f"{path}: known are the suffixes {', '.join(_SUFFIXES)}.")
    return (Row(number, row, f"{path} row {number + 1}") for number, row in enumerate(values))


def _arrow(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of an Arrow file: a stream, as ``datasets`` writes it, or the file format."""
    try:
        with pa.memory_map(str(path)) as source:
            try:
                batches: Any = pa.ipc.open_stream(source)
            except pa.ArrowInvalid:
                source.seek(0)
                file = pa.ipc.open_file(source)
                batches = (file.get_batch(index) for index in range(file.num_record_batches))
            for batch in batches:
                yield from batch.to_pylist()
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"{path} is no Arrow file that can be read ({type(error).__name__}).") from None


def _csv(path: Path) -> Iterator[dict[str, Any]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            for row in csv.DictReader(file, restkey=""):
                yield {name: value for name, value in row.items() if name}
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from None
    except (UnicodeDecodeError, csv.Error):
        longest = csv.field_size_limit()
        raise InputError(f"{path} is no CSV file in UTF-8 with fields of up to {longest} bytes.") from None


def _json(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a JSON list."""
    try:
        held = json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from None
    except (ValueError, RecursionError):  # UnicodeDecodeError is a ValueError
        raise InputError(f"{path} is no JSON.") from None
    if not isinstance(held, list) or not all(isinstance(entry, dict) for entry in held):
        raise InputError(f"{path} is no JSON list of objects.")
    yield from held
