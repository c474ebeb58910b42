"""What a spreadsheet shows: the headings of its columns, and the dates that it stores as numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any, Final

from privasis.cleaner.formats.delimited import headings_of

_FIRST_DAY: Final = date(1899, 12, 30)  # of Excel's count, which has a 29 February 1900
_LAST_DAY: Final = 2_958_465
_DATE_FORMATS: Final = frozenset({*range(14, 18), 22, *range(27, 37), *range(50, 59)})  # built in
_QUOTED: Final = re.compile(r'"[^"]*"|\[[^\]]*\]|\\.')
_COLUMN: Final = re.compile(r"[A-Z]+")


@dataclass(frozen=True, slots=True)
class Book:
    """What the parts of a spreadsheet say about each other.

    Attributes:
        headings: By part and letters of the column.
        shared: The heading above the first cell that shows a shared string, by the string's number.
        dates: Numbers of the cell formats that show a date.
    """

    headings: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    shared: Mapping[int, str] = field(default_factory=dict)
    dates: frozenset[int] = frozenset()

    def label_of(self, node: Any, part: str) -> str:
        """Return the heading above a text of a sheet, or above the first cell that shows a shared string."""
        for above in node.iterancestors("{*}si", "{*}c"):
            if above.tag.endswith("}c"):
                return self.headings.get(part, {}).get(_column(above), "")
            return self.shared.get(above.getparent().index(above), "")
        return ""

    def shown(self, cell: Any, value: str) -> str:
        """Return what a cell with a number shows: a date where its format says so."""
        if int(cell.get("s", "0")) not in self.dates:
            return value
        try:
            days = int(float(value))
        except ValueError:
            return value
        return (_FIRST_DAY + timedelta(days)).isoformat() if 0 < days <= _LAST_DAY else value


def book_of(roots: Mapping[str, Any]) -> Book:
    """Read what the parts of a spreadsheet, by name, say about each other."""
    strings = roots.get("xl/sharedStrings.xml")
    texts = [] if strings is None else ["".join(si.itertext()) for si in strings.iter("{*}si")]
    headings: dict[str, Mapping[str, str]] = {}
    shared: dict[int, str] = {}
    for part, root in roots.items():
        if not part.startswith("xl/worksheets/") or not part.endswith(".xml"):
            continue
        row = next(root.iter("{*}row"), None)
        first = {} if row is None else {_column(cell): _text(cell, texts) for cell in row}
        headings[part] = headings_of(first)
        for cell, number in _shared_cells(root):
            if row is None or cell.getparent() is not row:
                shared.setdefault(number, headings[part].get(_column(cell), ""))
    return Book(headings, shared, _date_styles(roots.get("xl/styles.xml")))


def _column(cell: Any) -> str:
    found = _COLUMN.match(cell.get("r", ""))
    return found[0] if found else ""


def _text(cell: Any, texts: list[str]) -> str:
    if cell.get("t") == "s":
        number = int(cell.findtext("{*}v", "-1"))
        return texts[number] if 0 <= number < len(texts) else ""
    return "".join(cell.itertext())


def _shared_cells(root: Any) -> Iterator[tuple[Any, int]]:
    for cell in root.iter("{*}c"):
        number = cell.findtext("{*}v", "")
        if cell.get("t") == "s" and number.isdecimal():
            yield cell, int(number)


def _date_styles(styles: Any) -> frozenset[int]:
    if styles is None:
        return frozenset()
    own = {int(f.get("numFmtId", "0")): f.get("formatCode", "") for f in styles.iter("{*}numFmt")}
    dates = {number for number, code in own.items() if _is_date(code)} | (_DATE_FORMATS - own.keys())
    formats = styles.find("{*}cellXfs")
    listed = [] if formats is None else [int(xf.get("numFmtId", "0")) for xf in formats]
    return frozenset(number for number, used in enumerate(listed) if used in dates)


def _is_date(code: str) -> bool:
    return re.search("[yd]", _QUOTED.sub("", code), re.IGNORECASE) is not None
