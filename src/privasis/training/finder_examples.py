"""Triplets -> what a span finder learns from: texts, phrases that name something, and where it stands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from privasis.cleaner.finder import Header, encoded, framed, header, windows
from privasis.stage import derive_seed
from privasis.text.fold import fold
from privasis.text.layers import FoldedText
from privasis.text.spans import find_verbatim
from privasis.training.examples import IGNORED
from privasis.training.presets import FinderPreset
from privasis.types import Span, Triplet

_WORDINGS = ("{}", "the {}", "{}", "any {}", "the person's {}", "every {}", "{} in the text", "{}")
_PRESENT = 0.6  # share of the phrases of a window that have a place in it, where enough do


class Ask(NamedTuple):
    """A phrase and the places that belong to it; none where the text has no such thing."""

    phrase: str
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class FinderExample:
    """A text with all that can be asked of it."""

    id: str
    text: str
    asks: tuple[Ask, ...]

    @property
    def words(self) -> tuple[str, ...]:
        """Everything that is learnt from."""
        return (self.id, self.text, *(word for ask in self.asks for word in (ask.phrase, str(ask.spans))))


class Row(NamedTuple):
    """One window with some phrases, as arrays."""

    ids: NDArray[np.int64]  # (tokens,)
    places: NDArray[np.int64]  # (tokens,)
    shares: NDArray[np.float32]  # (phrases, tokens)
    labels: NDArray[np.int8]  # (tokens, phrases): 0, 1, or IGNORED before the text and at its end


def finder_examples(triplets: Iterable[Triplet]) -> list[FinderExample]:
    """Turn triplets into texts with asks, one a record.

    Names of attributes, labels of groups and of targets are the phrases. What other records have and this one
    has not is asked too, if no word of its name is one of the record's: it has no place.
    """
    named: dict[str, tuple[str, dict[str, set[str]]]] = {}
    for triplet in triplets:
        _, values = named.setdefault(triplet.record_id, (triplet.text, {}))
        for phrase, value in _named(triplet):
            values.setdefault(phrase, set()).add(value)
    everything = sorted({phrase for _, values in named.values() for phrase in values})
    return [
        FinderExample(key, text, (*_present(text, values), *_absent(everything, values)))
        for key, (text, values) in named.items()
    ]


def _named(triplet: Triplet) -> Iterator[tuple[str, str]]:
    values = {fact.name: fact.value for fact in triplet.attributes}
    for name, value in values.items():
        yield _phrase(name), value
    for group in triplet.groups:
        for name in group.attributes:
            if name in values:
                yield _phrase(group.label), values[name]
    for target in triplet.targets:
        for fact in target.attributes:
            yield _phrase(target.label), fact.value


def _phrase(label: str) -> str:
    return " ".join(label.replace("_", " ").split())


def _present(text: str, values: Mapping[str, set[str]]) -> Iterator[Ask]:
    folded = fold(text)
    for phrase, wanted in values.items():
        spans = tuple(sorted({span for value in wanted for span in _places(folded, value)}))
        if spans:
            yield Ask(phrase, spans)


def _places(folded: FoldedText, value: str) -> Iterator[Span]:
    return (match.core for match in find_verbatim(folded, value))


def _absent(everything: Iterable[str], values: Mapping[str, set[str]]) -> Iterator[Ask]:
    used = {word for phrase in values for word in phrase.casefold().split()}
    return (Ask(phrase, ()) for phrase in everything if used.isdisjoint(phrase.casefold().split()))


def rows_of(example: FinderExample, preset: FinderPreset, tokenizer: Tokenizer, seed: int) -> Iterator[Row]:
    """Encode a text: each window several times, with other phrases in other words.

    Args:
        example: The text and its asks; without an ask that has a place it gives nothing.
        preset: How many phrases, how many times.
        tokenizer: The packaged one.
        seed: Of the draws.
    """
    if not any(ask.spans for ask in example.asks):
        return
    tokens = encoded(tokenizer, example.text)
    starts = np.array([start for start, _ in tokens.offsets])
    ends = np.array([end for _, end in tokens.offsets])
    for window in windows(len(tokens.ids)):
        inside = slice(window.start, window.end)
        held = [(ask, _covered(ask, starts[inside], ends[inside])) for ask in example.asks]
        for turn in range(preset.variants):
            rng = np.random.default_rng(derive_seed(seed, example.id, f"{window.start}:{turn}"))
            chosen = _drawn(held, preset.phrases, rng)
            phrases = [_WORDINGS[rng.integers(len(_WORDINGS))].format(ask.phrase) for ask, _ in chosen]
            before = header([encoded(tokenizer, phrase).ids for phrase in phrases])
            yield _row(before, tokens.ids[inside], [covered for _, covered in chosen])


Held = tuple[Ask, NDArray[np.bool_]]


def _covered(ask: Ask, starts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.bool_]:
    covered = np.zeros(len(starts), bool)
    for span in ask.spans:
        covered |= (starts < span.end) & (ends > span.start)
    return covered


def _drawn(held: list[Held], most: int, rng: np.random.Generator) -> list[Held]:
    """Draw phrases: of those with a place in the window, then of the others; in no order."""
    here = [one for one in held if one[1].any()]
    elsewhere = [one for one in held if not one[1].any()]
    wanted = min(len(here), max(round(most * _PRESENT), most - len(elsewhere)))
    drawn = [here[place] for place in rng.permutation(len(here))[:wanted]]
    drawn += [elsewhere[place] for place in rng.permutation(len(elsewhere))[: most - wanted]]
    return [drawn[place] for place in rng.permutation(len(drawn))]


def _row(before: Header, tokens: list[int], covered: list[NDArray[np.bool_]]) -> Row:
    frame = framed(before, tokens)
    labels = np.full((len(frame.ids), len(covered)), IGNORED, np.int8)
    labels[len(before.ids) : -1] = np.stack(covered, axis=1)
    return Row(*frame, labels)
