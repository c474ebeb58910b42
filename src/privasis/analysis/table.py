"""A table as plain data, and the two ways of writing it down: Markdown to read, CSV to reckon with."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from privasis.evaluation.summary import Interval

UNKNOWN = "not known"
_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what a spreadsheet would take for a formula


class Share(NamedTuple):
    """A share between 0 and 1, with its 95% interval where there is one.

    ``bound`` is '≤' or '≥' where only a bound is known, '~' where the figure answers an easier question.
    """

    value: float
    low: float | None = None
    high: float | None = None
    bound: str = ""


class Named(NamedTuple):
    """A name with its share, as in the paper's tables of what fails most."""

    name: str
    share: float


Cell: TypeAlias = str | int | float | Share | Named | None


@dataclass(frozen=True, slots=True)
class Table:
    """A table: every row has one cell a column; None is a figure that could not be had."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()


def share_of(interval: Interval | None, bound: str = "") -> Share | None:
    """Return a table's cell for an interval of the summary."""
    return None if interval is None else Share(*interval, bound)


def percent(value: float) -> str:
    """Return a share in per cent, to one place."""
    return f"{100 * value:.1f}"


def spelled(cell: Cell) -> str:
    """Return a cell as it is read by a person: shares in per cent, intervals in brackets."""
    match cell:
        case None:
            return UNKNOWN
        case Share(value, low, high, bound):
            around = "" if low is None or high is None else f" ({percent(low)}–{percent(high)})"
            return f"{bound}{percent(value)}{around}"
        case Named(name, share):
            return f"{name} ({percent(share)}%)"
        case float():
            return f"{cell:.3f}"
        case _:
            return str(cell)


def to_markdown(table: Table) -> str:
    """Return a table in Markdown: title, table, notes."""
    numeric = [_is_numeric(table, place) for place in range(len(table.columns))]
    lines = [
        f"**{_in_markdown(table.title)}**",
        "",
        _line([_in_markdown(column) for column in table.columns]),
        _line(["---:" if right else "---" for right in numeric]),
        *(_line([_in_markdown(spelled(cell)) for cell in row]) for row in table.rows),
    ]
    if table.notes:
        lines += ["", *(f"- {_in_markdown(note)}" for note in table.notes)]
    return "\n".join(lines) + "\n"


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _is_numeric(table: Table, place: int) -> bool:
    cells = [row[place] for row in table.rows if row[place] is not None]
    return bool(cells) and all(isinstance(cell, int | float | Share) for cell in cells)


def _in_markdown(text: str) -> str:
    """Return a text that stays text: no markup, no HTML, no line of its own (records are hostile)."""
    escaped = text.replace("\\", "\\\\").replace("&", "&amp;").replace("<", "&lt;").replace("|", "\\|")
    for mark in "*_`[]":
        escaped = escaped.replace(mark, f"\\{mark}")
    return escaped.replace("\r\n", "\n").replace("\r", "\n").replace("\n", "<br>")


def to_csv(table: Table) -> str:
    """Return a table as CSV: shares in per cent, an interval's ends and a name's share as columns beside it.

    A text that a spreadsheet would run as a formula gets a ``'`` in front of it, as spreadsheets do it
    themselves.
    """
    kinds = [_kind(table, place) for place in range(len(table.columns))]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(
        name for column, kind in zip(table.columns, kinds, strict=True) for name in _heads(column, kind)
    )
    for row in table.rows:
        writer.writerow(field for cell, kind in zip(row, kinds, strict=True) for field in _fields(cell, kind))
    return out.getvalue()


def _kind(table: Table, place: int) -> str:
    cells = [row[place] for row in table.rows]
    if any(isinstance(cell, Named) for cell in cells):
        return "named"
    shares = [cell for cell in cells if isinstance(cell, Share)]
    if any(share.low is not None for share in shares):
        return "interval"
    return "share" if shares else "plain"


def _heads(column: str, kind: str) -> list[str]:
    match kind:
        case "named":
            return [column, f"{column} %"]
        case "interval":
            return [f"{column} %", f"{column} low %", f"{column} high %", f"{column} bound"]
        case "share":
            return [f"{column} %"]
        case _:
            return [column]


def _fields(cell: Cell, kind: str) -> list[str | int]:
    match cell:
        case None:
            return [""] * len(_heads("", kind))
        case Named(name, share):
            return [safe_text(name), _exact(share)]
        case Share(value, low, high, bound):
            ends = ["" if end is None else _exact(end) for end in (low, high)]
            return [_exact(value), *ends, bound] if kind == "interval" else [_exact(value)]
        case float():
            return [f"{cell:.6g}"]
        case int():
            return [cell]
        case _:
            return [safe_text(cell)]


def _exact(share: float) -> str:
    return f"{100 * share:.4f}"


def safe_text(text: str) -> str:
    """Return a text that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def restored(text: str) -> str:
    """Return the text that ``safe_text`` was given."""
    return text[1:] if text.startswith("'") and text[1:].startswith(_FORMULA) else text


def merged(tables: Mapping[str, Table], column: str) -> Table:
    """Return tables of the same columns as one, with each one's name in a first column.

    Args:
        tables: By name; at least one.
        column: The head of the names.
    """
    first = next(iter(tables.values()))
    rows = tuple((name, *row) for name, table in tables.items() for row in table.rows)
    notes = tuple(dict.fromkeys(note for table in tables.values() for note in table.notes))
    return Table(first.title, (column, *first.columns), rows, notes)


def transposed(table: Table) -> Table:
    """Return a table with rows and columns exchanged: the first column's cells become the heads."""
    heads = (table.columns[0], *(spelled(row[0]) for row in table.rows))
    rows = tuple(
        (column, *(row[place] for row in table.rows))
        for place, column in enumerate(table.columns[1:], start=1)
    )
    return Table(table.title, heads, rows, table.notes)
