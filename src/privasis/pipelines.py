"""The main path: read this file first. One function a product, each a chain of steps.

seeds -> profile -> controls -> draft -> refine -> annotate -> filter   = record     (§2.1)
record -> targets -> spans -> abstract or drop -> merge -> keeps -> instruction -> select = triplets (§3.1)
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

from privasis.errors import PrivasisError, Reject
from privasis.sanitization.instruct import write_instructions
from privasis.sanitization.keeps import draw_keeps
from privasis.sanitization.merge import touched
from privasis.sanitization.options import SanitizeOptions
from privasis.sanitization.rewrite import rewrite
from privasis.sanitization.select import make_triplet, select
from privasis.sanitization.targets import draw_targets
from privasis.stage import Asker, Context, Stage
from privasis.synthesis.annotate import annotate, group
from privasis.synthesis.filters import check_person, check_text
from privasis.synthesis.options import SynthesisOptions
from privasis.synthesis.profiles import make_profile
from privasis.synthesis.records import draw_details, make_controls, write_draft
from privasis.synthesis.refine import refine
from privasis.synthesis.seeds import draw_seed
from privasis.text.fingerprint import fingerprint
from privasis.types import Outcome, Record, Rejection, TripletSet

T = TypeVar("T")


logger = logging.getLogger(__name__)


async def make_record(number: int, ctx: Context[SynthesisOptions]) -> Outcome[Record]:
    """Synthesise candidate ``number``: a record, or the reason why there is none."""
    asker = ctx.asker(str(number))
    id = f"{ctx.run}-{number:07d}"
    return await _settle(id, number, asker, lambda: _record(id, number, asker, ctx))


async def _record(id: str, number: int, asker: Asker, ctx: Context[SynthesisOptions]) -> Record:
    seed = draw_seed(number, ctx.rng(asker.item, "seed"), ctx.options.seeds)
    check_person(seed, ctx.options)
    profile = await make_profile(seed, asker, ctx)
    controls = await make_controls(profile, asker, ctx)
    details = draw_details(profile, asker, ctx)
    draft = await write_draft(profile, controls, details, asker, ctx)
    refined = await refine(draft, profile, controls, details, asker, ctx)
    check_text(refined.text, ctx.options)
    attributes = await annotate(refined.text, profile, asker, ctx)
    groups = await group(attributes, asker, ctx)
    return Record(
        id=id,
        number=number,
        text=refined.text,
        language=ctx.options.language,
        model=asker.model.name,
        seed=seed,
        profile=profile,
        controls=controls,
        attributes=attributes,
        groups=groups,
        draft=draft,
        refinement=refined.steps,
        embedding=refined.embedding.astype("<f2").tobytes(),
        fingerprint=fingerprint(refined.text),
        calls=tuple(asker.calls),
    )


async def make_triplets(record: Record, ctx: Context[SanitizeOptions]) -> Outcome[TripletSet]:
    """Sanitize a record: triplets of (record, instruction, sanitized record), or why there are none."""
    asker = ctx.asker(record.id)
    return await _settle(record.id, record.number, asker, lambda: _triplets(record, asker, ctx))


async def _triplets(record: Record, asker: Asker, ctx: Context[SanitizeOptions]) -> TripletSet:
    targets = await draw_targets(record, asker, ctx)
    triplets = []
    for version in await rewrite(record, targets, asker, ctx):
        keeps = draw_keeps(record, version.targets, touched(version.draft), ctx, asker.item)
        instructions = await write_instructions(record, version.targets, keeps, asker, ctx)
        triplets.append(make_triplet(record, version, keeps, instructions, asker.calls, asker.model.name))
    return select(record, triplets)


async def _settle(id: str, number: int, asker: Asker, make: Callable[[], Awaitable[T]]) -> Outcome[T]:
    try:
        result = await make()
    except Reject as reject:
        rejection = Rejection(reject.step, reject.reason, reject.detail)
        return Outcome(id, number, None, rejection, tuple(asker.calls))
    except PrivasisError:
        raise
    except Exception as error:
        # One item's defect must not end a run of a million; its kind is counted, its text stays out of logs.
        logger.warning("%s: unforeseen %s", id, type(error).__name__)
        return Outcome(id, number, None, Rejection("internal", type(error).__name__, ""), tuple(asker.calls))
    return Outcome(id, number, result, None, tuple(asker.calls))


RECORDS: Stage[int, Record, SynthesisOptions] = Stage("records", make_record)
TRIPLETS: Stage[Record, TripletSet, SanitizeOptions] = Stage("triplets", make_triplets)
