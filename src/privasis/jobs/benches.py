"""From the files of a test set to its items: one entry a format, told apart by its columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from privasis.errors import InputError
from privasis.evaluation.benchmark import BenchItem, absent_targets, item_of, values_of
from privasis.jobs.zero import zero_item
from privasis.store.benchmark import BenchFile, Row, bench_files, read_rows, refuse, repeated, spelled
from privasis.store.schema import from_row
from privasis.store.zero import COLUMNS
from privasis.types import Triplet


class BenchFormat(NamedTuple):
    """A format of test sets."""

    name: str
    columns: frozenset[str]  # a file that has all of these is in this format
    item: Callable[[Row, str], BenchItem]  # of a row and the name of its set


class Bench(NamedTuple):
    """A test set that can be scored."""

    items: tuple[BenchItem, ...]
    skipped: tuple[str, ...]  # ids of the items that were left out


def _own(row: Row, set_name: str) -> BenchItem:
    """Return an item of our own format; a fact's values may be of any JSON type there."""
    given = row.values
    targets = [
        {"grouped": False, "action": "drop", "label": target.get("id", ""), **target, "attributes": facts}
        for target in _listed(given.get("targets"))
        for facts in [_facts(target.get("attributes"))]
    ]
    defaults = {"number": row.number, "record_type": "", "category": "", "set_name": set_name}
    filled = {**defaults, **{name: value for name, value in given.items() if value is not None}}
    return from_row(BenchItem, {**filled, "targets": targets, "keeps": _facts(given.get("keeps"))}, row.where)


def _facts(facts: object) -> list[dict[str, Any]]:
    return [
        {"name": fact.get("name"), "values": values_of(fact.get("values", fact.get("value")))}
        for fact in _listed(facts)
    ]


def _listed(entries: object) -> list[Mapping[str, Any]]:
    """The objects of a list; what is none of them fails the validation that follows, or holds nothing."""
    return [entry for entry in entries if isinstance(entry, Mapping)] if isinstance(entries, list) else []


def _triplet(row: Row, set_name: str) -> BenchItem:
    return item_of(from_row(Triplet, row.values, row.where), set_name)


OWN = BenchFormat("items", frozenset({"id", "original", "instruction", "targets"}), _own)
TRIPLETS = BenchFormat("triplets", frozenset({"id", "text", "instruction", "targets", "keeps"}), _triplet)
ZERO = BenchFormat("Privasis-Zero", COLUMNS, zero_item)
FORMATS = (OWN, TRIPLETS, ZERO)


def read_bench(path: Path, *, skip_bad: bool = False, formats: tuple[BenchFormat, ...] = FORMATS) -> Bench:
    """Read a test set: a corpus folder, or a Parquet or JSONL file of a known format.

    Args:
        path: The folder or the file.
        skip_bad: Leave out items with a target that does not stand in their text, instead of refusing all.
        formats: Those that are known; the first that fits is taken.

    Raises:
        InputError: If a file or a row cannot be used; the message names file, row and field, or the ids.
    """
    items = [item for file in bench_files(path) for item in _items(file, formats)]
    if not items:
        raise InputError(f"{path} holds no items.")
    return check_items(path, items, skip_bad=skip_bad)


def _items(file: BenchFile, formats: tuple[BenchFormat, ...]) -> Iterator[BenchItem]:
    chosen = None
    for row in read_rows(file.path):
        chosen = chosen or _format_of(row, formats)
        yield chosen.item(row, file.set_name)


def _format_of(row: Row, formats: tuple[BenchFormat, ...]) -> BenchFormat:
    for candidate in formats:
        if candidate.columns <= row.values.keys():
            return candidate
    known = "; ".join(f"{entry.name} ({', '.join(sorted(entry.columns))})" for entry in formats)
    raise InputError(f"{row.where}: unknown columns: {spelled(row.values)}. Known are {known}.")


def check_items(path: Path, items: list[BenchItem], *, skip_bad: bool) -> Bench:
    """Return the items that can be judged, in order.

    Raises:
        InputError: Two items have one id, an item has no text or no target, or a target does not stand in
            the original text.
    """
    refuse(path, "twice the same id", repeated(item.id for item in items))
    refuse(path, "no original text", [item.id for item in items if not item.original.strip()])
    refuse(path, "no target", [item.id for item in items if not _has_target(item)])
    absent = [item.id for item in items if absent_targets(item)]
    if not skip_bad:
        hint = " Mend them, or pass --skip-bad to leave them out."
        refuse(path, "a target whose value is not in the original text", absent, hint)
    left_out = frozenset(absent)
    return Bench(tuple(item for item in items if item.id not in left_out), tuple(absent))


def _has_target(item: BenchItem) -> bool:
    return any(fact.values for target in item.targets for fact in target.attributes)
