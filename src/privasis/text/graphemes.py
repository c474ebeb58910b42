"""Where a text may be cut without tearing what a reader sees as one character."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Final

_JOINER: Final = "\u200d"
_VIRAMA: Final = 9  # canonical combining class of the signs that join two Indic consonants


@lru_cache(maxsize=8192)
def attaches(character: str) -> bool:
    """Tell whether a character belongs to the one before it (Unicode's Extend and SpacingMark)."""
    return (
        unicodedata.category(character)[0] == "M"  # combining marks and variation selectors
        or "\uff9e" <= character <= "\uff9f"  # half-width voicing marks
        or "\u1160" <= character <= "\u11ff"  # vowels and finals of a Korean syllable
        or "\ud7b0" <= character <= "\ud7fb"  # the same, old Korean
        or "\U0001f3fb" <= character <= "\U0001f3ff"  # skin tones
        or "\U000e0020" <= character <= "\U000e007f"  # tags of regional flags
        or character in "\u0e33\u0eb3"  # Thai and Lao AM
    )


def is_grapheme_border(text: str, place: int, floor: int = 0) -> bool:
    """Tell whether a text may be cut at an offset (UAX 29, to the careful side).

    Args:
        text: The text.
        place: The offset.
        floor: An earlier offset that is known to be a border; pairs of flag letters are counted from it.
    """
    if place <= floor or place >= len(text):
        return True
    before, after = text[place - 1], text[place]
    if before < "\u0300" and after < "\u0300":
        return not (before == "\r" and after == "\n")
    if attaches(after) or after in "\u200c\u200d" or before == _JOINER:
        return False
    if _is_flag_letter(before) and _is_flag_letter(after):
        return _flag_letters_before(text, place, floor) % 2 == 0
    if unicodedata.combining(before) == _VIRAMA and after.isalpha():
        return False
    return not ("\ud800" <= before <= "\udbff" and "\udc00" <= after <= "\udfff")


def _is_flag_letter(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def _flag_letters_before(text: str, place: int, floor: int) -> int:
    first = place
    while first > floor and _is_flag_letter(text[first - 1]):
        first -= 1
    return place - first
