"""Ask a model to sanitize an item of the test set, in the words that it knows: whole, or by chunks."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import NamedTuple

from privasis.evaluation.layouts import Layout
from privasis.llm.client import Client
from privasis.llm.messages import BadAnswer, Model
from privasis.text.chunks import split
from privasis.types import Call

_CHARACTERS_A_TOKEN = 2  # fewer than any tokenizer needs for English; other scripts are denser
_ROOM = 256  # tokens beyond the length of the text: placeholders are longer than what they stand for


class Sanitized(NamedTuple):
    """What a system made of an item; ``failure`` says why there is no text."""

    text: str
    failure: str
    calls: tuple[Call, ...] = ()


@dataclass(frozen=True, slots=True)
class Sanitizer:
    """A model with the words in which it is asked."""

    client: Client
    model: Model
    layout: Layout
    seed: int

    async def whole(self, text: str, instruction: str) -> Sanitized:
        """Ask for a sanitized text, with room for a whole one."""
        request = self.layout.request(text, instruction)
        most = max(request.sampling.max_tokens, len(text) // _CHARACTERS_A_TOKEN + _ROOM)
        request = replace(request, sampling=replace(request.sampling, max_tokens=most))
        try:
            said = await self.client.write(request, self.model, self.seed)
        except BadAnswer as bad:
            return Sanitized("", bad.reason, (bad.call,))
        cleaned = self.layout.clean(said.value)
        return Sanitized(cleaned, "" if cleaned.strip() else "empty_answer", (said.call,))

    async def by_chunks(self, text: str, instruction: str, size: int) -> Sanitized:
        """Ask chunk by chunk and put the answers together: what Figure 5 sweeps (Appendix B).

        The blanks around a chunk are kept as they are; one chunk without an answer leaves the whole without.

        Args:
            text: The whole text.
            instruction: Told with every chunk.
            size: Characters that a chunk has at most.
        """
        chunks = [text[span.start : span.end] for span in split(text, size)]
        parts = await asyncio.gather(*(self._chunk(chunk, instruction) for chunk in chunks))
        calls = tuple(call for part in parts for call in part.calls)
        failure = next((part.failure for part in parts if part.failure), "")
        return Sanitized("" if failure else "".join(part.text for part in parts), failure, calls)

    async def _chunk(self, chunk: str, instruction: str) -> Sanitized:
        core = chunk.strip()
        if not core:
            return Sanitized(chunk, "")
        made = await self.whole(core, instruction)
        head, tail = chunk.split(core, 1)
        return made if made.failure else made._replace(text=f"{head}{made.text.strip()}{tail}")
