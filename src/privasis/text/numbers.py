"""Find phone, account, card and other numbers however they are grouped, coded or spelled."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from privasis.text.fold import bare
from privasis.text.reading import Reading, misread
from privasis.text.scripts import is_border
from privasis.text.spans import Match, occurrences
from privasis.types import Span

_SHORTEST: Final = 5  # characters: what is shorter is looked for verbatim only
_SHORTEST_MISREAD: Final = 8
_SHORTEST_PHONE: Final = 6
_NORTH_AMERICAN: Final = 10  # digits: an area code of three, a local number of seven
_LOCAL: Final = 7
_LONGEST_GAP: Final = 4  # characters between two groups of a number: ") - ", a line break with a quote's mark
_MASKED_DIGITS: Final = 8  # of a number this long, the last four give it away

# Calling codes of one and two digits (ITU-T E.164); all others have three.
_CODES: Final = """
1 7 20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63 64 65 66 81 82
84 86 90 91 92 93 94 95 98
"""
_SHORT_CODES: Final = frozenset(_CODES.split())
_EXTENSION: Final = re.compile(r"\s*(?:,|;)?\s*(?:ext|extension|x|#|durchwahl|app|poste)\.?\s*\d{1,6}$")


def find_number(reading: Reading, value: str) -> Iterator[Match]:
    """Find the characters of a number or identifier with any separators between them or none."""
    needle = solid_form(value)
    if len(needle) < _SHORTEST or not any(map(str.isdecimal, needle)):
        return
    for start in occurrences(reading.solid.text, needle):
        yield from _regrouped(reading, start, start + len(needle), "regrouped")
    yield from _misread(reading, needle)
    digits = re.sub(r"\D", "", needle)
    yield from _spelled(reading, digits)
    yield from _masked(reading, digits)


def find_phone(reading: Reading, value: str) -> Iterator[Match]:
    """Find a phone number in any grouping, with or without calling code, trunk zero or extension."""
    yield from find_number(reading, value)
    code, number = _phone_parts(_EXTENSION.sub("", bare(value)))
    if len(number) < _SHORTEST_PHONE:
        return
    for start in occurrences(reading.solid.text, number):
        for prefix in _prefixes(reading.solid.text[max(0, start - 8) : start], code):
            found = [*_regrouped(reading, start - len(prefix), start + len(number), "regrouped")]
            if found:
                yield from found
                break
    yield from _spelled(reading, number)
    if len(number) == _NORTH_AMERICAN and code in {"", "1"}:
        for start in occurrences(reading.solid.text, number[-_LOCAL:]):
            yield from _regrouped(reading, start, start + _LOCAL, "local_number")


def solid_form(value: str) -> str:
    """Reduce a number to what stays the same in every grouping: its letters and digits, folded."""
    return re.sub(r"[\W_]", "", bare(value))


def _regrouped(reading: Reading, start: int, end: int, form: str) -> Iterator[Match]:
    """Yield the place if its separators are short and no letter or digit is glued to its ends."""
    solid = reading.solid
    gaps = solid.starts[start + 1 : end] - solid.ends[start : end - 1]
    if len(gaps) and int(gaps.max()) > _LONGEST_GAP:
        return
    span = _with_bracket(solid.original, solid.span(start, end))
    if is_border(solid.original, span.start) and is_border(solid.original, span.end):
        yield Match(span, span, form)


def _with_bracket(text: str, span: Span) -> Span:
    """Take in the bracket that opens before an area code."""
    inside = text[span.start : span.end]
    opens = text[max(0, span.start - 1) : span.start]
    if opens in {"(", "（"} and inside.count(")") + inside.count("）") > inside.count("(") + inside.count(
        "（"
    ):
        return Span(span.start - 1, span.end)
    return span


def _misread(reading: Reading, needle: str) -> Iterator[Match]:
    """Find a number in which letters stand for the digits that they look like (O for 0)."""
    if len(needle) < _SHORTEST_MISREAD:
        return
    for start in occurrences(reading.misread, misread(needle)):
        stands = reading.solid.text[start : start + len(needle)]
        if stands != needle and sum(map(str.isdecimal, stands)) > len(needle) / 2:
            yield from _regrouped(reading, start, start + len(needle), "look_alike")


def _spelled(reading: Reading, digits: str) -> Iterator[Match]:
    if len(digits) < _SHORTEST:
        return
    for found in reading.spelled:
        if digits in found.says:
            span = reading.bare.span(found.start, found.end)
            yield Match(span, span, "spelled")


def _masked(reading: Reading, digits: str) -> Iterator[Match]:
    if len(digits) < _MASKED_DIGITS:
        return
    for found in reading.masked:
        if digits.endswith(found.says):
            span = reading.bare.span(found.start, found.end)
            yield Match(span, span, "last_digits")


def _phone_parts(written: str) -> tuple[str, str]:
    """Part a phone number into its calling code, if it says one, and the number within the country."""
    digits = re.sub(r"\D", "", re.sub(r"\(0\)", "", written))
    if written.startswith("+") or digits.startswith("00"):
        digits = digits.removeprefix("00")
        length = next((n for n in (1, 2) if digits[:n] in _SHORT_CODES), 3)
        return digits[:length], digits[length:].removeprefix("0")
    if len(digits) == 11 and digits.startswith("1"):
        return "1", digits[1:]
    return "", digits.removeprefix("0")


def _prefixes(before: str, code: str) -> Iterator[str]:
    """Yield what may stand before the number within the country, the longest first."""
    pattern = rf"(?:\+|00)?{code}0?" if code else r"(?:\+|00)\d{1,3}0?|1"
    for candidate in (pattern, "0"):
        found = re.search(rf"(?:{candidate})$", before)
        if found and found[0]:
            yield found[0]
    yield ""
