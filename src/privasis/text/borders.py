"""Whether a value found in a text stands there as a word of its own, and what is attached to it."""

from __future__ import annotations

import re
from itertools import product
from typing import Final

from privasis.text.scripts import Script, is_border, is_wordy, script_of
from privasis.types import Span

# One-letter words that are written onto the next one: and, so, in, to, like, from, that; the article.
_PREFIXES: Final[dict[Script, frozenset[str]]] = {
    "hebrew": frozenset(a + b + c for a, b, c in product(("", "ו"), ("", "ש", "כש"), ("", *"בלמכה"))) - {""},
    "arabic": frozenset(a + b + c for a, b, c in product(("", *"وف"), ("", *"بكلس"), ("", "ال", "لل")))
    - {""},
}
_LONGEST_PREFIX: Final = 4
_PARTICLES: Final = re.compile(
    r"(?:씨|님|군|양)?+(?:에게서|으로|에게|께서|한테|이라고|라고|처럼|보다|부터|까지|이랑|[은는이가을를의에께와과도만로야아랑])?+"
    r"(?:는|도|만|의)?+"
)
_POSSESSIVE: Final = re.compile(r"['’ʼ＇][sS](?![^\W_])")
_PLURAL_POSSESSIVE: Final = re.compile(r"[sS]['’ʼ＇](?![^\W_])")
_BARE_APOSTROPHE: Final = re.compile(r"['’ʼ＇](?=\s+[^\W_])")
# A number of three groups ("2024-03-12", "212-555-0147"), one of which is the value, marked by a NUL.
_IN_THREES: Final = re.compile(r"\d[-/.]\d{1,4}[-/.]\0|\d[-/.]\0[-/.]\d|\0[-/.]\d{1,4}[-/.]\d")
_YEAR_LENGTH: Final = 4
_QUOTES: Final = frozenset("'‘’‚\"“”„«»`")
_SIBILANTS: Final = frozenset("sxzSXZß")


def word_bounds(text: str, start: int, end: int) -> Span | None:
    """Find the bounds of a value with what is attached to it, if it stands at word borders.

    Args:
        text: The text, folded or not.
        start: Where the value begins.
        end: Where it ends; greater than ``start``.

    Returns:
        The value with attached prefix letters (Arabic, Hebrew), particles (Korean) and a possessive ending;
        ``None`` if it is a part of a longer word or number.
    """
    left = _left_bound(text, start)
    if left is None:
        return None
    right = _right_bound(text, start, end)
    if right is None or _inside_number(text, start, end):
        return None
    return Span(left, right)


def _left_bound(text: str, start: int) -> int | None:
    if is_border(text, start) or not is_wordy(text[start]):
        return start
    prefixes = _PREFIXES.get(script_of(text[start]))
    if prefixes is None:
        return None
    for length in range(1, min(_LONGEST_PREFIX, start) + 1):
        if text[start - length : start] in prefixes and is_border(text, start - length):
            return start - length
    return None


def _right_bound(text: str, start: int, end: int) -> int | None:
    if not is_wordy(text[end - 1]):
        return end
    if not is_border(text, end):
        return _after_ending(text, end)
    if not text[end - 1].isalpha():
        return end
    possessive = _POSSESSIVE.match(text, end)
    if possessive is None and text[end - 1] in _SIBILANTS and text[max(0, start - 1) : start] not in _QUOTES:
        possessive = _BARE_APOSTROPHE.match(text, end)
    return possessive.end() if possessive else end


def _after_ending(text: str, end: int) -> int | None:
    if script_of(text[end]) == "hangul":
        particles = _PARTICLES.match(text, end)
        return particles.end() if particles and is_border(text, particles.end()) else None
    plural = _PLURAL_POSSESSIVE.match(text, end) if text[end - 1].isalpha() else None
    return plural.end() if plural else None


def _inside_number(text: str, start: int, end: int) -> bool:
    """Tell whether a whole number is only a part of a decimal, a time, a date or a longer number."""
    if not text[start:end].isdecimal():
        return False
    if _IN_THREES.search(f"{text[max(0, start - 8) : start]}\0{text[end : end + 8]}"):
        return end - start != _YEAR_LENGTH  # a year stands in a date as itself
    before, after = text[max(0, start - 2) : start], text[end : end + 4]
    if len(before) == 2 and before[0].isdecimal():
        if before[1] in ".:":
            return True
        if before[1] == "," and end - start == 3:
            return True
    if len(after) >= 2 and after[0] in ".:" and after[1].isdecimal():
        return True
    return (
        after[:1] == ","
        and after[1:4].isdecimal()
        and len(after) == 4
        and not text[end + 4 : end + 5].isdecimal()
    )
