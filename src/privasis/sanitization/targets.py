"""Record -> what is to be sanitized: weighed by a model, drawn by the weights (§3.1, item 2)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Annotated, Any, NamedTuple

import numpy as np
from pydantic import BaseModel, Field, create_model

from privasis.errors import Reject
from privasis.prompts.registry import render
from privasis.sanitization.instruct import FRAME, discreet, in_words
from privasis.sanitization.options import SanitizeOptions
from privasis.stage import Asker, Context
from privasis.text.fold import bare, fold
from privasis.text.spans import find_verbatim
from privasis.types import Attribute, Fact, Record, Span, Target

LEAST_WEIGHT, MOST_WEIGHT = 1, 10
LINES = 64  # candidates that are weighed in one question; a record of the paper has about 45 (§2.2)
_NAMELESS = "certain details"  # a label of which nothing is left when it must tell no value


class Candidate(NamedTuple):
    """An attribute or a group that may become a target."""

    label: str
    grouped: bool
    facts: tuple[Fact, ...]
    spans: tuple[Span, ...]  # where its values stand in the text
    folded: tuple[str, ...]  # its values, folded for comparison


def candidate(label: str, grouped: bool, attributes: Sequence[Attribute]) -> Candidate:
    """Return the candidate that one attribute or the members of a group make."""
    return Candidate(
        label,
        grouped,
        tuple(Fact(attribute.name, attribute.value) for attribute in attributes),
        tuple(span for attribute in attributes for span in attribute.spans),
        tuple(bare(attribute.value) for attribute in attributes),
    )


class Weights(BaseModel):
    """The answer to sanitize.weights: a weight by the number of each line of the prompt's list."""


@cache
def _weights_model(lines: int) -> type[Weights]:
    # A key for each line keeps weights and lines together, where a list of weights shifts with the first line
    # that a model leaves out. The schema requires every key; what is missing all the same weighs least.
    weight: Any = Annotated[int, Field(ge=LEAST_WEIGHT, le=MOST_WEIGHT)]
    keys: Any = {
        f"line_{line}": (weight, Field(default=LEAST_WEIGHT, alias=str(line))) for line in range(1, lines + 1)
    }
    return create_model("Weights", __base__=Weights, **keys)


async def draw_targets(record: Record, asker: Asker, ctx: Context[SanitizeOptions]) -> tuple[Target, ...]:
    """Draw n targets without overlap, each labelled abstract or drop at random.

    Args:
        record: With its attributes and groups.
        asker: Asked for the sensitivity weights.
        ctx: Gives n, the shares and the randomness.

    Returns:
        Up to n targets in the order of drawing; fewer where no more stand free of each other.

    Raises:
        Reject: If nothing can be a target, or the model gives no valid weights.
    """
    candidates = candidates_of(record, ctx.options)
    if not candidates:
        raise Reject("sanitize.targets", "no_target")
    weights = await _weigh(candidates, asker)
    rng = ctx.rng(asker.item, "sanitize.targets")
    places = choose(candidates, weights, ctx.options, rng)
    secrets = [fact for place in places for fact in candidates[place].facts]
    return tuple(
        Target(
            id=f"t{number}",
            label=_label(candidates[place], secrets),
            grouped=candidates[place].grouped,
            attributes=candidates[place].facts,
            action="drop" if rng.random() < ctx.options.drop_share else "abstract",
            weight=float(weights[place]),
            instruction="",
        )
        for number, place in enumerate(places, start=1)
    )


def _label(drawn: Candidate, secrets: Iterable[Fact]) -> str:
    """Return the label as it may be said: "Maren Kallio's contact details" tells the name to be dropped."""
    said = discreet(drawn.label, secrets)
    return drawn.label if said == in_words(drawn.label) else said or _NAMELESS


def candidates_of(record: Record, options: SanitizeOptions) -> tuple[Candidate, ...]:
    """Return what may be a target.

    That is every attribute of two characters or more, as far as its name does not tell its value, and every
    group of such attributes that is not too broad. Left out are values that every instruction tells anyway:
    models take words such as "the" for attributes.
    """
    frame = fold(FRAME)
    able = {
        a.name: a for a in record.attributes if len(bare(a.value)) > 1 and not find_verbatim(frame, a.value)
    }
    single = [candidate(name, False, [a]) for name, a in able.items() if not _tells_itself(a)]
    grouped = [
        candidate(group.label, True, [able[name] for name in dict.fromkeys(group.attributes) if name in able])
        for group in record.groups
        if len(group.attributes) <= options.broadest_group
    ]
    return (*single, *(one for one in grouped if one.facts))


def _tells_itself(attribute: Attribute) -> bool:
    return discreet(attribute.name, [Fact(attribute.name, attribute.value)]) != in_words(attribute.name)


async def _weigh(candidates: Sequence[Candidate], asker: Asker) -> list[int]:
    """Ask for a weight each, in questions of at most ``LINES`` lines."""
    weights: list[int] = []
    for first in range(0, len(candidates), LINES):
        part = candidates[first : first + LINES]
        answer = await asker.ask(
            render("sanitize.weights", candidates=part), _weights_model(len(part)), _unweighed
        )
        weights += [getattr(answer, f"line_{line}") for line in range(1, len(part) + 1)]
    return weights


def _unweighed(answer: Weights) -> str | None:
    return None if answer.model_fields_set else "It gave no line a weight."


def choose(
    candidates: Sequence[Candidate],
    weights: Sequence[float],
    options: SanitizeOptions,
    rng: np.random.Generator,
) -> list[int]:
    """Draw places of up to n candidates: group or attribute by lot, then by weight, none overlapping another.

    Where one kind has nothing left that stands free, the other one is taken.
    """
    queues = {}
    for grouped in (False, True):
        places = [place for place, one in enumerate(candidates) if one.grouped == grouped]
        order = draw_weighted([weights[place] for place in places], len(places), rng)
        queues[grouped] = [places[place] for place in order]
    chosen: list[int] = []
    while len(chosen) < options.targets:
        wanted = bool(rng.random() < options.group_share)
        free = (
            place
            for place in queues[wanted] + queues[not wanted]
            if not any(overlap(candidates[place], candidates[other]) for other in chosen)
        )
        place = next(free, None)
        if place is None:
            break
        chosen.append(place)
    return chosen


def draw_weighted(weights: Sequence[float], n: int, rng: np.random.Generator) -> list[int]:
    """Draw n places without replacement, each next one with probability proportional to its weight.

    By exponential keys (Efraimidis and Spirakis, 2006): the smallest of Exp(1) / weight comes first. In
    logarithms, so that no weight is too small.

    Args:
        weights: Places of weight 0 are never drawn.
        n: How many; fewer come where fewer have a weight.
        rng: The randomness.
    """
    weight = np.asarray(weights, dtype=np.float64)
    positive = np.flatnonzero(weight > 0)
    keys = np.log(rng.standard_exponential(len(positive))) - np.log(weight[positive])
    return [int(place) for place in positive[np.argsort(keys, kind="stable")][:n]]


def overlap(one: Candidate, other: Candidate) -> bool:
    """Tell whether a value of one stands in a value of the other, or both share a place of the text."""
    if any(a in b or b in a for a in one.folded for b in other.folded):
        return True
    return any(a.start < b.end and b.start < a.end for a in one.spans for b in other.spans)
