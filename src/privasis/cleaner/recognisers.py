"""Find values by their kind alone: addresses of all sorts, numbers with a shape, dates, ages, amounts.

Every pattern is linear: repeated parts are possessive or bounded, so that no input makes it slow.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Final

from privasis.cleaner.places import find_cities, find_organizations, find_rooms, find_streets
from privasis.text.amounts import find_amounts
from privasis.text.reading import Reading
from privasis.text.times import find_times
from privasis.types import Span

# The length of an IBAN by its country (ISO 13616).
_IBAN_TABLE: Final = """
AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 CH21 CR22 CY28 CZ24 DE22 DK18 DO28 EE20 EG29 ES24
FI18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IS26 IT27 JO30 KW30 KZ20 LB28 LI21
LT20 LU20 LV21 MC27 MD24 ME22 MK19 MR27 MT31 MU30 NL18 NO15 PK24 PL28 PS29 PT25 QA29 RO24 RS22 SA24
SE24 SI19 SK24 SM27 TN24 TR26 UA29 VG24 XK20
"""
_IBAN_LENGTHS: Final = {entry[:2].lower(): int(entry[2:]) for entry in _IBAN_TABLE.split()}
_IBAN_START: Final = re.compile(r"(?<![a-z0-9])(?P<country>[a-z]{2})\s?[0-9oil]{2}(?=[ \-]?[a-z0-9])")
_EMAIL: Final = re.compile(
    r"[^\s<>\"(),;:\[\]{}|=＜＞、。]{1,64}@[^\s<>\"'(),;:\[\]{}|@/、。]{1,190}?\.[^\W\d_]{2,24}(?![^\W_])"
)
_TLD: Final = "com|org|net|edu|gov|io|co|info|biz|example|test|invalid|app|dev|me|[a-z]{2}"
_URL: Final = re.compile(
    rf"(?:[a-z][a-z0-9+.\-]{{1,9}}://|www\.)[^\s<>\"'|]{{2,300}}(?<![.,;:!?)\]])"
    rf"|(?<![\w@.\-])(?:[a-z0-9][a-z0-9\-]{{0,62}}\.){{1,5}}(?:{_TLD})(?![\w@])(?:/[^\s<>\"']{{0,200}}(?<![.,;:!?)\]]))?"
)
_NO_SITE: Final = re.compile(r"(?:e\.g|i\.e|a\.m|p\.m|ph\.d|u\.s|u\.k|z\.b|d\.h)$")
_PHONE: Final = re.compile(
    r"(?<![a-z0-9_.])(?:\+|\(\+?|00)?\d(?:[\d\-./()]|\s(?=[\d(])){5,20}\d(?![a-z0-9_]|\.\d)"
)
_CARD: Final = re.compile(
    r"(?<![a-z0-9_.])\d{4}(?P<gap>[ \-]?)(?:\d{4}(?P=gap)\d{4}(?P=gap)\d{1,7}|\d{6}(?P=gap)\d{4,5})(?!\d)"
)
_SSN: Final = re.compile(r"(?<![a-z0-9_\-])\d{3}[- ]\d{2}[- ]\d{4}(?![a-z0-9_\-])")
_HANDLE: Final = re.compile(r"(?<![\w.])@[a-z0-9_][\w.]{1,40}(?<!\.)")
_IP: Final = re.compile(
    r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w.])|(?<![\w:])(?:[0-9a-f]{2}:){5}[0-9a-f]{2}(?![\w:])"
)
_NUMBER: Final = re.compile(r"(?<![\w.])\d[\d.,\-/ ]{0,30}(?<=\d)(?!\w)")
_POSTCODE: Final = re.compile(
    r"(?<![a-z0-9])[a-z]{1,2}\d[a-z\d]?\s\d[a-z]{2}(?![a-z0-9])|(?<=\s)(?:a[lkzr]"
    r"|c[aot]|d[ec]|fl|ga|hi|i[dlna]|k[sy]|la|m[eadinsot]"
    r"|n[evhjmycd]|o[hkr]|pa|ri|s[cd]|t[nx]|ut|v[ta]|w[aviy])\s(?P<zip>\d{5}(?:-\d{4})?)(?!\d)"
    r"|(?<![\d\-])\d{2}-\d{3}(?=\s[a-z])"
    r"|〒\s?\d{3}-?\d{4}|(?<![\d\-])\d{4}\s?[a-z]{2}(?=\s[a-z]{3})|(?<!\d)\d{5}(?=\s[a-z]{3})"
)
_BORN: Final = re.compile(
    r"(?:born|birth\w*|dob|d\.o\.b|geb\.|geboren\w*|geburtsdatum|nee? le|naissance"
    r"|nacid[oa]|naci(?![a-z])|nacio(?![a-z])|nasci(?![a-z])|nacimiento|nat[oa] (?:il|a)|nascita|nascid[oa]"
    r"|nascimento|geboortedatum|urodzon[ay]|urodzenia|ur\.|dogum"
    r"|出生|生年月日|생년월일|생일|ميلاد|מולד|לידה|родил\w*|рождения)"
)
_BORN_BEHIND: Final = re.compile(r"[\s)]{0,2}(?:生まれ|生|出生|dogumlu|born|doğumlu|생)")
_YEAR: Final = re.compile(r"(?<![\d\-/.])(?:1[89]|20)\d{2}(?![\d\-/.]?\d)")
_AGE: Final = re.compile(
    r"(?<![\w.])(?:aged?|age of|age:|alter:|edad:?|idade:?|eta:?|leeftijd:?"
    r"|wiek:?|yas:?|年齢[:：]?|年龄[:：]?|나이[:：]?)\s?(?P<after>\d{1,3})(?![\d.,]*\d"
    r"|\w)"
    r"|(?<![\w.])(?P<before>\d{1,3})[\s\-]{0,2}(?:years?[\s\-]old|year[\s\-]olds?"
    r"|years? of age|yo(?!\w)|y/o|yrs?\.? old|jahre(?: alt)?(?!\w)|-?jahrig\w*"
    r"|ans(?!\w)|anos(?!\w)|anni(?!\w)|jaar(?!\w)|lat(?!\w)|lata(?!\w)"
    r"|yasinda\w*|歳|才|岁|歲|세|살|лет|года?)"
)
_AGE_WORDS_BEFORE: Final = re.compile(r"(?:aged|turned|turns|turning|is|was|at|age)\s$")
_AGE_WORDS_AFTER: Final = re.compile(r"[\s\-]years?[\s\-](?:old|of age)")
_PHRASE_END: Final = re.compile(r"[.,;!?)]|\Z|\s(?:last|this|next|in|and|when|on|years?)(?!\w)")
_OLDEST: Final = 120
_LONG_PHONE, _SHORT_PHONE = 15, 7
_SHORT_LOCAL: Final = 8

Recogniser = Callable[[Reading], Iterator[Span]]


def recognise(reading: Reading, kind: str) -> tuple[Span, ...]:
    """Find all values of a kind by their shape; nothing for kinds that only a label tells.

    Args:
        reading: The text.
        kind: A kind of the vocabulary.

    Returns:
        Spans on the original text, in order; they may overlap.
    """
    recogniser = _RECOGNISERS.get(kind)
    return tuple(sorted(set(recogniser(reading)))) if recogniser else ()


def _email(reading: Reading) -> Iterator[Span]:
    for layer in (reading.folded, reading.spoken):
        for found in _EMAIL.finditer(layer.text):
            start = found.start() + len(found[0]) - len(found[0].lstrip(".'`-/"))
            yield layer.span(start, found.end())


def _url(reading: Reading) -> Iterator[Span]:
    for found in _URL.finditer(reading.bare.text):
        if not _NO_SITE.search(found[0]) and not found[0].isdecimal():
            yield reading.bare.span(found.start(), found.end())


def _phone(reading: Reading) -> Iterator[Span]:
    others = {span for other in (_card, _ssn, _iban) for span in other(reading)}
    others |= {reading.bare.span(date.start, date.end) for date in reading.dates}
    for found in _PHONE.finditer(reading.bare.text):
        digits = sum(map(str.isdecimal, found[0]))
        span = reading.bare.span(found.start(), found.end())
        if not _SHORT_PHONE <= digits <= _LONG_PHONE or not _looks_dialled(found[0], digits):
            continue
        if not any(span.start < other.end and other.start < span.end for other in others):
            yield span
    for spelled in reading.spelled:
        if len(spelled.says) >= _SHORT_PHONE:
            yield reading.bare.span(spelled.start, spelled.end)


def _looks_dialled(written: str, digits: int) -> bool:
    groups = [len(group) for group in re.findall(r"\d+", written)]
    if written[0] in "+(0" or re.fullmatch(r"1[3-9]\d{9}", written):
        return digits >= _SHORT_LOCAL or written[0] != "0"
    return len(groups) > 1 and max(groups) <= 5 and digits <= 12 and "/" not in written[2:]


def _card(reading: Reading) -> Iterator[Span]:
    for found in _CARD.finditer(reading.bare.text):
        digits = re.sub(r"\D", "", found[0])
        if digits[0] in "23456" and (found["gap"] or _luhn(digits)):
            yield reading.bare.span(found.start(), found.end())


def _luhn(digits: str) -> bool:
    doubled = [sum(divmod(2 * int(digit), 10)) for digit in digits[-2::-2]]
    return (sum(doubled) + sum(map(int, digits[-1::-2]))) % 10 == 0


def _iban(reading: Reading) -> Iterator[Span]:
    text = reading.bare.text
    for found in _IBAN_START.finditer(text):
        end = _end_of_iban(text, found.start(), _IBAN_LENGTHS.get(found["country"], 0))
        if end:
            yield reading.bare.span(found.start(), end)


def _end_of_iban(text: str, start: int, length: int) -> int:
    """Return where so many letters and digits, with single separators between them, end; 0 if they do not."""
    place, count, digits = start, 0, 0
    while place < len(text) and count < length:
        if text[place].isascii() and text[place].isalnum():
            count, digits = count + 1, digits + text[place].isdecimal()
        elif text[place] not in " -" or text[place - 1] in " -":
            break
        place += 1
    return place if length and count >= length - 2 and 2 * digits > count else 0


def _ssn(reading: Reading) -> Iterator[Span]:
    yield from _by_pattern(reading, _SSN)


def _date(reading: Reading) -> Iterator[Span]:
    for date in reading.dates:
        yield reading.bare.span(date.start, date.end)


def _birth_date(reading: Reading) -> Iterator[Span]:
    text = reading.bare.text
    for date in reading.dates:
        near = text[max(0, date.start - 40) : date.start].rpartition("\n")[2]
        if _BORN.search(near.rpartition(". ")[2]) or _BORN_BEHIND.match(text, date.end):
            yield reading.bare.span(date.start, date.end)


def _birth_year(reading: Reading) -> Iterator[Span]:
    text = reading.bare.text
    for year in _YEAR.finditer(text):
        near = text[max(0, year.start() - 30) : year.start()]
        if _BORN.search(re.split(r"[.;\n]", near)[-1]) or _BORN_BEHIND.match(text, year.end()):
            yield reading.bare.span(year.start(), year.end())


def _age(reading: Reading) -> Iterator[Span]:
    text = reading.bare.text
    for found in _AGE.finditer(text):
        if int(found["after"] or found["before"]) <= _OLDEST:
            labelled = found["after"] and not found[0].startswith("aged")
            yield reading.bare.span(*found.span("after" if labelled else 0))
    for words in reading.quantities:
        if not words.says.isdecimal() or not 1 < int(words.says) <= _OLDEST:
            continue
        before = text[max(0, words.start - 12) : words.start]
        if _AGE_WORDS_AFTER.match(text, words.end) or (
            _AGE_WORDS_BEFORE.search(before) and int(words.says) > 9 and _ends_phrase(text, words.end)
        ):
            yield reading.bare.span(words.start, words.end)


def _ends_phrase(text: str, end: int) -> bool:
    return (
        re.match(r"[.,;!?)]|$|\s(?:last|this|next|in|and|when|on|years?)(?!\w)", text[end : end + 8])
        is not None
    )


def _time(reading: Reading) -> Iterator[Span]:
    for found, _ in find_times(reading.bare):
        yield reading.bare.span(found.start(), found.end())


def _number(reading: Reading) -> Iterator[Span]:
    yield from _by_pattern(reading, _NUMBER)


def _by_pattern(reading: Reading, pattern: re.Pattern[str]) -> Iterator[Span]:
    for found in pattern.finditer(reading.bare.text):
        yield reading.bare.span(found.start(), found.end())


def _handle(reading: Reading) -> Iterator[Span]:
    yield from _by_pattern(reading, _HANDLE)


def _ip(reading: Reading) -> Iterator[Span]:
    yield from _by_pattern(reading, _IP)


def _postcode(reading: Reading) -> Iterator[Span]:
    for found in _POSTCODE.finditer(reading.bare.text):
        yield reading.bare.span(*found.span("zip" if found["zip"] else 0))


def _place(reading: Reading) -> Iterator[Span]:
    for recogniser in (find_streets, _postcode, find_rooms, find_cities):
        yield from recogniser(reading)


_RECOGNISERS: Final[Mapping[str, Recogniser]] = MappingProxyType(
    {
        "email": _email,
        "url": _url,
        "phone": _phone,
        "card": _card,
        "iban": _iban,
        "ssn": _ssn,
        "date": _date,
        "birth_date": _birth_date,
        "birth_year": _birth_year,
        "age": _age,
        "time": _time,
        "amount": find_amounts,
        "number": _number,
        "handle": _handle,
        "ip": _ip,
        "postcode": _postcode,
        "address": find_streets,
        "room": find_rooms,
        "city": find_cities,
        "place": _place,
        "organization": find_organizations,
    }
)
