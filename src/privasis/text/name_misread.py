"""Names that a scanner has read wrong: Z0fia, Brarndt."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from privasis.text.layers import FoldedText
from privasis.text.names import PersonName
from privasis.text.reading import Reading, unread
from privasis.text.scripts import is_border
from privasis.text.spans import occurrences

_SHORTEST: Final = 4
_SHORTEST_LETTERS: Final = 5  # where no digit inside the word shows that it was misread


def find_misread(reading: Reading, name: PersonName) -> Iterator[tuple[str, int, int]]:
    """Find parts of a name with letters confused that look alike in print.

    Yields:
        The part, and where it stands in ``reading.bare.text``.
    """
    layer = reading.unread
    for piece in name.roles():
        if len(piece) < _SHORTEST or not piece.isascii():
            continue
        needle = unread(piece)
        for place in occurrences(layer.text, needle):
            if not (is_border(layer.text, place) and is_border(layer.text, place + len(needle))):
                continue
            start, end = reading.bare.place_of(layer.span(place, place + len(needle)))
            written = reading.bare.text[start:end]
            if written != piece and (re.search(r"\d", written) or _is_long_name(layer, place, piece)):
                yield piece, start, end


def _is_long_name(layer: FoldedText, place: int, piece: str) -> bool:
    return len(piece) >= _SHORTEST_LETTERS and layer.is_capital(place)
