"""Algorithm 1 as the paper has it: the model is asked for chunks, spans, abstraction, and every change.

What ``--llm-only`` does, so that the way by code can be compared with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

from pydantic import BaseModel, Field, StringConstraints

from privasis.prompts.registry import render
from privasis.sanitization.apply import apply
from privasis.sanitization.asking import branch, together
from privasis.sanitization.locate import WINDOW, Mention, Quotes, quoted
from privasis.sanitization.merge import Draft, advance
from privasis.stage import Asker
from privasis.text.chunks import split
from privasis.text.edits import resolve_overlaps
from privasis.types import Span, Target


class RelevantChunks(BaseModel):
    """The answer to sanitize.relevant: numbers of passages, from 1."""

    numbers: Annotated[list[int], Field(max_length=200)]


class Grounded(BaseModel):
    """The answer to sanitize.ground."""

    instruction: Annotated[str, StringConstraints(strip_whitespace=True, min_length=8, max_length=400)]


async def sanitize_by_model(
    draft: Draft, target: Target, asker: Asker, chunk_size: int
) -> tuple[Target, Draft]:
    """Sanitize one target, the model deciding everything; its instruction comes with it.

    Raises:
        Reject: If a question gets no valid answer.
    """
    text = draft.text
    relevant = await _relevant(text, split(text, chunk_size), target, asker)
    spans = await _spans(text, relevant, target, asker)
    if target.action == "abstract":
        passages = [text[chunk.start : chunk.end].strip() for chunk in relevant]
        grounded = await asker.ask(render("sanitize.ground", target=target, passages=passages), Grounded)
        target = replace(target, instruction=grounded.instruction)
    told = [chunk for chunk in relevant if spans[chunk]]
    askers = [branch(asker, f"{target.id}.apply.{chunk.start}") for chunk in told]
    edits = await together(
        asker,
        askers,
        (apply(text, chunk, spans[chunk], target, one) for one, chunk in zip(askers, told, strict=True)),
    )
    return target, advance(draft, resolve_overlaps(edit for made in edits for edit in made))


async def _relevant(text: str, chunks: Sequence[Span], target: Target, asker: Asker) -> list[Span]:
    groups: list[list[Span]] = []
    for chunk in chunks:
        if not groups or chunk.end - groups[-1][0].start > WINDOW:
            groups.append([])
        groups[-1].append(chunk)
    askers = [branch(asker, f"{target.id}.relevant.{number}") for number in range(len(groups))]
    questions = (
        one.ask(
            render(
                "sanitize.relevant", target=target, passages=[text[c.start : c.end].strip() for c in group]
            ),
            RelevantChunks,
        )
        for one, group in zip(askers, groups, strict=True)
    )
    answers = await together(asker, askers, questions)
    return [
        group[number - 1]
        for group, answer in zip(groups, answers, strict=True)
        for number in sorted(set(answer.numbers))
        if 1 <= number <= len(group)
    ]


async def _spans(
    text: str, chunks: Sequence[Span], target: Target, asker: Asker
) -> dict[Span, tuple[Mention, ...]]:
    askers = [branch(asker, f"{target.id}.spans.{chunk.start}") for chunk in chunks]
    questions = (
        one.ask(render("sanitize.spans", target=target, passage=text[c.start : c.end].strip()), Quotes)
        for one, c in zip(askers, chunks, strict=True)
    )
    answers = await together(asker, askers, questions)
    found: dict[Span, tuple[Mention, ...]] = {}
    for chunk, answer in zip(chunks, answers, strict=True):
        mentions = quoted(
            text[chunk.start : chunk.end], ((quote, target.attributes[0]) for quote in answer.quotes)
        )
        found[chunk] = tuple(
            replace(m, span=Span(m.span.start + chunk.start, m.span.end + chunk.start)) for m in mentions
        )
    return found
