"""The gateway before a scripted upstream, driven by the official client: chat completions, not streamed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import openai
import pytest

from support.gateway import Upstream, completion, gateway

POLICY = """
keep = ["Oslo"]
[[target]]
values = ["Maren Virtanen", "maren@virtanen.no"]
[[target]]
what = "phone numbers"
[[target]]
values = ["Solveig Bakke"]
action = "drop"
"""
SECRETS = ("maren", "virtanen", "912 34 567", "solveig", "bakke")


def echo(body: dict[str, Any]) -> dict[str, Any]:
    last = body["messages"][-1]
    content = last.get("content")
    text = content if isinstance(content, str) or content is None else "".join(p["text"] for p in content)
    return completion(text, last.get("tool_calls"))


@pytest.fixture(scope="module")
def upstream() -> Iterator[Upstream]:
    with Upstream(echo).serving() as served:
        yield served


@pytest.fixture(scope="module")
def client(upstream: Upstream) -> Iterator[openai.OpenAI]:
    with gateway(upstream, POLICY) as url, openai.OpenAI(base_url=url, api_key="sk-1", max_retries=0) as made:
        yield made


def assert_hidden(upstream: Upstream) -> None:
    low = upstream.got[-1].casefold()
    assert not [secret for secret in SECRETS if secret in low]


def said(client: openai.OpenAI, *messages: Any, **more: Any) -> Any:
    return (
        client.chat.completions.create(model="scripted", messages=list(messages), **more).choices[0].message
    )


def test_values_come_back_as_they_were_written(client: openai.OpenAI, upstream: Upstream) -> None:
    text = "I am Maren Virtanen (MAREN VIRTANEN, Ｍaren\u200b Virtanen), +47 912 34 567, C:\\Maren\\x, Oslo."
    assert said(client, {"role": "user", "content": text}).content == text
    assert_hidden(upstream)
    sent = upstream.bodies[-1]["messages"][0]["content"]
    assert "Oslo" in sent
    assert "[PERSON_1]" in sent
    assert "[PHONE_1]" in sent


def test_a_dropped_value_is_gone(client: openai.OpenAI, upstream: Upstream) -> None:
    answer = said(client, {"role": "user", "content": "Write to Solveig Bakke about Maren Virtanen's flat."})
    assert_hidden(upstream)
    assert "Maren Virtanen's flat" in answer.content
    assert "Solveig" not in answer.content


def test_every_field_that_carries_text_is_cleaned(client: openai.OpenAI, upstream: Upstream) -> None:
    inner = json.dumps({"who": "Maren Virtanen", "call": ["+47 912 34 567"]})
    call = {"name": "find", "arguments": json.dumps({"payload": inner, "Maren Virtanen": 1})}
    schema = {"type": "object", "properties": {"owner": {"type": "string", "enum": ["Maren Virtanen"]}}}
    calls = [{"id": "c1", "type": "function", "function": call}]
    answer = said(
        client,
        {"role": "system", "content": "You help Maren Virtanen."},
        {"role": "user", "content": [{"type": "text", "text": "My number is +47 912 34 567."}]},
        {"role": "tool", "tool_call_id": "c0", "content": inner},
        {"role": "assistant", "content": None, "tool_calls": calls},
        tools=[
            {"type": "function", "function": {"name": "f", "description": "Maren's", "parameters": schema}}
        ],
        user="maren@virtanen.no",
        metadata={"Maren Virtanen": "+47 912 34 567"},
        stop=["Virtanen"],
        extra_body={"unknown": {"deep": ["Maren"]}},
        extra_headers={"X-Who": "Maren Virtanen", "Cookie": "who=Maren"},
    )
    assert_hidden(upstream)
    assert answer.tool_calls[0].function.arguments == call["arguments"]
    sent = upstream.bodies[-1]
    assert sent["messages"][0]["content"] == "You help [PERSON_1]."
    assert sent["metadata"]["[PERSON_1]"] == "[PHONE_1]"
    assert sent["tools"][0]["function"]["parameters"]["properties"]["owner"]["enum"] == ["[PERSON_1]"]


@pytest.mark.parametrize("action", ["code", "drop", "abstract"])
def test_a_value_that_stays_is_passed_on(upstream: Upstream, action: str) -> None:
    policy = f'keep = ["+47 912 34 567"]\n[[target]]\nwhat = "phone numbers"\naction = "{action}"'
    with gateway(upstream, policy) as url:
        client = openai.OpenAI(base_url=url, api_key="sk-1", max_retries=0)
        said(client, {"role": "user", "content": "Call +47 912 34 567 or, at night, +47 400 12 345."})
        assert "+47 912 34 567" in upstream.got[-1]
        assert "400 12 345" not in upstream.got[-1]


def test_a_value_known_by_its_surroundings_is_hidden_everywhere(upstream: Upstream) -> None:
    with gateway(upstream, '[[target]]\nwhat = "passport numbers"') as url:
        client = openai.OpenAI(base_url=url, api_key="sk-1")
        messages = [
            {"role": "system", "content": "Passport number: XK4471902."},
            {"role": "user", "content": "Is XK4471902 valid?"},
        ]
        assert said(client, *messages).content == messages[1]["content"]
        assert "XK4471902" not in upstream.got[-1]


def test_a_placeholder_that_the_user_writes_is_not_taken_for_ours(
    client: openai.OpenAI, upstream: Upstream
) -> None:
    text = "[PERSON_1] and &#91;person_2] are no Maren Virtanen."
    assert said(client, {"role": "user", "content": text}).content == text
    assert "[PERSON_3]" in upstream.bodies[-1]["messages"][0]["content"]


@pytest.mark.parametrize(
    "part",
    [
        {"type": "image_url", "image_url": {"url": "https://host/maren"}},
        {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}},
        {"type": "file", "file": {"file_id": "f"}},
        {"type": "hologram", "text": "x"},
        {"type": "text", "text": "x", "image_url": {"url": "https://host/x"}},
        {"type": "text", "text": "see data:image/png;base64,iVBORw0KGgo="},
        "words",
    ],
)
def test_a_part_that_cannot_be_read_is_refused(client: openai.OpenAI, upstream: Upstream, part: Any) -> None:
    before = len(upstream.got)
    with pytest.raises(openai.BadRequestError, match="not passed on"):
        said(client, {"role": "user", "content": [part]})
    assert len(upstream.got) == before


@pytest.mark.parametrize(
    "more",
    [
        {"logprobs": True},
        {"modalities": ["text", "audio"]},
        {"tools": [{"type": "computer", "name": "x"}]},
        {"tools": [{"type": "function", "function": {"name": "ask_maren_virtanen"}}]},
        {"extra_query": {"who": "Maren"}},
        {"extra_headers": {"OpenAI-Project": "Maren Virtanen"}},
    ],
)
def test_what_would_carry_a_value_or_cannot_be_restored_is_refused(
    client: openai.OpenAI, upstream: Upstream, more: dict[str, Any]
) -> None:
    before = len(upstream.got)
    with pytest.raises(openai.BadRequestError) as refused:
        said(client, {"role": "user", "content": "Hello"}, **more)
    assert len(upstream.got) == before
    assert "maren" not in str(refused.value).casefold()


@pytest.mark.parametrize(
    ("data", "headers", "status"),
    [
        (b"{", {"Content-Type": "application/json"}, 400),
        (b'{"messages": "\xff"}', {"Content-Type": "application/json"}, 400),
        (b'{"temperature": NaN}', {"Content-Type": "application/json"}, 400),
        (b"[" * 50_000, {"Content-Type": "application/json"}, 400),
        (b"{}", {"Content-Type": "text/plain"}, 415),
        (b"{}", {"Content-Type": "application/json", "Content-Encoding": "gzip"}, 400),
        (b" " * 5_000_000, {"Content-Type": "application/json"}, 413),
        (b"{}", {"Content-Type": "application/json", "Host": "evil.example"}, 403),
    ],
)
def test_a_request_that_cannot_be_read_is_refused(
    client: openai.OpenAI, upstream: Upstream, data: bytes, headers: dict[str, str], status: int
) -> None:
    before = len(upstream.got)
    reply = httpx.post(f"{client.base_url}chat/completions", content=data, headers=headers)
    assert (reply.status_code, len(upstream.got)) == (status, before)
    assert reply.json()["error"]["message"].startswith("privasis gateway: ")


def test_only_what_can_be_read_has_a_route(client: openai.OpenAI, upstream: Upstream) -> None:
    before = len(upstream.got)
    assert httpx.post(f"{client.base_url}embeddings", json={"input": "Maren"}).status_code == 404
    assert httpx.get(f"{client.base_url}models/maren").status_code == 404
    assert len(upstream.got) == before


def test_an_error_of_the_upstream_comes_back_restored() -> None:
    def complain(body: dict[str, Any]) -> dict[str, Any]:
        return {"error": {"message": f"bad: {body['messages'][0]['content']}", "code": "x"}}

    with Upstream(complain, status=422).serving() as upstream, gateway(upstream, POLICY) as url:
        client = openai.OpenAI(base_url=url, api_key="sk-1", max_retries=0)
        with pytest.raises(openai.UnprocessableEntityError, match="bad: Maren Virtanen"):
            said(client, {"role": "user", "content": "Maren Virtanen"})


def test_a_token_is_asked_for_and_the_key_is_sent(upstream: Upstream) -> None:
    with gateway(upstream, POLICY, token="gate", key="sk-up") as url:
        with pytest.raises(openai.AuthenticationError):
            said(openai.OpenAI(base_url=url, api_key="wrong"), {"role": "user", "content": "x"})
        said(openai.OpenAI(base_url=url, api_key="gate"), {"role": "user", "content": "x"})
    assert "Bearer sk-up" in upstream.got[-1]
    assert "gate" not in upstream.got[-1]
