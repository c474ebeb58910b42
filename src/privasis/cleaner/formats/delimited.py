"""CSV and TSV: cells are leaves, quoting and line ends stay as they are, headings are keys."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from privasis.cleaner.formats.form import Form, Leaf
from privasis.cleaner.vocabulary import kinds_in, plain
from privasis.errors import InputError

Column = TypeVar("Column", int, str)

_DELIMITERS: Final = ",;\t|"
_LONGEST_HEADING: Final = 60


@dataclass(frozen=True, slots=True)
class _Cell:
    row: int  # from 0
    column: int
    start: int  # on the file's text, quotes included
    end: int
    text: str


def open_delimited(text: str, name: str) -> Form[str]:
    """Take a table apart; the delimiter is the one that the first line has most of.

    Raises:
        InputError: A quote is not closed.
    """
    delimiter = _delimiter(text)
    cells = _cells(text, delimiter, name)
    headings = headings_of({cell.column: cell.text for cell in cells if cell.row == 0})
    data = [cell for cell in cells if cell.text and (cell.row > 0 or not headings)]
    leaves = tuple(Leaf(_where(cell), cell.text, headings.get(cell.column, "")) for cell in data)
    fixed = tuple(Leaf(f"heading {column + 1}", heading) for column, heading in headings.items())

    def write(texts: Sequence[str]) -> str:
        written: list[str] = []
        place = 0
        for cell, new in zip(data, texts, strict=True):
            if new != cell.text:
                written += (text[place : cell.start], _quoted(new, text[cell.start] == '"', delimiter))
                place = cell.end
        return "".join((*written, text[place:]))

    return Form(leaves, write, fixed)


def _where(cell: _Cell) -> str:
    return f"row {cell.row + 1}, column {cell.column + 1}"


def _delimiter(text: str) -> str:
    first = re.sub(r'"(?:[^"]|"")*+"', "", text[:10_000].strip("\r\n"))
    counts = Counter(re.findall(f"[{_DELIMITERS}]", re.split(r"[\r\n]", first, maxsplit=1)[0]))
    return counts.most_common(1)[0][0] if counts else ","


def _cells(text: str, delimiter: str, name: str) -> list[_Cell]:
    mark = re.escape(delimiter)
    cell_or_end = re.compile(
        rf'(?P<quoted>"(?:[^"]|"")*+"[^{mark}\r\n"]*)|(?P<bare>[^{mark}\r\n]*)', re.DOTALL
    )
    row = column = place = 0
    cells: list[_Cell] = []
    while place < len(text):
        found = cell_or_end.match(text, place)
        if found is None or (found["quoted"] is None and text[place] == '"'):
            raise InputError(f"{name} row {row + 1}, column {column + 1}: a quote is not closed.")
        end = found.end()
        cells.append(_Cell(row, column, place, end, _unquoted(found)))
        after = text[end : end + 1]
        if after == delimiter:
            column, place = column + 1, end + 1
            continue
        row, column = row + 1, 0
        place = end + (2 if text[end : end + 2] == "\r\n" else 1)
    return cells


def _unquoted(found: re.Match[str]) -> str:
    if found["quoted"] is None:
        return found[0]
    inner, _, rest = found[0][1:].rpartition('"')
    return inner.replace('""', '"') + rest


def _quoted(new: str, was_quoted: bool, delimiter: str) -> str:
    if was_quoted or re.search(rf'["\r\n{re.escape(delimiter)}]', new):
        return '"' + new.replace('"', '""') + '"'
    return new


def headings_of(first: Mapping[Column, str]) -> dict[Column, str]:
    """Return the headings of columns; none where the first row looks like data.

    A row of headings has short, distinct cells without long numbers or addresses, and names a kind of value.
    """
    headings: dict[Column, str] = {column: name.strip() for column, name in first.items()}
    names = [*headings.values()]
    if len(set(names)) < len(names) or not all(_may_head(name) for name in names):
        return {}
    if not any(kinds_in(plain(re.sub(r"[_\W]+", " ", name))) for name in names):
        return {}
    return headings


def _may_head(name: str) -> bool:
    return 0 < len(name) <= _LONGEST_HEADING and "@" not in name and not re.search(r"\d{3}|\n", name)
