"""Ask a model to sanitize an item of the test set, in the words that it knows."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from privasis.evaluation.layouts import Layout
from privasis.llm.client import Client
from privasis.llm.messages import BadAnswer, Model
from privasis.types import Call

_CHARACTERS_A_TOKEN = 2  # fewer than any tokenizer needs for English; other scripts are denser
_ROOM = 256  # tokens beyond the length of the text: placeholders are longer than what they stand for


class Sanitized(NamedTuple):
    """What a system made of an item; ``failure`` says why there is no text."""

    text: str
    failure: str
    call: Call | None


async def sanitize(
    text: str, instruction: str, layout: Layout, client: Client, model: Model, seed: int
) -> Sanitized:
    """Ask for a sanitized text, with room for a whole one."""
    request = layout.request(text, instruction)
    most = max(request.sampling.max_tokens, len(text) // _CHARACTERS_A_TOKEN + _ROOM)
    request = replace(request, sampling=replace(request.sampling, max_tokens=most))
    try:
        said = await client.write(request, model, seed)
    except BadAnswer as bad:
        return Sanitized("", bad.reason, bad.call)
    cleaned = layout.clean(said.value)
    return Sanitized(cleaned, "" if cleaned.strip() else "empty_answer", said.call)
