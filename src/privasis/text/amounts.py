"""Amounts of money and ages: the same number in other figures, words, currencies' signs and codes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Final

from privasis.text.fold import bare, fold, strip_accents
from privasis.text.layers import FoldedText
from privasis.text.number_words import find_quantities
from privasis.text.reading import Reading
from privasis.text.spans import Match, find_verbatim
from privasis.types import Span

# Currency, then its signs, codes and words. A sign may serve several: they agree if they share one.
_CURRENCY_TABLE: Final = """
usd $ us$ usd dollar
aud $ a$ au$ aud dollar
cad $ c$ ca$ cad dollar
nzd $ nz$ nzd dollar
hkd $ hk$ hkd dollar
sgd $ s$ sgd dollar
mxn $ mx$ mxn peso
eur € eur euro
gbp £ gbp pound sterling quid
jpy ¥ jpy yen 円
cny ¥ cny rmb yuan 元
inr ₹ rs inr rupee
pkr rs pkr rupee
chf chf fr franc franken
sek kr sek krona kronor
nok kr nok krone kroner
dkk kr dkk
pln zł pln zloty
czk kč czk koruna
huf ft huf forint
try ₺ tl try lira
rub ₽ rub ruble rouble
uah ₴ uah hryvnia
krw ₩ krw won 원
ils ₪ ils nis shekel
thb ฿ thb baht
vnd ₫ vnd dong
ngn ₦ ngn naira
kes ksh kes shilling
zar zar rand
brl r$ brl reais real
aed aed dirham
sar sar riyal
php ₱ php peso
idr rp idr rupiah
"""
_MAGNITUDES: Final = {
    **dict.fromkeys(("k", "thousand", "tausend", "mille", "mil"), 1_000),
    **dict.fromkeys(("m", "mn", "mio", "million", "millionen", "millions"), 1_000_000),
    **dict.fromkeys(("bn", "billion", "mrd"), 1_000_000_000),
    "lakh": 100_000,
    "crore": 10_000_000,
    "万": 10_000,
    "億": 100_000_000,
}
_DISTINCT: Final = 1000  # a bare number from here on is taken for the amount even without its currency


def _currencies() -> dict[str, frozenset[str]]:
    table: dict[str, frozenset[str]] = {}
    for line in _CURRENCY_TABLE.split("\n"):
        for name in line.split()[1:]:
            table[bare(name)] = table.get(bare(name), frozenset()) | {line.split()[0]}
    return table


def _alternatives(words: Iterable[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=lambda word: (-len(word), word)))


_CURRENCIES: Final = _currencies()
_CURRENCY: Final = rf"(?:{_alternatives(_CURRENCIES)})"
_AMOUNT: Final = re.compile(
    rf"(?:(?<![^\W\d_])(?P<before>{_CURRENCY})s?\.?\s?)?"
    r"(?<![\d.,])(?P<number>\d{1,3}(?:[.,' ]\d{3})++(?:[.,]\d{1,2})?(?!\d)|\d++(?:[.,]\d{1,3})?(?!\d))"
    rf"(?:\s?(?P<magnitude>{_alternatives(_MAGNITUDES)})(?![a-z])(?:\.(?=\s))?)?"
    rf"(?:\s?(?P<after>{_CURRENCY})s?(?![a-z]))?"
)
_WORD_CURRENCY: Final = re.compile(rf"\s(?P<after>{_CURRENCY})s?(?![a-z])")


def find_amount(reading: Reading, value: str) -> Iterator[Match]:
    """Find an amount in other figures (45,000.00, 45.000, 45k), with another sign of its currency, in words.

    A number below 1,000 counts only beside a currency, since "40" alone may be anything.
    """
    written = _AMOUNT.search(bare(value))
    if written is None:
        return
    sought, currency = _number(written), _currency(written)
    for found in _AMOUNT.finditer(reading.bare.text):
        if sought != _number(found) or not _compatible(currency, _currency(found)):
            continue
        if _currency(found) or found["magnitude"] or sought >= _DISTINCT:
            yield _match(reading.bare, found.start(), found.end(), "amount")
    for words in reading.quantities:
        after = _WORD_CURRENCY.match(reading.bare.text, words.end)
        if Decimal(words.says) != sought or not (after or sought >= _DISTINCT):
            continue
        if after is None or _compatible(currency, _currency(after)):
            yield _match(reading.bare, words.start, after.end() if after else words.end, "amount")


def find_amounts(reading: Reading) -> Iterator[Span]:
    """Find all amounts that stand beside a currency, in figures or in words; spans on the original text."""
    for found in _AMOUNT.finditer(reading.bare.text):
        if _currency(found):
            yield reading.bare.span(found.start(), found.end())
    for words in reading.quantities:
        after = _WORD_CURRENCY.match(reading.bare.text, words.end)
        if after:
            yield reading.bare.span(words.start, after.end())


def find_age(reading: Reading, value: str) -> Iterator[Match]:
    """Find an age in words ("seventy-four") and glued to its unit ("74yo")."""
    number = re.search(r"\d{1,3}", bare(value))
    says = number[0] if number else next((q.says for q in find_quantities(strip_accents(fold(value)))), None)
    if says is None:
        return
    if number is None:
        yield from find_verbatim(reading.bare, says)
    for words in reading.quantities:
        if words.says == says:
            yield _match(reading.bare, words.start, words.end, "number_words")
    unit = re.compile(
        rf"(?<![\w.,]){says}(?=\s?-?(?:yo|y/o|yrs?|years?|year-old|jahre|ans|anos|anni)(?![a-z]))"
    )
    for found in unit.finditer(reading.bare.text):
        yield _match(reading.bare, found.start(), found.end(), "folded")


def _match(layer: FoldedText, start: int, end: int, form: str) -> Match:
    span = layer.span(start, end)
    return Match(span, span, form)


def _number(found: re.Match[str]) -> Decimal:
    """Read figures with any signs for thousands and decimals."""
    factor = _MAGNITUDES[found["magnitude"]] if found["magnitude"] else 1
    return Decimal(_plain_number(found["number"])) * factor


def _plain_number(written: str) -> str:
    marks = re.findall(r"[.,' ]", written)
    last = marks[-1] if marks else ""
    tail = written.rpartition(last)[2] if last else ""
    if len(tail) == 3:  # hardly any currency has three decimals
        return re.sub(r"[.,' ]", "", written)
    if not last:
        return written
    return re.sub(r"[.,' ]", "", written[: -len(tail) - 1]) + "." + tail


def _currency(found: re.Match[str]) -> frozenset[str]:
    named = found.groupdict()
    sign = named.get("before") or named.get("after")
    return _CURRENCIES[sign] if sign else frozenset()


def _compatible(a: frozenset[str], b: frozenset[str]) -> bool:
    return not a or not b or not a.isdisjoint(b)
