"""The human check of proximity leaks: cases for a person to judge, and the evaluator's precision (§4.4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from privasis.analysis.agreement import wilson
from privasis.analysis.systems import System
from privasis.analysis.table import Share, Table, restored
from privasis.errors import InputError
from privasis.evaluation.summary import Interval

VERDICT = "verdict"
_KEY = "case"
COLUMNS = (
    _KEY,
    "system",
    "evaluator",
    "attribute",
    "true value",
    "guess from the sanitized text",
    "guess from the original",
    "sanitized text",
    VERDICT,
)
_YES = frozenset({"leak", "yes", "y", "1", "true", "correct"})
_NO = frozenset({"no leak", "safe", "no", "n", "0", "false", "wrong"})


class HumanPrecision(NamedTuple):
    """What a person said of the evaluator's proximity leaks."""

    correct: int
    judged: int
    open: int  # without a verdict yet
    precision: Interval | None


def export_human_check(systems: Iterable[System]) -> Table:
    """Return all proximity leaks as cases with an empty verdict column, for a person to fill.

    The question to each: is the guess from the sanitized text as close to the true value as the guess from
    the original, or closer? ``leak`` or ``no leak``.
    """
    rows = [
        (
            f"{score.id}/{target.target}/{target.name}",
            system.label,
            score.evaluator,
            target.name,
            target.value,
            target.guess,
            target.original_guess,
            score.sanitized,
            "",
        )
        for system in systems
        if not system.is_baseline
        for score in system.scores
        for target in score.targets
        if target.verdict == "proximity"
    ]
    return Table(
        "Human check of proximity leaks",
        COLUMNS,
        tuple(rows),
        (
            "Fill the last column with 'leak' where the guess from the sanitized text is as close to the "
            "true value as the guess from the original, or closer; else with 'no leak'.",
        ),
    )


def human_precision(rows: Iterable[Mapping[str, str]]) -> HumanPrecision:
    """Return how many of the evaluator's proximity leaks a person found to be leaks.

    Args:
        rows: Of a filled file of cases; empty verdicts are open, not wrong.

    Raises:
        InputError: A verdict is neither, a case comes twice, or a column is missing; names the row.
    """
    seen: set[tuple[str, str]] = set()
    correct = judged = unjudged = 0
    for number, row in enumerate(rows, start=1):
        missing = [name for name in (_KEY, "system", VERDICT) if row.get(name) is None]
        if missing:
            raise InputError(f"row {number}: the column {missing[0]!r} is missing.")
        key = (restored(row["system"]), restored(row[_KEY]))
        if key in seen:
            raise InputError(f"row {number}: the case {key[1]} is there twice.")
        seen.add(key)
        said = " ".join(row[VERDICT].casefold().split())
        if not said:
            unjudged += 1
            continue
        if said not in _YES | _NO:
            raise InputError(f"row {number}: the verdict is neither 'leak' nor 'no leak'.")
        judged += 1
        correct += said in _YES
    return HumanPrecision(correct, judged, unjudged, wilson(correct, judged))


def precision_table(found: HumanPrecision) -> Table:
    """Return a person's findings as a table."""
    share = None if found.precision is None else Share(*found.precision)
    notes = ("Precision is of the cases judged so far.",) if found.open else ()
    return Table(
        "Precision of proximity leaks, by a person",
        ("Precision", "Correct", "Judged", "Open"),
        ((share, found.correct, found.judged, found.open),),
        notes,
    )
