"""Divide a text into chunks without losing a character (§3.1, item 1; Appendix B, Decompose)."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from privasis.text.graphemes import is_grapheme_border
from privasis.text.lists import whole_stretches
from privasis.text.words import sentence_ends
from privasis.types import Span

DEFAULT_LIMIT: Final = 512  # tau of §3.1, in characters

_NEWLINE: Final = r"(?:\r\n|[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029])"
_PARAGRAPH: Final = re.compile(rf"{_NEWLINE}(?:[^\S\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]*+{_NEWLINE})++")
_LINE: Final = re.compile(_NEWLINE)
_CLAUSE: Final = re.compile(r"[;:,،؛]\s++|[；，：、]\s*+|(?<=\s)[–—]\s++")
_SPACE: Final = re.compile(r"\s++")
_SEAM: Final = re.compile(r"[,;:|&}\])>](?!\d)")  # in minified JSON, markup, URLs

Cuts = Callable[[str, int, int], Iterator[int]]


def _after(pattern: re.Pattern[str]) -> Cuts:
    def cuts(text: str, start: int, end: int) -> Iterator[int]:
        return (found.end() for found in pattern.finditer(text, start, end))

    return cuts


# From the strongest boundary to the weakest; what none of them makes short enough is cut hard.
_LEVELS: Final[tuple[Cuts, ...]] = (
    _after(_PARAGRAPH),
    _after(_LINE),
    sentence_ends,
    _after(_CLAUSE),
    _after(_SPACE),
    _after(_SEAM),
)


def split(text: str, limit: int = DEFAULT_LIMIT) -> tuple[Span, ...]:
    """Divide a text recursively at its natural boundaries and merge small neighbours up to the limit.

    The chunks tile the text: each begins where the one before ends, none is empty, and put together they are
    the text to the last character. Paragraphs, lists and tables that fit into a chunk are not divided. No cut
    falls inside a grapheme, unless a single one is longer than the limit. A chunk is known by its offsets:
    two chunks may hold the same text. Linear in the length of the text.

    Args:
        text: Any text in any language.
        limit: The largest length of a chunk in code points.

    Raises:
        ValueError: The limit is below 1.
    """
    if limit < 1:
        raise ValueError(f"a chunk holds at least one character: limit {limit}")
    whole = whole_stretches(text, limit) if len(text) > limit else ()
    divider = _Divider(text, limit, whole, tuple(span.start for span in whole))
    return tuple(_merge(divider.pieces(0, len(text), 0), limit))


def _merge(ends: Iterable[int], limit: int) -> Iterator[Span]:
    start = last = 0
    for end in ends:
        if end - start > limit:
            yield Span(start, last)
            start = last
        last = end
    if last > start:
        yield Span(start, last)


@dataclass(frozen=True, slots=True)
class _Divider:
    """The recursion of Decompose; ``pieces`` yields the ends of pieces that fit."""

    text: str
    limit: int
    whole: tuple[Span, ...]
    whole_starts: tuple[int, ...]

    def pieces(self, start: int, end: int, level: int) -> Iterator[int]:
        if end - start <= self.limit:
            if end > start:
                yield end
            return
        content = self._content_end(start, end)
        if start < content < end and content - start <= self.limit:
            yield content
            yield from self._hard_pieces(content, end)
        elif level == len(_LEVELS):
            yield from self._hard_pieces(start, end)
        else:
            place = start
            for cut in _LEVELS[level](self.text, start, end):
                if place < cut < end and self._may_cut(place, cut):
                    yield from self.pieces(place, cut, level + 1)
                    place = cut
            yield from self.pieces(place, end, level + 1)

    def _content_end(self, start: int, end: int) -> int:
        while end > start and self.text[end - 1].isspace():
            end -= 1
        return end

    def _may_cut(self, floor: int, cut: int) -> bool:
        if not is_grapheme_border(self.text, cut, floor):
            return False
        place = bisect_right(self.whole_starts, cut) - 1
        return place < 0 or not self.whole[place].start < cut < self.whole[place].end

    def _hard_pieces(self, start: int, end: int) -> Iterator[int]:
        while end - start > self.limit:
            cut = start + self.limit
            while cut > start and not is_grapheme_border(self.text, cut, start):
                cut -= 1
            start = cut if cut > start else start + self.limit
            yield start
        if end > start:
            yield end
