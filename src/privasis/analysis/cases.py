"""Case studies of each leak kind: the text with the place that gives the value away (Appendix E)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from privasis.analysis.systems import System
from privasis.analysis.table import Table
from privasis.evaluation.scores import ItemScore, TargetScore
from privasis.types import Span

KINDS = ("direct", "inference", "proximity")
OPEN, CLOSE = "⟦", "⟧"
_AROUND = 90  # characters of the text shown before and after a place
_WORD = re.compile(r"[^\W_]{3,}|\d+")
# Words that tell nothing, although a guess and a text often share them
_COMMON = frozenset(
    re.findall(
        r"\w+",
        """
        about and are but for from had has have her his its last new not off one our out she that the their
        them they this was were which who will with you
        """,
    )
)


@dataclass(frozen=True, slots=True)
class LeakCase:
    """One leak, told by its place in the sanitized text."""

    kind: str
    system: str
    id: str
    attribute: str
    value: str
    guess: str  # from the sanitized text; '' for a direct leak
    original_guess: str  # '' where none was asked for
    text: str  # the sanitized text
    places: tuple[Span, ...]  # of the value; of inference and proximity, of words it shares with the guess


def leak_cases(systems: Iterable[System], kind: str, count: int) -> tuple[LeakCase, ...]:
    """Return the first ``count`` leaks of a kind, at most one a record; those whose place is known first.

    Args:
        systems: With their texts.
        kind: 'direct', 'inference' or 'proximity'.
        count: How many at most.
    """
    found = [
        case
        for system in systems
        if not system.is_baseline
        for score in system.scores
        for case in _first(score, system.label, kind)
    ]
    return tuple(sorted(found, key=lambda case: not case.places)[:count])


def _first(score: ItemScore, label: str, kind: str) -> Iterator[LeakCase]:
    for target in score.targets:
        if target.verdict == kind:
            yield LeakCase(
                kind,
                label,
                score.id,
                target.name,
                target.value,
                target.guess,
                target.original_guess,
                score.sanitized,
                _places(score.sanitized, target),
            )
            return


def _places(text: str, target: TargetScore) -> tuple[Span, ...]:
    """Return where a value stands, or where words stand that a guess may have been made from."""
    if target.verdict == "direct":
        # Several values are joined by ', ' in a score: the whole, or else its parts
        whole = _occurrences(text, [target.value])
        return whole or _occurrences(text, target.value.split(", "))
    words = {
        word for word in _WORD.findall(f"{target.value} {target.guess}") if word.casefold() not in _COMMON
    }
    return _occurrences(text, sorted(words))


def _occurrences(text: str, needles: Sequence[str]) -> tuple[Span, ...]:
    patterns = [re.escape(needle) for needle in sorted(needles, key=len, reverse=True) if needle.strip()]
    if not patterns:
        return ()
    found = re.finditer("|".join(patterns), text, re.IGNORECASE)
    return tuple(Span(match.start(), match.end()) for match in found)


def marked(text: str, places: Sequence[Span]) -> str:
    """Return a text with ⟦ and ⟧ around each place; places are disjoint and in order."""
    parts, done = [], 0
    for place in places:
        parts += [text[done : place.start], OPEN, text[place.start : place.end], CLOSE]
        done = place.end
    return "".join([*parts, text[done:]])


def excerpt(case: LeakCase, around: int = _AROUND) -> str:
    """Return the marked places with what stands around them; the text's start where there is no place."""
    if not case.places:
        return case.text[: 2 * around] + (" …" if len(case.text) > 2 * around else "")
    windows: list[list[int]] = []
    for place in case.places:
        start, end = max(0, place.start - around), min(len(case.text), place.end + around)
        if windows and start <= windows[-1][1]:
            windows[-1][1] = end
        else:
            windows.append([start, end])
    pieces = []
    for start, end in windows:
        inside = [Span(p.start - start, p.end - start) for p in case.places if start <= p.start < end]
        before, after = "… " if start else "", " …" if end < len(case.text) else ""
        pieces.append(before + marked(case.text[start:end], inside) + after)
    return "\n".join(pieces)


def cases_table(systems: Sequence[System], count: int, kinds: Sequence[str] = KINDS) -> Table:
    """Return some cases of each kind, with the leak's place marked."""
    cases = [case for kind in kinds for case in leak_cases(systems, kind, count)]
    return Table(
        "Case studies of leaks",
        (
            "Leak",
            "System",
            "Item",
            "Attribute",
            "True value",
            "Guess from the sanitized text",
            "Guess from the original",
            "Place",
        ),
        tuple(
            (
                case.kind,
                case.system,
                case.id,
                case.attribute,
                case.value,
                case.guess,
                case.original_guess,
                excerpt(case),
            )
            for case in cases
        ),
        (
            f"{OPEN}…{CLOSE} marks a direct leak's value. Of an inference or proximity leak it marks the "
            "words that the text shares with the value or the guess: an evaluator does not say what it read.",
        ),
    )
