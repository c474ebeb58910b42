"""The authors' release, the dataset ``nvidia/Privasis-Zero``: its rows as nouns, read and written.

A row is flat; the cells that hold attributes are JSON, as strings in Parquet and as either elsewhere. What is
selected to be dropped or abstracted is ``{name: value}``, or a list of ``{attrs: {name: value}, group_name}``
where groups were chosen. Values are strings, numbers, lists, dicts or null. Columns that are not named here
(``record_tags``, ...) are kept as they are.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq

from privasis.errors import ConfigError, InputError
from privasis.store.datasets import walk_rows
from privasis.store.files import write_whole

Json: TypeAlias = Any  # what json.loads returns

COLUMNS = frozenset(
    {"id", "original_record", "smoothed_instruction", "attributes_to_drop", "attributes_to_abstract"}
)  # a file that has these is in this format
_TEXTS = (
    "id",
    "original_record",
    "sanitized_record",
    "base_instruction",
    "smoothed_instruction",
    "record_type",
)
_KEEP, _DROP, _ABSTRACT = "attributes_to_keep", "attributes_to_drop", "attributes_to_abstract"
_ATTRIBUTES = "grouped_annotated_attributes"
_CELLS = (_ATTRIBUTES, _KEEP, _DROP, _ABSTRACT)
_ROWS = 256  # a row group


@dataclass(frozen=True, slots=True)
class ZeroFact:
    """An attribute with a value of any JSON type."""

    name: str
    value: Json


@dataclass(frozen=True, slots=True)
class ZeroTarget:
    """What was selected together: a group with its name, or a single attribute without one."""

    group: str | None
    facts: tuple[ZeroFact, ...]


@dataclass(frozen=True, slots=True)
class ZeroRow:
    """One row of a test or validation set."""

    id: str
    original_record: str
    sanitized_record: str
    base_instruction: str
    smoothed_instruction: str
    record_type: str
    attributes: Json  # grouped_annotated_attributes, as it is
    keep: tuple[ZeroFact, ...]
    drop: tuple[ZeroTarget, ...]
    abstract: tuple[ZeroTarget, ...]
    extra: Mapping[str, Json] = field(default_factory=dict)  # columns of other names


def read_zero(path: Path) -> Iterator[ZeroRow]:
    """Walk the rows of a Parquet, JSONL or Arrow file, or of a folder of the library ``datasets``.

    Raises:
        InputError: If a file or a row cannot be read; names file, row and field.
    """
    return (parse_zero(row.values, row.where) for row in walk_rows(path))


def parse_zero(values: Mapping[str, Any], where: str) -> ZeroRow:
    """Return what a row of the release says.

    Args:
        values: Its cells; attributes as JSON strings or as objects.
        where: File and row, for messages.

    Raises:
        InputError: A column is missing, or a cell is not what it should be.
    """
    missing = sorted(COLUMNS - values.keys())
    if missing:
        raise InputError(f"{where}: the column {missing[0]!r} is missing.")
    texts = {name: _text(values.get(name), name, where) for name in _TEXTS}
    cells = {name: _loaded(values.get(name), name, where) for name in _CELLS}
    return ZeroRow(
        **texts,
        attributes=cells[_ATTRIBUTES],
        keep=tuple(_kept(cells[_KEEP], where)),
        drop=tuple(_selected(cells[_DROP], _DROP, where)),
        abstract=tuple(_selected(cells[_ABSTRACT], _ABSTRACT, where)),
        extra={name: value for name, value in values.items() if name not in (*_TEXTS, *_CELLS)},
    )


def _text(value: object, name: str, where: str) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if name == "id" and isinstance(value, int):
        return str(value)
    raise InputError(f"{where}: field {name!r} is no text.")


def _loaded(cell: object, name: str, where: str) -> Json:
    if not isinstance(cell, str):
        return cell
    if not cell.strip():
        return None
    try:
        return json.loads(cell)
    except (ValueError, RecursionError):
        raise InputError(f"{where}: field {name!r} is no JSON.") from None


def _kept(cell: Json, where: str) -> Iterator[ZeroFact]:
    """The retention targets: flat, with a value each, or selected in the way of the targets."""
    if isinstance(cell, Mapping) and "selected" in cell:
        for target in _selected(cell, _KEEP, where):
            yield from target.facts
        return
    if cell is None:
        return
    if not isinstance(cell, Mapping):
        raise InputError(f"{where}: field {_KEEP!r} is no object.")
    for name, value in cell.items():
        yield ZeroFact(name, value["value"] if _is_wrapped(value) else value)


def _is_wrapped(value: Json) -> bool:
    """Whether a value stands beside what is to be done with it: {"value": ..., "sanitization": "keep"}."""
    return isinstance(value, Mapping) and {"value", "sanitization"} <= value.keys()


def _selected(cell: Json, name: str, where: str) -> Iterator[ZeroTarget]:
    if isinstance(cell, Mapping) and "selected" not in cell and cell.keys() - {"group"}:
        raise InputError(f"{where}: field {name!r} has no 'selected'.")
    chosen = cell.get("selected") if isinstance(cell, Mapping) else cell
    match chosen:
        case None:
            return
        case Mapping():
            for attribute, value in chosen.items():
                yield ZeroTarget(None, (ZeroFact(attribute, value),))
        case list() | tuple():
            for group in chosen:
                yield _group(group, name, where)
        case _:
            raise InputError(f"{where}: field {name!r}: 'selected' is neither a list nor an object.")


def _group(group: Json, name: str, where: str) -> ZeroTarget:
    attributes = group.get("attrs") if isinstance(group, Mapping) else None
    label = group.get("group_name") if isinstance(group, Mapping) else None
    if not isinstance(attributes, Mapping) or not isinstance(label, str | None):
        raise InputError(f"{where}: field {name!r}: a selected group has no attrs, or its name is no text.")
    return ZeroTarget(label, tuple(ZeroFact(key, value) for key, value in attributes.items()))


def zero_columns(row: ZeroRow) -> dict[str, Any]:
    """Return a row as the release has it: attributes as JSON strings."""
    cells: dict[str, Json] = {
        _ATTRIBUTES: row.attributes,
        _KEEP: _keeps(row.keep),
        _DROP: _selection(row.drop),
        _ABSTRACT: _selection(row.abstract),
    }
    return {
        **{name: getattr(row, name) for name in _TEXTS},
        **{name: json.dumps(cell, ensure_ascii=False) for name, cell in cells.items()},
        **row.extra,
    }


def _keeps(facts: Sequence[ZeroFact]) -> dict[str, Json]:
    """Retention targets as an object; what would be read as something else is wrapped."""
    flat = _attrs(facts)
    if "selected" in flat:
        return {"selected": flat, "group": False}
    return {
        name: {"value": value, "sanitization": "keep"} if _is_wrapped(value) else value
        for name, value in flat.items()
    }


def _selection(targets: Sequence[ZeroTarget]) -> dict[str, Json]:
    """Targets in the way of the release: an object where all are single, else a list of groups.

    The release never mixes the two. Where we do, or where two single targets have one name, a single
    attribute becomes a group without a name, which the authors' evaluator reads as well.
    """
    facts = [target.facts[0] for target in targets if target.group is None and len(target.facts) == 1]
    if not targets:
        return {"selected": None, "group": False}
    if len(facts) == len(targets) == len({fact.name for fact in facts}):
        return {"selected": {fact.name: fact.value for fact in facts}, "group": False}
    groups = [{"attrs": _attrs(target.facts), "group_name": target.group} for target in targets]
    return {"selected": groups, "group": True}


def _attrs(facts: Sequence[ZeroFact]) -> dict[str, Json]:
    """Facts as an object. A name can stand there once: values of one name become a list."""
    counts = Counter(fact.name for fact in facts)
    attrs: dict[str, Json] = {}
    for fact in facts:
        if counts[fact.name] > 1:
            attrs.setdefault(fact.name, []).append(fact.value)
        else:
            attrs[fact.name] = fact.value
    return attrs


def write_zero(path: Path, rows: Iterable[ZeroRow]) -> int:
    """Write rows as Parquet or JSONL, by the file's suffix, and return how many there were.

    Columns of other names are those of the first row; in Parquet what is no text there becomes JSON.

    Raises:
        ConfigError: If the suffix is neither .parquet nor .jsonl.
        InputError: If a later row has a column that the first one lacks.
        DiskError: If the disk is full or refuses.
    """
    write = {".parquet": _write_parquet, ".jsonl": _write_lines}.get(path.suffix)
    if write is None:
        raise ConfigError(f"{path}: Privasis-Zero is written as .parquet or .jsonl.")
    counts: list[int] = []
    write_whole(path, lambda beside: counts.append(write(beside, rows)))
    return counts[0]


def _write_lines(path: Path, rows: Iterable[ZeroRow]) -> int:
    count = 0
    with path.open("w", encoding="utf-8") as file:
        for row in rows:
            file.write(json.dumps(zero_columns(row), ensure_ascii=False) + "\n")
            count += 1
    return count


def _write_parquet(path: Path, rows: Iterable[ZeroRow]) -> int:
    count = 0
    batches = _batches(zero_columns(row) for row in rows)
    first = next(batches, [])
    names = list(first[0]) if first else [*_TEXTS, *_CELLS]
    schema = pa.schema([pa.field(name, pa.string()) for name in names])
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for batch in chain([first], batches):
            strangers = {name for values in batch for name in values.keys() - set(names)}
            if strangers:
                raise InputError(
                    f"rows with columns that the first row lacks: {', '.join(sorted(strangers))}."
                )
            cells = [{name: _cell(value) for name, value in values.items()} for values in batch]
            writer.write_table(pa.Table.from_pylist(cells, schema))
            count += len(batch)
    return count


def _cell(value: Json) -> str | None:
    return value if isinstance(value, str | None) else json.dumps(value, ensure_ascii=False)


def _batches(rows: Iterator[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    while batch := list(islice(rows, _ROWS)):
        yield batch
