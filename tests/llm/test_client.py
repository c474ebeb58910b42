"""The client against a scripted server, over real HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal

import pytest
from pydantic import BaseModel, Field

from privasis.errors import CostLimitReached, Reject
from privasis.llm import (
    BadAnswer,
    Client,
    ClientOptions,
    Model,
    Request,
    ResponseCache,
    Sampling,
    open_client,
)
from support.answers import Ask, answer_to
from support.scripted_server import Said, Script, ScriptedServer

QUICK = ClientOptions(backoff_base_s=0.001, timeout_s=5)
GOOD = '{"name": "Rex", "kind": "dog", "toys": ["ball", "bone"]}'


class Pet(BaseModel):
    name: str = Field(max_length=40)
    kind: Literal["cat", "dog"]
    toys: list[str] = Field(min_length=2, max_length=3)


def request_for(user: str = "A pet, please.", max_tokens: int = 1024) -> Request:
    return Request("pets", "hash", "You invent pets.", user, Sampling(max_tokens=max_tokens))


class Scene:
    """A server, its one model, and a client for it."""

    def __init__(self, server: ScriptedServer, model: Model, client: Client) -> None:
        self.server, self.model, self.client = server, model, client

    async def ask(self, seed: int = 1, check: Callable[[Pet], str | None] | None = None) -> Pet:
        return (await self.client.ask(request_for(), Pet, self.model, seed, check)).value

    async def write(self, seed: int = 1, max_tokens: int = 1024) -> str:
        return (await self.client.write(request_for(max_tokens=max_tokens), self.model, seed)).value

    def sent(self, number: int = -1) -> dict[str, object]:
        return self.server.asks[number].body


@asynccontextmanager
async def scene(
    script: Script | None = None,
    options: ClientOptions = QUICK,
    cache: ResponseCache | None = None,
    name: str = "scripted",
) -> AsyncIterator[Scene]:
    with ScriptedServer(script) as server:
        model = Model(name, server.base_url, price_in=1.0, price_cached=0.25, price_out=10.0)
        async with open_client([model], options, cache) as client:
            yield Scene(server, model, client)


def in_turn(*said: str | Said) -> Script:
    """A script that says these in turn, then good pets."""
    left = list(said)
    return Script(lambda ask: left.pop(0) if left else GOOD)


async def test_an_object_is_asked_for_and_validated() -> None:
    async with scene() as at:
        answer = await at.client.ask(request_for(), Pet, at.model, 1)
    assert answer.value.kind in {"cat", "dog"}
    assert 2 <= len(answer.value.toys) <= 3
    assert answer.call.attempts == 1
    assert answer.call.step == "pets"
    assert answer.call.prompt_hash == "hash"
    assert answer.call.prompt_tokens > 0
    assert not answer.call.from_cache
    assert [message["role"] for message in at.sent()["messages"]] == ["system", "user"]


async def test_a_text_differs_with_the_seed_and_not_otherwise() -> None:
    async with scene() as at:
        first, same, other = [await at.write(seed) for seed in (1, 1, 2)]
    assert first == same != other
    assert len(first.split()) >= 100


@pytest.mark.parametrize(
    "said",
    [
        f"```json\n{GOOD}\n```",
        f"<think>a {{dog}} or a cat?</think>\n{GOOD}",
        f"so a dog it is.</think>{GOOD}",
        f"Here is the pet {{as asked}}:\n\n{GOOD}\n\nAnything else?",
        Said(GOOD, reasoning='{"name": "not this"}'),
    ],
)
async def test_wrapping_around_json_is_forgiven(said: str | Said) -> None:
    async with scene(in_turn(said)) as at:
        assert (await at.ask()).name == "Rex"
    assert len(at.server.asks) == 1


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("no pets here", "invalid_json"),
        ('{"name": "Rex", "kind": "do', "invalid_json"),
        (Said('{"name": "Rex", "kind": "do', finish="length"), "truncated"),
        ('{"name": "Rex", "kind": "horse", "toys": ["a", "b"]}', "wrong_shape"),
        ('{"unasked": 1}', "wrong_shape"),
        ("", "empty_answer"),
        (Said(None), "empty_answer"),
        ("<think>hm", "empty_answer"),
        (Said("<think>hm", finish="length"), "truncated"),
        (Said(None, refusal="No."), "refused"),
        (Said("", finish="content_filter"), "content_filter"),
    ],
)
async def test_an_unusable_object_is_asked_again_then_rejected(said: str | Said, reason: str) -> None:
    async with scene(in_turn(said)) as at:
        assert (await at.ask()).name == "Rex"
        usage = at.client.usage.total
    assert (usage.calls, usage.attempts, usage.reasks, usage.rejects) == (1, 2, 1, 0)

    async with scene(in_turn(said, said, said)) as at:
        with pytest.raises(Reject) as caught:
            await at.ask()
        assert at.client.usage.total.rejects == 1
    assert (caught.value.step, caught.value.reason) == ("pets", reason)
    assert len(at.server.asks) == 3
    assert isinstance(caught.value, BadAnswer)
    assert caught.value.call.attempts == 3
    assert caught.value.call.prompt_tokens == at.client.usage.total.prompt_tokens


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("", "empty_answer"),
        ("<think>first</think>  ", "empty_answer"),
        (Said("Dear sir", finish="length"), "truncated"),
        (Said(None, refusal="No."), "refused"),
        (Said("Dear", finish="content_filter"), "content_filter"),
    ],
)
async def test_an_unusable_text_is_rejected_with_its_reason(said: str | Said, reason: str) -> None:
    async with scene(in_turn(said, said, said)) as at:
        with pytest.raises(Reject, match=f"pets: {reason}"):
            await at.write()


async def test_the_last_answer_is_kept_for_the_reject_and_not_in_its_message() -> None:
    async with scene(in_turn("secret one", "secret two", "secret three")) as at:
        with pytest.raises(Reject) as caught:
            await at.ask()
    assert "secret three" in caught.value.detail
    assert "secret" not in str(caught.value)


async def test_asking_again_shows_the_answer_and_the_reason_and_changes_the_seed() -> None:
    horse = '{"name": "Rex", "kind": "horse", "toys": []}'
    async with scene(in_turn(horse)) as at:
        await at.ask(seed=7)
    first, second = at.server.asks
    assert second.body["messages"][:2] == first.body["messages"]
    assert second.body["messages"][2] == {
        "role": "assistant",
        "content": '{"name": "Rex", "kind": "horse", "toys": []}',
    }
    complaint = second.body["messages"][3]["content"]
    assert "kind: Input should be 'cat' or 'dog'" in complaint
    assert "toys: List should have at least 2 items" in complaint
    assert first.body["seed"] != second.body["seed"]


async def test_a_text_asked_again_is_one_turn_without_the_failed_text() -> None:
    async with scene(in_turn(Said("Half a let", finish="length"), "A whole letter.")) as at:
        assert await at.write() == "A whole letter."
    assert [message["role"] for message in at.sent()["messages"]] == ["system", "user"]
    assert "cut off" in at.server.asks[1].user
    assert "Half a let" not in at.server.asks[1].user


async def test_a_check_is_told_to_the_model_and_counts() -> None:
    def no_rex(pet: Pet) -> str | None:
        return "The name Rex is taken." if pet.name == "Rex" else None

    async with scene(in_turn(GOOD, GOOD.replace("Rex", "Max"))) as at:
        assert (await at.ask(check=no_rex)).name == "Max"
    assert "The name Rex is taken." in at.server.asks[1].user

    async with scene(in_turn()) as at:
        with pytest.raises(Reject, match="pets: check_failed"):
            await at.ask(check=no_rex)


async def test_thoughts_are_taken_out_of_a_text() -> None:
    async with scene(in_turn("<think>\nA letter.\n</think>\n\nDear Ann,\nhello.")) as at:
        assert await at.write() == "Dear Ann,\nhello."


@pytest.mark.parametrize("named", [True, False])
async def test_an_endpoint_without_response_format_is_asked_in_words(named: bool) -> None:
    def answer(ask: Ask) -> str:
        return f"Sure!\n```json\n{GOOD}\n```" if '"toys"' in ask.system else "what?"

    script = Script(answer, refuses=frozenset({"response_format"}), names_the_refused=named)
    async with scene(script) as at:
        assert [(await at.ask(seed)).name for seed in range(5)] == ["Rex"] * 5
    assert [("response_format" in ask.body) for ask in at.server.asks] == [True, True] + [False] * 5


async def test_an_endpoint_without_length_limits_gets_a_schema_without_them() -> None:
    def answer(ask: Ask) -> str | Said:
        if ask.schema and "maxLength" in str(ask.schema):
            return Said(status=400, error={"error": {"message": "Invalid schema for response_format"}})
        return GOOD

    async with scene(Script(answer)) as at:
        await at.ask(1)
        await at.ask(2)
    assert at.sent()["response_format"]["json_schema"]["schema"]["properties"]["name"] == {"type": "string"}
    assert len(at.server.asks) == 3


@pytest.mark.parametrize("parameter", ["max_tokens", "temperature", "top_p", "seed"])
async def test_a_parameter_that_is_refused_is_left_out_from_then_on(parameter: str) -> None:
    async with scene(Script(refuses=frozenset({parameter}))) as at:
        await at.write(1)
        await at.write(2)
    assert parameter not in at.sent()
    assert len(at.server.asks) == 3
    assert ("max_completion_tokens" in at.sent()) == (parameter == "max_tokens")


async def test_several_refused_parameters_are_learned_one_after_the_other() -> None:
    refused = frozenset({"max_tokens", "temperature", "response_format"})
    async with scene(Script(lambda ask: GOOD, refuses=refused)) as at:
        assert (await at.ask()).name == "Rex"
    assert not refused & at.sent().keys()


async def test_one_item_that_is_refused_does_not_stop_the_others() -> None:
    def answer(ask: Ask) -> str | Said:
        if "forbidden" in ask.user:
            return Said(status=400, error={"error": {"message": "no", "code": "content_filter"}})
        if "endless" in ask.user:
            return Said(
                status=400, error={"error": {"message": "too long", "type": "exceed_context_size_error"}}
            )
        if "odd" in ask.user:
            return Said(status=400, error={"error": {"message": "no reason"}})
        return "A letter."

    async with scene(Script(answer)) as at:
        await at.write()
        for word, reason in [
            ("forbidden", "content_filter"),
            ("endless", "context_exceeded"),
            ("odd", "endpoint_failed"),
        ]:
            with pytest.raises(Reject, match=reason):
                await at.client.write(request_for(word), at.model, 1)
        assert await at.write(2) == "A letter."


async def test_an_unnamed_model_is_the_first_that_the_endpoint_lists() -> None:
    async with scene(Script(models=("first", "second")), name="") as at:
        await at.write()
    assert at.sent()["model"] == "first"
    async with scene(Script(models=None), name="") as at:
        await at.write()
    assert at.sent()["model"]


async def test_tokens_and_money_are_counted_by_step_and_model() -> None:
    async with scene() as at:
        one = (await at.client.write(request_for(), at.model, 1)).call
        two = (await at.client.write(request_for(), at.model, 2)).call
        usage = at.client.usage
    assert one.cached_tokens == 0
    assert two.cached_tokens > 0  # the constant part came first
    fresh = two.prompt_tokens - two.cached_tokens
    assert two.cost == pytest.approx(
        (fresh * 1.0 + two.cached_tokens * 0.25 + two.completion_tokens * 10.0) / 1e6
    )
    assert usage.total.cost == pytest.approx(one.cost + two.cost)
    assert usage.by_step["pets"].prompt_tokens == one.prompt_tokens + two.prompt_tokens
    assert usage.by_model["scripted"].completion_tokens == one.completion_tokens + two.completion_tokens
    assert usage.total.cached_share == two.cached_tokens / usage.total.prompt_tokens


async def test_nothing_is_sent_once_the_money_is_spent(tmp_path: Path) -> None:
    async def write(at: Scene, seeds: range) -> None:
        for seed in seeds:
            await at.write(seed)

    options = ClientOptions(max_cost=0.02)
    with ResponseCache(tmp_path) as cache:
        async with scene(options=options, cache=cache) as at:
            with pytest.raises(CostLimitReached, match="Raise it to go on"):
                await write(at, range(100))
            spent, asked = at.client.usage.total.cost, len(at.server.asks)
    assert spent >= 0.02
    assert 1 < asked < 20
    with ResponseCache(tmp_path) as cache:  # the same command again: spends nothing, keeps what it has
        async with scene(options=options, cache=cache) as at:
            await write(at, range(asked))
            with pytest.raises(CostLimitReached):
                await at.write(asked)
    assert not at.server.asks


async def test_a_resumed_run_takes_the_same_path_without_asking(tmp_path: Path) -> None:
    async def run(at: Scene) -> list[str]:
        pets = await asyncio.gather(*(at.ask(seed) for seed in range(5)), return_exceptions=True)
        return [str(pet) for pet in pets] + [await at.write(9)]

    def answer(ask: Ask) -> str:
        return "nonsense" if ask.rng.random() < 0.5 else answer_to(ask)

    with ResponseCache(tmp_path) as cache:
        async with scene(Script(answer), cache=cache) as at:
            first = await run(at)
            paid = at.client.usage.total
    assert paid.reasks > 0
    with ResponseCache(tmp_path) as cache:
        async with scene(Script(answer), cache=cache) as at:
            assert await run(at) == first
            usage = at.client.usage.total
            again = await at.client.write(request_for(), at.model, 9)
    assert not at.server.asks
    assert usage.cost == 0.0
    assert usage.cache_hits == paid.attempts
    assert usage.completion_tokens == paid.completion_tokens
    assert again.call.from_cache
    assert again.call.completion_tokens > 0


async def test_what_an_endpoint_cannot_do_does_not_change_the_cache_key(tmp_path: Path) -> None:
    """Else a resumed run would first ask in the words that the endpoint refused, and pay."""
    script = Script(lambda ask: GOOD, refuses=frozenset({"response_format", "max_tokens"}))
    with ResponseCache(tmp_path) as cache:
        async with scene(script, cache=cache) as at:
            await at.ask()
        async with scene(script, cache=cache) as at:
            await at.ask()
    assert not at.server.asks
