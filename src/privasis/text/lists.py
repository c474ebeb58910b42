"""Stretches of a text that a chunk border should not divide: lists, their items, tables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from privasis.types import Span

_LINE: Final = re.compile(r"[^\n]*+\n|[^\n]++\Z")
_ITEM: Final = re.compile(
    r"(?P<indent>[ \t\u3000>]*+)"
    r"(?:[-*+•◦‣▪●○–—·・]|(?P<number>\d{1,3})[.)]|\(?(?P<letter>[A-Za-z])[.)]|\(?[ivxIVX]{2,6}[.)]"
    r"|\(\d{1,3}\)|[①-⑳]|[一二三四五六七八九十]{1,3}[、．])"
    r"(?:[ \t]|(?<=[、．①-⑳]))"
)
_MAX_BLANK_LINES: Final = 1


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    end: int
    kind: str  # "item", "indented", "row", "blank" or "prose"
    indent: int
    mark: int | None  # the number or letter of an ordered item, counted from its alphabet


def whole_stretches(text: str, limit: int) -> tuple[Span, ...]:
    """Find the lists and tables of at most ``limit`` characters, in order, disjoint.

    A list has two items or more, each recognised at the start of a line only, the numbers of ordered ones
    in sequence; the line that introduces it ("Medication:") belongs to it if both fit. Of a longer list the
    items that fit are kept whole.
    """
    found: list[Span] = []
    lines = [_read(text, line.start(), line.end()) for line in _LINE.finditer(text)]
    place = 0
    while place < len(lines):
        if lines[place].kind == "row":
            stop = _end_of_rows(lines, place)
            found += _fitting([Span(lines[place].start, lines[stop - 1].end)], limit)
        elif lines[place].kind == "item":
            stop = _end_of_list(lines, place)
            found += _list_stretches(text, lines, place, stop, limit)
        else:
            stop = place + 1
        place = stop
    return tuple(found)


def _read(text: str, start: int, end: int) -> _Line:
    item = _ITEM.match(text, start, end)
    if item is not None:
        return _Line(start, end, "item", len(item["indent"]), _mark(item))
    line = text[start:end]
    stripped = line.lstrip(" \t\u3000")
    if not stripped.strip():
        return _Line(start, end, "blank", 0, None)
    if stripped.startswith("|"):
        return _Line(start, end, "row", 0, None)
    indent = len(line) - len(stripped)
    return _Line(start, end, "indented" if indent else "prose", indent, None)


def _mark(item: re.Match[str]) -> int | None:
    if item["number"]:
        return int(item["number"])
    return ord(item["letter"]) if item["letter"] else None


def _end_of_rows(lines: list[_Line], first: int) -> int:
    stop = first
    while stop < len(lines) and lines[stop].kind == "row":
        stop += 1
    return stop


def _end_of_list(lines: list[_Line], first: int) -> int:
    """Walk over the items and their continuation lines; trailing blank lines are not counted in."""
    stop = first + 1
    last_mark = {lines[first].indent: lines[first].mark}
    blank = 0
    for place in range(first + 1, len(lines)):
        line = lines[place]
        if line.kind == "blank":
            blank += 1
            if blank > _MAX_BLANK_LINES:
                break
            continue
        if line.kind == "item":
            before = last_mark.get(line.indent)
            if before is not None and line.mark is not None and line.mark not in {before, before + 1}:
                break
            last_mark[line.indent] = line.mark
        elif line.kind != "indented":
            break
        blank = 0
        stop = place + 1
    return stop


def _list_stretches(text: str, lines: list[_Line], first: int, stop: int, limit: int) -> Iterator[Span]:
    top = min(line.indent for line in lines[first:stop] if line.kind == "item")
    heads = [
        place for place in range(first, stop) if lines[place].kind == "item" and lines[place].indent == top
    ]
    if sum(line.kind == "item" for line in lines[first:stop]) < 2:
        return
    whole = Span(lines[first].start, lines[stop - 1].end)
    introduced = Span(_introduction(text, lines, first), whole.end)
    for span in (introduced, whole):
        if span.end - span.start <= limit:
            yield span
            return
    yield from _fitting(
        [
            Span(lines[head].start, lines[after - 1].end)
            for head, after in zip(heads, [*heads[1:], stop], strict=True)
        ],
        limit,
    )


def _introduction(text: str, lines: list[_Line], first: int) -> int:
    place = first - 1
    if place >= 1 and lines[place].kind == "blank":
        place -= 1
    if place >= 0 and lines[place].kind == "prose":
        line = text[lines[place].start : lines[place].end].rstrip()
        if line.endswith((":", "：")):
            return lines[place].start
    return lines[first].start


def _fitting(spans: list[Span], limit: int) -> list[Span]:
    return [span for span in spans if span.end - span.start <= limit]
