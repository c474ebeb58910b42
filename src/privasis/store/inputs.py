"""Read records that someone brings: a run folder, or a Parquet or JSONL file of records, checked row by row.

Needed are id, text, attributes (name, value) and groups (label, attributes); what else a record of ours
holds is read where it is there. Every fault is named by file, row and field, never by a value.
"""

from __future__ import annotations

import dataclasses
import json
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from privasis.errors import InputError, RunFolderError
from privasis.store.run import read_config
from privasis.store.schema import from_row
from privasis.text.fold import fold
from privasis.text.layers import FoldedText
from privasis.text.spans import find_verbatim
from privasis.types import Attribute, Controls, LifeEvent, Profile, Record, Seed

_NEEDED = ("id", "text", "attributes", "groups")
_BATCH = 64  # rows of a Parquet file that are held in memory
_UNKNOWN_SEED = Seed(0, "", "female", 0, "", "", "", "", "")
_DEFAULTS: Mapping[str, Any] = {
    "language": "English",
    "model": "",
    "seed": _UNKNOWN_SEED,
    "profile": Profile((), LifeEvent("", "", "", ())),
    "controls": Controls("", "", ""),
    "draft": "",
    "refinement": (),
    "embedding": b"",
    "fingerprint": (),
    "calls": (),
}


@dataclass(slots=True)
class RecordSource:
    """The good records of a file in their order, cut into shards of equal size. Rows are read forward."""

    path: Path
    size: int  # records of a shard
    good: array[int]  # places of the good rows
    digest: str  # of what the good rows hold
    bad: tuple[str, ...]  # what is wrong with the others, one line each
    _rows: Iterator[_Row] = field(init=False, repr=False)
    _next: int = 0

    def __post_init__(self) -> None:
        self._rows = iter(())

    @property
    def shards(self) -> int:
        """The number of shards."""
        return -(-len(self.good) // self.size)

    def shard(self, index: int) -> Sequence[Record]:
        """Return the records of one shard.

        Raises:
            InputError: If the file changed since it was checked.
        """
        places = self.good[index * self.size : (index + 1) * self.size]
        return [self._record(place) for place in places]

    def _record(self, place: int) -> Record:
        if place < self._next or self._next == 0:
            self._rows, self._next = _rows(self.path), 0
        for row in self._rows:
            self._next += 1
            if row.place == place:
                return _record(row)
        raise InputError(f"{self.path}: row {place + 1} is gone. Give the command again.")


def open_records(path: Path, *, skip_bad: bool) -> RecordSource:
    """Check every row of a file of records, or of a finished run folder; a shard holds one record at first.

    Args:
        path: A run folder, a .parquet file, or a .jsonl file.
        skip_bad: Go on without the rows that are at fault.

    Raises:
        InputError: At the first fault, or if nothing good is left.
        RunFolderError: If a folder is no record run.
    """
    file = _file_of(path)
    good, bad, seen, digest = array("q"), list[str](), dict[str, int](), sha256()
    for row in _rows(file):
        try:
            record = _record(row)
            if record.id in seen:
                raise InputError(f"{row.where}: field 'id': the same as in row {seen[record.id] + 1}")
        except InputError as error:
            if not skip_bad:
                raise InputError(f"{error}. Mend the row, or pass --skip-bad.") from None
            bad.append(str(error))
            continue
        seen[record.id] = row.place
        good.append(row.place)
        digest.update(_content(record))
    if not good:
        raise InputError(f"{file} holds no record that can be used.")
    return RecordSource(file, 1, good, digest.hexdigest()[:16], tuple(bad))


def _content(record: Record) -> bytes:
    pairs = [(attribute.name, attribute.value) for attribute in record.attributes]
    groups = [dataclasses.astuple(group) for group in record.groups]
    return json.dumps([record.id, record.number, record.text, pairs, groups]).encode()


def _file_of(path: Path) -> Path:
    if path.is_file():
        if path.suffix not in {".parquet", ".jsonl"}:
            raise InputError(f"{path}: a run folder, a .parquet or a .jsonl file of records is needed.")
        return path
    if not path.exists():
        raise InputError(f"{path} does not exist: name a run folder, a .parquet or a .jsonl file.")
    read_config(path, "records")
    file = path / "records.parquet"
    if not file.exists():
        raise RunFolderError(f"{path} has no records.parquet yet: give its privasis generate command again.")
    return file


@dataclass(frozen=True, slots=True)
class _Row:
    where: str  # file and row, for messages
    place: int  # from 0
    content: Any  # what was read; an InputError where it could not be


def _rows(file: Path) -> Iterator[_Row]:
    for place, content in enumerate(_parquet(file) if file.suffix == ".parquet" else _jsonl(file)):
        yield _Row(f"{file} row {place + 1}", place, content)


def _parquet(file: Path) -> Iterator[Any]:
    try:
        with pq.ParquetFile(file) as table:
            for batch in table.iter_batches(batch_size=_BATCH):
                yield from batch.to_pylist()
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"{file} cannot be read as Parquet ({type(error).__name__}).") from None


def _jsonl(file: Path) -> Iterator[Any]:
    with file.open("rb") as lines:
        for line in lines:
            if line.strip():
                yield _parsed(line)


def _parsed(line: bytes) -> Any:
    try:
        return json.loads(line)
    except UnicodeDecodeError:
        return InputError("not UTF-8")
    except (ValueError, RecursionError):
        return InputError("not one JSON value")


def _record(row: _Row) -> Record:
    if not isinstance(row.content, dict):
        fault = row.content if isinstance(row.content, InputError) else "no object"
        raise InputError(f"{row.where}: {fault}")
    for name in _NEEDED:
        if row.content.get(name) is None:
            raise InputError(f"{row.where}: field {name!r}: missing")
    fields = {name: row.content.get(name) for name in Record.__slots__}
    given = {name: value for name, value in fields.items() if value is not None}
    given.setdefault("number", row.place)
    given["attributes"] = _attributes(row)
    record = from_row(Record, {**_DEFAULTS, **given}, row.where)
    _check_groups(record, row.where)
    return record


def _attributes(row: _Row) -> tuple[Attribute, ...]:
    text, found = row.content["text"], row.content["attributes"]
    if not isinstance(text, str):
        raise InputError(f"{row.where}: field 'text': no text")
    if not isinstance(found, list) or not found:
        raise InputError(f"{row.where}: field 'attributes': no list with members")
    folded = fold(text)
    return tuple(
        _attribute(folded, entry, f"{row.where}: field 'attributes.{place}")
        for place, entry in enumerate(found)
    )


def _attribute(text: FoldedText, entry: Any, where: str) -> Attribute:
    if not isinstance(entry, dict) or not all(isinstance(entry.get(key), str) for key in ("name", "value")):
        raise InputError(f"{where}': needs a name and a value")
    value, original = entry["value"], text.original
    if not entry.get("spans"):
        found = tuple(match.core for match in find_verbatim(text, value))
        if not found:
            raise InputError(f"{where}.value': does not stand in the text")
        return Attribute(entry["name"], value, "text", found)
    attribute = from_row(Attribute, {"source": "text", **entry}, f"{where}'")
    if any(original[span.start : span.end] != value for span in attribute.spans):
        raise InputError(f"{where}.spans': do not point at the value")
    return attribute


def _check_groups(record: Record, where: str) -> None:
    names = {attribute.name for attribute in record.attributes}
    for place, group in enumerate(record.groups):
        if not group.attributes:
            raise InputError(f"{where}: field 'groups.{place}.attributes': empty")
        if not names.issuperset(group.attributes):
            raise InputError(f"{where}: field 'groups.{place}.attributes': names no attribute of the record")
