"""A version becomes a triplet; triplets that leak, or that lost a keep, are kept apart with the reason."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Sequence

from privasis.sanitization.instruct import Instructions
from privasis.sanitization.markup import form_is_kept
from privasis.sanitization.rewrite import Version
from privasis.sanitization.wording import tells
from privasis.text.reading import read
from privasis.text.spans import find_verbatim
from privasis.types import Call, Fact, Record, Rejection, Triplet, TripletSet

STEP = "sanitize.select"


def make_triplet(
    record: Record,
    version: Version,
    keeps: tuple[Fact, ...],
    instructions: Instructions,
    calls: Sequence[Call],
    model: str,
) -> Triplet:
    """Put a triplet together from what was made of a record."""
    return Triplet(
        id=f"{record.id}.{version.level}",
        record_id=record.id,
        number=record.number,
        person=_person(record),
        language=record.language,
        record_type=record.controls.record_type,
        category=record.profile.event.category,
        model=model,
        text=record.text,
        sanitized=version.draft.text,
        edits=version.draft.edits,
        targets=version.targets,
        keeps=keeps,
        base_instruction=instructions.base,
        instruction=instructions.user,
        level=version.level,
        attributes=tuple(Fact(attribute.name, attribute.value) for attribute in record.attributes),
        groups=record.groups,
        calls=tuple(calls),
    )


def _person(record: Record) -> str:
    last = [fact.value for fact in record.profile.facts if fact.name == "last_name"]
    return " ".join((record.seed.first_name, *last)).strip() or record.id


def select(record: Record, triplets: Iterable[Triplet]) -> TripletSet:
    """Part the triplets that can be used from those that cannot; these come as JSON, with the reason."""
    chosen: list[Triplet] = []
    failures: list[Rejection] = []
    for triplet in triplets:
        reason = defect(triplet)
        if reason is None:
            chosen.append(triplet)
        else:
            failures.append(Rejection(STEP, reason, _as_json(triplet)))
    return TripletSet(record.id, tuple(chosen), tuple(failures))


def defect(triplet: Triplet) -> str | None:
    """Return the reason word why a triplet cannot be used: unchanged, direct_leak, keep_lost, form_broken."""
    if not triplet.edits:
        return "unchanged"
    secrets = (fact for target in triplet.targets for fact in target.attributes)
    sanitized = read(triplet.sanitized)
    if any(tells(sanitized, fact) for fact in secrets):
        return "direct_leak"
    if not all(find_verbatim(sanitized.folded, keep.value) for keep in triplet.keeps):
        return "keep_lost"
    return None if form_is_kept(triplet.text, triplet.sanitized) else "form_broken"


def _as_json(triplet: Triplet) -> str:
    return json.dumps(dataclasses.asdict(triplet), ensure_ascii=False)
