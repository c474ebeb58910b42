"""From wishes to places: the values that a text holds for each wish, in all their forms (§3.1, item 3, i)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from privasis.cleaner.labels import labelled
from privasis.cleaner.page import WINDOW, Page
from privasis.cleaner.recognisers import recognise
from privasis.cleaner.results import Wish
from privasis.cleaner.vocabulary import kinds_in, plain
from privasis.cleaner.whose import meant, owned
from privasis.sanitization.locate import find_in
from privasis.text.spans import occurrences
from privasis.types import Fact, Span

Spotter = Callable[[str, str], Iterable[Span]]
"""A further finder: from a text and what is sought, in words, to spans; a trained one, or a model."""

# Names of attributes from which ``text.kinds`` infers how a value of the kind may be written otherwise.
_ATTRIBUTE: Final = {
    "person": "name",
    "handle": "username",
    "email": "email",
    "phone": "phone",
    "url": "url",
    "date": "date",
    "birth_date": "date",
    "organization": "company",
    "card": "card number",
    "iban": "iban",
    "ssn": "ssn",
    "passport": "passport number",
    "licence": "license number",
    "account": "account number",
    "id": "id number",
    "address": "address",
    "amount": "amount",
}
# Values of these kinds are short or common: where one stands elsewhere, it is mostly another one.
_NOT_SPREAD: Final = frozenset({"number", "time", "age", "room", "amount", "birth_year", "postcode", "place"})
_GENERIC: Final = frozenset({"number", "place", "date", "organization", "person", "address", "id"})
_MOST_SPREAD: Final = 300  # values that are sought in the whole text in all their forms
_SHORT: Final = 3  # letters of a particle
_LONGEST_NAME: Final = 5  # words


@dataclass(frozen=True, slots=True)
class Seed:
    """A value that a wish is about.

    Attributes:
        wish: The wish's place among the wishes.
        kind: A kind of the vocabulary, or ``other``.
        fact: The value, with a name that tells in which forms it may be written.
        spans: Where it was recognised; other places are found from the value.
        role: Of a person: what the text says they are.
        written: The user wrote the value out.
    """

    wish: int
    kind: str
    fact: Fact
    spans: tuple[Span, ...] = ()
    role: str = ""
    written: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a text that tells a seed's value."""

    span: Span
    seed: Seed
    form: str  # how the value stands there: "value", "email", "age", ...


def kinds_of(wish: Wish) -> tuple[str, ...]:
    """Return the kinds that a wish names, "address" beside a mail address meaning either."""
    kinds = tuple(dict.fromkeys(named.kind for named in kinds_in(plain(wish.what))))
    if "organization" in kinds and kinds[0] == "person" and len(kinds) == 2:
        return ("organization",)  # "the name of the journal"
    return (*kinds, "email") if kinds[-1:] == ("address",) and "street" not in wish.what else kinds


def sought(wish: int, kind: str, value: str) -> Seed:
    """Return a value as something to look for, whoever found it."""
    return Seed(wish, kind, Fact(_ATTRIBUTE.get(kind, kind), value))


def find_seeds(page: Page, wishes: Sequence[Wish], spotter: Spotter | None = None) -> tuple[Seed, ...]:
    """Find the values of every wish, those to keep included.

    Args:
        page: The text.
        wishes: What is sought.
        spotter: Asked for each wish that names no value, in addition to the rules.
    """
    found: list[Seed] = []
    for number, wish in enumerate(wishes):
        found += _written(page, number, wish)
        if not wish.values or wish.whose:
            found += _described(page, number, wish)
        if spotter is not None and not wish.values:
            found += _spotted(page, number, wish, spotter)
    return tuple(found)


def find_places(page: Page, seeds: Iterable[Seed]) -> tuple[Place, ...]:
    """Find every place of every seed's value, in order; linear in the text however many values there are.

    Written values and the first few hundred recognised ones are sought in the whole text in all their forms.
    Of texts with more, the others are sought so in the stretch around them, and verbatim everywhere.
    """
    listed = tuple(seeds)
    found = [Place(span, seed, "value") for seed in listed for span in seed.spans]
    spread: dict[tuple[int, Fact], list[Seed]] = {}
    for seed in sorted(listed, key=lambda seed: not seed.written):
        if seed.written or seed.kind not in _NOT_SPREAD:
            spread.setdefault((seed.wish, seed.fact), []).append(seed)
    groups = list(spread.values())
    for group in groups[:_MOST_SPREAD]:
        found += _in_all_forms(page, group[0])
    for group in groups[_MOST_SPREAD:]:
        found += _around(page, group)
    return tuple(sorted(found, key=lambda place: (place.span.start, -place.span.end)))


def _in_all_forms(page: Page, seed: Seed) -> Iterator[Place]:
    for reading in (page.reading, page.rendered):
        for mention in find_in(reading, (seed.fact,)):
            yield Place(mention.span, seed, mention.kind)


def _around(page: Page, group: Sequence[Seed]) -> Iterator[Place]:
    """Yield the places of a value in the stretches around where it was recognised, and verbatim ones."""
    for window in {seed.spans[0].start // WINDOW for seed in group if seed.spans}:
        stretch, start = page.stretch(window), max(0, window - 1) * WINDOW
        for place in _in_all_forms(stretch, group[0]):
            yield replace(place, span=Span(place.span.start + start, place.span.end + start))
    value = group[0].fact.value
    for start in occurrences(page.text, value):
        yield Place(Span(start, start + len(value)), group[0], "value")


def unprotected(places: Iterable[Place], kept: Sequence[Place]) -> tuple[Place, ...]:
    """Leave out places that the user wants kept, and cut those that reach into one.

    What the user wrote out to go, goes, unless it is only a part of something written out to stay. What was
    found by a kind stays where it is of a narrower kind that is to stay ("locations, but keep the city").
    """
    left: list[Place] = []
    for place in places:
        span: Span | None = place.span
        for keep in kept:
            if span is not None and _meets(span, keep.span) and _protects(keep, place):
                span = _without(span, keep.span)
        if span is not None:
            left.append(replace(place, span=span))
    return tuple(left)


def _protects(keep: Place, place: Place) -> bool:
    if keep.seed.written:
        inside = keep.span.start <= place.span.start and place.span.end <= keep.span.end
        return not place.seed.written or (inside and keep.span != place.span)
    if place.seed.written:
        return False
    if keep.seed.role:  # the same kind, of somebody else
        return keep.seed.kind == place.seed.kind
    return place.seed.kind in _GENERIC and keep.seed.kind != place.seed.kind


def _without(span: Span, keep: Span) -> Span | None:
    if keep.start <= span.start and span.end <= keep.end:
        return None
    if keep.start > span.start:
        return Span(span.start, keep.start)
    return Span(keep.end, span.end)


def _meets(a: Span, b: Span) -> bool:
    return a.start < b.end and b.start < a.end


def _written(page: Page, number: int, wish: Wish) -> Iterator[Seed]:
    kinds = kinds_of(wish)
    for value in dict.fromkeys(whole for one in wish.values for whole in _whole_names(page, one)):
        kind = kinds[0] if kinds else _kind_of_value(value)
        yield replace(sought(number, kind, value), written=True)


def _kind_of_value(value: str) -> str:
    words = value.split()
    if any(map(str.isdecimal, value)) or len(words) > _LONGEST_NAME:
        return "other"
    if all(word[0].islower() and len(word) <= _SHORT for word in words):
        return "other"  # "a" is no name: it is sought as it stands
    return "person" if all(word[0].isupper() or len(word) <= _SHORT for word in words) else "other"


def _whole_names(page: Page, value: str) -> Iterator[str]:
    """Yield a value, and the whole names of which it is a part: "Zofia" is "Zofia Brandt"."""
    yield value
    words = plain(value).split()
    if len(words) != 1:
        return
    for person in page.people:
        name = page.name_of(person)
        parts = plain(name).split()
        if len(parts) > 1 and words[0] in parts:
            yield name


def _described(page: Page, number: int, wish: Wish) -> Iterator[Seed]:
    for kind in kinds_of(wish):
        if kind == "person":
            if not wish.values:
                yield from _named_people(page, number, wish)
            continue
        spans = _of_kind(page, kind, wish)
        whose = wish.whose or (wish.values[0] if wish.values else "")
        for span in owned(page, spans, whose):
            seed = sought(number, kind, page.text[span.start : span.end])
            yield replace(seed, spans=(span,), role=wish.whose if wish.action == "keep" else "")


def _of_kind(page: Page, kind: str, wish: Wish) -> list[Span]:
    behind_label = [*labelled(page.reading, kind)]
    by_shape = [*recognise(page.reading, kind)]
    if kind == "organization":
        return behind_label or _with_head(page, by_shape, wish)
    if kind in {"birth_date", "birth_year"}:
        return behind_label + by_shape
    if kind in {"number", "date", "time", "amount", "age"}:
        return by_shape or behind_label
    return sorted({*behind_label, *by_shape})


def _with_head(page: Page, spans: list[Span], wish: Wish) -> list[Span]:
    """Of organisations, take those that call themselves what the wish calls them: "the journal"."""
    words = {word.rstrip("s") for word in re.findall(r"[a-z]{4,}", plain(wish.what))}
    fitting = [s for s in spans if words & set(re.findall(r"[a-z]{4,}", plain(page.text[s.start : s.end])))]
    return fitting or spans


def _named_people(page: Page, number: int, wish: Wish) -> Iterator[Seed]:
    for person in meant(page, wish):
        seed = sought(number, "person", page.name_of(person))
        yield replace(seed, spans=(person.span,), role=person.role)


def _spotted(page: Page, number: int, wish: Wish, spotter: Spotter) -> Iterator[Seed]:
    kind = next(iter(kinds_of(wish)), "other")
    for span in spotter(page.text, wish.what):
        yield replace(sought(number, kind, page.text[span.start : span.end]), spans=(span,))
