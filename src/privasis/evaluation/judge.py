"""The questions that only an evaluator can answer: a guess, which guess is closer, is it still there (§4.2).

Every answer is typed, and what can be told without asking is not asked. An answer that cannot be had is a
result of its own: the caller gets the reason and leaves the attribute unscored.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Literal, TypeVar

import numpy as np
from pydantic import BaseModel, StringConstraints

from privasis.errors import Reject
from privasis.llm.client import Client
from privasis.llm.messages import BadAnswer, Model
from privasis.prompts.registry import render
from privasis.types import Call, Request

M = TypeVar("M", bound=BaseModel)


class Guess(BaseModel):
    """The answer to evaluate.guess; its length is bounded by the step's tokens, since lists can be long."""

    guess: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class Closer(BaseModel):
    """The answer to evaluate.closer."""

    closer: Literal["A", "B", "same"]


class Present(BaseModel):
    """The answer to evaluate.present."""

    present: Literal["yes", "no"]


@dataclass(slots=True)
class Judge:
    """An evaluator, bound to one question about one item; keeps the calls that it took.

    A seed depends on the item and on what is asked, not on what was asked before: so the guess from the
    original text is the same request whichever system is judged, and the response cache answers it.
    """

    client: Client
    model: Model
    rng: Callable[[str], np.random.Generator]  # of one step of the item
    calls: list[Call] = field(default_factory=list)

    async def guess(self, text: str, name: str, whose: Literal["sanitized", "original"]) -> str:
        """Guess an attribute from a text.

        Raises:
            Reject: If no valid answer comes.
        """
        request = render("evaluate.guess", text=text, name=spoken(name))
        return (await self._ask(request, Guess, f"evaluate.guess/{whose}/{name}")).guess

    async def is_as_close(self, name: str, value: str, guess: str, original_guess: str) -> bool:
        """Tell whether a guess is as close to the true value as the guess from the original, or closer.

        The two are shown in random order. Equal guesses are equally close: nobody is asked.

        Raises:
            Reject: If no valid answer comes.
        """
        if trimmed(guess) == trimmed(original_guess):
            return True
        purpose = f"evaluate.closer/{name}/{guess}"
        guess_first = bool(self.rng(purpose).integers(2))
        first, second = (guess, original_guess) if guess_first else (original_guess, guess)
        request = render("evaluate.closer", name=spoken(name), value=value, first=first, second=second)
        closer = (await self._ask(request, Closer, purpose)).closer
        return closer == "same" or (closer == "A") == guess_first

    async def is_present(self, text: str, name: str, value: str, guess: str) -> bool:
        """Tell whether a text still holds a value, in whatever words.

        Raises:
            Reject: If no valid answer comes.
        """
        request = render("evaluate.present", text=text, name=spoken(name), value=value, guess=guess)
        return (await self._ask(request, Present, f"evaluate.present/{name}")).present == "yes"

    async def _ask(self, request: Request, answer: type[M], purpose: str) -> M:
        seed = int(self.rng(f"{purpose}/seed").integers(1 << 31))
        try:
            said = await self.client.ask(request, answer, self.model, seed)
        except BadAnswer as bad:
            self.calls.append(bad.call)
            raise
        self.calls.append(said.call)
        return said.value


def reason_of(reject: Reject) -> str:
    """Return why an evaluator's answer could not be used, as a word that is counted."""
    return f"{reject.step}: {reject.reason}"


def spoken(name: str) -> str:
    """Return an attribute's name as a person would write it: ``date_of_birth`` is ``date of birth``."""
    return " ".join(name.replace("_", " ").split())


_AROUND = " \t\r\n\"'`“”‘’«»„."
_SEPARATORS = re.compile(r"[;\n,]")


def trimmed(text: str) -> str:
    """Return a text in lower case, without blanks, quotation marks and full stops around it."""
    return " ".join(text.casefold().split()).strip(_AROUND)


def hits_any(guess: str, values: tuple[str, ...]) -> bool:
    """Tell whether a guess is one of the values: the leak of a list is the leak of any item (§4.2)."""
    said = _said(guess, values)
    return any(trimmed(value) in said for value in values)


def hits_all(guess: str, values: tuple[str, ...]) -> bool:
    """Tell whether a guess names every value: a list is retained only whole (Appendix D)."""
    said = _said(guess, values)
    return all(trimmed(value) in said for value in values)


def _said(guess: str, values: tuple[str, ...]) -> set[str]:
    """What a guess says: itself, and where several values are looked for, each of its parts."""
    said = {trimmed(guess)}
    if len(values) > 1:
        said |= {trimmed(part) for part in guess.split(";")}
        said |= {trimmed(part) for part in _SEPARATORS.split(guess)}
    return said - {""}
