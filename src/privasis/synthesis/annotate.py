"""Final text -> attributes with spans -> groups (§2.1, item 3).

Code decides what stands in the text: the profile's facts are searched there, and what a model claims to
have read counts only where it is found, letter by letter.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Annotated, Any

from pydantic import BaseModel, Field, StringConstraints, create_model

from privasis.errors import Reject
from privasis.prompts.registry import render
from privasis.stage import Asker, Context
from privasis.synthesis.options import SynthesisOptions
from privasis.text.spans import find_verbatim
from privasis.types import Attribute, AttributeSource, Group, Profile


class FoundAttribute(BaseModel):
    """One pair of the answer to annotate.attributes."""

    name: Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{1,40}$")]
    value: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]


class FoundAttributes(BaseModel):
    """The answer to annotate.attributes."""

    attributes: list[FoundAttribute]


@cache
def _attributes_model(most: int) -> type[FoundAttributes]:
    found: Any = Annotated[list[FoundAttribute], Field(max_length=most)]
    return create_model("FoundAttributes", __base__=FoundAttributes, attributes=(found, ...))


class FoundGroup(BaseModel):
    """One group of the answer to annotate.groups; members are the numbers of the prompt's list."""

    label: Annotated[str, StringConstraints(strip_whitespace=True, min_length=3, max_length=80)]
    members: list[int]


class FoundGroups(BaseModel):
    """The answer to annotate.groups."""

    groups: list[FoundGroup]


@cache
def _groups_model(attributes: int, least: int, most: int) -> type[FoundGroups]:
    members = Annotated[list[Annotated[int, Field(ge=1, le=attributes)]], Field(min_length=1)]
    found: Any = create_model("FoundGroup", __base__=FoundGroup, members=(members, ...))
    groups: Any = Annotated[list[found], Field(min_length=least, max_length=most)]
    return create_model("FoundGroups", __base__=FoundGroups, groups=(groups, ...))


async def annotate(
    text: str, profile: Profile, asker: Asker, ctx: Context[SynthesisOptions]
) -> tuple[Attribute, ...]:
    """Return the attributes of a text: those of the profile that stand in it, and what the model finds.

    Raises:
        Reject: If the model gives no valid answer, or too little stands in the text.
    """
    facts = ((fact.name, fact.value) for fact in profile.facts + profile.event.facts)
    known = locate(text, facts, "profile")
    request = render("annotate.attributes", text=text, known=[attribute.name for attribute in known])
    answer = await asker.ask(request, _attributes_model(ctx.options.max_attributes))
    found = locate(text, ((pair.name, pair.value) for pair in answer.attributes), "text")
    attributes = distinct((*known, *found))
    if len(attributes) < ctx.options.min_attributes:
        raise Reject("annotate.attributes", "too_few_attributes", text)
    return attributes


def locate(text: str, pairs: Iterable[tuple[str, str]], source: AttributeSource) -> tuple[Attribute, ...]:
    """Keep the pairs whose value stands in the text, with every occurrence."""
    located = (_locate(text, name, value, source) for name, value in pairs)
    return tuple(attribute for attribute in located if attribute is not None)


def _locate(text: str, name: str, value: str, source: AttributeSource) -> Attribute | None:
    if sum(character.isalnum() for character in value) < 2:
        return None  # a comma or a single letter stands everywhere and says nothing
    if source == "profile" and re.fullmatch(r"\d{1,2}", value):
        return None  # an age of 34 and the house number 34 look alike: left to the model's reading
    matches = find_verbatim(text, value)
    if not matches:
        return None
    exact = tuple(match.core for match in matches if text[match.core.start : match.core.end] == value)
    if exact:
        return Attribute(name, value, source, exact)
    # The text writes the value in its own way (capitals, line breaks): that form is the attribute's value.
    first = matches[0].core
    form = text[first.start : first.end]
    same = tuple(match.core for match in matches if text[match.core.start : match.core.end] == form)
    return Attribute(name, form, source, same)


def distinct(attributes: tuple[Attribute, ...]) -> tuple[Attribute, ...]:
    """Drop repeated values, and number the names that come again with another value."""
    values: set[str] = set()
    names: dict[str, int] = {}
    kept: list[Attribute] = []
    for attribute in attributes:
        if attribute.value in values:
            continue
        values.add(attribute.value)
        count = names[attribute.name] = names.get(attribute.name, 0) + 1
        name = attribute.name if count == 1 else f"{attribute.name}_{count}"
        kept.append(Attribute(name, attribute.value, attribute.source, attribute.spans))
    return tuple(kept)


async def group(
    attributes: tuple[Attribute, ...], asker: Asker, ctx: Context[SynthesisOptions]
) -> tuple[Group, ...]:
    """Sort attributes into labelled clusters; overlap is allowed.

    Raises:
        Reject: If the model gives no valid answer.
    """
    answer_model = _groups_model(len(attributes), ctx.options.min_groups, ctx.options.max_groups)
    answer = await asker.ask(render("annotate.groups", attributes=attributes), answer_model)
    names = [attribute.name for attribute in attributes]
    return tuple(
        Group(found.label, tuple(dict.fromkeys(names[number - 1] for number in found.members)))
        for found in answer.groups
    )
