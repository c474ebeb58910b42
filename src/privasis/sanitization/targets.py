"""Record -> what is to be sanitized: weighed by a model, drawn by the weights (§3.1, item 2)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Annotated, Any, NamedTuple

import numpy as np
from pydantic import BaseModel, Field, create_model

from privasis.errors import Reject
from privasis.prompts.registry import render
from privasis.sanitization.options import SanitizeOptions
from privasis.stage import Asker, Context
from privasis.text.leaks import contains_direct
from privasis.types import Fact, Record, Target

LEAST_WEIGHT, MOST_WEIGHT = 1, 10


class Candidate(NamedTuple):
    """An attribute or a group that may become a target."""

    label: str
    grouped: bool
    facts: tuple[Fact, ...]


class Weights(BaseModel):
    """The answer to sanitize.weights: one weight for each line of the prompt's list, in its order."""

    weights: list[int]


@cache
def _weights_model(count: int) -> type[Weights]:
    weight: Any = Annotated[int, Field(ge=LEAST_WEIGHT, le=MOST_WEIGHT)]
    weights: Any = Annotated[list[weight], Field(min_length=1, max_length=count)]
    return create_model("Weights", __base__=Weights, weights=(weights, ...))


async def draw_targets(record: Record, asker: Asker, ctx: Context[SanitizeOptions]) -> tuple[Target, ...]:
    """Draw n targets without overlap, each labelled abstract or drop at random.

    Raises:
        Reject: If nothing can be a target, or the model gives no valid weights.
    """
    candidates = candidates_of(record, ctx.options)
    if not candidates:
        raise Reject("sanitize.targets", "no_target")
    weights = await _weigh(candidates, asker)
    rng = ctx.rng(asker.item, "sanitize.targets")
    drawn: list[tuple[Candidate, float]] = []
    for index in _order(candidates, weights, ctx.options, rng):
        if len(drawn) == ctx.options.targets:
            break
        if not any(overlap(candidates[index], other) for other, _ in drawn):
            drawn.append((candidates[index], float(weights[index])))
    return tuple(
        Target(
            id=f"t{place}",
            label=candidate.label,
            grouped=candidate.grouped,
            attributes=candidate.facts,
            action="drop" if rng.random() < ctx.options.drop_share else "abstract",
            weight=weight,
            instruction="",
        )
        for place, (candidate, weight) in enumerate(drawn, start=1)
    )


def candidates_of(record: Record, options: SanitizeOptions) -> tuple[Candidate, ...]:
    """Return what may be a target: values of two characters or more, groups that are not too broad."""
    facts = {
        attribute.name: Fact(attribute.name, attribute.value)
        for attribute in record.attributes
        if len(attribute.value) > 1
    }
    single = [Candidate(fact.name, False, (fact,)) for fact in facts.values()]
    grouped = [
        Candidate(group.label, True, tuple(facts[name] for name in group.attributes if name in facts))
        for group in record.groups
        if len(group.attributes) <= options.broadest_group
    ]
    return (*single, *(candidate for candidate in grouped if candidate.facts))


async def _weigh(candidates: Sequence[Candidate], asker: Asker) -> list[int]:
    """Ask for a weight each; what the model leaves out weighs least."""
    answer = await asker.ask(
        render("sanitize.weights", candidates=candidates), _weights_model(len(candidates))
    )
    return answer.weights + [LEAST_WEIGHT] * (len(candidates) - len(answer.weights))


def _order(
    candidates: Sequence[Candidate],
    weights: Sequence[int],
    options: SanitizeOptions,
    rng: np.random.Generator,
) -> list[int]:
    """Return the order in which candidates are taken: group or attribute by lot, then by weight."""
    queues = {}
    for grouped in (False, True):
        own = [
            weight if candidate.grouped == grouped else 0
            for candidate, weight in zip(candidates, weights, strict=True)
        ]
        queues[grouped] = draw_weighted(own, rng)
    order = []
    while queues[False] or queues[True]:
        wanted = bool(rng.random() < options.group_share)
        queue = queues[wanted] or queues[not wanted]
        order.append(queue.pop(0))
    return order


def draw_weighted(weights: Sequence[float], rng: np.random.Generator) -> list[int]:
    """Return all places of positive weight in an order drawn without replacement, each next one by weight.

    Exponential keys (Efraimidis and Spirakis, 2006): the smallest of Exp(1) / weight comes first.
    """
    weight = np.asarray(weights, dtype=np.float64)
    positive = np.flatnonzero(weight > 0)
    keys = rng.standard_exponential(len(positive)) / weight[positive]
    return [int(place) for place in positive[np.argsort(keys, kind="stable")]]


def overlap(one: Candidate, other: Candidate) -> bool:
    """Tell whether a value of one stands in a value of the other."""
    return any(
        contains_direct(a.value, b.value) or contains_direct(b.value, a.value)
        for a in one.facts
        for b in other.facts
    )
