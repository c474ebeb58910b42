"""Whose a value is, and whom a wish means: by roles, by names, by what stands beside them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from privasis.cleaner.page import Page
from privasis.cleaner.people import Person
from privasis.cleaner.phrases import lexicon
from privasis.cleaner.results import Wish
from privasis.cleaner.vocabulary import kinds_in, plain
from privasis.text.spans import occurrences
from privasis.types import Span

_LONG_WORD: Final = re.compile(r"[^\W\d_]{4,}")
_BESIDE: Final = 40  # characters between a name and the word for who it is
_ALIAS_GAP: Final = 4
_EVERY: Final = re.compile(
    r"(?<![a-z])(?:all|every|each|any|both|alle|tous|todas?|todos|wszystkie|tum)"
    r"(?:\s(?:the|of the|other|les|los|las|os|i|le|die|de|[a-z]{1,3}))?\s$"
)


def meant(page: Page, wish: Wish) -> Sequence[Person]:
    """Return the people that a wish means: those in the role that it names, or all."""
    everybody = page.people
    names = {plain(wish.whose)}
    fitting = [p for p in everybody if wish.whose and p.role == wish.whose]
    fitting += [p for p in everybody if names & {*plain(page.name_of(p)).split()}]
    if fitting or _says_all(plain(wish.what)):
        return fitting or everybody
    described = _beside(page, wish)
    if described or not wish.whose:
        return described or everybody
    sure = [p for p in everybody if p.sure and not p.role]
    whole = [p for p in everybody if " " in page.name_of(p)]
    if not whole:
        return sure or everybody
    aliases = [p for p in everybody if any(0 < p.span.start - w.span.end < _ALIAS_GAP for w in whole)]
    return [*whole, *aliases]


def _says_all(phrase: str) -> bool:
    named = next((named for named in kinds_in(phrase) if named.kind == "person"), None)
    return named is not None and _EVERY.search(phrase[: named.start]) is not None


def _beside(page: Page, wish: Wish) -> list[Person]:
    """Return the people who stand beside words of the wish: "the former bookkeeper".

    Of each place of such a word the nearest person counts; of all, those met most often.
    """
    words = _LONG_WORD.findall(_without_kinds(plain(wish.what)))
    words = [word for word in words if not lexicon("idle").fullmatch(word)]
    met: Counter[str] = Counter()
    for word in words:
        for start in occurrences(page.reading.bare.text, word):
            span = page.reading.bare.span(start, start + len(word))
            near = [p for p in page.people_around(span.start) if p and _distance(p.span, span) <= _BESIDE]
            if near:
                nearest = min(near, key=lambda person: _distance(person.span, span))
                met[plain(page.name_of(nearest)).split()[-1]] += 1
    if not met:
        return []
    most = met.most_common(1)[0][0]
    return [person for person in page.people if most in plain(page.name_of(person)).split()]


def _without_kinds(phrase: str) -> str:
    for named in reversed(kinds_in(phrase)):
        phrase = f"{phrase[: named.start]} {phrase[named.end :]}"
    return phrase


def _distance(a: Span, b: Span) -> int:
    return max(a.start - b.end, b.start - a.end, 0)


def owned(page: Page, spans: Sequence[Span], whose: str) -> Sequence[Span]:
    """Of values of a kind, take those that belong to somebody, where the text tells."""
    if not whose or len(spans) < 2:
        return spans
    owners = [p for p in page.people if p.role == whose or plain(whose) in plain(page.name_of(p)).split()]
    if not owners or len(owners) == len(page.people):
        return spans
    names = {plain(page.name_of(owner)) for owner in owners}
    parts = {part for name in names for part in name.split()}
    return [span for span in spans if _belongs(page, span, parts)]


def _belongs(page: Page, span: Span, parts: set[str]) -> bool:
    """Tell whether the person named last before a value is the owner."""
    before, _ = page.people_around(span.start)
    if before is None:
        return True
    return bool(parts.intersection(plain(page.name_of(before)).split()))
