"""Prompt layouts by name: how a sanitizer wants to be asked, and what of its answer is the text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple, Protocol

from privasis.errors import ConfigError
from privasis.prompts.registry import render
from privasis.types import Request


class Layout(Protocol):
    """How a model wants to be asked, and what of its answer is the sanitized text."""

    def request(self, text: str, instruction: str) -> Request:
        """Return the prompt."""

    def clean(self, answer: str) -> str:
        """Return the sanitized text out of an answer."""


class Plain(NamedTuple):
    """The layout for a model that was not trained on one."""

    step: str = "evaluate.sanitize"

    def request(self, text: str, instruction: str) -> Request:
        """Return the prompt."""
        return render(self.step, text=text, instruction=instruction)

    def clean(self, answer: str) -> str:
        """Return the answer without thoughts, and without the fence that may be copied from the prompt."""
        said = without_thought(answer).strip()
        lines = said.splitlines()
        if len(lines) > 1 and lines[0].startswith("```") and lines[-1].strip() == "```":
            said = "\n".join(lines[1:-1])
        return undefused(said)


class Headed(NamedTuple):
    """The layout of a cleaner that was trained on blocks with headings, in one user message.

    The instruction block comes first, with a request for nothing but the text; then the text block; last the
    heading under which the answer goes on.
    """

    step: str
    blocks: tuple[str, ...]  # headings of the blocks before the answer, without their marks
    answer: str  # heading of the answer

    def request(self, text: str, instruction: str) -> Request:
        """Return the prompt."""
        return render(self.step, text=text, instruction=instruction)

    def clean(self, answer: str) -> str:
        """Return the answer without thoughts and without headings that were echoed around it.

        A heading inside the answer is a part of the text: it is only taken for an echo at the start, at the
        end, or where the answer begins by repeating the whole prompt.
        """
        said = without_thought(answer).strip()
        if any(_heading(block).match(said) for block in self.blocks):
            said = _after_first(_heading(self.answer), said)
        said = _heading(self.answer).sub("", said, count=1) if _heading(self.answer).match(said) else said
        return undefused(_trailing(self.answer).sub("", said).strip())


PLAIN: Final = "plain"
CLEANER: Final = "privasis-cleaner"

# The headings are the interface of the released nvidia/Privasis-Cleaner-4B and -0.6B
LAYOUTS: Final[Mapping[str, Layout]] = MappingProxyType(
    {
        PLAIN: Plain(),
        CLEANER: Headed(
            "evaluate.cleaner", ("Sanitization Instruction", "Text to sanitize"), "Sanitized Text"
        ),
    }
)


def layout(name: str) -> Layout:
    """Return the prompt layout of this name.

    Raises:
        ConfigError: If there is none.
    """
    if name not in LAYOUTS:
        known = ", ".join(LAYOUTS)
        raise ConfigError(f"--layout {name}: there is no such prompt layout. Known are: {known}.")
    return LAYOUTS[name]


def without_thought(answer: str) -> str:
    """Return an answer without the thoughts at its start; a think-tag further on belongs to the text."""
    return re.sub(r"\A\s*<think>.*?</think>", "", answer, count=1, flags=re.DOTALL)


def undefused(answer: str) -> str:
    """Undo what ``prompts.registry.as_data`` did to the text, where a model has copied it."""
    return answer.replace("<\u200b|", "<|").replace("|\u200b>", "|>").replace("``\u200b`", "```")


def _heading(words: str) -> re.Pattern[str]:
    return re.compile(rf"\s*\*{{0,2}}\s*{re.escape(words)}\s*:\s*\*{{0,2}}\s*", re.IGNORECASE)


def _trailing(words: str) -> re.Pattern[str]:
    # Only with its marks: a text may well end in these words
    return re.compile(rf"\n\s*\*\*\s*{re.escape(words)}\s*:\s*\*{{0,2}}\s*\Z", re.IGNORECASE)


def _after_first(heading: re.Pattern[str], said: str) -> str:
    """Return what follows the heading's own line; all of it where there is none."""
    for match in re.finditer(r"^.*$", said, re.MULTILINE):
        found = heading.match(said, match.start())
        if found:
            return said[found.end() :]
    return said
