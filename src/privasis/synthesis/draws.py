"""Draws from lists, seeded by item and step."""

from __future__ import annotations

from typing import TypeVar

from privasis.stage import Asker, Context
from privasis.synthesis.options import SynthesisOptions

T = TypeVar("T")


def offer(
    values: tuple[T, ...], count: int, step: str, asker: Asker, ctx: Context[SynthesisOptions]
) -> tuple[T, ...]:
    """Draw some values to be put before a model: a whole long list would invite the familiar choice."""
    drawn = ctx.rng(asker.item, step).choice(len(values), size=min(count, len(values)), replace=False)
    return tuple(values[int(index)] for index in drawn)


def draw(candidates: list[str], step: str, asker: Asker, ctx: Context[SynthesisOptions]) -> str:
    """Draw one of the candidates that a model has named (§2.1, item 1)."""
    return candidates[int(ctx.rng(asker.item, f"{step}/draw").integers(len(candidates)))]
