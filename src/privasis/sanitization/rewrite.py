"""Targets in sequence, chunks of a target in parallel: the third part of Algorithm 1 (§3.1, item 3)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from privasis.llm.embeddings import Encoder
from privasis.sanitization.abstract import Subject, Wording, plain_instruction, word, word_in_degrees
from privasis.sanitization.apply import apply
from privasis.sanitization.asking import branch, together
from privasis.sanitization.baseline import sanitize_by_model
from privasis.sanitization.fit import put, take_out
from privasis.sanitization.instruct import fixed_drop_instruction
from privasis.sanitization.locate import (
    MOST_QUOTES,
    Mention,
    can_be_paraphrased,
    covered,
    find_left,
    find_mentions,
    is_phrase,
    quoted,
    shown,
    with_references,
)
from privasis.sanitization.merge import Draft, advance, begin, verify
from privasis.sanitization.options import SanitizeOptions
from privasis.sanitization.references import RELATED, nearest, tells_other
from privasis.sanitization.wording import phrase_for
from privasis.stage import Asker, Context
from privasis.text.chunks import split
from privasis.text.edits import resolve_overlaps
from privasis.types import Edit, Fact, Record, Span, Target


@dataclass(frozen=True, slots=True)
class Version:
    """One way in which a record was sanitized; several where levels were asked for (finest first)."""

    level: int  # 0: the pipeline's own choice
    targets: tuple[Target, ...]  # with their instructions, in the order of their ids
    draft: Draft


async def rewrite(
    record: Record, targets: Sequence[Target], asker: Asker, ctx: Context[SanitizeOptions]
) -> tuple[Version, ...]:
    """Sanitize every target of a record.

    Raises:
        Reject: If the edits cannot be merged, or the endpoint fails.
    """
    graded = _graded(targets, asker, ctx)
    queue = [target for target in targets if target is not graded]
    if graded is not None:
        queue.append(graded)
    work = _Work(record, tuple(targets), asker, ctx.options, ctx.encoder)
    draft = begin(record.text)
    done: list[Target] = []
    for place, target in enumerate(queue):
        pending = queue[place + 1 :]
        if target is graded:
            ends = await work.in_degrees(draft, target)
        else:
            finished, draft = await work.sanitize(draft, target, pending)
            done.append(finished)
            ends = [(0, finished, draft)]
    return tuple(
        Version(level, _in_order([*done, last]) if graded else _in_order(done), verify(work.sweep(end)))
        for level, last, end in ends
    )


def _graded(targets: Sequence[Target], asker: Asker, ctx: Context[SanitizeOptions]) -> Target | None:
    """Draw the abstract target that is sanitized in several levels, where these are asked for."""
    candidates = [target for target in targets if target.action == "abstract"]
    if ctx.options.levels < 2 or not candidates:
        return None
    return candidates[int(ctx.rng(asker.item, "sanitize.levels").integers(len(candidates)))]


def _in_order(targets: Sequence[Target]) -> tuple[Target, ...]:
    return tuple(sorted(targets, key=lambda target: (len(target.id), target.id)))


@dataclass(frozen=True, slots=True)
class _Work:
    """The same record, for every target of it."""

    record: Record
    targets: tuple[Target, ...]
    asker: Asker
    options: SanitizeOptions
    encoder: Encoder

    async def sanitize(self, draft: Draft, target: Target, pending: Sequence[Target]) -> tuple[Target, Draft]:
        """Sanitize one target; its instruction comes with it."""
        if target.action == "drop":
            target = replace(target, instruction=fixed_drop_instruction(target.label))
        if self.options.llm_only:
            return await sanitize_by_model(draft, target, self.asker, self.options.chunk_size)
        text = draft.text
        chunks = split(text, self.options.chunk_size)
        mentions = await self._mentions(text, chunks, target, pending)
        if target.action == "drop":
            edits = await self._edits(text, chunks, mentions, target, None)
            return target, advance(draft, edits)
        subject = self._subject(text, chunks, mentions, target)
        wording = await word(subject, self.asker) if mentions else plain(subject)
        mentions = with_references(mentions, await self._references(text, wording.quotes, target))
        target = replace(target, instruction=wording.instruction)
        return target, advance(draft, await self._edits(text, chunks, mentions, target, wording))

    async def in_degrees(self, draft: Draft, target: Target) -> list[tuple[int, Target, Draft]]:
        """Sanitize the last target several times, each time more coarsely."""
        text = draft.text
        chunks = split(text, self.options.chunk_size)
        mentions = await self._mentions(text, chunks, target, ())
        subject = self._subject(text, chunks, mentions, target)
        if not mentions:
            finished = replace(target, instruction=plain(subject).instruction)
            return [(0, finished, draft)]
        ends = []
        for level, wording in enumerate(
            await word_in_degrees(subject, self.options.levels, self.asker), start=1
        ):
            finished = replace(target, instruction=wording.instruction)
            edits = await self._edits(text, chunks, mentions, finished, wording)
            ends.append((level, finished, advance(draft, edits)))
        return ends

    def sweep(self, draft: Draft) -> Draft:
        """Look once more for every target, and change what still stands there.

        A later step can bring a value back together, or have left one to a target that was taken away before.
        """
        if self.options.llm_only:
            return draft
        for target in self.targets:
            left = find_mentions(draft.text, target, ())
            wording = None if target.action == "drop" else Wording("", {})
            changes = self._changes(draft.text, left, target, wording).values()
            repairs = (replace(change, step="repair") for change in changes if change is not None)
            draft = advance(draft, resolve_overlaps(repairs))
        return draft

    async def _mentions(
        self, text: str, chunks: Sequence[Span], target: Target, pending: Sequence[Target]
    ) -> tuple[Mention, ...]:
        """Find by code, then ask once for what is left.

        The chunks that hold a mention are shown only for a target that is dropped: for one that is
        abstracted, they are read with the next question anyway.
        """
        mentions = find_mentions(text, target, pending)
        if not can_be_paraphrased(target):
            return mentions
        seen = covered(chunks, mentions) if target.action == "abstract" and self.options.levels < 2 else ()
        passages = [shown(text, chunk, mentions) for place, chunk in enumerate(chunks) if place not in seen]
        passages = [passage for passage in passages if any(map(str.isalpha, passage))]
        if not passages:
            return mentions
        quotes = await find_left(passages, target, self.asker)
        return with_references(mentions, await self._references(text, quotes, target))

    async def _references(self, text: str, quotes: Sequence[str], target: Target) -> tuple[Mention, ...]:
        """Return the places of those quotes that code lets pass."""
        own = {fact.value for fact in target.attributes}
        others = [attribute.value for attribute in self.record.attributes if attribute.value not in own]
        sound = [
            quote for quote in quotes[:MOST_QUOTES] if is_phrase(quote) and not tells_other(quote, others)
        ]
        if not sound or self.record.language != "English":
            return quoted(text, [(quote, target.attributes[0]) for quote in sound])
        told = await asyncio.to_thread(nearest, sound, target, self.encoder)
        pairs = zip(sound, told, strict=True)
        return quoted(text, [(quote, fact) for quote, (score, fact) in pairs if score > RELATED])

    def _subject(
        self, text: str, chunks: Sequence[Span], mentions: tuple[Mention, ...], target: Target
    ) -> Subject:
        relevant = sorted(covered(chunks, mentions))
        passages = tuple(text[chunks[place].start : chunks[place].end].strip() for place in relevant)
        return Subject(target, mentions, passages, self._secrets(), self.record.language)

    def _secrets(self) -> tuple[Fact, ...]:
        return tuple(fact for target in self.targets for fact in target.attributes)

    async def _edits(
        self,
        text: str,
        chunks: Sequence[Span],
        mentions: Sequence[Mention],
        target: Target,
        wording: Wording | None,
    ) -> tuple[Edit, ...]:
        """Change every mention by code; a chunk in which code cannot do it cleanly is put to the model."""
        changes = self._changes(text, mentions, target, wording)
        unclean = [mention for mention, change in changes.items() if change is None]
        areas = _areas(chunks, unclean)
        by_code = [
            change
            for mention, change in changes.items()
            if change is not None and not any(_meets(mention.span, area) for area in areas)
        ]
        askers = [branch(self.asker, f"{target.id}.apply.{area.start}") for area in areas]
        rewritten = await together(
            self.asker,
            askers,
            (
                apply(text, area, [m for m in mentions if _meets(m.span, area)], target, one)
                for one, area in zip(askers, areas, strict=True)
            ),
        )
        return resolve_overlaps([*by_code, *(edit for edits in rewritten for edit in edits)])

    def _changes(
        self, text: str, mentions: Sequence[Mention], target: Target, wording: Wording | None
    ) -> dict[Mention, Edit | None]:
        """Return the edit of each mention; None where code cannot make it cleanly."""
        if wording is None:
            cuts = {mention: take_out(text, mention.span) for mention in mentions}
            return {m: cut and Edit(*cut, target.id, mention_step(m)) for m, cut in cuts.items()}
        chosen: dict[Mention, tuple[str, str]] = {}  # by what stands there, not by where
        changes: dict[Mention, Edit | None] = {}
        secrets = self._secrets()
        for mention in mentions:
            anywhere = replace(mention, span=Span(0, 0))
            if anywhere not in chosen:
                chosen[anywhere] = phrase_for(mention, wording.phrases, secrets, self.record.language)
            phrase, step = chosen[anywhere]
            change = put(text, mention.span, phrase)
            changes[mention] = change and Edit(*change, target.id, step)
        return changes


def plain(subject: Subject) -> Wording:
    """Return the wording of a target that no chunk tells any more: an earlier target took it along."""
    return Wording(plain_instruction(subject, {}), {})


def mention_step(mention: Mention) -> str:
    """Return the step word of an edit that takes a mention out."""
    return "reference" if mention.kind == "reference" else "span"


def _areas(chunks: Sequence[Span], mentions: Sequence[Mention]) -> list[Span]:
    """Return the chunks around mentions; neighbours that one mention lies across are put together."""
    areas: list[Span] = []
    for mention in mentions:
        near = [chunk for chunk in chunks if _meets(mention.span, chunk)]
        area = Span(near[0].start, near[-1].end)
        if areas and area.start < areas[-1].end:
            areas[-1] = Span(areas[-1].start, max(area.end, areas[-1].end))
        else:
            areas.append(area)
    return areas


def _meets(span: Span, other: Span) -> bool:
    return span.start < other.end and other.start < span.end
