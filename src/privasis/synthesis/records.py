"""Profile -> record type, background context, format -> draft (§2.1, item 1; Appendix A)."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any

from pydantic import BaseModel, Field, StringConstraints, create_model

from privasis.prompts.registry import render
from privasis.stage import Asker, Context
from privasis.synthesis.catalogue import forms
from privasis.synthesis.draws import draw, offer
from privasis.synthesis.filters import complaint_about
from privasis.synthesis.options import SynthesisOptions
from privasis.synthesis.profiles import describe_briefly, describe_profile
from privasis.types import Controls, Profile, Request

# Facts that documents are likely to hold; sex, income or blood type are told by some documents only.
TOLD = ("full_name", "phone_number", "email", "id_number", "citizenship")


class RecordTypes(BaseModel):
    """The answer to record.types: one of the candidates is drawn."""

    documents: list[str]


class Contexts(BaseModel):
    """The answer to record.contexts."""

    situations: list[str]


class Formats(BaseModel):
    """The answer to record.formats."""

    forms: list[str]


@cache
def answer_model(base: type[BaseModel], shortest: int, longest: int, count: int) -> type[BaseModel]:
    """Return the answer class of a list step, with the bounds (characters, items) in its schema."""
    (name,) = base.model_fields
    entry = StringConstraints(strip_whitespace=True, min_length=shortest, max_length=longest)
    entries: Any = Annotated[list[Annotated[str, entry]], Field(min_length=1, max_length=count)]
    fields: dict[str, Any] = {name: (entries, ...)}
    return create_model(base.__name__, __base__=base, **fields)


async def make_controls(profile: Profile, asker: Asker, ctx: Context[SynthesisOptions]) -> Controls:
    """Draw record type, background context and format, each from a list that the model proposes.

    Raises:
        Reject: If a step gives no valid answer.
    """
    options = ctx.options
    shared = {"count": options.candidates, "language": options.language}
    person = describe_briefly(profile)

    async def one_of(request: Request, base: type[BaseModel], shortest: int, longest: int) -> str:
        answer = await asker.ask(request, answer_model(base, shortest, longest, options.candidates))
        (candidates,) = answer.model_dump().values()
        return draw(candidates, request.step, asker, ctx)

    kinds = offer(forms().document_kinds, options.examples, "record.types", asker, ctx)
    request = render("record.types", profile=person, kinds=kinds, **shared)
    record_type = await one_of(request, RecordTypes, 5, 120)
    request = render("record.contexts", profile=person, record_type=record_type, **shared)
    context = await one_of(request, Contexts, 20, 400)
    layouts = offer(forms().layouts, options.examples, "record.formats", asker, ctx)
    about = {"record_type": record_type, "background_context": context, "layouts": layouts}
    return Controls(
        record_type, context, await one_of(render("record.formats", **about, **shared), Formats, 10, 300)
    )


def draw_details(profile: Profile, asker: Asker, ctx: Context[SynthesisOptions]) -> tuple[str, ...]:
    """Draw the profile's values that the document must mention: another choice for every record."""
    told = [fact.value for fact in profile.facts if fact.name in TOLD] + [
        fact.value for fact in profile.event.facts
    ]
    return offer(tuple(dict.fromkeys(told)), ctx.options.details, "record.draft", asker, ctx)


async def write_draft(
    profile: Profile,
    controls: Controls,
    details: tuple[str, ...],
    asker: Asker,
    ctx: Context[SynthesisOptions],
) -> str:
    """Write x_0 from semantic content c and format f.

    Raises:
        Reject: If no usable text comes.
    """
    request = draft_request("record.draft", profile, controls, details, ctx.options)
    return await asker.write(request, complaint_about(request.system, details, ctx.options))


def draft_request(
    step: str,
    profile: Profile,
    controls: Controls,
    details: tuple[str, ...],
    options: SynthesisOptions,
    **more: str,
) -> Request:
    """Render a prompt that asks for a whole document: a draft, or a revision of one."""
    (name,) = [fact.value for fact in profile.facts if fact.name == "full_name"]
    return render(
        step,
        profile=describe_briefly(profile) if options.brief_prompts else describe_profile(profile),
        name=name,
        details=details,
        record_type=controls.record_type,
        background_context=controls.background_context,
        format=controls.format,
        language=options.language,
        **more,
    )
