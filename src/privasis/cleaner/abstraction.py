"""Say a value more generally: dates without their day, ages by decade, amounts by size (§3.1: abstract)."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

from privasis.cleaner.finding import Place
from privasis.cleaner.vocabulary import plain
from privasis.sanitization.wording import generic
from privasis.text.dates import Day, find_dates
from privasis.text.fold import fold, strip_accents
from privasis.text.number_words import find_quantities

_MONTHS_TABLE: Final = "January February March April May June July August September October November December"
_MONTHS: Final = _MONTHS_TABLE.split()
_DECADES_TABLE: Final = "teens twenties thirties forties fifties sixties seventies eighties nineties"
_DECADES: Final = _DECADES_TABLE.split()
_SIZES: Final = (
    (10, "a few"),
    (100, "several dozen"),
    (1_000, "several hundred"),
    (10_000, "several thousand"),
    (100_000, "tens of thousands of"),
    (1_000_000, "hundreds of thousands of"),
    (1_000_000_000, "millions of"),
)
_CURRENCY: Final = re.compile(r"[$€£¥₹]|(?<![a-z])[a-z]{3,7}(?![a-z])", re.IGNORECASE)
_SIGNS: Final = {"$": "dollars", "€": "euros", "£": "pounds", "¥": "yen", "₹": "rupees"}
_ROLES: Final = {"customer": "the client", "child": "the child", "spouse": "the spouse"}
_HEADS: Final = {
    "hospital": "a hospital",
    "hosp": "a hospital",
    "clinic": "a clinic",
    "university": "a university",
    "college": "a college",
    "school": "a school",
    "bank": "a bank",
    "journal": "a journal",
    "church": "a church",
    "ltd": "a company",
    "inc": "a company",
    "gmbh": "a company",
    "llc": "a company",
}
_BY_KIND: Final = {
    "city": "a town",
    "country": "a country",
    "place": "a place in the area",
    "room": "a room",
    "postcode": "a postcode",
    "address": "an address in the area",
    "organization": "an organization",
    "card": "a card number",
    "iban": "an account number",
    "account": "an account number",
    "ssn": "an identification number",
    "passport": "a passport number",
    "licence": "a licence number",
    "plate": "a licence plate",
    "id": "a reference number",
    "number": "a number",
    "password": "a password",
    "secret": "a secret",
    "ip": "an IP address",
    "host": "a server",
    "handle": "a user name",
    "bic": "a bank code",
}
_OLDEST: Final = 100
_EARLY, _MID = 10, 20


def abstracted(place: Place, form: str, language: str) -> str:
    """Return the more general wording that stands in place of a form of a value.

    Args:
        place: What is replaced.
        form: What stands there.
        language: Of the text, as ``sanitization.wording`` names it; rules are for English, other languages
            have one phrase that fits any sentence.
    """
    if language != "english":
        return generic(place.seed.fact, "value", form, language)
    if place.form in {"email", "url", "handle", "file"}:
        return generic(place.seed.fact, place.form, form, language)  # type: ignore[arg-type]
    match place.seed.kind:
        case "date":
            return _date(form) or "a certain date"
        case "birth_date" | "birth_year":
            return _decade_of_birth(form) or "some decades ago"
        case "age":
            return _age(form)
        case "amount":
            return _amount(form) or "an undisclosed amount"
        case "time":
            return _time(form) or "a certain time"
        case "person":
            role = place.seed.role
            return _ROLES.get(role, f"the {role}" if role else "the person")
        case "organization":
            return _organization(form)
        case kind if kind in _BY_KIND:
            return _BY_KIND[kind]
    return generic(place.seed.fact, "value", form, language)


def _day(form: str) -> Day | None:
    found = find_dates(strip_accents(fold(form)))
    if not found:
        return None
    days = sorted(found[0].days, key=lambda day: (day.year or 0, day.month, day.day or 0))
    return days[0] if len({(day.year, day.month) for day in days}) == 1 else None


def _date(form: str) -> str:
    day = _day(form)
    if day is None:
        year = re.search(r"(?<!\d)(?:1[89]|20)\d{2}(?!\d)", form)
        return f"in {year[0]}" if year else ""
    part = (
        "" if day.day is None else "early " if day.day <= _EARLY else "mid-" if day.day <= _MID else "late "
    )
    if day.day is None:
        return f"{day.year}" if day.year else ""
    return f"{part}{_MONTHS[day.month - 1]}{f' {day.year}' if day.year else ''}"


def _decade_of_birth(form: str) -> str:
    year = re.search(r"(?<!\d)(?:1[89]|20)\d{2}(?!\d)", strip_accents(fold(form)).text)
    if year is None:
        return ""
    part = ("early", "early", "early", "early", "mid", "mid", "mid", "late", "late", "late")[int(year[0][3])]
    return f"the {part} {year[0][:3]}0s" if part != "mid" else f"the mid-{year[0][:3]}0s"


def _age(form: str) -> str:
    layer = strip_accents(fold(form))
    number = re.search(r"\d{1,3}", layer.text)
    said = number[0] if number else next((quantity.says for quantity in find_quantities(layer)), "")
    if not said or int(said) >= _OLDEST:
        return "of a certain age"
    if re.search(r"-old", layer.text):
        return "adult" if int(said) >= 18 else "young"
    decade = _DECADES[int(said) // 10 - 1] if int(said) >= 10 else "childhood"
    spoken = number is None or re.search(r"[a-z]", layer.text)
    return f"in their {decade}" if spoken else f"{int(said) // 10 * 10}s"


def _amount(form: str) -> str:
    plain_form = plain(form)
    number = re.search(r"\d[\d.,' ]*", plain_form)
    if number is None:
        return ""
    digits = re.sub(r"[.,]\d{1,2}$", "", number[0].strip(" .,'"))
    value = Decimal(re.sub(r"\D", "", digits) or 0)
    if re.search(r"(?<![a-z])(?:k|thousand)(?![a-z])|\dk", plain_form):
        value *= 1000
    elif re.search(r"(?<![a-z])(?:m|million|mio)(?![a-z])|\dm", plain_form):
        value *= 1_000_000
    currency = next((c for c in _CURRENCY.findall(form) if plain(c) not in {"thousand", "million"}), "")
    size = next((words for limit, words in _SIZES if value < limit), "billions of")
    return f"{size} {_SIGNS.get(currency, currency)}".strip()


def _time(form: str) -> str:
    hour = re.match(r"\d{1,2}", form)
    if hour is None:
        return ""
    value = int(hour[0]) % 24
    if re.search(r"p\.?m", form, re.IGNORECASE) and value < 12:
        value += 12
    names = ((5, "at night"), (12, "in the morning"), (18, "in the afternoon"), (22, "in the evening"))
    return next((words for limit, words in names if value < limit), "at night")


def _organization(form: str) -> str:
    words = re.findall(r"[a-z]+", plain(form))
    return next((_HEADS[word] for word in reversed(words) if word in _HEADS), "an organization")
