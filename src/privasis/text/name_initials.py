"""A person's initials instead of the name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from privasis.text.layers import FoldedText
from privasis.text.name_tables import DOTTED_ABBREVIATIONS
from privasis.text.names import PersonName
from privasis.text.scripts import script_of
from privasis.text.spans import Match

_NEXT_LETTER: Final = re.compile(r"\s?[^\W\d_]")


def find_initials(layer: FoldedText, name: PersonName) -> Iterator[Match]:
    """Find "Z. B.", and "ZB" where its surroundings say that it is a person."""
    if not name.given or not name.family:
        return
    first, last = name.given[0][0], name.family[-1][0]
    if script_of(first) != "spaced" or first + last in DOTTED_ABBREVIATIONS:
        return
    both = re.escape(first + last)
    dotted = rf"(?<![^\W_])(?<![^\W_]\.)(?P<dotted>{first}\.\s?(?:[^\W\d_]\.\s?)?{last}\.)(?![^\W_])"
    glued = rf"(?<=initials)\W{{1,4}}(?P<said>{both})(?![^\W_])|[(\[/]\s?(?P<enclosed>{both})\s?[)\]]"
    for found in re.finditer(f"{dotted}|{glued}", layer.text):
        start, end = found.span(found.lastgroup or 0)
        following = _NEXT_LETTER.match(layer.text, end)
        if found.lastgroup == "dotted" and following and layer.is_capital(following.end() - 1):
            continue  # the initials of somebody else, whose family name follows
        if all(layer.is_capital(place) for place in range(start, end) if layer.text[place].isalpha()):
            span = layer.span(start, end)
            yield Match(span, span, "initials")
