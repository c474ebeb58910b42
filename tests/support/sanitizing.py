"""Records written out by a test, and a run of the sanitization steps against a scripted model."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

from privasis.llm.messages import ClientOptions, Model
from privasis.sanitization.options import SanitizeOptions
from privasis.sanitization.rewrite import Version, rewrite
from privasis.stage import Context, Settings, open_context
from privasis.text.spans import find_verbatim
from privasis.types import Attribute, Controls, Fact, Group, LifeEvent, Profile, Record, Seed, Target
from support.answers import Ask
from support.scripted_server import Script, ScriptedServer

NOTHING: dict[str, dict[str, Any]] = {
    "quotes": {"quotes": []},
    "replacements": {"instruction": "", "replacements": []},
}


def record_of(
    text: str, facts: dict[str, str], groups: dict[str, Sequence[str]] | None = None, **changes: Any
) -> Record:
    """A record whose attributes stand in its text."""
    attributes = tuple(
        Attribute(name, value, "text", tuple(match.core for match in find_verbatim(text, value)))
        for name, value in facts.items()
    )
    fields: dict[str, Any] = {
        "id": "r-0",
        "number": 0,
        "text": text,
        "language": "English",
        "model": "by hand",
        "seed": Seed(0, "Maren", "female", 41, "2024-03-03", "married", "middle", "0+", "Finnish"),
        "profile": Profile((), LifeEvent("e", "a stay", "Health & Wellness", ())),
        "controls": Controls("a letter", "a context", "a form"),
        "attributes": attributes,
        "groups": tuple(Group(label, tuple(names)) for label, names in (groups or {}).items()),
        "draft": "",
        "refinement": (),
        "embedding": b"",
        "fingerprint": (),
        "calls": (),
    }
    return Record(**(fields | changes))


def target(action: str, facts: dict[str, str], id: str = "t1", label: str = "") -> Target:
    """One target, of one attribute or of several."""
    members = tuple(Fact(name, value) for name, value in facts.items())
    name = label or next(iter(facts))
    return Target(id, name, len(members) > 1, members, action, 1.0, "")  # type: ignore[arg-type]


class Told:
    """A scripted model: answers by the kind of the question, and remembers what it was asked."""

    def __init__(self, **answers: Any) -> None:
        self.answers = answers
        self.asks: list[Ask] = []

    def __call__(self, ask: Ask) -> str:
        self.asks.append(ask)
        kind = kind_of_ask(ask)
        answer = self.answers.get(kind, NOTHING.get(kind, {}))
        if callable(answer):
            answer = answer(ask)
        return answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)

    def kinds(self) -> list[str]:
        """The kinds of the questions so far."""
        return [kind_of_ask(ask) for ask in self.asks]


def kind_of_ask(ask: Ask) -> str:
    """The last property that the answer is to have: quotes, replacements, passage, numbers, degrees."""
    return list(ask.schema["properties"])[-1] if ask.schema else "text"


def replacing(**phrases: str) -> Callable[[Ask], dict[str, Any]]:
    """Answers to sanitize.abstract: each listed form gets the phrase whose key stands in it."""

    def answer(ask: Ask) -> dict[str, Any]:
        forms = re.findall(r"^- (.+)$", ask.user.split("Passages:")[0], re.MULTILINE)
        given = [
            next((p for key, p in phrases.items() if key.casefold() in form.casefold()), None)
            for form in forms
        ]
        pairs = [{"find": f, "replace": p} for f, p in zip(forms, given, strict=True) if p]
        return {"instruction": "", "replacements": pairs}

    return answer


def phrases(pairs: dict[str, str]) -> dict[str, Any]:
    """The answer to sanitize.abstract that has just these pairs."""
    return {
        "instruction": "",
        "replacements": [{"find": find, "replace": phrase} for find, phrase in pairs.items()],
    }


@asynccontextmanager
async def context(
    server: ScriptedServer, options: SanitizeOptions | None = None
) -> AsyncIterator[Context[SanitizeOptions]]:
    """A context over a scripted server."""
    client = ClientOptions(concurrency=8, backoff_base_s=0.01, timeout_s=20)
    models = (Model("scripted", server.base_url),)
    settings = Settings("run", 7, options or SanitizeOptions(), models, client, None)
    async with open_context(settings) as ctx:
        yield ctx


async def sanitize(
    record: Record,
    targets: Sequence[Target],
    told: Told | None = None,
    options: SanitizeOptions | None = None,
) -> tuple[Version, ...]:
    """All versions of a record, sanitized against what a scripted model tells."""
    with ScriptedServer(Script(answer=told or Told())) as server:
        async with context(server, options) as ctx:
            return await rewrite(record, targets, ctx.asker(record.id), ctx)
