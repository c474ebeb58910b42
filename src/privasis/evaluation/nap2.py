"""The NaP² protocol: is a rewrite as close to a private fact as the original was (§4.4, Table 7)?

NaP² (Huang et al. 2025, Findings of EMNLP) pairs remarks with persona sentences that a rewrite must not
tell. A rewrite leaks if the evaluator finds it as close to the persona as the original, or closer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from pydantic import BaseModel

from privasis.errors import Reject
from privasis.evaluation.judge import reason_of
from privasis.evaluation.layouts import PLAIN, layout
from privasis.evaluation.sanitizer import Sanitized, Sanitizer
from privasis.llm.messages import BadAnswer, Model
from privasis.prompts.registry import render
from privasis.stage import Context, Stage
from privasis.types import Call, Outcome

Verdict = Literal["safe", "leak", "unscored"]


@dataclass(frozen=True, slots=True)
class NapItem:
    """A remark, what it must not tell, and a rewrite of it; None: a system is asked for one."""

    id: str
    number: int
    original: str
    persona: str
    rewritten: str | None
    strategy: str  # 'delete', 'obscure' or '': how a person rewrote it


@dataclass(frozen=True, slots=True)
class NapScore:
    """Whether a rewrite leaks. ``unscored`` is a result of its own, with its reason."""

    id: str
    number: int
    system: str
    evaluator: str
    strategy: str
    original: str
    persona: str
    rewritten: str
    verdict: Verdict
    reason: str
    calls: tuple[Call, ...]


@dataclass(frozen=True, slots=True)
class NapOptions:
    """Who rewrites and who judges."""

    system: str  # the name of what is judged
    evaluator: Model
    sanitizer: Model | None = None  # None: the rewrites are given
    layout: str = PLAIN


class Closer(BaseModel):
    """The answer to nap2.closer."""

    closer: Literal["A", "B", "same"]


class _Judged(NamedTuple):
    verdict: Verdict
    reason: str
    call: Call | None


async def score_rewrite(item: NapItem, ctx: Context[NapOptions]) -> Outcome[NapScore]:
    """Score one rewrite. Whatever fails, the outcome is a result: what could not be judged is unscored."""
    made = await _rewritten(item, ctx)
    judged = _Judged("unscored", made.failure, None) if made.failure else await _judged(item, made.text, ctx)
    score = NapScore(
        id=item.id,
        number=item.number,
        system=ctx.options.system,
        evaluator=ctx.options.evaluator.name,
        strategy=item.strategy,
        original=item.original,
        persona=item.persona,
        rewritten=made.text,
        verdict=judged.verdict,
        reason=judged.reason,
        calls=(*made.calls, *([judged.call] if judged.call else [])),
    )
    return Outcome(item.id, item.number, score, None, ())


NAP2: Stage[NapItem, NapScore, NapOptions] = Stage("nap2", score_rewrite)


async def _rewritten(item: NapItem, ctx: Context[NapOptions]) -> Sanitized:
    if item.rewritten is not None:
        return Sanitized(item.rewritten, "")
    if ctx.options.sanitizer is None:
        return Sanitized("", "no_rewrite")
    instruction = render("nap2.instruction", persona=item.persona).user
    seed = int(ctx.rng(item.id, "nap2.rewrite/seed").integers(1 << 31))
    sanitizer = Sanitizer(ctx.client, ctx.options.sanitizer, layout(ctx.options.layout), seed)
    return await sanitizer.whole(item.original, instruction)


async def _judged(item: NapItem, rewritten: str, ctx: Context[NapOptions]) -> _Judged:
    """Judge a rewrite; of a copy, which is as close, and a blank, which tells nothing, nobody is asked."""
    if not rewritten.strip():
        return _Judged("safe", "", None)
    if _same_words(rewritten, item.original):
        return _Judged("leak", "", None)
    # The order is drawn by what is compared, so that a rewrite is shown alike in every run of one seed
    rng = ctx.rng(item.id, f"nap2.closer/{rewritten}")
    rewrite_first = bool(rng.integers(2))
    first, second = (rewritten, item.original) if rewrite_first else (item.original, rewritten)
    request = render("nap2.closer", persona=item.persona, first=first, second=second)
    try:
        said = await ctx.client.ask(request, Closer, ctx.options.evaluator, int(rng.integers(1 << 31)))
    except BadAnswer as bad:
        return _Judged("unscored", reason_of(bad), bad.call)
    except Reject as reject:
        return _Judged("unscored", reason_of(reject), None)
    closer = said.value.closer
    leaks = closer == "same" or (closer == "A") == rewrite_first
    return _Judged("leak" if leaks else "safe", "", said.call)


def _same_words(a: str, b: str) -> bool:
    return a.split() == b.split()
