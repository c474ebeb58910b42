"""Whatever field carries a value and however it is spelled: it never leaves, and all comes back."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import openai
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.gateway import Upstream, completion, gateway

POLICY = """
[[target]]
values = ["Maren Virtanen", "Virtanen Holding", "maren@virtanen.no", "4111 1111 1111 1111"]
[[target]]
values = ["Zoë \\"Z\\" Kühn"]
[[target]]
what = "phone numbers"
"""
VALUES = (
    "Maren Virtanen",
    "Virtanen Holding",
    "Maren Virtanen Holding",
    "maren@virtanen.no",
    "4111 1111 1111 1111",
    "4111111111111111",
    'Zoë "Z" Kühn',
    "+47 912 34 567",
)
SECRETS = ("maren", "virtanen", "4111 1111", "41111111", "kühn", "912 34 567", "91234567")
FILLERS = (
    "It rains. ",
    "Please write to ",
    " and ",
    "\n- ",
    " [PERSON_1] ",
    "<b>note</b> ",
    "C:\\",
    " {",
    "é ",
    "",
)


def wide(value: str) -> str:
    return "".join(chr(ord(c) + 0xFEE0) if c.isascii() and c.isalnum() else c for c in value)


def zero_width(value: str) -> str:
    return "\u200b".join(value)


SPELLINGS = (str, str, str.upper, wide, zero_width, lambda value: value.replace(" ", "\n", 1))
spelled = st.builds(lambda value, how: how(value), st.sampled_from(VALUES), st.sampled_from(SPELLINGS))
texts = st.lists(st.tuples(st.sampled_from(FILLERS), spelled), min_size=1, max_size=3).map(
    lambda parts: "".join(f"{filler} {value}, " for filler, value in parts)
)
PLACES = tuple(
    [
        "system",
        "part",
        "tool",
        "json",
        "nested",
        "arguments",
        "description",
        "enum",
        "key",
        "user",
        "metadata",
    ]
)


def request_with(place: str, text: str, last: str) -> dict[str, Any]:
    messages: list[dict[str, Any]] = [{"role": "user", "content": last}]
    inner = json.dumps({"a": [text, {text: 1}]}, ensure_ascii=False)
    call = {"name": "f", "arguments": json.dumps({"x": inner}, ensure_ascii=False)}
    tool: dict[str, Any] = {"type": "object", "properties": {"a": {"type": "string"}}}
    more: dict[str, Any] = {}
    match place:
        case "system":
            messages.insert(0, {"role": "system", "content": text})
        case "part":
            messages.insert(0, {"role": "user", "content": [{"type": "text", "text": text}]})
        case "tool" | "json" | "nested":
            content = {"tool": text, "json": inner, "nested": json.dumps([inner])}[place]
            messages.insert(0, {"role": "tool", "tool_call_id": "c", "content": content})
        case "arguments":
            calls = [{"id": "c", "type": "function", "function": call}]
            messages.insert(0, {"role": "assistant", "content": None, "tool_calls": calls})
        case "description":
            more["tools"] = [{"type": "function", "function": {"name": "f", "description": text}}]
        case "enum":
            tool["properties"]["a"]["enum"] = [text]
        case "key":
            tool["properties"][text] = {"type": "string"}
        case "user":
            more["user"] = text
        case "metadata":
            more["metadata"] = {text: text}
    if place in {"enum", "key"}:
        more["tools"] = [{"type": "function", "function": {"name": "f", "parameters": tool}}]
    return {"model": "scripted", "messages": messages, **more}


def leaks(request: str) -> list[str]:
    head, _, raw = request.rpartition("\n")
    body = json.dumps(json.loads(raw), ensure_ascii=False) if raw else ""
    for _ in range(4):  # JSON in JSON
        body += "\n" + re.sub(r"\\+", "", body.replace("\\n", " "))
    folded = unicodedata.normalize("NFKC", f"{head}\n{body}".replace("\u200b", "")).casefold()
    return [secret for secret in SECRETS if secret in folded]


class Echo:
    """Says the last message; streams it cut at borders that the test draws."""

    def __init__(self) -> None:
        self.borders: list[int] = []
        self.bytes_a_piece = 1 << 20

    def __call__(self, body: dict[str, Any]) -> Any:
        text = body["messages"][-1]["content"]
        if not body.get("stream"):
            return completion(text)
        cuts = sorted({0, len(text), *(border % (len(text) + 1) for border in self.borders)})
        pieces = [text[a:b] for a, b in pairwise(cuts)]
        raw = b"".join(chunk({"content": piece}) for piece in pieces)
        raw += chunk({}, "stop") + b"data: [DONE]\n\n"
        return [raw[n : n + self.bytes_a_piece] for n in range(0, len(raw), self.bytes_a_piece)]


def chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    body = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
    return f"data: {json.dumps(body)}\n\n".encode()


@pytest.fixture(scope="module")
def echo() -> Echo:
    return Echo()


@pytest.fixture(scope="module")
def upstream(echo: Echo) -> Iterator[Upstream]:
    with Upstream(echo).serving() as served:
        yield served


@pytest.fixture(scope="module")
def client(upstream: Upstream) -> Iterator[openai.OpenAI]:
    with gateway(upstream, POLICY) as url, openai.OpenAI(base_url=url, api_key="sk-1", max_retries=0) as made:
        yield made


def check(client: openai.OpenAI, upstream: Upstream, request: dict[str, Any], stream: bool) -> None:
    expected = request["messages"][-1]["content"]
    if stream:
        chunks = client.chat.completions.create(**request, stream=True)
        came = "".join(one.choices[0].delta.content or "" for one in chunks)
    else:
        came = client.chat.completions.create(**request).choices[0].message.content
    assert leaks(upstream.got[-1]) == []
    assert came == expected


drawn = given(
    place=st.sampled_from(PLACES),
    text=texts,
    last=texts,
    stream=st.booleans(),
    borders=st.lists(st.integers(0, 400), max_size=40),
    size=st.sampled_from([1, 7, 1 << 20]),
)


def nothing_leaves_and_all_comes_back(
    client: openai.OpenAI,
    upstream: Upstream,
    echo: Echo,
    place: str,
    text: str,
    last: str,
    stream: bool,
    borders: list[int],
    size: int,
) -> None:
    echo.borders, echo.bytes_a_piece = borders, size
    check(client, upstream, request_with(place, text, last), stream)


# The same property, every day with a few examples and in the slow lane with many.
test_no_value_leaves_and_all_comes_back = settings(max_examples=15)(drawn(nothing_leaves_and_all_comes_back))
test_no_value_leaves_at_length = pytest.mark.slow(
    pytest.mark.timeout(600)(settings(max_examples=400)(drawn(nothing_leaves_and_all_comes_back)))
)
