"""Put the user's own values back in place of placeholders, in a whole text or while it streams.

A placeholder is found however its characters are written: in another case, full-width, as JSON escapes (in
JSON inside JSON too), HTML entities, percent codes, or with Markdown's backslashes. The value comes back as
the user wrote it, in the coat that its placeholder wore.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple
from urllib.parse import quote

Coat = Literal["", "json", "html", "percent", "markdown"]
_ENTITY: Final = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{0,9});")
_ENTITY_BEGUN: Final = re.compile(r"&(?:#(?:[0-9]{0,7}|[xX][0-9a-fA-F]{0,6})|[A-Za-z][A-Za-z0-9]{0,9})?")
_ESCAPE: Final = re.compile(r"\\{1,8}u([0-9a-fA-F]{4})")
_ESCAPE_BEGUN: Final = re.compile(r"\\{1,8}(?:u[0-9a-fA-F]{0,3})?")
_BYTE: Final = re.compile(r"%([0-9a-fA-F]{2})")
_PERCENT: Final = re.compile(r"(?:%[0-9a-fA-F]{2}){1,4}")
_PERCENT_BEGUN: Final = re.compile(r"(?:%[0-9a-fA-F]{2}){0,3}%[0-9a-fA-F]?")
_MARKDOWN: Final = re.compile(r"\\{1,8}(?=[!-/:-@\[-`{-~])(?![\\u])")
_QUOTES: Final = re.compile(r'(\\*)"')
_NESTED: Final = re.compile(r"\s*(?:\{\s*(?:\\*\"|\}|$)|\[\s*(?:\\*\"|[\[{]|\]|$))")


class _Unit(NamedTuple):
    """One character of a text, however it is written; ``sign`` is "" where the text ends inside of it."""

    sign: str
    end: int
    coat: Coat


@dataclass(slots=True)
class _Node:
    """A place in the tree of all placeholders, a character a step."""

    steps: dict[str, _Node] = field(default_factory=dict)
    code: str = ""


class _Hit(NamedTuple):
    code: str
    end: int
    coat: Coat


class Restorer:
    """Finds the placeholders of one request.

    Args:
        values: The user's value of each placeholder; no placeholder begins another.
    """

    def __init__(self, values: Mapping[str, str]) -> None:
        self._values = dict(values)
        self._root = _Node()
        for code in values:
            node = self._root
            for sign in code.casefold():
                node = node.steps.setdefault(sign, _Node())
            node.code = code
        self._first = _openings(self._root.steps)

    def whole(self, text: str) -> str:
        """Return a text with the values put back."""
        stream = Stream(self)
        return stream.feed(text) + stream.end()

    def next_hit(self, text: str, place: int, ended: bool) -> tuple[int, _Hit | None]:
        """Find the first placeholder at or after a place.

        Args:
            text: The text so far.
            place: Where to begin.
            ended: No more text will come.

        Returns:
            Where it begins, with the placeholder; with None, everything before the offset is certain to
            belong to no placeholder.
        """
        for opening in self._first.finditer(text, place):
            start = opening.start()
            hit = self._at(text, start, ended)
            if hit == "begun":
                return start, None
            if hit is not None:
                return start, hit
        return len(text), None

    def _at(self, text: str, start: int, ended: bool) -> _Hit | Literal["begun"] | None:
        node, place = self._root, start
        coats: list[Coat] = []
        while not node.code:
            if place >= len(text):
                return None if ended else "begun"
            unit = _unit(text, place, ended)
            if not unit.sign:
                return None if ended else "begun"
            below = node.steps.get(unit.sign)
            if below is None:
                return None
            node, place = below, unit.end
            coats.append(unit.coat)
        if coats[0] == "markdown" != coats[-1]:
            return None  # "C:\\[PERSON_1]": the backslash is the text's own
        worn: list[Coat] = [coat for coat in coats if coat and coat != "markdown"]
        return _Hit(node.code, place, worn[0] if worn else "")

    def value(self, hit: _Hit, place: JsonPlace) -> str:
        """Return the value in the coat that fits its place.

        Args:
            hit: The placeholder.
            place: Has taken all of the text before it, as it came.
        """
        value = self._values[hit.code]
        if hit.coat == "html":
            return html.escape(value)
        if hit.coat == "percent":
            return quote(value, safe="")
        if _in_json(value) == value:
            return value
        for _ in range(max(place.depth(), hit.coat == "json")):
            value = _in_json(value)
        return value


class Stream:
    """Restores one text that comes in pieces; what is given out is certain and never taken back."""

    def __init__(self, restorer: Restorer) -> None:
        self._restorer = restorer
        self._held = ""
        self._place = JsonPlace()

    def feed(self, piece: str) -> str:
        """Take a piece; return what is certain by now."""
        return self._advance(piece, ended=False)

    def end(self) -> str:
        """Return what was held, now that no more comes."""
        return self._advance("", ended=True)

    def _advance(self, piece: str, *, ended: bool) -> str:
        text = self._held + piece
        given: list[str] = []
        place = 0
        while True:
            start, hit = self._restorer.next_hit(text, place, ended)
            given.append(text[place:start])
            self._place.take(text[place:start])
            place = start
            if hit is None:
                break
            given.append(self._restorer.value(hit, self._place))
            self._place.take(text[start : hit.end])
            place = hit.end
        self._held = text[place:]
        return "".join(given)


def decoded(text: str) -> str:
    """Return a text as placeholders are sought in it: folded, every escape read."""
    return "".join(_signs(text))


def _signs(text: str) -> Iterator[str]:
    place = 0
    while place < len(text):
        unit = _unit(text, place, ended=True)
        yield unit.sign
        place = unit.end


def _openings(first: Mapping[str, _Node]) -> re.Pattern[str]:
    signs = [sign for one in first for sign in {one, one.upper(), chr(ord(one) + 0xFEE0)}]
    return re.compile("[" + re.escape("".join(signs)) + r"\\&%]") if first else re.compile(r"(?!)")


def _unit(text: str, place: int, ended: bool) -> _Unit:
    """Read one character; every coat is told from the others by its first sign."""
    sign = text[place]
    match sign:
        case "\\":
            return _escaped(text, place, ended)
        case "&":
            return _entity(text, place, ended)
        case "%":
            return _percent(text, place, ended)
    return _Unit(_folded(sign), place + 1, "")


def _escaped(text: str, place: int, ended: bool) -> _Unit:
    found = _ESCAPE.match(text, place)
    if found:
        return _Unit(_folded(chr(int(found[1], 16))), found.end(), "json")
    begun = _ESCAPE_BEGUN.match(text, place)
    if begun and begun.end() == len(text) and not ended:
        return _Unit("", place, "")
    markdown = _MARKDOWN.match(text, place)
    if markdown:
        return _Unit(_folded(text[markdown.end()]), markdown.end() + 1, "markdown")
    return _Unit("\\", place + 1, "")


def _entity(text: str, place: int, ended: bool) -> _Unit:
    found = _ENTITY.match(text, place)
    if found:
        read = html.unescape(found[0])
        return _Unit(_folded(read), found.end(), "html") if len(read) == 1 else _Unit("&", place + 1, "")
    begun = _ENTITY_BEGUN.match(text, place)
    if begun and begun.end() == len(text) and not ended:
        return _Unit("", place, "")
    return _Unit("&", place + 1, "")


def _percent(text: str, place: int, ended: bool) -> _Unit:
    """Read a percent code; a character beyond ASCII has as many bytes as its first one says."""
    first = _BYTE.match(text, place)
    if first is None:
        begun = _PERCENT_BEGUN.match(text, place)
        cut = begun is not None and begun.end() == len(text) and not ended
        return _Unit("" if cut else "%", place + 1, "")
    byte = int(first[1], 16)
    length = 3 * (1 if byte < 0xC0 else 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4)
    code = text[place : place + length]
    if len(code) < length and not ended and _PERCENT_BEGUN.fullmatch(code + "%"):
        return _Unit("", place, "")
    if not _PERCENT.fullmatch(code):
        return _Unit("%", place + 1, "")
    read = bytes.fromhex(code.replace("%", "")).decode("utf-8", "replace")
    return _Unit(_folded(read), place + length, "percent") if len(read) == 1 else _Unit("%", place + 1, "")


def _folded(sign: str) -> str:
    code = ord(sign)
    plain = chr(code - 0xFEE0) if 0xFF01 <= code <= 0xFF5E else sign
    lowered = plain.casefold()
    return lowered if len(lowered) == 1 else plain


def _in_json(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)[1:-1]


class JsonPlace:
    """Tells how many JSON strings a place stands in, one inside the other, from the text before it.

    A text counts as JSON if it begins like an object or an array; so does what a string of it holds.
    """

    def __init__(self) -> None:
        self._unread: list[str] = []
        self._levels: list[int] = []  # the number of backslashes at the quote that opened each string
        self._nested: bool | None = None  # what the innermost string holds is JSON: its own quotes count

    def take(self, text: str) -> None:
        """Take the next piece of the text."""
        self._unread.append(text)

    def depth(self) -> int:
        """Return the depth after all that was taken."""
        text = "".join(self._unread)
        self._unread.clear()
        if self._nested is None:
            self._nested = _NESTED.match(text) is not None
        for found in _QUOTES.finditer(text) if self._nested or self._levels else ():
            slashes = len(found[1])
            if self._levels and slashes == self._levels[-1]:
                self._levels.pop()
                self._nested = True
            elif self._nested and slashes == 2 ** len(self._levels) - 1:
                self._levels.append(slashes)
                self._nested = _NESTED.match(text, found.end()) is not None
        return len(self._levels)
