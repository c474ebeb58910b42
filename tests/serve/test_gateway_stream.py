"""Streamed answers by the official client: chat chunks, responses events, tool arguments, broken streams."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import openai
import pytest

from support.gateway import Upstream, gateway

POLICY = '[[target]]\nvalues = ["Maren Virtanen", "Zoë \\"Z\\" Kühn"]'
HELLO = [{"role": "user", "content": 'Maren Virtanen and Zoë "Z" Kühn'}]


def sse(*events: dict[str, Any] | str, named: bool = False) -> list[bytes]:
    made = []
    for event in events:
        name = f"event: {event['type']}\r\n" if named and isinstance(event, dict) else ""
        made.append(f"{name}data: {event if isinstance(event, str) else json.dumps(event)}\r\n\r\n".encode())
    return made


def chunk(*choices: tuple[int, dict[str, Any], str | None], **more: Any) -> dict[str, Any]:
    listed = [{"index": n, "delta": delta, "finish_reason": finish} for n, delta, finish in choices]
    base = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    return {**base, "choices": listed, **more}


class Player:
    """Plays what the test lays on."""

    def __init__(self) -> None:
        self.events: list[bytes] = []

    def __call__(self, body: dict[str, Any]) -> Any:
        return self.events


@pytest.fixture(scope="module")
def player() -> Player:
    return Player()


@pytest.fixture(scope="module")
def client(player: Player) -> Iterator[openai.OpenAI]:
    with Upstream(player).serving() as upstream, gateway(upstream, POLICY) as url:
        with openai.OpenAI(base_url=url, api_key="sk-1", max_retries=0) as made:
            yield made


def streamed(client: openai.OpenAI) -> list[Any]:
    return list(client.chat.completions.create(model="m", messages=HELLO, stream=True))  # type: ignore[call-overload]


def said(chunks: list[Any], choice: int = 0) -> str:
    return "".join(
        one.delta.content or "" for chunk in chunks for one in chunk.choices if one.index == choice
    )


def test_choices_do_not_mix(client: openai.OpenAI, player: Player) -> None:
    player.events = sse(
        chunk((0, {"role": "assistant", "content": "A [PER"}, None)),
        chunk((1, {"content": "B [PERSON"}, None)),
        chunk((0, {"content": "SON_1] and ["}, None), (1, {"content": "_2]"}, None)),
        chunk((1, {}, "stop")),
        chunk((0, {"content": "PERSON"}, "length")),
        chunk(usage={"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}),
        "[DONE]",
    )
    chunks = streamed(client)
    assert said(chunks) == "A Maren Virtanen and [PERSON"
    assert said(chunks, 1) == 'B Zoë "Z" Kühn'
    ends = [(one.index, one.finish_reason) for c in chunks for one in c.choices if one.finish_reason]
    assert ends == [(1, "stop"), (0, "length")]
    assert chunks[-1].usage.total_tokens == 3


def test_tool_arguments_stay_json(client: openai.OpenAI, player: Player) -> None:
    def call(index: int, arguments: str, **more: Any) -> dict[str, Any]:
        return {"tool_calls": [{"index": index, **more, "function": {"arguments": arguments}}]}

    player.events = sse(
        chunk((0, call(0, '{"who": "[PERS', id="c0", type="function"), None)),
        chunk((0, call(1, '{"x": "{\\"y\\": \\"[PERSON_2', id="c1", type="function"), None)),
        chunk((0, call(0, 'ON_2]"}'), None)),
        chunk((0, call(1, ']\\"}"}'), None)),
        chunk((0, {}, "tool_calls")),
        "[DONE]",
    )
    arguments = {0: "", 1: ""}
    for one in streamed(client):
        for tool in one.choices[0].delta.tool_calls or []:
            arguments[tool.index] += tool.function.arguments
    assert json.loads(arguments[0]) == {"who": 'Zoë "Z" Kühn'}
    assert json.loads(json.loads(arguments[1])["x"]) == {"y": 'Zoë "Z" Kühn'}


@pytest.mark.parametrize("tail", [[], ["[DONE]"]])
def test_what_was_held_comes_at_the_end(client: openai.OpenAI, player: Player, tail: list[str]) -> None:
    player.events = sse(chunk((0, {"content": "Hi [PERSON_"}, None)), *tail)
    assert said(streamed(client)) == "Hi [PERSON_"


def response(text: str) -> dict[str, Any]:
    content = [{"type": "output_text", "text": text, "annotations": []}]
    item = {"id": "m1", "type": "message", "role": "assistant", "status": "completed", "content": content}
    base = {"id": "r1", "object": "response", "created_at": 1, "model": "m", "status": "completed"}
    return {**base, "output": [item], "parallel_tool_calls": False, "tool_choice": "auto", "tools": []}


def test_responses_events_are_restored_and_numbered(client: openai.OpenAI, player: Player) -> None:
    where = {"item_id": "m1", "output_index": 0, "content_index": 0}
    kind = "response.output_text"
    text = "Dear [PERSON_1] ["
    player.events = sse(
        {"type": "response.created", "sequence_number": 0, "response": {**response(""), "output": []}},
        {"type": f"{kind}.delta", "sequence_number": 1, **where, "delta": "Dear [PERSO", "logprobs": []},
        {"type": f"{kind}.delta", "sequence_number": 2, **where, "delta": "N_1] [", "logprobs": []},
        {"type": f"{kind}.done", "sequence_number": 3, **where, "text": text, "logprobs": []},
        {"type": "response.completed", "sequence_number": 4, "response": response(text)},
        named=True,
    )
    events = list(client.responses.create(model="m", input="Maren Virtanen", stream=True))
    deltas = "".join(event.delta for event in events if event.type == f"{kind}.delta")
    assert deltas == "Dear Maren Virtanen ["
    assert [event.type for event in events][-2:] == [f"{kind}.done", "response.completed"]
    assert events[-2].text == events[-1].response.output_text == deltas  # type: ignore[union-attr]
    assert [event.sequence_number for event in events] == list(range(6))


def test_responses_input_is_cleaned_and_answers_restored(player: Player) -> None:
    def answer(body: dict[str, Any]) -> dict[str, Any]:
        return response(body["input"][-1]["output"])

    call = {"type": "function_call", "call_id": "c", "name": "f", "arguments": '{"who": "Maren Virtanen"}'}
    output = {"type": "function_call_output", "call_id": "c", "output": "Maren Virtanen lives."}
    message = {"role": "user", "content": [{"type": "input_text", "text": "Who is Maren Virtanen?"}]}
    with Upstream(answer).serving() as upstream, gateway(upstream, POLICY) as url:
        client = openai.OpenAI(base_url=url, api_key="sk-1", max_retries=0)
        came = client.responses.create(
            model="m", instructions="For Maren Virtanen", input=[message, call, output]
        )
        assert came.output_text == "Maren Virtanen lives."
        assert "maren" not in upstream.got[-1].casefold()
        for more in ({"previous_response_id": "r0"}, {"background": True}, {"conversation": "v"}):
            with pytest.raises(openai.BadRequestError, match=r"cannot be r|later"):
                client.responses.create(model="m", input="x", **more)
        opaque = [{"type": "reasoning", "id": "x", "summary": [], "encrypted_content": "abc"}]
        for items in (opaque, [{"type": "item_reference", "id": "x"}], [{"type": "computer_call"}]):
            with pytest.raises(openai.BadRequestError, match="cannot be read"):
                client.responses.create(model="m", input=items)
        assert len(upstream.got) == 1


def test_an_upstream_that_is_not_there_is_said() -> None:
    with gateway(Upstream(lambda body: {}, port=9), POLICY) as url:
        reply = httpx.post(f"{url}/chat/completions", json={"messages": HELLO})
        assert (reply.status_code, reply.json()["error"]["code"]) == (502, "upstream_failed")
