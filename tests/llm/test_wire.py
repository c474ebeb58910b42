"""Addresses, schemas and error bodies."""

from __future__ import annotations

import json
from enum import Enum
from itertools import pairwise
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from privasis.llm import Model, Request, Sampling
from privasis.llm.reading import Said
from privasis.llm.schema import LIMITS, shape_of
from privasis.llm.usage import Tokens, price
from privasis.llm.wire import (
    EVERYTHING,
    Abilities,
    Correction,
    Reply,
    body_of,
    chat_url,
    pack,
    read_complaint,
    read_reply,
    shown,
    unpack,
)


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Part(BaseModel):
    title: str = Field(default="none", min_length=1, max_length=9, pattern="^[a-z]+$")
    size: int = Field(ge=1, le=5)


class Whole(BaseModel):
    parts: list[Part] = Field(min_length=1, max_length=3)
    colour: Colour
    kind: Literal["a", "b"] = "a"
    note: str | None = None
    pattern: str  # a field that is named like a keyword
    default: str


def form_of(shape_bytes: bytes) -> dict[str, Any]:
    form: dict[str, Any] = json.loads(b"{" + shape_bytes[1:] + b"}")["response_format"]
    return form


def objects_in(schema: Any) -> list[dict[str, Any]]:
    if isinstance(schema, list):
        return [found for part in schema for found in objects_in(part)]
    if not isinstance(schema, dict):
        return []
    inner = [found for part in schema.values() for found in objects_in(part)]
    return [schema, *inner] if "properties" in schema and schema.get("type") == "object" else inner


@pytest.mark.parametrize("which", ["full", "bare"])
def test_schemas_follow_the_strict_rules(which: str) -> None:
    form = form_of(getattr(shape_of(Whole), which))
    assert form["type"] == "json_schema"
    assert form["json_schema"]["strict"] is True
    assert form["json_schema"]["name"] == "Whole"
    schema = form["json_schema"]["schema"]
    found = objects_in(schema)
    assert len(found) == 2
    for each in found:
        assert each["additionalProperties"] is False
        assert each["required"] == list(each["properties"])
    assert list(schema["properties"]) == ["parts", "colour", "kind", "note", "pattern", "default"]


def test_limits_stand_in_the_full_schema_only() -> None:
    shape = shape_of(Whole)
    full = form_of(shape.full)["json_schema"]["schema"]
    bare = form_of(shape.bare)["json_schema"]["schema"]
    assert full["properties"]["parts"]["maxItems"] == 3
    assert full["$defs"]["Part"]["properties"]["title"]["maxLength"] == 9
    assert bare["properties"]["parts"] == {"items": {"$ref": "#/$defs/Part"}, "type": "array"}
    assert not LIMITS & bare["$defs"]["Part"]["properties"]["title"].keys()
    assert json.loads(shape.words) == full


def test_a_shape_is_made_once() -> None:
    assert shape_of(Whole) is shape_of(Whole)


@pytest.mark.parametrize(
    ("base", "address"),
    [
        ("http://h:8000", "http://h:8000/v1/chat/completions"),
        ("http://h:8000/", "http://h:8000/v1/chat/completions"),
        ("http://h:8000/v1", "http://h:8000/v1/chat/completions"),
        ("  http://h:8000/v1/ ", "http://h:8000/v1/chat/completions"),
        ("http://h/v1/chat/completions", "http://h/v1/chat/completions"),
        ("https://h/openai", "https://h/openai/v1/chat/completions"),
        ("https://h/openai/v1", "https://h/openai/v1/chat/completions"),
        ("https://h/v1beta/openai/", "https://h/v1beta/openai/chat/completions"),
        ("https://h/api/v3", "https://h/api/v3/chat/completions"),
        ("http://[::1]:8000/v1", "http://[::1]:8000/v1/chat/completions"),
    ],
)
def test_the_address_of_chat_completions(base: str, address: str) -> None:
    assert str(chat_url(base)) == address


def test_an_address_is_shown_without_secrets() -> None:
    assert shown(chat_url("https://me:pw@h/v1?api-key=x")) == "https://h/v1"


REQUEST = Request("step", "hash", "constant", "user", Sampling(0.5, 0.9, 77))


def test_a_body_holds_everything_the_endpoint_understands() -> None:
    body = json.loads(body_of(REQUEST, "m", 2**31 + 5, shape_of(Whole), None, EVERYTHING))
    assert body.pop("response_format") == form_of(shape_of(Whole).full)
    assert body == {
        "model": "m",
        "messages": [{"role": "system", "content": "constant"}, {"role": "user", "content": "user"}],
        "max_tokens": 77,
        "temperature": 0.5,
        "top_p": 0.9,
        "seed": 5,
    }


def test_a_body_for_an_endpoint_that_understands_little() -> None:
    able = Abilities("none", "max_completion_tokens", temperature=False, top_p=False, seed=False)
    body = json.loads(body_of(REQUEST, "m", 5, shape_of(Whole), None, able))
    assert body.keys() == {"model", "messages", "max_completion_tokens"}
    assert body["messages"][0]["content"].startswith("constant\n\nAnswer with one JSON value")
    assert shape_of(Whole).words in body["messages"][0]["content"]


@pytest.mark.parametrize("answer", ["", "failed"])
def test_roles_alternate_when_asked_again(answer: str) -> None:
    body = json.loads(body_of(REQUEST, "m", 5, None, Correction(answer, "Too long."), EVERYTHING))
    roles = [message["role"] for message in body["messages"]]
    assert roles[0] == "system"
    assert all(a != b for a, b in pairwise(roles))
    assert "Too long." in body["messages"][-1]["content"]


@pytest.mark.parametrize(
    ("document", "code", "blamed"),
    [
        (
            {"error": {"code": "unsupported_parameter", "param": "max_tokens"}},
            "unsupported_parameter",
            "max_tokens",
        ),
        ({"error": {"code": 400, "message": "temperature must be 1", "type": "bad"}}, "bad", "temperature"),
        ({"error": {"param": "response_format.json_schema", "code": None}}, "", "response_format"),
        ({"error": "grammar could not be compiled"}, "", "response_format"),
        ({"detail": [{"loc": ["body", "top_p"], "msg": "no", "input": "seed"}]}, "", "top_p"),
        ({"message": "extra", "object": "error"}, "", ""),
        ({"error": {"message": "no", "code": "two words of prose"}}, "", ""),
        (["nothing", "known"], "", ""),
    ],
)
def test_complaints_of_every_make(document: object, code: str, blamed: str) -> None:
    complaint = read_complaint(json.dumps(document).encode())
    assert (complaint.code, complaint.blamed) == (code, blamed)


@given(st.binary())
def test_no_bytes_break_the_readers(payload: bytes) -> None:
    read_complaint(payload)
    assert read_reply(payload) is None


def reply_bytes(**message: object) -> bytes:
    return json.dumps({"choices": [{"message": message, "finish_reason": "stop"}]}).encode()


def test_replies_of_every_make() -> None:
    assert read_reply(reply_bytes(content="x")) == Reply(Said("x", "stop", ""), Tokens())
    assert read_reply(reply_bytes(content=None)) == Reply(Said("", "stop", ""), Tokens())
    parts = [{"type": "text", "text": "a"}, {"type": "image"}, {"type": "text", "text": "b"}]
    assert read_reply(reply_bytes(content=parts)) == Reply(Said("ab", "stop", ""), Tokens())
    assert read_reply(reply_bytes(content=None, refusal="no")) == Reply(Said("", "stop", "no"), Tokens())
    assert read_reply(b'{"choices": []}') is None
    assert read_reply(b'{"choices": [{"message": {"content": "x"}}], "usage": null}') is not None


@given(st.text(), st.text(), st.integers(0, 10**6), st.integers(0, 10**6))
def test_a_reply_is_packed_without_loss(text: str, finish: str, prompt: int, completion: int) -> None:
    reply = Reply(Said(text, finish, ""), Tokens(prompt, prompt // 2, completion))
    assert unpack(pack(reply)) == reply


def test_prices_are_per_million_tokens() -> None:
    model = Model("m", "http://h", price_in=2.0, price_cached=0.5, price_out=8.0)
    assert price(model, Tokens(1_000_000, 400_000, 500_000)) == pytest.approx(0.6 * 2 + 0.4 * 0.5 + 0.5 * 8)
