"""A text read once, for finding many values in it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final

from privasis.text.dates import FoundDate, find_dates
from privasis.text.fold import fold, strip_accents
from privasis.text.layers import FoldedText, substitute
from privasis.text.markup import fold_markup
from privasis.text.number_words import FoundNumber, find_masked, find_quantities, find_spelled
from privasis.text.tokens import Token, find_tokens


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """All that searches for values in their derived forms look at.

    Attributes:
        folded: The text folded (see ``fold``).
        bare: The same without accents.
        solid: The bare text without blanks and separators, for numbers in any grouping.
        misread: ``solid.text`` with letters that look like digits made digits; same length, same places.
        unread: The bare text with what scanners confuse made alike: rn and m, 0 and o, 1 and l.
        tokens: Words made for machines.
        spoken: The bare text with "at" and "dot", in brackets or as words, made signs.
        dates: The dates in ``bare``.
        quantities: Number words in ``bare``.
        spelled: Numbers said digit by digit in ``bare``.
        masked: Last digits of masked numbers in ``bare``.
    """

    folded: FoldedText
    bare: FoldedText
    solid: FoldedText
    misread: str
    unread: FoldedText
    tokens: tuple[Token, ...]
    spoken: FoldedText
    dates: tuple[FoundDate, ...]
    quantities: tuple[FoundNumber, ...]
    spelled: tuple[FoundNumber, ...]
    masked: tuple[FoundNumber, ...]


_SEPARATORS: Final = re.compile(r"[\s\-./()\[\]·•_:,;']++")
_SPOKEN_SIGN: Final = re.compile(
    r"\s?[\[({<]\s?(?:at|@|arroba|dot|\.|punkt|punto|point)\s?[\])}>]\s?"
    r"|\s(?:at|arroba|dot|punkt|punto|point)\s|\s[@.]\s?|@\s"
)
_MISREAD_DIGITS: Final = str.maketrans("oilszbq|", "01152891")


def read(text: str) -> Reading:
    """Read a text for searches. Linear in its length."""
    return _read(fold(text))


def read_markup(text: str) -> Reading:
    """Read a text as it is seen once its markup is rendered; for a second search beside ``read``'s."""
    return _read(fold_markup(text))


def _read(folded: FoldedText) -> Reading:
    bare = strip_accents(folded)
    solid = substitute(bare, _SEPARATORS, lambda _: "")
    joined = substitute(bare, _CONFUSED, lambda found: unread(found[0]))
    return Reading(
        folded=folded,
        bare=bare,
        solid=solid,
        misread=misread(solid.text),
        unread=replace(joined, text=joined.text.translate(_CONFUSED_LETTERS)),
        tokens=find_tokens(bare),
        spoken=substitute(bare, _SPOKEN_SIGN, _sign),
        dates=find_dates(bare),
        quantities=find_quantities(bare),
        spelled=find_spelled(bare),
        masked=find_masked(bare),
    )


def _sign(found: re.Match[str]) -> str:
    return "@" if re.search("at|@|arroba", found[0]) else "."


_CONFUSED: Final = re.compile("rn|vv|cl")
_CONFUSED_LETTERS: Final = str.maketrans("m015i|83", "nolsllbe")


def unread(word: str) -> str:
    """Make one of letters, pairs of letters and digits that scanners take for each other."""
    word = word.replace("rn", "n").replace("vv", "w").replace("cl", "d")
    return word.translate(_CONFUSED_LETTERS)


def misread(solid: str) -> str:
    """Make digits of the letters that look like them."""
    return solid.translate(_MISREAD_DIGITS)
