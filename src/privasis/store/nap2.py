"""The published files of NaP²: remarks, persona sentences and rewrites, as CSV or Arrow.

The release names its columns differently from file to file, and documents none of them: well-known names are
recognised, others are told by the caller.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from privasis.errors import InputError
from privasis.store.benchmark import Row, spelled
from privasis.store.datasets import walk_rows

_ORIGINAL = (
    "original",
    "original_text",
    "original_sentence",
    "original_utterance",
    "utterance",
    "input",
    "input_text",
    "source",
    "sentence",
    "text",
)
_PERSONA = (
    "persona",
    "personas",
    "persona_sentence",
    "personality",
    "private_information",
    "privacy",
    "sensitive_information",
    "profile",
)
_REWRITE = (
    "rewrite",
    "rewritten",
    "rewritten_text",
    "rewritten_sentence",
    "human_rewrite",
    "output",
    "sanitized",
    "sanitized_text",
    "target",
)
_STRATEGIES = {
    "delete": ("delete", "deleting", "deletion", "deleted", "delete_rewrite", "rewrite_delete"),
    "obscure": ("obscure", "obscuring", "obscured", "obscure_rewrite", "rewrite_obscure"),
}


@dataclass(frozen=True, slots=True)
class NapColumns:
    """The names of a file's columns; None: found by their well-known names."""

    original: str | None = None
    persona: str | None = None
    rewrite: str | None = None


@dataclass(frozen=True, slots=True)
class NapRow:
    """A remark with what it must not tell, and the rewrites that the file has of it."""

    id: str
    number: int
    original: str
    persona: str
    rewrites: tuple[tuple[str, str], ...]  # strategy ('delete', 'obscure' or '') and text


def read_nap2(path: Path, columns: NapColumns | None = None) -> Iterator[NapRow]:
    """Walk the rows of a file of NaP², or of a folder of its Arrow files.

    Args:
        path: A CSV, Arrow, Parquet, JSONL or JSON file, or a folder.
        columns: Names that are not well known.

    Raises:
        InputError: If a column is missing or a cell is no text; names the row and the columns there are.
    """
    given = columns or NapColumns()
    return (_row(row, given) for row in walk_rows(path))


def _row(row: Row, columns: NapColumns) -> NapRow:
    values = {_plain(name): value for name, value in row.values.items()}
    original = _named(values, columns.original, _ORIGINAL, "original", row)
    persona = _named(values, columns.persona, _PERSONA, "persona", row)
    id = values.get("id")
    return NapRow(
        id=str(id) if isinstance(id, str | int) and str(id).strip() else str(row.number),
        number=row.number,
        original=_text(original, "original", row),
        persona=_text(persona, "persona", row),
        rewrites=tuple(_rewrites(values, columns, row)),
    )


def _rewrites(values: Mapping[str, Any], columns: NapColumns, row: Row) -> Iterator[tuple[str, str]]:
    if columns.rewrite is not None:
        yield "", _text(_named(values, columns.rewrite, (), "rewrite", row), "rewrite", row)
        return
    places = {"": _REWRITE, **_STRATEGIES}
    for strategy, names in places.items():
        known = next((name for name in names if name in values), None)
        if known is not None and values[known] not in (None, ""):
            yield strategy, _text(values[known], known, row)


def _named(values: Mapping[str, Any], told: str | None, known: Sequence[str], what: str, row: Row) -> object:
    names = known if told is None else (_plain(told),)
    for name in names:
        if name in values:
            return values[name]
    raise InputError(
        f"{row.where}: no column of the {what} text among {spelled(row.values)}. Name it by --{what}-column."
    )


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "_", name.casefold()).strip("_")


def _text(value: object, what: str, row: Row) -> str:
    """A cell as text; a persona may be several sentences."""
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        value = "\n".join(value)
    if not isinstance(value, str) or not value.strip():
        raise InputError(f"{row.where}: the {what} is empty or no text.")
    return value.strip()
