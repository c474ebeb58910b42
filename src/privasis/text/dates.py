"""Dates as people write them: read them from a text, compare them with a value."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from privasis.text.layers import FoldedText
from privasis.text.months import ERAS, HAN_DIGITS, MONTHS, ORDINALS, WEEKDAYS

_LATEST: Final = 2100
_BUDDHIST: Final = 543  # years by which the Thai calendar is ahead


@dataclass(frozen=True, slots=True)
class Day:
    """One reading of a date; a part that is not said is ``None``."""

    year: int | None
    month: int
    day: int | None


@dataclass(frozen=True, slots=True)
class FoundDate:
    """A date in a folded text, with all the days that it can mean."""

    start: int
    end: int
    days: frozenset[Day]


def find_dates(layer: FoldedText) -> tuple[FoundDate, ...]:
    """Find the dates of a text that was folded and stripped of accents, in order, in any of many forms.

    Numeric dates, ISO 8601 with and without separators, months by name in some twenty languages with and
    without year, ordinals in figures and English words, ranges of days, and East Asian dates with eras.
    """
    found = [
        date
        for start, end in _windows(layer.text)
        for pattern in _PATTERNS
        for date in _read_all(pattern, layer.text, start, end)
    ]
    return tuple(_longest(found))


def same_day(value: Iterable[Day], found: Iterable[Day]) -> bool:
    """Tell whether two dates can mean the same: as far as both say it, they agree.

    A date without a year agrees with any year if the day and the month do; one without a day only with its
    equal, since a month is more general than a day in it.
    """
    others = tuple(found)
    return any(_agree(a, b) for a in value for b in others)


def _agree(a: Day, b: Day) -> bool:
    if a.month != b.month or a.day != b.day:
        return False
    if a.day is None:
        return a.year == b.year is not None
    return a.year is None or b.year is None or a.year == b.year


def _alternatives(names: Iterable[str]) -> str:
    return "|".join(re.escape(name) for name in sorted(set(names), key=lambda name: (-len(name), name)))


_MONTH: Final = f"(?P<month>{_alternatives(MONTHS)})"
_WEEKDAY: Final = rf"(?:(?:(?:{_alternatives(WEEKDAYS)})\.?,?|(?:mo|di|mi|do|fr|sa|so)[.,])\s)?"
_WORD_DAY: Final = f"(?P<word>{_alternatives(ORDINALS)})"
_DAY: Final = r"(?P<day>\d{1,2})"
_YEAR: Final = r"(?P<year>\d{4}|'\d{2})(?!\d|[-/.]\d{1,2}[-/.]\d)"
_ORDINAL: Final = r"(?:\s?(?:st|nd|rd|th|er|re|e|o|a|de)(?![^\W\d_])|\.|º|ª)?"
_START: Final = r"(?<![^\W_])(?<!\d[-/.])"
_STOP: Final = r"(?![^\W_])"
_OF: Final = r"(?:,?\s(?:of\s|de\s|del\s|d'|the\s|ב)?|[-./])?"
_AND: Final = r"\s?(?:-|to|and|&|und|bis|et|au|y|al)\s?(?:the\s)?"
_MORE_DAYS: Final = rf"(?:(?P<first>\d{{1,2}})(?:st|nd|rd|th|\.)?{_AND})?"


_PATTERNS: Final = tuple(
    re.compile(pattern)
    for pattern in (
        # 3 March 2024; Monday, the 3rd of March; 3.-5. März '24
        rf"{_START}{_WEEKDAY}(?:the\s)?{_MORE_DAYS}(?:{_DAY}{_ORDINAL}|{_WORD_DAY}){_OF}{_MONTH}"
        rf"(?:\.?,?(?:\s|-|/)?(?:of\s|de\s|del\s|פ?ב)?{_YEAR})?{_STOP}",
        # March 3rd, 2024; March the third; Mar-03-2024
        rf"{_START}{_WEEKDAY}{_MONTH}\.?[\s\-/]?(?:the\s)?(?:(?P<first>\d{{1,2}})\s?(?:-|to|and|&)\s?)?"
        rf"(?:{_DAY}(?:st|nd|rd|th)?(?!\d)|{_WORD_DAY})(?:,?[\s\-/]?(?:of\s)?{_YEAR})?{_STOP}",
        # 2024 March 3; 2024-Mar-03
        rf"{_START}(?P<year>\d{{4}})[,\s\-./]{{1,2}}{_MONTH}[\s\-./]{{1,2}}{_DAY}{_STOP}",
        # March 2024; 2024 March
        rf"{_START}{_MONTH}\.?,?[\s\-/](?:of\s|de\s)?{_YEAR}{_STOP}",
        # 2024-03-03, 2024/3/3, 2024.03.03, also before a time: 2024-03-03T09:00
        rf"{_START}(?P<year>\d{{4}})\s?(?P<sep>[-/.])\s?(?P<iso_month>\d{{1,2}})\s?(?P=sep)\s?{_DAY}(?:{_STOP}|(?=t\d))",
        # 20240303, 20240303t090000z
        rf"{_START}(?P<year>(?:1[89]|20)\d\d)(?P<iso_month>0[1-9]|1[0-2])(?P<day>[0-3]\d)(?:{_STOP}|(?=t\d))",
        # 3.3.2024, 03/03/24, 3-3-2024, 3. 3. 2024
        rf"{_START}{_WEEKDAY}(?P<a>\d{{1,2}})(?P<sep>[-/.])\s?(?P<b>\d{{1,2}})(?P=sep)\s?(?P<any>\d{{4}}|\d{{2}}){_STOP}",
        # 1984年3月3日, 昭和59年3月3日, 一九八四年三月三日, 2024년 3월 3일, 3月3日
        r"(?:(?P<era>明治|大正|昭和|平成|令和|民國|民国|(?<![^\W_])[mtshr](?=\d))?"
        r"(?P<han_year>\d{1,4}|[〇零一二三四五六七八九元]{1,4})\s?(?:年|년)\s?)?"
        r"(?P<han_month>\d{1,2}|[一二三四五六七八九十]{1,2})\s?(?:月|월)\s?"
        r"(?P<han_day>\d{1,2}|[一二三四五六七八九十]{1,3})\s?(?:日|号|號|일)",
        # s59.3.3
        rf"{_START}(?P<era>[mtshr])\.?(?P<han_year>\d{{1,2}})[./-](?P<han_month>\d{{1,2}})[./-](?P<han_day>\d{{1,2}}){_STOP}",
    )
)


_ANCHOR: Final = re.compile(
    rf"[\d〇一二三四五六七八九十元]++|(?<![a-z])(?:{_alternatives(ORDINALS)})(?![a-z])"
)
_REACH: Final = 50  # no date stretches farther from the first or last figure or ordinal in it


def _windows(text: str) -> Iterator[tuple[int, int]]:
    """Yield the stretches in which dates can stand, so that plain prose is passed over quickly."""
    start = end = -1
    for anchor in _ANCHOR.finditer(text):
        if start >= 0 and anchor.start() - end <= 2 * _REACH:
            end = anchor.end()
            continue
        if start >= 0:
            yield max(0, start - _REACH), _next_blank(text, end + _REACH)
        start, end = anchor.span()
    if start >= 0:
        yield max(0, start - _REACH), _next_blank(text, end + _REACH)


def _next_blank(text: str, place: int) -> int:
    blank = text.find(" ", place)
    return blank if blank >= 0 else len(text)


def _read_all(pattern: re.Pattern[str], text: str, start: int, end: int) -> Iterator[FoundDate]:
    for found in pattern.finditer(text, start, end):
        days = frozenset(_valid(_readings({k: v for k, v in found.groupdict().items() if v is not None})))
        if days:
            yield FoundDate(found.start(), found.end(), days)


def _readings(parts: dict[str, str]) -> Iterator[Day]:
    """Yield every day that the parts of a date can mean."""
    if "a" in parts:
        a, b = int(parts["a"]), int(parts["b"])
        for century in _years(parts["any"]):
            yield Day(century, a, b)
            yield Day(century, b, a)
        return
    years: Sequence[int | None] = _years(parts["year"]) if "year" in parts else [None]
    if "han_month" in parts:
        month, days = _han(parts["han_month"]), [_han(parts["han_day"])]
        years = [_han_year(parts.get("era"), parts["han_year"])] if "han_year" in parts else [None]
    else:
        month = int(parts["iso_month"]) if "iso_month" in parts else MONTHS[parts["month"]]
        days = [int(parts[name]) for name in ("first", "day") if name in parts]
        days += [ORDINALS[parts["word"]]] if "word" in parts else []
    for year in years:
        if not days:
            yield Day(year, month, None)
        for day in days:
            yield Day(year, month, day)


def _years(written: str) -> tuple[int, ...]:
    digits = written.lstrip("'")
    year = int(digits)
    if len(digits) == 2:
        return 1900 + year, 2000 + year
    return (year, year - _BUDDHIST) if year > _LATEST else (year,)


def _han(written: str) -> int:
    """Read a figure below 40 as Chinese writes it: 三, 十三, 二十三, or digits."""
    if written.isdecimal():
        return int(written)
    tens, _, ones = written.rpartition("十")
    if "十" not in written:
        return HAN_DIGITS.get(written, 0)
    return 10 * HAN_DIGITS.get(tens, 1) + HAN_DIGITS.get(ones, 0)


def _han_year(era: str | None, written: str) -> int:
    year = int(written) if written.isdecimal() else int("".join(str(HAN_DIGITS[digit]) for digit in written))
    return ERAS[era] + year if era else year


def _valid(days: Iterable[Day]) -> Iterator[Day]:
    for day in days:
        if not 1 <= day.month <= 12 or (day.year is not None and not 1 <= day.year <= 9999):
            continue
        if day.day is None or 1 <= day.day <= monthrange(day.year or 2000, day.month)[1]:
            yield day


def _longest(found: list[FoundDate]) -> Iterator[FoundDate]:
    """Leave out dates that begin inside another: the "March 20" in "March 2024"."""
    end = -1
    for date in sorted(found, key=lambda date: (date.start, -date.end)):
        if date.start >= end:
            yield date
            end = date.end
