"""Targets and keeps -> the instruction, assembled by code and as a user would say it (§3.1, item 4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from privasis.errors import Reject
from privasis.prompts.registry import render
from privasis.sanitization.options import SanitizeOptions
from privasis.stage import Asker, Context
from privasis.text.leaks import contains_direct
from privasis.types import Fact, Record, Target


class Instructions(NamedTuple):
    """The base instruction, made by code, and the user's."""

    base: str
    user: str


async def write_instructions(
    record: Record,
    targets: Sequence[Target],
    keeps: Sequence[Fact],
    asker: Asker,
    ctx: Context[SanitizeOptions],
) -> Instructions:
    """Write both instructions; where the model's cannot be used, the base one stands for it.

    Raises:
        Reject: If the endpoint failed.
    """
    rng = ctx.rng(asker.item, "sanitize.instruction")
    by_label = frozenset(
        target.id for target in targets if target.grouped and rng.random() < ctx.options.label_only_share
    )
    base = base_instruction(targets, keeps, by_label)
    request = render("sanitize.instruction", base=base, language=record.language)
    try:
        user = await asker.write(request, lambda text: complaint(text, targets, keeps, by_label))
    except Reject as reject:
        if reject.reason == "endpoint_failed":
            raise
        user = base
    return Instructions(base, user)


def base_instruction(
    targets: Sequence[Target], keeps: Sequence[Fact], by_label: frozenset[str] = frozenset()
) -> str:
    """Assemble the instruction from the targets' own and the keeps.

    Args:
        targets: With their instructions.
        keeps: The retention targets.
        by_label: Ids of the groups of which only the label is named.
    """
    parts = [_told(target, target.id in by_label) for target in targets]
    if keeps:
        parts.append(f"Keep {_listed([in_words(keep.name) for keep in keeps])} as it is in the text.")
    return " ".join(parts)


def _told(target: Target, by_label: bool) -> str:
    if target.instruction:
        said = target.instruction.rstrip()
        said = said if said.endswith((".", "!", "?", "。")) else f"{said}."
    else:
        verb = "Drop" if target.action == "drop" else "Abstract"
        said = f"{verb} the information about {in_words(target.label)}."
    if not target.grouped or by_label:
        return said
    return f"{said} This means {_listed([in_words(fact.name) for fact in target.attributes])}."


def in_words(name: str) -> str:
    """Return an attribute's name as words: event_date -> event date."""
    return name.replace("_", " ").strip()


def complaint(
    text: str, targets: Sequence[Target], keeps: Sequence[Fact], by_label: frozenset[str]
) -> str | None:
    """Return what is wrong with a user's instruction, or None.

    It must name every target (its label, or for a group all its members), name what is kept, and reveal no
    value that is to go.
    """
    for target in targets:
        members = () if target.id in by_label else tuple(in_words(fact.name) for fact in target.attributes)
        named = _names(text, in_words(target.label)) or (members and all(_names(text, m) for m in members))
        if not named:
            return f"It did not name {in_words(target.label)}."
        if any(contains_direct(text, fact.value) for fact in target.attributes):
            return f"It told the value of {in_words(target.label)}: name it, do not quote it."
    missing = [in_words(keep.name) for keep in keeps if not _names(text, in_words(keep.name))]
    return f"It did not say to keep {_listed(missing)}." if missing else None


def _names(text: str, words: str) -> bool:
    return words.casefold() in " ".join(text.casefold().replace("_", " ").split())


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
