"""Which writing system a character belongs to, as far as word borders depend on it."""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from typing import Final, Literal

Script = Literal["spaced", "unspaced", "hangul", "arabic", "hebrew"]

# First code point, last code point, script. Everything else is written with spaces between words.
_RANGES: Final[tuple[tuple[int, int, Script], ...]] = (
    (0x0590, 0x05FF, "hebrew"),
    (0x0600, 0x06FF, "arabic"),
    (0x0750, 0x077F, "arabic"),
    (0x0870, 0x08FF, "arabic"),
    (0x0E00, 0x0EFF, "unspaced"),  # Thai, Lao
    (0x0F00, 0x109F, "unspaced"),  # Tibetan, Myanmar
    (0x1100, 0x11FF, "hangul"),
    (0x1780, 0x17FF, "unspaced"),  # Khmer
    (0x2E80, 0x312F, "unspaced"),  # CJK radicals and punctuation, kana, bopomofo
    (0x3130, 0x318F, "hangul"),
    (0x3190, 0x9FFF, "unspaced"),
    (0xA960, 0xA97F, "hangul"),
    (0xAC00, 0xD7FF, "hangul"),
    (0xF900, 0xFAFF, "unspaced"),
    (0xFB1D, 0xFB4F, "hebrew"),
    (0xFB50, 0xFDFF, "arabic"),
    (0xFE70, 0xFEFE, "arabic"),
    (0xFF66, 0xFF9F, "unspaced"),
    (0x20000, 0x3FFFF, "unspaced"),
)
_STARTS: Final = tuple(start for start, _, _ in _RANGES)

UNSPACED: Final = "".join(
    f"{chr(first)}-{chr(last)}" for first, last, script in _RANGES if script == "unspaced"
)
"""The inside of a regular expression's character class for scripts without spaces between words."""


def script_of(character: str) -> Script:
    """Tell how the script of a character separates words; digits and Latin count as spaced."""
    if character < "\u0590" or is_digit(character):
        return "spaced"
    place = bisect_right(_STARTS, ord(character)) - 1
    _, last, script = _RANGES[place]
    return script if ord(character) <= last else "spaced"


def is_digit(character: str) -> bool:
    """Tell whether a character is a decimal digit of any script."""
    return character.isdecimal()


def is_wordy(character: str) -> bool:
    """Tell whether a character can be a part of a word: a letter, a digit or a combining mark."""
    if character.isascii() or character.isalnum():
        return character.isalnum()
    return unicodedata.category(character)[0] == "M"


def is_border(text: str, place: int) -> bool:
    """Tell whether a word may begin or end at an offset.

    Nothing but a run of letters, digits and marks of one spaced script has no border inside:
    scripts without spaces have one everywhere, and a change of script makes one.
    """
    if place <= 0 or place >= len(text):
        return True
    before, after = text[place - 1], text[place]
    if before.isascii() and after.isascii():
        return not (before.isalnum() and after.isalnum())
    if not (is_wordy(before) and is_wordy(after)):
        return True
    script = script_of(after)
    return script == "unspaced" or script_of(before) != script
