"""Seed -> profile: the person's identity and one event of their life (§2.1, item 1; Appendix A)."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, StringConstraints, create_model

from privasis.prompts.registry import render
from privasis.stage import Asker, Context
from privasis.synthesis.catalogue import LifeEventTemplate, life_events, options
from privasis.synthesis.draws import offer
from privasis.synthesis.options import SynthesisOptions
from privasis.types import Fact, LifeEvent, Profile, Seed

Short = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=48)]
# Patterns keep the values well-formed at the source: engines that decode by schema cannot leave them.
Email = Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]{2,24}@[a-z0-9-]{2,24}\.[a-z]{2,10}$")]
Phone = Annotated[str, Field(pattern=r"^\+[0-9][0-9 -]{6,16}[0-9]$")]
Url = Annotated[str, Field(pattern=r"^https://[a-z0-9.-]{3,30}\.[a-z]{2,10}(/[A-Za-z0-9._-]{1,24})?$")]
Handle = Annotated[str, Field(pattern=r"^@?[A-Za-z0-9._-]{3,24}$")]
Number = Annotated[str, Field(pattern=r"^[A-Z0-9][A-Z0-9 -]{4,18}[A-Z0-9]$")]


class Basics(BaseModel):
    """The answer to profile.basics; ethnicity is one of those offered, and sets the tone of the rest."""

    ethnicity: str
    last_name: Short
    citizenship: Short
    id_type: Short
    id_number: Number
    passport_number: Number
    phone_number: Phone
    email: Email
    user_handle: Handle
    url: Url


class EventChoice(BaseModel):
    """The answer to profile.event: a number of the prompt's list."""

    event: int


def _basics_model(ethnicities: tuple[str, ...]) -> type[Basics]:
    offered: Any = Literal[ethnicities]
    return create_model("Basics", __base__=Basics, ethnicity=(offered, ...))


@cache
def _choice_model(count: int) -> type[EventChoice]:
    return create_model(
        "EventChoice", __base__=EventChoice, event=(Annotated[int, Field(ge=1, le=count)], ...)
    )


@cache
def _details_model(attributes: tuple[str, ...]) -> type[BaseModel]:
    value = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=80)]
    fields: dict[str, tuple[object, object]] = {name: (value, ...) for name in attributes}
    return create_model("Details", **fields)  # type: ignore[call-overload, no-any-return]


async def make_profile(seed: Seed, asker: Asker, ctx: Context[SynthesisOptions]) -> Profile:
    """Fill the person around a seed, and the details of a life event that the model chooses.

    Sex is the seed's: code draws it from the name's own counts (docs/decisions/constants.md).

    Raises:
        Reject: If a step gives no valid answer.
    """
    language = ctx.options.language
    ethnicities = offer(options().ethnicities, ctx.options.ethnicity_options, "profile.basics", asker, ctx)
    request = render("profile.basics", seed=seed, ethnicities=ethnicities, language=language)
    basics = await asker.ask(request, _basics_model(ethnicities))
    facts = _identity(seed, basics)
    person = describe(facts)
    template = await _choose_event(person, asker, ctx)
    request = render("profile.event_details", person=person, event=template, language=language)
    details = await asker.ask(request, _details_model(template.attributes))
    event_facts = tuple(Fact(name, getattr(details, name)) for name in template.attributes)
    return Profile(facts, LifeEvent(template.id, template.name, template.category, event_facts))


async def _choose_event(person: str, asker: Asker, ctx: Context[SynthesisOptions]) -> LifeEventTemplate:
    offered = offer(life_events(), ctx.options.event_options, "profile.event", asker, ctx)
    request = render("profile.event", person=person, events=offered)
    answer = await asker.ask(request, _choice_model(len(offered)))
    return offered[answer.event - 1]


def _identity(seed: Seed, basics: Basics) -> tuple[Fact, ...]:
    pairs = {
        "first_name": seed.first_name,
        "last_name": basics.last_name,
        "full_name": f"{seed.first_name} {basics.last_name}",
        "sex": seed.sex,
        "age": str(seed.age),
        "date": seed.date,
        "ethnicity": basics.ethnicity,
        "citizenship": basics.citizenship,
        "native_language": seed.native_language,
        "marital_status": seed.marital_status,
        "income_class": seed.income_class,
        "blood_type": seed.blood_type,
        "id_type": basics.id_type,
        "id_number": basics.id_number,
        "passport_number": basics.passport_number,
        "phone_number": basics.phone_number,
        "email": basics.email,
        "user_handle": basics.user_handle,
        "url": basics.url,
    }
    return tuple(Fact(name, value) for name, value in pairs.items())


def describe(facts: tuple[Fact, ...]) -> str:
    """Return facts as lines for a prompt."""
    return "\n".join(f"{fact.name}: {fact.value}" for fact in facts)


def describe_profile(profile: Profile) -> str:
    """Return a whole profile as lines for a prompt."""
    return f"{describe(profile.facts)}\n\nLife event: {profile.event.name}\n{describe(profile.event.facts)}"


BRIEF = ("full_name", "sex", "age", "citizenship", "marital_status")


def describe_briefly(profile: Profile) -> str:
    """Return who a person is and what happens to them, without the numbers that distract a small model."""
    person = tuple(fact for fact in profile.facts if fact.name in BRIEF)
    return f"{describe(person)}\n\nLife event: {profile.event.name}\n{describe(profile.event.facts)}"
