"""The leaves of documents as one text, and edits on that text as edits on the leaves."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from privasis.cleaner.formats.form import Leaf
from privasis.types import Edit, Span

_BETWEEN: Final = "\n\n"  # grammar and markup never look past the end of a paragraph
_HUMP: Final = re.compile(r"(?<=[a-z])(?=[A-Z])|_+")
_LONGEST_LABEL: Final = 80


@dataclass(frozen=True, slots=True)
class Joined:
    """Leaves as one text.

    Attributes:
        text: Each leaf that says anything in a paragraph of its own, behind its label.
        numbers: Of these leaves, among all.
        places: Where each of these stands.
    """

    text: str
    numbers: tuple[int, ...]
    places: tuple[Span, ...]


class Own(NamedTuple):
    """An edit with the leaf on whose text its offsets lie."""

    leaf: int
    edit: Edit


def join(leaves: Sequence[Leaf], texts: Sequence[str]) -> Joined:
    """Put texts of leaves together."""
    written: list[str] = []
    numbers: list[int] = []
    places: list[Span] = []
    length = 0
    for number, (leaf, text) in enumerate(zip(leaves, texts, strict=True)):
        if not leaf.text.strip():
            continue
        head = (_BETWEEN if numbers else "") + _spoken(leaf.label)
        written += (head, text)
        numbers.append(number)
        places.append(Span(length + len(head), length + len(head) + len(text)))
        length = places[-1].end
    return Joined("".join(written), tuple(numbers), tuple(places))


def own_edits(edits: Sequence[Edit], joined: Joined) -> list[Own]:
    """Cut edits on the joined text at the borders of leaves; what lies between leaves is left out.

    A replacement goes to the first leaf that its edit touches.
    """
    starts = [place.start for place in joined.places]
    found: list[Own] = []
    for edit in edits:
        first = max(0, bisect_right(starts, edit.start) - 1)
        replacement = edit.replacement
        for number in range(first, len(starts)):
            place = joined.places[number]
            if place.start > edit.end:
                break
            start, end = max(edit.start, place.start), min(edit.end, place.end)
            if start > end or (start == end and edit.start < edit.end):
                continue
            local = replace(edit, start=start - place.start, end=end - place.start, replacement=replacement)
            found.append(Own(joined.numbers[number], local))
            replacement = ""
            if edit.start == edit.end:
                break
    return found


def leaf_at(joined: Joined, place: int) -> int:
    """Return the number of the leaf that holds a place of the joined text, or whose label does."""
    ends = [span.end for span in joined.places]
    return joined.numbers[min(bisect_right(ends, place), len(ends) - 1)]


def _spoken(label: str) -> str:
    """Return a label as finders read it: ``firstName`` and ``first_name`` as "first Name: "."""
    words = " ".join(_HUMP.sub(" ", label).split())
    return f"{words}: " if words and len(words) <= _LONGEST_LABEL else ""
