"""Clean a request: every string of it, JSON inside strings too, with one set of placeholders."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from privasis.cleaner.results import Wish
from privasis.serve.gateway_parts import OPAQUE, Endpoint, Refused, check_parts
from privasis.serve.placeholders import Hidden, NotHidden, hide, says_any

# What must be said as it is: a value in it is refused. Words of the interface itself are no values.
_FIXED_TABLE: Final = """
model role type name id call_id tool_call_id item_id status object tool_choice service_tier reasoning_effort
effort verbosity truncation detail syntax include prompt_cache_retention modalities
"""
_FIXED: Final = frozenset(_FIXED_TABLE.split())
# Below these, keys are the user's own, and nothing is fixed.
_FREE_TABLE: Final = "metadata parameters schema input_schema user_location filters variables"
_FREE: Final = frozenset(_FREE_TABLE.split())
_WORDS_TABLE: Final = """
messages content text input instructions output arguments tools tool_calls function functions function_call
description parameters properties required strict response_format json_schema schema format stream
stream_options include_usage temperature top_p max_tokens max_completion_tokens max_output_tokens stop seed
user metadata items enum additionalProperties title default refusal summary reasoning custom
grammar definition prediction parallel_tool_calls store n logit_bias
presence_penalty frequency_penalty
safety_identifier prompt_cache_key annotations allowed_tools mode tool background
max_tool_calls action query web_search_options search_context_size include_obfuscation generate_summary
"""
_WORDS: Final = frozenset(_WORDS_TABLE.split()) | _FIXED | _FREE
_DATA_URL: Final = re.compile(r"data:[^,\s]{0,200};base64,", re.IGNORECASE)
_JSON_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*+"|-?\d[\d.eE+\-]*+')
_DEEPEST: Final = 8  # JSON strings inside JSON strings


class CleanRequest(NamedTuple):
    """A request as the upstream gets it, and the user's value of each placeholder in it."""

    body: dict[str, Any]
    values: dict[str, str]


@dataclass(slots=True)
class _Leaves:
    """The texts of a request by the way in which they may be changed."""

    free: list[str] = field(default_factory=list)
    fixed: list[tuple[str, str]] = field(default_factory=list)  # field and text

    def take(self, text: str) -> str:
        """Note a text that may be changed; it is returned as it is."""
        self.free.append(text)
        return text


def read_body(data: bytes) -> dict[str, Any]:
    """Read a request's body.

    Raises:
        Refused: It is no JSON object in UTF-8.
    """
    try:
        body = json.loads(data.decode("utf-8"), parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise Refused("body", "it is no JSON in UTF-8, so it is not passed on.") from None
    if not isinstance(body, dict):
        raise Refused("body", "a JSON object is expected.")
    return body


def _no_number(name: str) -> float:
    raise ValueError(name)


def clean_request(body: Mapping[str, Any], endpoint: Endpoint, wishes: Sequence[Wish]) -> CleanRequest:
    """Clean a request by a policy.

    Args:
        body: The request.
        endpoint: Which one it is for.
        wishes: The policy.

    Raises:
        Refused: A part cannot be read, or a value stands where it cannot be replaced.
    """
    check_parts(body, endpoint)
    leaves = _Leaves()
    try:
        _walk(body, leaves, "", False)
        hidden = hide(leaves.free, wishes)
    except RecursionError:
        raise Refused("body", "it is nested too deeply.") from None
    except NotHidden as error:
        raise Refused("body", error.reason) from None
    for where, text in dict.fromkeys(leaves.fixed):
        if says_any(text, hidden.seeds):
            raise Refused(where, "a value that is to go stands where it cannot be replaced. Rename it.")
    cleaned = _rebuilt(body, hidden, "", False)
    return CleanRequest(cleaned, hidden.values)


def says_target(texts: Iterable[str], wishes: Sequence[Wish]) -> bool:
    """Tell whether texts say a value that the policy writes out, such as in a header."""
    written = [wish for wish in wishes if wish.action != "keep" and wish.values]
    seeds = hide(["", *(value for wish in written for value in wish.values)], written).seeds
    return any(says_any(text, seeds) for text in texts)


def _walk(value: Any, leaves: _Leaves, where: str, free: bool) -> None:
    """Collect all texts; where a field is fixed, with its name."""
    key = where.rpartition(".")[2]
    if isinstance(value, dict):
        for name, below in value.items():
            if name in OPAQUE and not free and below is not None:
                raise Refused(f"{where}.{name}".lstrip("."), "it cannot be read, so it is not passed on.")
            if free or name not in _WORDS:
                leaves.free.append(name)
            shown = name if name in _WORDS or name in OPAQUE else "*"
            _walk(below, leaves, f"{where}.{shown}".lstrip("."), free or name in _FREE)
    elif isinstance(value, list):
        for below in value:
            _walk(below, leaves, where, free)
    elif isinstance(value, str):
        if _DATA_URL.search(value):
            raise Refused(where, "encoded data cannot be read, so it is not passed on.")
        if key in _FIXED and not free:
            if value not in _WORDS:
                leaves.fixed.append((where, value))
        else:
            _on_text(value, leaves.take, 0)
    elif value is not None and not isinstance(value, bool):
        leaves.fixed.append((where, json.dumps(value)))


def _rebuilt(value: Any, hidden: Hidden, key: str, free: bool) -> Any:
    if isinstance(value, dict):
        return {
            (hidden.texts[name] if free or name not in _WORDS else name): _rebuilt(
                below, hidden, name, free or name in _FREE
            )
            for name, below in value.items()
        }
    if isinstance(value, list):
        return [_rebuilt(below, hidden, key, free) for below in value]
    if isinstance(value, str) and (free or key not in _FIXED):
        return _on_text(value, lambda text: hidden.texts[text], 0)
    return value


def _on_text(text: str, change: Callable[[str], str], depth: int) -> str:
    """Change a text; of JSON each string and number by itself, all between them left as it is."""
    if depth >= _DEEPEST or text.lstrip()[:1] not in {"{", "[", '"'} or not _is_json(text):
        return change(text)

    def changed(token: re.Match[str]) -> str:
        if token[0][0] != '"':
            new = change(token[0])
            return token[0] if new == token[0] else json.dumps(new, ensure_ascii=False)
        old = json.loads(token[0], strict=False)
        new = _on_text(old, change, depth + 1)
        return token[0] if new == old else json.dumps(new, ensure_ascii=False)

    return _JSON_TOKEN.sub(changed, text)


def _is_json(text: str) -> bool:
    try:
        json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return False
    return True
