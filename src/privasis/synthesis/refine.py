"""Draft -> final text: diversity-preserving selection (§2.1, item 2). The whole decision is kept."""

from __future__ import annotations

import asyncio
from typing import Literal, NamedTuple

import numpy as np
from pydantic import BaseModel

from privasis.diversity import PreparedPool, delta_vendi_in, prepare_pool
from privasis.errors import Reject
from privasis.prompts.registry import render
from privasis.stage import Asker, Context
from privasis.synthesis.filters import complaint_about
from privasis.synthesis.options import SynthesisOptions
from privasis.synthesis.records import draft_request
from privasis.types import Controls, Profile, RefinementStep

Preference = Literal["candidate", "current", "undecided"]


class Verdict(BaseModel):
    """The answer to record.judge."""

    better: Literal["A", "B"]


class Refined(NamedTuple):
    """The final text, its embedding (float32, unit length), and how it came to be."""

    text: str
    embedding: np.ndarray
    steps: tuple[RefinementStep, ...]


async def refine(
    draft: str,
    profile: Profile,
    controls: Controls,
    details: tuple[str, ...],
    asker: Asker,
    ctx: Context[SynthesisOptions],
) -> Refined:
    """Revise a draft for up to three steps, each candidate accepted only if S > tau.

    A step whose candidate cannot be had leaves the current draft as it is and ends the refinement.
    """
    text = draft
    embedding = await _embed(draft, ctx)
    pool = await _draw_pool(asker, ctx)
    steps: list[RefinementStep] = []
    for number in range(1, ctx.options.refinement_steps + 1):
        request = draft_request("record.refine", profile, controls, details, ctx.options, text=text)
        try:
            candidate = await asker.write(request, complaint_about(request.system, details, ctx.options))
        except Reject as reject:
            if reject.reason == "endpoint_failed":
                raise
            break  # the model cannot revise this one: the draft stands as it is
        candidate_embedding = await _embed(candidate, ctx)
        verdict, candidate_first = await _judge(number, text, candidate, controls.record_type, asker, ctx)
        delta = delta_vendi_in(pool.prepared, embedding, candidate_embedding) if pool.prepared else None
        step = _decide(number, candidate, verdict, candidate_first, delta, pool.numbers, ctx.options)
        steps.append(step)
        if step.accepted:
            text, embedding = candidate, candidate_embedding
    return Refined(text, embedding, tuple(steps))


class DrawnPool(NamedTuple):
    """The pool P of a record, drawn once for all its steps and prepared for many comparisons."""

    numbers: tuple[int, ...]
    prepared: PreparedPool | None  # None: empty


async def _draw_pool(asker: Asker, ctx: Context[SynthesisOptions]) -> DrawnPool:
    available = len(ctx.pool.numbers)
    size = min(ctx.options.pool_size, available)
    if not size or not ctx.options.refinement_steps:
        return DrawnPool((), None)
    chosen = np.sort(ctx.rng(asker.item, "pool").choice(available, size=size, replace=False))
    prepared = await asyncio.to_thread(prepare_pool, ctx.pool.embeddings[chosen])
    return DrawnPool(tuple(int(number) for number in ctx.pool.numbers[chosen]), prepared)


async def _judge(
    number: int,
    current: str,
    candidate: str,
    record_type: str,
    asker: Asker,
    ctx: Context[SynthesisOptions],
) -> tuple[Preference, bool]:
    """Return which draft is better, and whether the candidate was shown first (the order is random)."""
    candidate_first = bool(ctx.rng(asker.item, f"record.judge#{number}").integers(2))
    first, second = (candidate, current) if candidate_first else (current, candidate)
    request = render("record.judge", record_type=record_type, first=first, second=second)
    try:
        answer = await asker.ask(request, Verdict)
    except Reject as reject:
        if reject.reason == "endpoint_failed":
            raise
        return "undecided", candidate_first  # an unreadable verdict is a third result, never a vote
    return ("candidate" if (answer.better == "A") == candidate_first else "current"), candidate_first


def _decide(
    number: int,
    candidate: str,
    verdict: Preference,
    candidate_first: bool,
    delta_vendi: float | None,
    pool: tuple[int, ...],
    options: SynthesisOptions,
) -> RefinementStep:
    llm_score = {"candidate": 1.0, "undecided": 0.5, "current": 0.0}[verdict]
    score = accept_score(llm_score, delta_vendi, options)
    return RefinementStep(
        step=number,
        candidate=candidate,
        verdict=verdict,
        candidate_first=candidate_first,
        llm_score=llm_score,
        delta_vendi=delta_vendi or 0.0,
        score=score,
        accepted=score > options.tau,
        pool=pool,
    )


def accept_score(llm_score: float, delta_vendi: float | None, options: SynthesisOptions) -> float:
    """Return S(x'_t) of §2.1.

    With an empty pool (None) nothing is known of diversity, so the judge's score decides alone: taken
    literally, alpha * 1 + beta * 0 = 0.5 would never exceed tau, and no early record could be refined.
    """
    if delta_vendi is None:
        return llm_score
    return options.alpha * llm_score + options.beta * delta_vendi


async def _embed(text: str, ctx: Context[SynthesisOptions]) -> np.ndarray:
    vectors = await asyncio.to_thread(ctx.encoder.embed, [text])
    embedding: np.ndarray = vectors[0]
    return embedding
