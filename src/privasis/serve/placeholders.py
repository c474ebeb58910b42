"""Put placeholders for the user's values in all texts of one request, so that the way back is exact.

An entity has a number (``[PERSON_1]``), and each further way in which it is written a second one
(``[PERSON_1_2]``). The same value has the same placeholder in the whole request, the upstream sees which
belong together, and what is put back is what stood there, to the last character.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from privasis.cleaner.cleaning import clean_with
from privasis.cleaner.finding import Place, Seed, find_places, find_seeds, unprotected
from privasis.cleaner.page import Page
from privasis.cleaner.replacing import parts_of, united
from privasis.cleaner.results import Wish
from privasis.cleaner.vocabulary import plain
from privasis.serve.restore import Restorer, decoded
from privasis.text.spans import find_verbatim, occurrences
from privasis.types import Span

_ROUNDS: Final = 4
_MOST_NUMBERS: Final = 10_000


class NotHidden(Exception):
    """A text that cannot be passed on; the message is for a person and holds no text.

    Args:
        reason: What is the matter.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Hidden:
    """What became of a request's texts.

    Attributes:
        texts: Each text without the values.
        values: The user's value of each placeholder.
        seeds: What was found and is to go: no other part of the request may say it either.
    """

    texts: dict[str, str]
    values: dict[str, str]
    seeds: tuple[Seed, ...]


class Codebook:
    """The placeholders of one request.

    Args:
        texts: All texts of the request: no placeholder that one of them holds by itself is given out.
        avoided: Values that no placeholder may hold.
    """

    def __init__(self, texts: Iterable[str], avoided: Iterable[str]) -> None:
        self.values: dict[str, str] = {}
        self._taken = "\n".join(map(decoded, texts))
        self._avoided = tuple(low for value in avoided if (low := plain(value).strip()))
        self._entities: list[tuple[str, str, frozenset[str], str]] = []  # template, kind, parts, number
        self._forms: dict[tuple[str, str, str], str] = {}

    def code(self, template: str, seed: Seed, form: str) -> str:
        """Return the placeholder of a value as it stands in a text.

        Raises:
            NotHidden: No placeholder can be made that holds no target value itself.
        """
        number = self._number(template, seed)
        key = (template, number, form)
        if key not in self._forms:
            code = self._further(template, number)
            self._forms[key] = code
            self.values[code] = form
        return self._forms[key]

    def _number(self, template: str, seed: Seed) -> str:
        """Return kind and number of an entity; names that share a part are one person."""
        parts = parts_of(seed)
        for known, kind, others, number in self._entities:
            if known == template and kind == seed.kind and parts & others:
                self._entities.append((template, kind, parts, number))
                return number
        used = {number for known, _, _, number in self._entities if known == template}
        label = seed.kind.upper()
        tries = (f"{kind}\n{n}" for kind in (label, "X", "Q") for n in range(1, _MOST_NUMBERS))
        for number in tries:
            if number not in used and self._is_free(_filled(template, number)):
                self._entities.append((template, seed.kind, parts, number))
                return number
        raise NotHidden("no placeholder can be made that holds no target value. Name another code.")

    def _further(self, template: str, number: str) -> str:
        if _filled(template, number) not in self.values:
            return _filled(template, number)
        for more in range(2, _MOST_NUMBERS):
            code = _filled(template, f"{number}_{more}")
            if code not in self.values and self._is_free(code):
                return code
        raise NotHidden("a value is written in too many ways.")

    def _is_free(self, code: str) -> bool:
        low = plain(code)
        if code.casefold() in self._taken or any(value in low for value in self._avoided):
            return False
        return not any(code.startswith(other) or other.startswith(code) for other in self.values)


def _filled(template: str, number: str) -> str:
    kind, _, n = number.partition("\n")
    return template.replace("{kind}", kind).replace("{n}", n)


def hide(texts: Sequence[str], wishes: Sequence[Wish]) -> Hidden:
    """Take what the policy names out of all texts of a request.

    A value that one text tells by its surroundings is found in all of them.

    Args:
        texts: The texts, in the request's order.
        wishes: The policy.

    Raises:
        NotHidden: Something that was to go is left.
    """
    originals = tuple(dict.fromkeys(texts))
    written = tuple(v for wish in wishes if wish.action != "keep" for v in wish.values)
    book = Codebook(originals, written)
    now = list(originals)
    known = _Readings(wishes)
    seeds = known.seeds(now)
    for _ in range(_ROUNDS):
        before = list(now)
        now = [_coded(known.of(text), wishes, seeds, book) for text in now]
        _check_the_way_back(before, now, book)
        now = [_gone(text, wishes, seeds, book) for text in now]
        if now == before:
            return _hidden(originals, now, book, seeds, wishes)
        seeds += tuple(seed for seed in known.seeds(now) if seed not in seeds)
    if any(_places(known.of(text), wishes, seeds, book) for text in now):
        raise NotHidden("something that is to go is left after cleaning.")
    return _hidden(originals, now, book, seeds, wishes)


def says_any(text: str, seeds: Sequence[Seed]) -> bool:
    """Tell whether a text that cannot be changed, such as a tool's name, says a value that is to go."""
    page = Page(text)
    return bool(find_places(page, seeds)) or any(True for _ in _verbatim(page, seeds))


def _hidden(
    originals: Sequence[str],
    now: Sequence[str],
    book: Codebook,
    seeds: Sequence[Seed],
    wishes: Sequence[Wish],
) -> Hidden:
    going = tuple(seed for seed in seeds if wishes[seed.wish].action != "keep")
    return Hidden(dict(zip(originals, now, strict=True)), book.values, going)


class _Read(NamedTuple):
    """A text, read, with the values that it tells by itself."""

    page: Page
    seeds: tuple[Seed, ...]


class _Readings:
    """Reads each text of a request once."""

    def __init__(self, wishes: Sequence[Wish]) -> None:
        self._wishes = wishes
        self._known: dict[str, _Read] = {}

    def of(self, text: str) -> _Read:
        """Return a text's reading."""
        if text not in self._known:
            page = Page(text)
            self._known[text] = _Read(page, find_seeds(page, self._wishes))
        return self._known[text]

    def seeds(self, texts: Iterable[str]) -> tuple[Seed, ...]:
        """Return the values of all texts; where one was recognised is left out, being of one text."""
        found = (replace(seed, spans=()) for text in texts for seed in self.of(text).seeds)
        return tuple(dict.fromkeys(found))


def _places(read: _Read, wishes: Sequence[Wish], seeds: Sequence[Seed], book: Codebook) -> tuple[Place, ...]:
    """Find what is to go in a text; what stands inside of a placeholder is none of it."""
    page = read.page
    own = [*read.seeds, *seeds]
    going = [seed for seed in own if wishes[seed.wish].action != "keep"]
    keeps = find_places(page, [seed for seed in own if wishes[seed.wish].action == "keep"])
    written = dict.fromkeys(replace(seed, spans=()) for seed in going if seed.written)
    found = [*find_places(page, going), *_verbatim(page, written)]
    left = unprotected(sorted(found, key=lambda p: (p.span.start, -p.span.end)), keeps)
    guarded = _guarded(page.text, book)
    return united([piece for place in left for piece in _outside(page.text, place, guarded)])


def _verbatim(page: Page, seeds: Iterable[Seed]) -> Iterator[Place]:
    """Find written values however common their words are: here, caution goes before grammar."""
    for seed in seeds:
        if seed.written:
            for match in find_verbatim(page.reading.folded, seed.fact.value):
                yield Place(match.core, seed, "value")


def _guarded(text: str, book: Codebook) -> list[Span]:
    return sorted(
        (Span(at, at + len(code)) for code in book.values for at in occurrences(text, code)),
        key=lambda span: span.start,
    )


def _outside(text: str, place: Place, guarded: Iterable[Span]) -> Iterator[Place]:
    """Yield the pieces of a place that no placeholder covers, as far as they say anything."""
    start, end = place.span.start, place.span.end
    for guard in guarded:
        if guard.end <= start or guard.start >= end:
            continue
        if any(map(str.isalnum, text[start : guard.start])):
            yield replace(place, span=Span(start, guard.start))
        start = guard.end
    if start < end and any(map(str.isalnum, text[start:end])):
        yield replace(place, span=Span(start, end))


def _coded(read: _Read, wishes: Sequence[Wish], seeds: Sequence[Seed], book: Codebook) -> str:
    text = read.page.text
    parts: list[str] = []
    done = 0
    for place in _places(read, wishes, seeds, book):
        wish = wishes[place.seed.wish]
        if wish.action == "code":
            code = book.code(wish.code, place.seed, text[place.span.start : place.span.end])
            parts += [text[done : place.span.start], code]
            done = place.span.end
    return "".join([*parts, text[done:]])


def _check_the_way_back(before: Sequence[str], after: Sequence[str], book: Codebook) -> None:
    restorer = Restorer(book.values)
    for old, new in zip(before, after, strict=True):
        if old != new and restorer.whole(new) != restorer.whole(old):
            raise NotHidden("a value stands where its placeholder could not be told from the text around it.")


def _gone(text: str, wishes: Sequence[Wish], seeds: Sequence[Seed], book: Codebook) -> str:
    """Drop and abstract what is to be, the placeholders untouched."""
    actions = {"drop", "abstract"}
    if not any(wish.action in actions for wish in wishes):
        return text
    others = [wish for wish in wishes if wish.action != "code"]
    found = {seed.fact.value: wishes[seed.wish] for seed in seeds if wishes[seed.wish].action in actions}
    kept = {plain(value) for wish in wishes if wish.action == "keep" for value in wish.values}
    here = {value: wish for value, wish in found.items() if value in text and plain(value) not in kept}
    known = [replace(wish, values=(value,), whose="") for value, wish in here.items()]
    codes = tuple(code for code in book.values if code in text)
    cleaned = clean_with(text, [*others, *known, *([Wish("", "keep", codes)] if codes else [])])
    if not cleaned.is_clean:
        raise NotHidden("a value cannot be taken out without breaking the text's form.")
    return cleaned.text
