"""Times of day: 9:30 PM, 21:30, 21h30, 9.30 p.m., half past nine."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from privasis.text.fold import fold, strip_accents
from privasis.text.layers import FoldedText
from privasis.text.reading import Reading
from privasis.text.spans import Match

_HOUR_WORDS: Final = "one two three four five six seven eight nine ten eleven twelve"
_HOURS: Final = {word: hour for hour, word in enumerate(_HOUR_WORDS.split(), start=1)} | {
    "noon": 12,
    "midnight": 0,
}
_HOUR_WORD: Final = f"(?:{'|'.join(_HOURS)})"
_TIME: Final = re.compile(
    r"(?<![\w.:])(?P<hour>2[0-4]|[01]?\d)(?!\d)(?:\s?(?:[:.h]|uhr|時|点)\s?(?P<minute>[0-5]\d)(?!\d)(?::[0-5]\d(?!\d))?)?"
    r"(?:\s?分)?(?:\s?(?P<half>[ap])\.?m\b\.?)?(?P<clock>\s?(?:uhr|o'clock|h\b|hours|時|点))?"
    r"|(?<![a-z])(?:(?P<part>half|quarter)\s(?:(?P<way>past|to)\s)?)?(?P<word>" + _HOUR_WORD + ")"
    r"(?P<spoken>\s(?:o'clock|thirty|fifteen|forty-five))?(?:\s(?P<word_half>[ap])\.?m\b\.?)?(?![a-z])"
    r"|(?<![\w.:])(?P<military>(?:[01]\d|2[0-3])[0-5]\d)(?:\s?h(?:ours|rs)?)(?![a-z])"
)
_SPOKEN: Final = {"thirty": 30, "fifteen": 15, "forty-five": 45, "o'clock": 0}
_HALF_DAY: Final = 12 * 60
_DAY: Final = 24 * 60


def find_time(reading: Reading, value: str) -> Iterator[Match]:
    """Find a time of day in other notations; one without a.m. or p.m. may be in either half of the day."""
    sought = next((minutes for _, minutes in find_times(strip_accents(fold(value)))), None)
    if sought is None:
        return
    for found, minutes in find_times(reading.bare):
        if not sought.isdisjoint(minutes):
            span = reading.bare.span(found.start(), found.end())
            yield Match(span, span, "time")


def find_times(layer: FoldedText) -> Iterator[tuple[re.Match[str], frozenset[int]]]:
    """Yield the times of day in a bare text, each with the minutes after midnight that it can mean."""
    for found in _TIME.finditer(layer.text):
        minutes = _minutes(found)
        if minutes:
            yield found, frozenset(minutes)


def _minutes(found: re.Match[str]) -> set[int]:
    """Read a time in minutes after midnight, in every way that it can be meant; nothing if it is no time."""
    if found["military"]:
        return {int(found["military"][:2]) * 60 + int(found["military"][2:])}
    if found["word"]:
        return _word_minutes(found)
    if not (found["minute"] or found["half"] or found["clock"]):
        return set()
    at = int(found["hour"]) * 60 + int(found["minute"] or 0)
    return _halves(at, found["half"], exact=int(found["hour"]) > 12 or found["hour"].startswith("0"))


def _word_minutes(found: re.Match[str]) -> set[int]:
    word = found["word"]
    if word in {"noon", "midnight"}:
        return {_HOURS[word] * 60}
    if not (found["part"] or found["spoken"] or found["word_half"]):
        return set()
    at = _HOURS[word] * 60 + _SPOKEN.get((found["spoken"] or "").strip(), 0)
    if found["part"]:
        part = 30 if found["part"] == "half" else 15
        at += -part if found["way"] == "to" else part
    return _halves(at, found["word_half"], exact=False)


def _halves(at: int, half: str | None, *, exact: bool) -> set[int]:
    if half:
        return {at % _HALF_DAY + (_HALF_DAY if half == "p" else 0)}
    return {at % _DAY} if exact else {at % _DAY, (at + _HALF_DAY) % _DAY}
