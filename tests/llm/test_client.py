"""The client against a scripted server, over real HTTP."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from privasis.llm import ClientOptions, Model, Request, Sampling, open_client
from support.scripted_server import ScriptedServer

QUICK = ClientOptions(backoff_base_s=0.001)


class Pet(BaseModel):
    name: str = Field(max_length=40)
    kind: Literal["cat", "dog"]
    toys: list[str] = Field(min_length=2, max_length=3)


def request_for(user: str = "A pet, please.", step: str = "pets") -> Request:
    return Request(step, "hash", "You invent pets.", user, Sampling())


async def test_an_object_is_asked_for_and_validated() -> None:
    with ScriptedServer() as server:
        model = Model("scripted", server.base_url)
        async with open_client([model], QUICK, None) as client:
            answer = await client.ask(request_for(), Pet, model, 1)
    assert answer.value.kind in {"cat", "dog"}
    assert 2 <= len(answer.value.toys) <= 3
    assert answer.call.attempts == 1
    assert answer.call.step == "pets"
    assert answer.call.prompt_tokens > 0


async def test_a_text_differs_with_the_seed_and_not_otherwise() -> None:
    with ScriptedServer() as server:
        model = Model("scripted", server.base_url)
        async with open_client([model], QUICK, None) as client:
            texts = [(await client.write(request_for(), model, seed)).value for seed in (1, 1, 2)]
    assert texts[0] == texts[1] != texts[2]
    assert len(texts[0].split()) >= 100
