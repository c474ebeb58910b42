"""Changed copies of a text for searching, each with the way back to the original."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privasis.types import Span


@dataclass(frozen=True, slots=True, eq=False)
class FoldedText:
    """A text as a search sees it; ``starts`` and ``ends`` lead back to the original.

    Attributes:
        original: The text that was folded.
        text: The folded text.
        starts: Shape ``(len(text),)``: where the original of each folded character begins.
        ends: Shape ``(len(text),)``: where it ends, combining marks and variation selectors included.
    """

    original: str
    text: str
    starts: NDArray[np.int32]
    ends: NDArray[np.int32]

    def span(self, start: int, end: int) -> Span:
        """Map a non-empty range of the folded text to the original, in whole graphemes.

        Raises:
            ValueError: The range is empty or outside the folded text.
        """
        if not 0 <= start < end <= len(self.text):
            raise ValueError(f"no such range in a folded text of {len(self.text)} characters: {start}-{end}")
        return Span(int(self.starts[start]), int(self.ends[end - 1]))

    def is_capital(self, place: int) -> bool:
        """Tell whether a folded character is written as a capital in the original."""
        return self.original[int(self.starts[place])].isupper()

    def place_of(self, span: Span) -> tuple[int, int]:
        """Find the range of the folded text that a non-empty span of the original has become."""
        # of the arrays' own type, or each search would copy them
        start = int(np.searchsorted(self.starts, np.int32(span.start)))
        return start, max(start + 1, int(np.searchsorted(self.ends, np.int32(span.end))) + 1)


def whole(text: str) -> FoldedText:
    """Begin a stack of copies with the text itself."""
    places = np.arange(len(text) + 1, dtype=np.int32)
    return FoldedText(text, text, places[:-1], places[1:])


def stacked(upper: FoldedText, lower: FoldedText) -> FoldedText:
    """Lead a copy that was made of another copy's text back to the original.

    Args:
        upper: A copy whose ``original`` is ``lower.text``.
        lower: The copy below.
    """
    if not len(lower.text):
        return FoldedText(lower.original, upper.text, upper.starts, upper.ends)
    return FoldedText(lower.original, upper.text, lower.starts[upper.starts], lower.ends[upper.ends - 1])


def substitute(
    layer: FoldedText, pattern: re.Pattern[str], change: Callable[[re.Match[str]], str]
) -> FoldedText:
    """Change all that a pattern finds; each new character stands for the whole of what it replaces."""
    parts: list[str] = []
    counts: NDArray[np.int32] | None = None
    starts, ends = layer.starts, layer.ends
    done = 0
    for found in pattern.finditer(layer.text):
        new = change(found)
        start, end = found.span()
        if start == end or new == found[0]:
            continue
        if counts is None:
            counts = np.ones(len(layer.text), np.int32)
            starts, ends = starts.copy(), ends.copy()
        parts += (layer.text[done:start], new)
        counts[start:end] = 0
        counts[start] = len(new)
        ends[start] = ends[end - 1]
        done = end
    if counts is None:
        return layer
    parts.append(layer.text[done:])
    return FoldedText(layer.original, "".join(parts), starts.repeat(counts), ends.repeat(counts))
