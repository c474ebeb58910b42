"""Load a step's template, check its inputs, render it, and know its hash.

A template is a Markdown file named after its step: a TOML head (inputs, sampling) between ``+++`` lines,
then the sections ``# system`` and ``# user``. The constant part stands first, the item's own text last,
so that endpoints can cache the common prefix.
"""

from __future__ import annotations

import hashlib
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import jinja2

from privasis.errors import PrivasisError
from privasis.types import Request, Sampling


class TemplateError(PrivasisError):
    """A template that is missing, malformed, or rendered with other inputs than it names."""


@dataclass(frozen=True, slots=True)
class Template:
    """The words and the sampling of one step."""

    step: str
    inputs: frozenset[str]
    sampling: Sampling
    hash: str  # 12 hex digits of the file's SHA-256: goes into provenance and cache keys
    system: jinja2.Template
    user: jinja2.Template


def as_data(text: str) -> str:
    """Defuse what a text could use to leave its place in a prompt.

    Chat-template tokens are broken by a zero-width space and runs of three back-ticks by another one, since a
    record is data and never an instruction. For prompts only: the record itself is never changed.
    """
    return text.replace("<|", "<\u200b|").replace("|>", "|\u200b>").replace("```", "``\u200b`")


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        undefined=jinja2.StrictUndefined,
        autoescape=False,  # prompts are plain text
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
    )
    environment.filters["as_data"] = as_data
    return environment


def steps() -> tuple[str, ...]:
    """Return the names of all steps that have a template, sorted."""
    folder = files("privasis") / "prompts" / "templates"
    return tuple(sorted(entry.name[:-3] for entry in folder.iterdir() if entry.name.endswith(".md")))


@cache
def load(step: str) -> Template:
    """Load the template of a step.

    Raises:
        TemplateError: If the file is missing or malformed.
    """
    path = files("privasis") / "prompts" / "templates" / f"{step}.md"
    try:
        source = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise TemplateError(f"no template for the step {step!r}") from None
    parts = source.split("+++\n", 2)
    if len(parts) != 3 or parts[0].strip():
        raise TemplateError(f"template {step}: the TOML head between two +++ lines is missing")
    head = tomllib.loads(parts[1])
    system, separator, user = parts[2].partition("\n# user\n")
    if not separator or not system.lstrip().startswith("# system\n"):
        raise TemplateError(f"template {step}: needs the sections '# system' and '# user', in this order")
    environment = _environment()
    return Template(
        step=step,
        inputs=frozenset(head["inputs"]),
        sampling=Sampling(**head.get("sampling", {})),
        hash=hashlib.sha256(source.encode()).hexdigest()[:12],
        system=environment.from_string(system.lstrip().removeprefix("# system\n").strip()),
        user=environment.from_string(user.strip()),
    )


def render(step: str, **inputs: object) -> Request:
    """Render a step's template with exactly the inputs that it names.

    Raises:
        TemplateError: If an input is missing or unknown.
    """
    template = load(step)
    if inputs.keys() != template.inputs:
        wrong = ", ".join(sorted(inputs.keys() ^ template.inputs))
        raise TemplateError(f"template {step}: missing or unknown inputs: {wrong}")
    return Request(
        step=step,
        prompt_hash=template.hash,
        system=template.system.render(inputs),
        user=template.user.render(inputs),
        sampling=template.sampling,
    )
