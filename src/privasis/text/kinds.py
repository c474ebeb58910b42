"""What kind of value an attribute has, by its name and its shape."""

from __future__ import annotations

import re
from typing import Final, Literal

from privasis.text.dates import find_dates
from privasis.text.fold import bare, fold, strip_accents

ValueKind = Literal[
    "person_name",
    "date",
    "time",
    "phone",
    "email",
    "url",
    "handle",
    "number",
    "amount",
    "age",
    "address",
    "organization",
    "other",
]

_EMAIL: Final = re.compile(r"[^\s@]+@[^\s@]+\.[^\s@]+")
_URL: Final = re.compile(r"(?:[a-z][a-z0-9+.\-]*://|www\.)\S+|[\w\-]+(?:\.[\w\-]+)+/\S*")
_HANDLE: Final = re.compile(r"@[^\s@]+")
_TIME: Final = re.compile(
    r"\d{1,2}(?:[:.h]\d{2})?\s?(?:[ap]\.?m\.?|uhr|h|o'clock)?|(?:half|quarter)\s.+|noon|midnight"
)
_CURRENCY_WORDS: Final = "usd|eur|gbp|chf|jpy|cny|inr|dollars?|euros?|pounds?"
_MONEY: Final = re.compile(rf"[$€£¥₹₽₩₪฿]|(?<![a-z])(?:{_CURRENCY_WORDS})(?![a-z])")
_PHONE: Final = re.compile(r"\+?[\d\s\-./()]{7,20}(?:\s?(?:ext|x)\.?\s?\d+)?")
_COMMON_HOSTS_END: Final = re.compile(r"[\w\-]+(?:\.[\w\-]+)*\.(?:com|org|net|edu|gov|io|co|info|[a-z]{2})")


def _word(words: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![a-z])(?:{words})(?![a-z])")


# By words of an attribute's name, the first line that fits; "_" and capitals are read as blanks.
_NAMES: Final[tuple[tuple[ValueKind, str], ...]] = (
    ("email", "e ?mail|mail address"),
    ("handle", "user ?name|user ?handle|handle|nickname|screen name|login|account name|user id"),
    ("url", "url|website|homepage|web ?site|link|domain"),
    ("phone", "phone|telephone|mobile|cell|fax|tel"),
    ("age", "age|years old"),
    ("date", "date|dob|birthday|born|deadline|expiry|expires|expiration|day"),
    ("time", "time|hour"),
    ("amount", "amount|salary|income|price|cost|fee|fees|balance|payment|total|rent|debt|loan|budget|wage"),
    ("amount", "premium|deposit|fine|bonus|revenue|donation|refund"),
    ("number", "number|no|id|ssn|passport|licen[cs]e|iban|account|card|policy|badge|plate|mrn|code|pin|zip"),
    ("number", "postcode|nhs|tax id|serial|vin|reference|ref|identifier|case|docket|invoice|imei|ip"),
    ("address", "address|street|residence"),
    ("organization", "employer|company|organi[sz]ation|hospital|clinic|school|university|college|bank|firm"),
    ("organization", "agency|journal|church|institution|practice|charity|club|department|business|insurer"),
    ("organization", "provider|union"),
    ("person_name", "name|surname|person|author|patient|spouse|husband|wife|mother|father|sister|brother"),
    ("person_name", "son|daughter|child|partner|friend|doctor|physician|nurse|surgeon|therapist|lawyer"),
    ("person_name", "attorney|counsel|judge|witness|contact|manager|supervisor|colleague|teacher|professor"),
    ("person_name", "client|customer|tenant|landlord|owner|sender|recipient|applicant|guardian|beneficiary"),
    ("person_name", "defendant|plaintiff|officer|agent|host|organi[sz]er|attendee|boss"),
)
_BY_NAME: Final = tuple((_word(words), kind) for kind, words in _NAMES)
_NOT_A_PERSON: Final = _word(
    "product|project|file|pet|medication|drug|brand|street|city|event|course|ship|team"
)


def kind_of(name: str, value: str) -> ValueKind:
    """Infer what kind of value an attribute has; the value's shape must not contradict its name.

    Args:
        name: The attribute's name, such as ``spouse_name`` or ``dateOfBirth``.
        value: Its value.
    """
    plain = bare(value)
    shape = _by_shape(plain)
    if shape is not None:
        return shape
    words = re.sub(r"[_\-.\s]+", " ", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)).casefold()
    for pattern, kind in _BY_NAME:
        if pattern.search(words) and _fits(kind, words, value, plain):
            return kind
    return _by_content(plain)


def _by_shape(plain: str) -> ValueKind | None:
    """Tell the kinds whose values can hardly be anything else."""
    if _EMAIL.fullmatch(plain):
        return "email"
    if _URL.fullmatch(plain):
        return "url"
    if _HANDLE.fullmatch(plain):
        return "handle"
    return None


def _fits(kind: ValueKind, words: str, value: str, plain: str) -> bool:
    digits = sum(map(str.isdecimal, plain))
    match kind:
        case "email" | "url":
            return "." in plain
        case "handle":
            return " " not in plain
        case "phone":
            return digits >= 6
        case "age":
            return len(plain) <= 40 and "$" not in plain
        case "date":
            return _is_date(value)
        case "time":
            return _TIME.fullmatch(plain) is not None
        case "amount" | "number":
            return digits > 0
        case "person_name":
            return digits == 0 and len(plain.split()) <= 7 and not _NOT_A_PERSON.search(words)
        case _:
            return any(map(str.isalpha, plain))


def _is_date(value: str) -> bool:
    layer = strip_accents(fold(value))
    return any(2 * (date.end - date.start) >= len(layer.text) for date in find_dates(layer))


def _by_content(plain: str) -> ValueKind:
    if _is_date(plain):
        return "date"
    if any(map(str.isdecimal, plain)):
        if _MONEY.search(plain) and len(plain) <= 40:
            return "amount"
        if _PHONE.fullmatch(plain):
            return "phone" if plain.startswith(("+", "(", "0")) else "number"
        if " " not in plain or sum(map(str.isdecimal, plain)) > len(plain) / 2:
            return "url" if _COMMON_HOSTS_END.fullmatch(plain) else "number"
    return "url" if _COMMON_HOSTS_END.fullmatch(plain) else "other"
