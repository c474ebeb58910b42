"""Find a value in all its forms: the sweep that follows every sanitization (§3.1, item 3)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from privasis.text.addresses import find_email, find_handle, find_url
from privasis.text.amounts import find_age, find_amount
from privasis.text.dates import find_dates, same_day
from privasis.text.encodings import find_encoded
from privasis.text.fold import bare, fold, strip_accents
from privasis.text.kinds import ValueKind
from privasis.text.name_forms import find_in_prose
from privasis.text.name_tokens import find_in_tokens
from privasis.text.names import is_common, parse_name
from privasis.text.numbers import find_number, find_phone
from privasis.text.places import find_address, find_organization
from privasis.text.reading import Reading, read
from privasis.text.spans import Match, disjoint, find_verbatim
from privasis.text.times import find_time
from privasis.types import Span

_NEAR: Final = 80  # characters in which a capital shows that the text uses them


def find_forms(text: str | Reading, value: str, kind: ValueKind) -> tuple[Match, ...]:
    """Find a value verbatim, without accents, encoded, and in the forms that its kind takes.

    Names: their parts, turned, with initials and endings, short forms, in e-mail addresses, handles, URLs,
    file names and identifiers. Dates and times in other notations and languages. Numbers in other groupings,
    spelled out, misread. Amounts in other figures. Addresses and organisations in part.

    Args:
        text: The text; or, where several values are sought, its reading (``read`` or ``read_markup``).
        value: The value; an empty one is never found.
        kind: What it is (``kind_of``).

    Returns:
        Matches in order with disjoint spans; their ``form`` says how the value stands there.
    """
    reading = read(text) if isinstance(text, str) else text
    if not bare(value):
        return ()
    found = [*_verbatim(reading, value, kind), *find_encoded(reading.folded, value)]
    finder = _FINDERS.get(kind)
    if finder is not None:
        found += finder(reading, value)
    return disjoint(found)


def _verbatim(reading: Reading, value: str, kind: ValueKind) -> Iterator[Match]:
    """Find the value itself, with and without accents.

    A name of common words is none where a text with capitals writes it small ("will hope"); a single such
    word is left to the finder of names.
    """
    words = re.findall(r"[^\W\d_]+", bare(value)) if kind == "person_name" else []
    common = bool(words) and all(map(is_common, words))
    if common and len(words) == 1:
        return
    folded = find_verbatim(reading.folded, value)
    places = {match.core for match in folded}
    bared = (match for match in find_verbatim(reading.bare, bare(value)) if match.core not in places)
    found = (
        *folded,
        *(replace(match, form="accents" if match.form == "exact" else match.form) for match in bared),
    )
    for match in found:
        if not common or _looks_like_a_name(reading.folded.original, match.core):
            yield match


def _looks_like_a_name(text: str, span: Span) -> bool:
    if text[span.start : span.end] != text[span.start : span.end].lower():
        return True
    near = text[max(0, span.start - _NEAR) : span.end + _NEAR]
    return near == near.lower()


def _person_name(reading: Reading, value: str) -> Iterator[Match]:
    name = parse_name(value)
    yield from find_in_prose(reading, name)
    yield from find_in_tokens(reading, name)


def _date(reading: Reading, value: str) -> Iterator[Match]:
    for sought in find_dates(strip_accents(fold(value)))[:1]:
        for date in reading.dates:
            if same_day(sought.days, date.days):
                span = reading.bare.span(date.start, date.end)
                yield Match(span, span, "date")


Finder = Callable[[Reading, str], Iterator[Match]]

_FINDERS: Final[Mapping[ValueKind, Finder]] = MappingProxyType(
    {
        "person_name": _person_name,
        "date": _date,
        "time": find_time,
        "phone": find_phone,
        "email": find_email,
        "url": find_url,
        "handle": find_handle,
        "number": find_number,
        "amount": find_amount,
        "age": find_age,
        "address": find_address,
        "organization": find_organization,
    }
)
