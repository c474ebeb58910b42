"""From what a model said to a value, or to a reason why not.

Readers are forgiving about wrapping (think tags, code fences, prose around JSON) and strict about content.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from pydantic import BaseModel, ValidationError

T = TypeVar("T")
M = TypeVar("M", bound=BaseModel)

THINK_OPEN, THINK_CLOSE = "<think>", "</think>"
JSON_TRIES = 20  # places in a text where a JSON value is looked for
ERRORS_SHOWN = 5
_decoder = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class Said:
    """What a model said, as far as the endpoint's reply tells it."""

    text: str
    finish: str  # 'stop', 'length', 'content_filter', …
    refusal: str


@dataclass(frozen=True, slots=True)
class Reading(Generic[T]):
    """A value, or a reason word with a complaint that the model is shown."""

    value: T | None
    reason: str = ""
    complaint: str = ""


def read_object(said: Said, answer: type[M], check: Callable[[M], str | None] | None) -> Reading[M]:
    """Read a validated object."""
    try:  # nearly always so: the text is the JSON and nothing else
        value = answer.model_validate_json(said.text)
    except ValidationError:
        value = None
    if value is None:
        spoken = _spoken(said)
        if spoken.value is None:
            return Reading(None, spoken.reason, spoken.complaint)
        found = _validated(spoken.value, answer, cut_off=said.finish == "length")
        if found.value is None:
            return found
        value = found.value
    elif said.refusal or said.finish == "content_filter":
        return _unspoken(said)
    return _checked(value, check)


def read_text(said: Said, check: Callable[[str], str | None] | None) -> Reading[str]:
    """Read free text."""
    spoken = _spoken(said)
    if spoken.value is None:
        return spoken
    if said.finish == "length":
        return Reading(None, "truncated", "It was cut off before its end. Write a shorter one.")
    return _checked(spoken.value, check)


def cut_back(said: Said) -> Said:
    """End a text that was cut off at its last whole sentence or line, as if it had ended there."""
    if said.finish != "length":
        return said
    ends = [said.text.rfind(mark) for mark in (". ", ".\n", "! ", "? ", "\n", "。")]
    end = max(ends)
    return replace(said, text=said.text[: end + 1].rstrip(), finish="stop") if end > 0 else said


def _spoken(said: Said) -> Reading[str]:
    """The text without a reasoning model's thoughts, unless there is none to read."""
    if said.refusal or said.finish == "content_filter":
        return _unspoken(said)
    text = without_thoughts(said.text).strip()
    if text:
        return Reading(text)
    if said.finish == "length":
        return Reading(None, "truncated", "There was no room left for an answer. Think less.")
    return Reading(None, "empty_answer", "It was empty.")


def _unspoken(said: Said) -> Reading[T]:
    if said.refusal:
        return Reading(None, "refused", "It was a refusal. All people and events here are invented.")
    return Reading(None, "content_filter", "A content filter stopped it. Put it differently.")


def _checked(value: T, check: Callable[[T], str | None] | None) -> Reading[T]:
    complaint = check(value) if check else None
    return Reading(None, "check_failed", complaint) if complaint else Reading(value)


def without_thoughts(text: str) -> str:
    """The text after a reasoning model's thoughts; some templates leave only the closing tag in it."""
    before, tag, after = text.rpartition(THINK_CLOSE)
    if tag:
        return after
    before, tag, _ = text.partition(THINK_OPEN)
    return before if tag else text


def _validated(text: str, answer: type[M], cut_off: bool) -> Reading[M]:
    document = find_json(text)
    if document is None:
        if cut_off:
            return Reading(None, "truncated", "The JSON was cut off before its end. Keep every value short.")
        return Reading(None, "invalid_json", "It was not one complete JSON value.")
    try:
        return Reading(answer.model_validate_json(document))
    except ValidationError as error:
        return Reading(None, "wrong_shape", _what_is_wrong(error))


def find_json(text: str) -> str | None:
    """The first complete JSON object or array in a text, or None.

    A part of a broken value is never taken for the whole: the search goes on behind what was read of it.
    """
    behind = 0
    for _ in range(JSON_TRIES):
        place = min((p for p in (text.find("{", behind), text.find("[", behind)) if p >= 0), default=-1)
        if place < 0:
            return None
        try:
            _, end = _decoder.raw_decode(text, place)
        except json.JSONDecodeError as error:
            if error.msg.startswith("Unterminated string"):  # cut off: what follows is inside of it
                return None
            behind = max(place + 1, error.pos)
            continue
        except RecursionError:
            return None
        return text[place:end]
    return None


def _what_is_wrong(error: ValidationError) -> str:
    """Paths and messages without the values, in words that a model can act on."""
    lines = [
        f"{'.'.join(map(str, fault['loc'])) or 'the whole'}: {fault['msg']}"
        for fault in error.errors(include_url=False, include_context=False, include_input=False)
    ]
    return "; ".join(lines[:ERRORS_SHOWN])
