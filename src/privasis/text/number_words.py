"""Numbers that are not written in figures, or not in all of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from privasis.text.layers import FoldedText

_ONES: Final = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
seventeen eighteen nineteen
"""
_TENS: Final = "twenty thirty forty fifty sixty seventy eighty ninety"

_SMALL: Final = {
    **{word: number for number, word in enumerate(_ONES.split())},
    **{word: 10 * number for number, word in enumerate(_TENS.split(), start=2)},
}
_LARGE: Final = {"thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
_DIGITS: Final = {word: str(number) for number, word in enumerate(_ONES.split()[:10])} | {
    "oh": "0",
    "o": "0",
    "nought": "0",
    "naught": "0",
}
_REPEATS: Final = {"double": 2, "triple": 3, "treble": 3}

_WORD: Final = f"(?:{'|'.join([*sorted(_SMALL, key=len, reverse=True), 'hundred', *_LARGE])})"
_QUANTITY: Final = re.compile(rf"(?<![a-z]){_WORD}(?:(?:\sand\s|[\s-]){_WORD})*+(?![a-z])")
_DIGIT: Final = f"(?:{'|'.join([*_DIGITS, *_REPEATS])})"
_SPELLED: Final = re.compile(rf"(?<![a-z]){_DIGIT}(?:[\s,.\-]{{1,3}}{_DIGIT}(?![a-z])){{4,}}+")

_MASKED: Final = re.compile(
    r"(?<![*x•●#])(?<![*x•●#][\s\-])(?:[*x•●#]{2,}+[\s\-]?)++(?P<masked>\d{4})(?!\d)"
    r"|(?:ending|ends|last\s(?:four|4)(?:\sdigits)?)(?:\s(?:in|with|on|of|are|is))?:?\s(?P<last>\d{4})(?!\d)"
)


@dataclass(frozen=True, slots=True)
class FoundNumber:
    """Number words in a folded text, with what they say: a quantity, or a string of digits."""

    start: int
    end: int
    says: str


def find_quantities(layer: FoldedText) -> tuple[FoundNumber, ...]:
    """Find quantities: "seventy-four" says "74", "two thousand and five" says "2005"."""
    return tuple(
        FoundNumber(found.start(), found.end(), str(_quantity(re.split(r"[\s-]", found[0]))))
        for found in _QUANTITY.finditer(layer.text)
    )


def find_spelled(layer: FoldedText) -> tuple[FoundNumber, ...]:
    """Find numbers said digit by digit: "two one two, double five, oh" says "212550"."""
    return tuple(
        FoundNumber(found.start(), found.end(), "".join(_said(re.findall(r"[a-z]+", found[0]))))
        for found in _SPELLED.finditer(layer.text)
    )


def find_masked(layer: FoldedText) -> tuple[FoundNumber, ...]:
    """Find what masking leaves of a number: "**** 1111" and "ending in 1111" say "1111"."""
    return tuple(
        FoundNumber(found.start(), found.end(), found["masked"] or found["last"])
        for found in _MASKED.finditer(layer.text)
    )


def _quantity(words: list[str]) -> int:
    total = part = 0
    for word in words:
        if word in _LARGE:
            total, part = total + (part or 1) * _LARGE[word], 0
        elif word == "hundred":
            part = (part or 1) * 100
        else:
            part += _SMALL.get(word, 0)
    return total + part


def _said(words: list[str]) -> Iterator[str]:
    times = 1
    for word in words:
        if word in _REPEATS:
            times = _REPEATS[word]
        else:
            yield _DIGITS[word] * times
            times = 1
