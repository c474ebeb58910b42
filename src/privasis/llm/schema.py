"""From a pydantic class to the JSON schema that an endpoint is given."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from pydantic import BaseModel
from pydantic_core import to_json

# Refused by OpenAI's strict mode at one time or another; other engines build grammars from them.
LIMITS = frozenset({
    "minLength", "maxLength", "pattern", "format", "minimum", "maximum", "exclusiveMinimum",
    "exclusiveMaximum", "multipleOf", "minItems", "maxItems", "uniqueItems",
})  # fmt: skip
NAMED_SCHEMAS = ("properties", "$defs", "patternProperties")  # keyed by a name, not by a keyword


@dataclass(frozen=True, slots=True)
class Shape:
    """One answer type, made ready once: the bytes that go into every request of it."""

    type: type[BaseModel]
    full: bytes  # `,"response_format":{…}` with all limits
    bare: bytes  # the same without LIMITS, for endpoints that refuse them
    words: str  # the schema as text, for endpoints that know no response_format


@lru_cache(maxsize=1024)
def shape_of(answer: type[BaseModel]) -> Shape:
    """The shape of an answer type, computed once.

    Args:
        answer: A pydantic model. Its root must be an object.
    """
    full = strict(answer.model_json_schema())
    return Shape(
        type=answer,
        full=_response_format(answer.__name__, full),
        bare=_response_format(answer.__name__, _without_limits(full)),
        words=to_json(full).decode(),
    )


def strict(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema under OpenAI's strict rules: closed objects, every property required."""
    kept = {key: _strict_part(key, value) for key, value in schema.items() if key not in {"title", "default"}}
    if "properties" in kept:
        kept["required"] = list(kept["properties"])
        kept["additionalProperties"] = False
    return kept


def _strict_part(key: str, value: Any) -> Any:
    if key in NAMED_SCHEMAS:
        return {name: strict(part) for name, part in value.items()}
    if isinstance(value, dict):
        return strict(value)
    if isinstance(value, list):
        return [strict(part) if isinstance(part, dict) else part for part in value]
    return value


def _without_limits(schema: Any, keyed: bool = False) -> Any:
    if isinstance(schema, list):
        return [_without_limits(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: _without_limits(value, keyed=not keyed and key in NAMED_SCHEMAS)
        for key, value in schema.items()
        if keyed or key not in LIMITS
    }


def _response_format(name: str, schema: dict[str, Any]) -> bytes:
    form = {"type": "json_schema", "json_schema": {"name": name[:64], "strict": True, "schema": schema}}
    return b',"response_format":' + to_json(form)
