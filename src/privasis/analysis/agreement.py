"""Two evaluators on the same predictions: how often they agree, and how far beyond chance (§4.4)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from privasis.analysis.systems import System
from privasis.analysis.table import Share, Table
from privasis.errors import InputError
from privasis.evaluation.scores import ItemScore
from privasis.evaluation.summary import Interval

_Z = 1.959963984540054  # of a 95% interval
_SHOWN = 5  # ids named in a message


@dataclass(frozen=True, slots=True)
class Agreement:
    """How two evaluators agree on one question.

    Attributes:
        question: What was decided.
        cases: How many cases both decided.
        agreed: In how many they decided alike.
        unscored: Cases that one of them or both could not judge: in no figure.
        kappa: Cohen's kappa; None where chance alone would make them agree always, or there is no case.
    """

    question: str
    cases: int
    agreed: int
    unscored: int
    kappa: float | None


def wilson(successes: int, n: int) -> Interval | None:
    """Return a share with its 95% Wilson score interval; None without cases."""
    if n == 0:
        return None
    share = successes / n
    scale = 1 + _Z**2 / n
    middle = (share + _Z**2 / (2 * n)) / scale
    half = _Z * math.sqrt(share * (1 - share) / n + _Z**2 / (4 * n**2)) / scale
    return Interval(share, min(share, max(0.0, middle - half)), max(share, min(1.0, middle + half)))


def cohens_kappa(pairs: Sequence[tuple[Hashable, Hashable]]) -> float | None:
    """Return Cohen's kappa of paired labels: agreement beyond chance over what there was to gain.

    None where it has no value: no pairs, or both gave one and the same label to everything.
    """
    n = len(pairs)
    if n == 0:
        return None
    agreed = sum(a == b for a, b in pairs) / n
    first, second = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    by_chance = sum(count * second[label] for label, count in first.items()) / n**2
    return None if by_chance == 1 else (agreed - by_chance) / (1 - by_chance)


def agreements(first: System, second: System) -> tuple[Agreement, ...]:
    """Compare two evaluators' verdicts on the same texts of one system.

    Only what evaluators decide is compared: strings settle direct leaks and exact retention for both alike,
    and would make any two agree.

    Raises:
        InputError: If the two were not given the same texts of the same items.
    """
    mine, theirs = _by_id(first), _by_id(second)
    _refuse_different(first, second, mine, theirs)
    leaks, kept = list(_leaks(mine, theirs)), list(_kept(mine, theirs))
    proximity = [pair for pair in leaks if not {"inference"} & set(pair)]
    return (
        _compared("Proximity leak (no inference leak by either)", proximity),
        _compared("Leak or safe", [(_leaked(a), _leaked(b)) for a, b in leaks]),
        _compared("Inference leak, proximity leak or safe", leaks),
        _compared("Retained or lost", [(_retained(a), _retained(b)) for a, b in kept]),
    )


def _by_id(system: System) -> dict[str, ItemScore]:
    return {score.id: score for score in system.scores if not score.failure}


def _refuse_different(
    first: System, second: System, mine: Mapping[str, ItemScore], theirs: Mapping[str, ItemScore]
) -> None:
    both = mine.keys() & theirs.keys()
    different = sorted(id for id in both if not _same(mine[id], theirs[id]))
    if different:
        raise InputError(
            f"{first.label} and {second.label}: different texts or targets for {len(different)} items "
            f"({', '.join(different[:_SHOWN])}). Agreement is of two evaluators on the same predictions."
        )
    if not both:
        raise InputError(f"{first.label} and {second.label}: no item was scored by both.")


def _same(mine: ItemScore, theirs: ItemScore) -> bool:
    return (
        mine.sanitized == theirs.sanitized
        and [(t.target, t.name) for t in mine.targets] == [(t.target, t.name) for t in theirs.targets]
        and [k.name for k in mine.keeps] == [k.name for k in theirs.keeps]
    )


def _leaks(mine: Mapping[str, ItemScore], theirs: Mapping[str, ItemScore]) -> Iterator[tuple[str, str]]:
    for id, score in mine.items():
        if id in theirs:
            for a, b in zip(score.targets, theirs[id].targets, strict=True):
                if "direct" not in (a.verdict, b.verdict):
                    yield a.verdict, b.verdict


def _kept(mine: Mapping[str, ItemScore], theirs: Mapping[str, ItemScore]) -> Iterator[tuple[str, str]]:
    for id, score in mine.items():
        if id in theirs:
            for a, b in zip(score.keeps, theirs[id].keeps, strict=True):
                if "exact" not in (a.verdict, b.verdict):
                    yield a.verdict, b.verdict


def _leaked(verdict: str) -> str:
    return verdict if verdict in ("safe", "unscored") else "leak"


def _retained(verdict: str) -> str:
    return verdict if verdict in ("lost", "unscored") else "retained"


def _compared(question: str, pairs: Sequence[tuple[str, str]]) -> Agreement:
    decided = [pair for pair in pairs if "unscored" not in pair]
    agreed = sum(a == b for a, b in decided)
    return Agreement(question, len(decided), agreed, len(pairs) - len(decided), cohens_kappa(decided))


def agreement_table(first: System, second: System) -> Table:
    """Return the agreement of two evaluators as a table.

    Raises:
        InputError: If the two were not given the same texts of the same items.
    """
    rows = []
    for found in agreements(first, second):
        rate = wilson(found.agreed, found.cases)
        share = None if rate is None else Share(*rate)
        rows.append((found.question, share, found.kappa, found.cases, found.unscored))
    scored = {score.id for score in first.scores} ^ {score.id for score in second.scores}
    notes = [
        "Direct leaks and exact retention are left out: strings decide them, for both evaluators alike.",
        "Kappa is not known where both gave one and the same verdict throughout.",
    ]
    if scored:
        notes.append(f"{len(scored)} items were scored by one of the two only, and are left out.")
    evaluators = [system.scores[0].evaluator for system in (first, second)]
    return Table(
        f"Evaluator agreement: {evaluators[0]} and {evaluators[1]} on {first.scores[0].system}",
        ("Question", "Agreement", "Cohen's kappa", "Cases", "Unscored"),
        tuple(rows),
        tuple(notes),
    )
