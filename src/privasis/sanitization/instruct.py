"""Targets and keeps -> the instruction, assembled by code and as a user would say it (§3.1, item 4)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from privasis.prompts.registry import render
from privasis.sanitization.asking import answered
from privasis.sanitization.options import SanitizeOptions
from privasis.stage import Asker, Context
from privasis.text.fold import bare
from privasis.text.forms import find_forms
from privasis.text.kinds import kind_of
from privasis.text.reading import Reading, read
from privasis.text.spans import find_verbatim
from privasis.text.words import count_words
from privasis.types import Fact, Record, Span, Target

MOST_GROWTH, MOST_MORE = 2, 80  # a user's instruction has at most 2 times the base's words and 80 more
_ASKS = re.compile(  # one of these stands in every request to clean a text
    r"\b(?:drop|remov|delet|omit|leav|left|tak(?:e|ing)|strip|redact|hid|exclud|eras|cut|eliminat|clear"
    r"|get (?:\w+ ){0,3}rid|without|free of|mask|anonymi|scrub|abstract|generali|vague|blur|replac|swap"
    r"|soften|refer to|describe|mention|say|keep|kept|only as|just as|less (?:specific|precise|exact))",
    re.IGNORECASE,
)
_EDGES = " -–—:,;/|'’&."  # what is left hanging at the ends of a label when a value was taken out of it
_EMPTY = re.compile(r"\(\s*\)|\[\s*\]")


# The words of base instructions: a value that is made of them alone would be told by every one.
FRAME = (
    "Drop the information about, abstract the information about, about the, from the text. "
    "This means and. Keep as it is in the text."
)


class Instructions(NamedTuple):
    """The base instruction, made by code, and the user's: the same text where a model could not write one."""

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

    Args:
        record: Gives the language.
        targets: With their instructions.
        keeps: The retention targets.
        asker: Asked for the user's instruction.
        ctx: Gives the share of groups that are named by their label alone.

    Raises:
        Reject: If the endpoint failed.
    """
    rng = ctx.rng(asker.item, "sanitize.instruction")
    lots = [rng.random() < ctx.options.label_only_share for _ in targets]
    by_label = frozenset(
        target.id for target, lot in zip(targets, lots, strict=True) if target.grouped and lot
    )
    base = base_instruction(targets, keeps, by_label)
    request = render("sanitize.instruction", base=base, language=record.language)

    def check(text: str) -> str | None:
        return _misshapen(text, base, record.language) or complaint(text, targets, keeps, by_label)

    return Instructions(base, await answered(asker.write(request, check), base))


def _misshapen(text: str, base: str, language: str) -> str | None:
    """Return why a text cannot be an instruction at all: small models write lists, letters and chatter.

    Its likeness to the base instruction, by the packaged encoder, does not tell: chatter about the same
    things scores as high as a request in other words.
    """
    if "\n" in text.strip():
        return "It was not one paragraph."
    if count_words(text) > MOST_GROWTH * count_words(base) + MOST_MORE:
        return "It was far too long."
    if language == "English" and not _ASKS.search(text):
        return "It did not ask for anything to be done."
    return None


def fixed_drop_instruction(label: str) -> str:
    """Return the fixed instruction of a target that is dropped (§3.1, item 3, iii)."""
    return f"Drop the information about {in_words(label)} from the text."


def base_instruction(
    targets: Sequence[Target], keeps: Sequence[Fact], by_label: frozenset[str] = frozenset()
) -> str:
    """Assemble the instruction from the targets' own and the keeps.

    Args:
        targets: With their instructions.
        keeps: The retention targets.
        by_label: Ids of the groups of which only the label is named.
    """
    secrets = [fact for target in targets for fact in target.attributes]
    parts = [_told(target, target.id in by_label, secrets) for target in targets]
    if keeps:
        parts.append(f"Keep {_listed([in_words(keep.name) for keep in keeps])} as it is in the text.")
    return " ".join(parts)


def _told(target: Target, by_label: bool, secrets: Sequence[Fact]) -> str:
    said = _own_instruction(target, secrets)
    members = [] if by_label or not target.grouped else _members(target, secrets)
    return f"{said} This means {_listed(members)}." if members else said


def _own_instruction(target: Target, secrets: Sequence[Fact]) -> str:
    """Return the target's instruction as a sentence that names it; a model's need not, and may tell."""
    label, said = in_words(target.label), target.instruction.strip()
    own = target.attributes if target.action == "abstract" else ()
    reading = read(said)
    if not said or any(_places(reading, fact) for fact in secrets if fact not in own):
        said = (
            fixed_drop_instruction(label)
            if target.action == "drop"
            else f"Abstract the information about {label}."
        )
    said = said if said.endswith((".", "!", "?", "。")) else f"{said}."
    return said if names(said, label) else f"About the {label}: {said}"


def _members(target: Target, secrets: Sequence[Fact]) -> list[str]:
    """Return the members' names in words, without those that tell a value."""
    names = dict.fromkeys(in_words(fact.name) for fact in target.attributes)
    return [name for name in names if discreet(name, secrets) == name]


def in_words(name: str) -> str:
    """Return an attribute's name as words: event_date -> event date."""
    return " ".join(name.replace("_", " ").split())


def discreet(name: str, secrets: Iterable[Fact]) -> str:
    """Return a name or label in words, without what would tell one of the secrets.

    Models label groups such as "Maren Kallio's contact details", and some attributes are named after their
    value. '' is returned where nothing is left to be said.
    """
    words = in_words(name)
    reading = read(words)
    told = sorted(span for fact in secrets for span in _places(reading, fact))
    if not told:
        return words
    kept, place = [], 0
    for span in told:
        kept.append(words[place : max(place, span.start)])
        place = max(place, span.end)
    left = _EMPTY.sub(" ", " ".join([*kept, words[place:]]))
    left = " ".join(left.split()).strip(_EDGES)
    return left if any(map(str.isalnum, left)) else ""


def complaint(
    text: str, targets: Sequence[Target], keeps: Sequence[Fact], by_label: frozenset[str]
) -> str | None:
    """Return what is wrong with a user's instruction, or None.

    It must name every target (its label; a group also by all its members), name what is kept, and tell no
    value in any form: none at all of what is dropped, and of what is abstracted no more than the target's own
    instruction says.
    """
    secrets = [fact for target in targets for fact in target.attributes]
    reading = read(text)
    for target in targets:
        if not _names_target(text, target, target.id in by_label, secrets):
            return f"It did not name {in_words(target.label)}."
        said = read(target.instruction) if target.action == "abstract" else None
        for fact in target.attributes:
            if _forms(reading, fact) - (_forms(said, fact) if said else set()):
                return f"It told the value of {in_words(target.label)}: name it, do not quote it."
    missing = [in_words(keep.name) for keep in keeps if not names(text, in_words(keep.name))]
    return f"It did not say to keep {_listed(missing)}." if missing else None


def _names_target(text: str, target: Target, by_label: bool, secrets: Sequence[Fact]) -> bool:
    if names(text, in_words(target.label)):
        return True
    members = [] if by_label or not target.grouped else _members(target, secrets)
    return bool(members) and all(names(text, member) for member in members)


def names(text: str, words: str) -> bool:
    """Tell whether a text names something: its words at word borders, in any case, singular or plural."""
    other = words[:-1] if words.endswith("s") else f"{words}s"
    return bool(find_verbatim(text.replace("_", " "), words) or find_verbatim(text.replace("_", " "), other))


def _places(reading: Reading, fact: Fact) -> list[Span]:
    """Find a value in all its forms, and one made for machines ("maren_k") also as it reads in words."""
    found = [match.span for match in find_forms(reading, fact.value, kind_of(fact.name, fact.value))]
    spoken = in_words(fact.value)
    if spoken != fact.value:
        found += [match.span for match in find_verbatim(reading.folded, spoken)]
    return found


def _forms(reading: Reading, fact: Fact) -> set[str]:
    original = reading.folded.original
    return {bare(original[span.start : span.end]) for span in _places(reading, fact)}


def _listed(said: Sequence[str]) -> str:
    return said[0] if len(said) == 1 else f"{', '.join(said[:-1])} and {said[-1]}"
