"""The scripted servers keep what the other tests build on."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from enum import Enum
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from privasis.llm import ClientOptions, Model, Request, Sampling, open_client
from privasis.llm.schema import strict
from support.answers import Ask, Maker, answer_to, prose
from support.fast_server import FastServer
from support.faults import EVERY, FaultDrawer, FaultPlan


class Shade(Enum):
    DARK = "dark"
    PALE = "pale"


class Item(BaseModel):
    name: str = Field(min_length=3, max_length=60)
    value: str
    weight: float = Field(ge=0, le=1)
    count: int = Field(gt=2, lt=9)
    tree: list[Item] = Field(max_length=0)


class Everything(BaseModel):
    items: list[Item] = Field(min_length=2, max_length=5)
    shade: Shade
    kind: Literal["a", "b", "c"]
    only: Literal["x"]
    maybe: int | None
    sure: bool
    pair: tuple[int, str]
    plain: list[str]


SCHEMA = strict(Everything.model_json_schema())
PROMPT = "Find what is private.\n\nMarta Kowalczyk rang at nine; her file is\n12-88 at St. Olav's, room four."


def ask(number: int, schema: dict[str, object] | None = SCHEMA) -> Ask:
    body: dict[str, object] = {"messages": [{"role": "user", "content": PROMPT}], "seed": number}
    if schema:
        body["response_format"] = {"json_schema": {"schema": schema}}
    return Ask(body, json.dumps(body).encode())


@given(st.integers(0, 10**9))
@settings(max_examples=200)
def test_every_schema_gets_a_valid_instance_that_depends_on_the_request_only(number: int) -> None:
    answer = answer_to(ask(number))
    assert answer == answer_to(ask(number))
    found = Everything.model_validate_json(answer)
    assert all(item.value in PROMPT for item in found.items)


def test_answers_differ() -> None:
    assert len({answer_to(ask(number)) for number in range(100)}) == 100


def test_texts_are_long_different_and_quote_the_facts_of_the_prompt() -> None:
    texts = [prose(ask(number, None)) for number in range(50)]
    assert len(set(texts)) == 50
    assert all(len(text.split()) >= 100 for text in texts)
    body = {"messages": [{"role": "user", "content": "Write.\n- Last name: Okonkwo\n- phone: 555 0101"}]}
    told = prose(Ask(body, b"1"))
    assert "Okonkwo" in told
    assert "555 0101" in told


def test_an_empty_prompt_has_words_too() -> None:
    maker = Maker(ask(1).rng, "", {})
    assert maker.make({"type": "string"}, "value") == "x"


@pytest.mark.parametrize("rate", [0.0, 0.2, 1.0])
def test_faults_come_at_their_rate_and_are_the_same_again(rate: float) -> None:
    plan = FaultPlan(rate)
    drawn = [plan.draw(b"%d" % number) for number in range(4000)]
    assert drawn == [plan.draw(b"%d" % number) for number in range(4000)]
    counts = Counter(drawn)
    assert sum(counts[kind] for kind in EVERY) == pytest.approx(4000 * rate, abs=120)
    if rate:
        assert min(counts[kind] for kind in EVERY) > 0.6 * max(counts[kind] for kind in EVERY)


def test_passing_faults_pass_and_faults_of_content_stay() -> None:
    passing = FaultDrawer(FaultPlan(1.0, ("drop",), times=2))
    assert [passing.next(b"x") for _ in range(4)] == ["drop", "drop", None, None]
    content = FaultDrawer(FaultPlan(1.0, ("refusal",), times=2))
    assert [content.next(b"x") for _ in range(4)] == ["refusal"] * 4


async def test_the_fast_server_answers_like_the_other_within_its_slots() -> None:
    with FastServer(latency_s=0.01, slots=4) as server:
        model = Model("", server.base_url)
        request = Request("step", "hash", "", PROMPT, Sampling())
        async with open_client([model], ClientOptions(concurrency=8), None) as client:
            answers = await asyncio.gather(*(client.ask(request, Everything, model, i) for i in range(20)))
            texts = await asyncio.gather(*(client.write(request, model, i) for i in range(20)))
            assert client.usage.total.attempts == 40
        stats = server.stats()
    assert all(item.value in PROMPT for answer in answers for item in answer.value.items)
    assert len({text.value for text in texts}) > 10
    assert stats["requests"] == 40
    assert stats["peak"] <= 8
