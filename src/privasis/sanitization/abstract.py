"""Abstraction (§3.1, item 3, iii): one answer gives the instruction and a phrase for every form."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any

from pydantic import BaseModel, Field, StringConstraints, create_model

from privasis.prompts.registry import render
from privasis.sanitization.asking import answered
from privasis.sanitization.locate import WINDOW, Mention, key_of
from privasis.sanitization.wording import generic, tells, unusable
from privasis.stage import Asker
from privasis.types import Fact, Target

MOST_FORMS = 24
_WORD = re.compile(r"[^\W_]{3,}")
_WORDS = re.compile(r"\w+")

Sentence = Annotated[str, StringConstraints(strip_whitespace=True, max_length=300)]


class Replacement(BaseModel):
    """What to write for one form."""

    find: Annotated[str, StringConstraints(strip_whitespace=True, max_length=200)]
    replace: Annotated[str, StringConstraints(strip_whitespace=True, max_length=160)]


class Abstraction(BaseModel):
    """The answer to sanitize.abstract."""

    instruction: Sentence
    replacements: Annotated[list[Replacement], Field(max_length=32)]


class Degrees(BaseModel):
    """The answer to sanitize.levels: finest first."""

    degrees: list[Abstraction]


@cache
def _degrees_model(levels: int) -> type[Degrees]:
    degrees: Any = Annotated[list[Abstraction], Field(min_length=levels, max_length=levels)]
    return create_model("Degrees", __base__=Degrees, degrees=(degrees, ...))


@dataclass(frozen=True, slots=True)
class Wording:
    """How one target is abstracted: the instruction, and usable phrases by case-folded form."""

    instruction: str
    phrases: dict[str, str]
    quotes: tuple[str, ...] = ()  # other words that tell the target, as the model claims


@dataclass(frozen=True, slots=True)
class Subject:
    """What an abstraction is asked about."""

    target: Target
    mentions: tuple[Mention, ...]
    passages: tuple[str, ...]  # all relevant chunks, put together by the prompt (§3.1, item 3, iii)
    secrets: tuple[Fact, ...]  # of all targets: no phrase may tell one of them
    language: str


async def word(subject: Subject, asker: Asker) -> Wording:
    """Ask for the wording of an abstract target. A model that fails leaves a plain wording made by code.

    Raises:
        Reject: If the endpoint fails.
    """
    question = asker.ask(_question("sanitize.abstract", subject), Abstraction)
    answer = await answered(question, Abstraction(instruction="", replacements=[]))
    return _wording(answer, subject)


async def word_in_degrees(subject: Subject, levels: int, asker: Asker) -> tuple[Wording, ...]:
    """Ask for increasingly coarse wordings, finest first; those that differ from the ones before remain.

    Raises:
        Reject: If the endpoint fails.
    """
    question = asker.ask(_question("sanitize.levels", subject, levels=levels), _degrees_model(levels))
    nothing = Degrees(degrees=[Abstraction(instruction="", replacements=[])])
    wordings = [_wording(answer, subject) for answer in (await answered(question, nothing)).degrees]
    wordings.sort(key=lambda wording: -_given_away(wording, subject))
    distinct = {tuple(sorted(wording.phrases.items())): wording for wording in reversed(wordings)}
    return tuple(reversed(distinct.values()))


def _given_away(wording: Wording, subject: Subject) -> int:
    """Count the words of the originals that the phrases hold: coarser ones hold no more than finer ones."""
    originals = {word for mention in subject.mentions for word in _WORDS.findall(mention.form.casefold())}
    return len(originals.intersection(_WORDS.findall(" ".join(wording.phrases.values()).casefold())))


def _question(step: str, subject: Subject, **more: int) -> Any:
    forms = list({key_of(mention.form): mention.form for mention in subject.mentions}.values())
    return render(
        step, target=subject.target, forms=forms[:MOST_FORMS], passages=_fitting(subject.passages), **more
    )


def _fitting(passages: Iterable[str]) -> list[str]:
    """Return the first passages that fit into one question; the others get the same phrases all the same."""
    fitting: list[str] = []
    room = WINDOW
    for passage in passages:
        if fitting and len(passage) > room:
            break
        fitting.append(passage)
        room -= len(passage)
    return fitting


def _wording(answer: Abstraction, subject: Subject) -> Wording:
    known = {key_of(mention.form): mention for mention in subject.mentions}
    phrases: dict[str, str] = {}
    quotes: list[str] = []
    passages = "\n".join(subject.passages)
    for pair in answer.replacements:
        key = key_of(pair.find)
        if key not in known:
            if pair.find not in passages:
                continue  # small models give the example of the prompt back
            quotes.append(pair.find)
        if not unusable(pair.replace, pair.find, subject.secrets):
            phrases.setdefault(key, pair.replace)
    phrases = _shared(phrases, known)
    return Wording(_instruction(answer.instruction, phrases, subject), phrases, tuple(quotes))


def _shared(phrases: dict[str, str], known: dict[str, Mention]) -> dict[str, str]:
    """Let the forms of one value share the phrase that was given for another of its forms."""
    shared = dict(phrases)
    of_fact: dict[Fact, str] = {}
    for key, mention in known.items():
        if key in phrases and mention.kind == "value":
            of_fact.setdefault(mention.fact, phrases[key])
    for key, mention in known.items():
        if mention.kind == "value" and mention.fact in of_fact:
            shared.setdefault(key, of_fact[mention.fact])
    return shared


def _instruction(sentence: str, phrases: dict[str, str], subject: Subject) -> str:
    """Return the model's instruction if it speaks of the target and tells no value, else one made by code."""
    one_line = " ".join(sentence.split())
    names = [subject.target.label, *(fact.name for fact in subject.target.attributes), *phrases.values()]
    words = {word for name in names for word in _WORD.findall(name.casefold())}
    said = words.intersection(_WORD.findall(one_line.casefold()))
    secret = any(tells(one_line, fact) for fact in subject.secrets)
    return one_line if said and not secret and len(one_line) >= 12 else plain_instruction(subject, phrases)


def plain_instruction(subject: Subject, phrases: dict[str, str]) -> str:
    """Return an abstraction instruction made by code from the phrases that are used."""
    label = subject.target.label.replace("_", " ")
    used = list(dict.fromkeys(phrases.values()))[:3] or [
        generic(fact, "value", fact.value, subject.language) for fact in subject.target.attributes[:1]
    ]
    return f"Abstract the information about {label}, for example as {_listed(used)}."


def _listed(phrases: Sequence[str]) -> str:
    return " or ".join(f"“{phrase}”" for phrase in phrases)
