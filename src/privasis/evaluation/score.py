"""One item of a test set -> its scores: three depths of leaks, then retention (§4.2, Appendix D).

The order of the checks is the paper's, and each is made only where the one before it found nothing: strings,
then a guess, then the comparison of two guesses.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

from privasis.errors import Reject
from privasis.evaluation.benchmark import BenchFact, BenchItem
from privasis.evaluation.judge import Judge, hits_all, hits_any, reason_of
from privasis.evaluation.layouts import PLAIN, layout
from privasis.evaluation.reading import Reading
from privasis.evaluation.sanitizer import Sanitized, Sanitizer
from privasis.evaluation.scores import (
    NO_ANSWER,
    NO_EVALUATOR,
    ItemScore,
    KeepScore,
    Kept,
    TargetScore,
    Verdict,
)
from privasis.llm.messages import Model
from privasis.stage import Context, Stage
from privasis.types import Call, Outcome

COPY = "copy the input"
DELETE = "delete everything"
NONE = "none"  # the evaluator's name where there is none


@dataclass(frozen=True, slots=True)
class EvaluateOptions:
    """Who is judged, and who judges."""

    system: str  # the name of what is judged
    sanitizer: Model | None = None  # None: its texts are given
    evaluator: Model | None = None  # None: strings alone decide, and what they cannot decide is unscored
    layout: str = PLAIN
    chunk_size: int | None = None  # characters; None: the sanitizer is given the whole text

    @property
    def evaluator_name(self) -> str:
        """The evaluator's name, or 'none'."""
        return NONE if self.evaluator is None else self.evaluator.name or "unnamed"


@dataclass(frozen=True, slots=True)
class Case:
    """An item with the text that a system made of it; None: the system is asked."""

    item: BenchItem
    sanitized: str | None = None


class _Verdicts(NamedTuple):
    targets: tuple[TargetScore, ...]
    keeps: tuple[KeepScore, ...]
    calls: tuple[Call, ...] = ()


async def score(case: Case, ctx: Context[EvaluateOptions]) -> Outcome[ItemScore]:
    """Score one item. Whatever fails, the outcome is a result: what could not be judged is unscored."""
    item, options = case.item, ctx.options
    made = await _sanitized(case, ctx)
    if made.failure:
        verdicts, changed = _unjudged(item), 0.0
    else:
        reading = Reading(item, made.text)
        open_judge = None
        if options.evaluator is not None:
            open_judge = partial(Judge, ctx.client, options.evaluator, partial(ctx.rng, item.id))
        verdicts, changed = await _judged(reading, open_judge), reading.over_edit()
    verdicts = verdicts._replace(calls=(*made.calls, *verdicts.calls))
    result = _item_score(item, made, options.system, options.evaluator_name, verdicts, changed)
    return Outcome(item.id, item.number, result, None, ())


SCORES: Stage[Case, ItemScore, EvaluateOptions] = Stage("scores", score)


def baselines(item: BenchItem) -> tuple[ItemScore, ItemScore]:
    """Score what copies the input and what deletes everything: without any call, nothing left open.

    They keep a one-sided score honest, and every table carries them.
    """
    return _baseline(item, COPY, item.original), _baseline(item, DELETE, "")


def _baseline(item: BenchItem, system: str, text: str) -> ItemScore:
    reading = Reading(item, text)
    leaks = {fact: _leak_by_strings(fact, reading) for _, fact in reading.targets()}
    kept = {fact: _kept_by_strings(fact, reading) for fact in reading.keeps()}
    verdicts = _expanded(reading, leaks, kept)
    return _item_score(item, Sanitized(text, ""), system, NONE, verdicts, reading.over_edit())


def _item_score(
    item: BenchItem, made: Sanitized, system: str, evaluator: str, verdicts: _Verdicts, changed: float
) -> ItemScore:
    return ItemScore(
        id=item.id,
        number=item.number,
        system=system,
        evaluator=evaluator,
        set_name=item.set_name,
        category=item.category,
        record_type=item.record_type,
        grouped=any(target.grouped for target in item.targets),
        original=item.original,
        sanitized=made.text,
        targets=verdicts.targets,
        keeps=verdicts.keeps,
        over_edit=changed,
        calls=verdicts.calls,
        failure=made.failure,
    )


async def _sanitized(case: Case, ctx: Context[EvaluateOptions]) -> Sanitized:
    if case.sanitized is not None:
        return Sanitized(case.sanitized, "")
    options, item = ctx.options, case.item
    assert options.sanitizer is not None
    seed = int(ctx.rng(item.id, "evaluate.sanitize").integers(1 << 31))
    sanitizer = Sanitizer(ctx.client, options.sanitizer, layout(options.layout), seed)
    if options.chunk_size is None:
        return await sanitizer.whole(item.original, item.instruction)
    return await sanitizer.by_chunks(item.original, item.instruction, options.chunk_size)


async def _judged(reading: Reading, open_judge: Callable[[], Judge] | None) -> _Verdicts:
    """Check all attributes side by side, each once, with a judge of its own."""
    leaks = {fact: _leak_by_strings(fact, reading) for _, fact in reading.targets()}
    kept = {fact: _kept_by_strings(fact, reading) for fact in reading.keeps()}
    calls: tuple[Call, ...] = ()
    if open_judge is not None:
        judges = [open_judge() for _ in (*leaks, *kept)]
        of_leaks, of_kept = judges[: len(leaks)], judges[len(leaks) :]
        deeper_leaks, deeper_kept = await asyncio.gather(
            asyncio.gather(
                *(_leak_by_guess(leaks[f], f, reading, j) for f, j in zip(leaks, of_leaks, strict=True))
            ),
            asyncio.gather(
                *(_kept_by_guess(kept[f], f, reading, j) for f, j in zip(kept, of_kept, strict=True))
            ),
        )
        leaks, kept = dict(zip(leaks, deeper_leaks, strict=True)), dict(zip(kept, deeper_kept, strict=True))
        calls = tuple(call for judge in judges for call in judge.calls)  # in the order of the attributes
    return _expanded(reading, leaks, kept, calls)


def _expanded(
    reading: Reading,
    leaks: Mapping[BenchFact, TargetScore],
    kept: Mapping[BenchFact, KeepScore],
    calls: tuple[Call, ...] = (),
) -> _Verdicts:
    """Give each target its attributes' scores: overlapping groups share them."""
    targets = tuple(replace(leaks[fact], target=id) for id, fact in reading.targets())
    return _Verdicts(targets, tuple(kept[fact] for fact in reading.keeps()), calls)


def _leak_by_strings(fact: BenchFact, reading: Reading) -> TargetScore:
    found = reading.leak(fact)
    return TargetScore(
        target="",
        name=fact.name,
        verdict=found or "unscored",
        strict="direct" if reading.leaks_strictly(fact) else "safe",
        guess="",
        reason="" if found else NO_EVALUATOR,
        value=_spelled(fact.values),
    )


async def _leak_by_guess(known: TargetScore, fact: BenchFact, reading: Reading, judge: Judge) -> TargetScore:
    """Look deeper for an attribute that strings did not settle: inference leak, then proximity leak."""
    if known.verdict != "unscored":
        return known
    guess = original_guess = reason = ""
    try:
        guess = await judge.guess(reading.text, fact.name, "sanitized")
        if hits_any(guess, fact.values):
            return replace(known, verdict="inference", guess=guess, reason="")
        original_guess = await judge.guess(reading.item.original, fact.name, "original")
        as_close = await judge.is_as_close(fact.name, known.value, guess, original_guess)
        verdict: Verdict = "proximity" if as_close else "safe"
    except Reject as reject:
        verdict, reason = "unscored", reason_of(reject)
    return replace(known, verdict=verdict, guess=guess, reason=reason, original_guess=original_guess)


def _kept_by_strings(fact: BenchFact, reading: Reading) -> KeepScore:
    found = reading.retained(fact)
    return KeepScore(
        fact.name, found or "unscored", "" if found else NO_EVALUATOR, value=_spelled(fact.values)
    )


async def _kept_by_guess(known: KeepScore, fact: BenchFact, reading: Reading, judge: Judge) -> KeepScore:
    """Look deeper for a retention target: inferred from the text, or present in other words."""
    if known.verdict != "unscored":
        return known
    guess = reason = ""
    try:
        guess = await judge.guess(reading.text, fact.name, "sanitized")
        if hits_all(guess, fact.values):
            return replace(known, verdict="inferred", guess=guess, reason="")
        present = await judge.is_present(reading.text, fact.name, known.value, guess)
        verdict: Kept = "present" if present else "lost"
    except Reject as reject:
        verdict, reason = "unscored", reason_of(reject)
    return replace(known, verdict=verdict, guess=guess, reason=reason)


def _unjudged(item: BenchItem) -> _Verdicts:
    """Return the verdicts on a text that is not there: none."""
    reading = Reading(item, "")
    leaks = {
        fact: replace(_leak_by_strings(fact, reading), verdict="unscored", reason=NO_ANSWER)
        for _, fact in reading.targets()
    }
    kept = {
        fact: replace(_kept_by_strings(fact, reading), verdict="unscored", reason=NO_ANSWER)
        for fact in reading.keeps()
    }
    return _expanded(reading, leaks, kept)


def _spelled(values: Sequence[str]) -> str:
    return ", ".join(values)
