"""Faults of the transport: what passes is tried again, what does not is said in one line."""

from __future__ import annotations

import asyncio
import socket
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from itertools import pairwise

import pytest
from pydantic import BaseModel

from privasis.errors import EndpointError, Reject
from privasis.llm import Client, ClientOptions, Model, Request, Sampling, open_client, transport
from privasis.llm.transport import Endpoint, seconds_asked_for
from support.answers import Ask
from support.faults import CONTENT, EVERY, PASSING, Fault, FaultPlan
from support.scripted_server import Said, Script, ScriptedServer

QUICK = ClientOptions(backoff_base_s=0.001, timeout_s=0.5)
KEY = "sk-very-secret-0123456789"


class Pet(BaseModel):
    name: str
    age: int


def request_for(user: str) -> Request:
    return Request("pets", "hash", "You invent pets.", user, Sampling())


async def write(client: Client, model: Model, user: str = "hello") -> str:
    return (await client.write(request_for(user), model, 1)).value


@pytest.mark.parametrize("fault", PASSING)
async def test_a_passing_fault_is_tried_again(fault: Fault) -> None:
    plan = FaultPlan(1.0, (fault,), times=2, hang_s=30)
    with ScriptedServer(Script(faults=plan)) as server:
        model = Model("scripted", server.base_url)
        async with open_client([model], QUICK, None) as client:
            answer = await client.write(request_for("hello"), model, 1)
            usage = client.usage.total
    assert len(answer.value.split()) >= 100
    assert answer.call.attempts == 3
    assert usage.retries == 2
    assert server.faults == {fault: 2}


@pytest.mark.parametrize("fault", PASSING)
async def test_a_fault_that_stays_ends_one_item_only(fault: Fault) -> None:
    """The plan hits one of the two requests; the other proves that the endpoint lives."""
    plan = FaultPlan(0.5, (fault,), times=99, hang_s=30)
    with ScriptedServer(Script(faults=plan)) as server:
        model = Model("scripted", server.base_url)
        options = ClientOptions(backoff_base_s=0.001, timeout_s=0.1, attempts=3, retry_after_cap_s=0.01)
        async with open_client([model], options, None) as client:
            ends = await asyncio.gather(
                *(write(client, model, f"hello {i}") for i in range(12)), return_exceptions=True
            )
            usage = client.usage.total
    lost = [end for end in ends if isinstance(end, Reject)]
    assert {(reject.step, reject.reason) for reject in lost} == {("pets", "endpoint_failed")}
    assert 0 < len(lost) < 12
    assert sum(isinstance(end, str) for end in ends) == 12 - len(lost)
    assert usage.attempts == 12 + 2 * len(lost)


async def test_with_a_fifth_of_all_requests_faulty_every_item_ends_one_way_or_the_other() -> None:
    plan = FaultPlan(0.2, EVERY, hang_s=30)
    with ScriptedServer(Script(faults=plan)) as server:
        model = Model("scripted", server.base_url)
        async with open_client([model], QUICK, None) as client:
            ends = await asyncio.gather(
                *(client.ask(request_for(f"pet {i}"), Pet, model, i) for i in range(200)),
                return_exceptions=True,
            )
            usage = client.usage.total
    assert set(server.faults) == set(EVERY)
    kinds = Counter("answer" if not isinstance(end, BaseException) else type(end).__name__ for end in ends)
    assert kinds["answer"] + kinds["BadAnswer"] == 200
    assert kinds["answer"] >= 190
    assert usage.rejects == kinds["BadAnswer"]
    assert usage.reasks >= sum(server.faults[fault] for fault in CONTENT) - usage.rejects
    assert server.peak <= QUICK.concurrency


async def test_no_more_calls_at_once_than_allowed_and_never_fewer() -> None:
    with ScriptedServer(Script(latency_s=0.02)) as server:
        model = Model("scripted", server.base_url)
        async with open_client([model], ClientOptions(concurrency=5), None) as client:
            await asyncio.gather(*(write(client, model, str(i)) for i in range(25)))
    assert server.peak == 5


async def test_the_rate_limit_spaces_calls() -> None:
    with ScriptedServer() as server:
        model = Model("scripted", server.base_url)
        async with open_client([model], ClientOptions(requests_per_minute=3000), None) as client:
            began = time.monotonic()
            await asyncio.gather(*(write(client, model, str(i)) for i in range(11)))
            took = time.monotonic() - began
    assert took >= 10 * 60 / 3000


async def test_retry_after_holds_back_every_call_to_the_endpoint() -> None:
    when: list[float] = []

    def answer(ask: Ask) -> str:
        when.append(time.monotonic())
        return "A letter."

    plan = FaultPlan(0.5, ("rate_limit",), retry_after="0.3", seed=1)
    with ScriptedServer(Script(answer, faults=plan)) as server:
        model = Model("scripted", server.base_url)
        async with open_client([model], ClientOptions(concurrency=1, backoff_base_s=0.001), None) as client:
            await asyncio.gather(*(write(client, model, str(i)) for i in range(6)))
            held = server.faults["rate_limit"]
    assert 0 < held < 6
    pauses = [later - earlier for earlier, later in pairwise(when)]
    assert sum(pause >= 0.25 for pause in pauses) >= held - 1


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("", 0),
        ("3", 3),
        ("0.5", 0.5),
        ("-4", 0),
        ("nan", 0),
        ("soon", 0),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0),
        ("Wed, 99 Oct 2015 07:28:00 GMT", 0),
    ],
)
def test_retry_after_in_seconds(header: str, seconds: float) -> None:
    assert seconds_asked_for(header) == seconds


@pytest.mark.parametrize("usegmt", [True, False])
def test_retry_after_as_a_date(usegmt: bool) -> None:
    then = datetime.now(UTC) + timedelta(seconds=900)
    assert 800 <= seconds_asked_for(format_datetime(then, usegmt)) <= 900


async def test_a_long_retry_after_is_capped() -> None:
    plan = FaultPlan(1.0, ("rate_limit",), retry_after="86400")
    options = ClientOptions(backoff_base_s=0.001, retry_after_cap_s=0.05)
    with ScriptedServer(Script(faults=plan)) as server:
        model = Model("scripted", server.base_url)
        async with open_client([model], options, None) as client:
            assert await write(client, model)


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


async def line_of(model: Model, options: ClientOptions = QUICK) -> str:
    """The one line that a call to a useless endpoint ends in."""
    with pytest.raises(EndpointError) as caught:
        async with open_client([model], options, None) as client:
            await write(client, model)
    line = str(caught.value)
    assert "\n" not in line
    return line


async def test_an_unreachable_endpoint() -> None:
    url = f"http://127.0.0.1:{free_port()}/v1"
    line = await line_of(Model("m", url))
    assert line == f"{url} cannot be reached. Is the server running, and is --base-url right?"


async def test_an_address_that_does_not_resolve() -> None:
    assert "cannot be reached" in await line_of(Model("m", "http://no-such-host.invalid/v1"))


@pytest.mark.parametrize("url", ["", "here", "ftp://127.0.0.1/v1", "http://", "http://[bad/v1"])
async def test_an_address_that_is_none(url: str) -> None:
    assert f"the base URL {url!r} is no address" in await line_of(Model("m", url))


async def test_an_endpoint_that_dies_stops_the_run_and_spares_the_items() -> None:
    with ScriptedServer() as server:
        model = Model("scripted", server.base_url)
        async with open_client([model], ClientOptions(backoff_base_s=0.001, attempts=3), None) as client:
            await write(client, model)
            server.stop()
            with pytest.raises(EndpointError, match="cannot be reached"):
                await write(client, model, "again")


async def test_an_endpoint_that_only_fails_stops_the_run() -> None:
    plan = FaultPlan(1.0, ("server_error",), times=99)
    with ScriptedServer(Script(faults=plan)) as server:
        assert "fails every call (500)" in await line_of(Model("scripted", server.base_url))


async def test_a_missing_key_is_asked_for_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MY_KEY", raising=False)
    with ScriptedServer(Script(key=KEY)) as server:
        line = await line_of(Model("scripted", server.base_url, key_env="MY_KEY"))
    assert line == f"{server.base_url} wants a key (401): set MY_KEY."


async def test_a_wrong_key_is_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    with ScriptedServer(Script(key="another")) as server:
        line = await line_of(Model("scripted", server.base_url, key_env="MY_KEY"))
    assert line == f"{server.base_url} refuses the key in MY_KEY (401). Set the right one."
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("key", ["two words", "line\nbreak", "schlüssel"])
async def test_a_key_that_cannot_be_one(monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    monkeypatch.setenv("MY_KEY", key)
    line = await line_of(Model("m", "http://127.0.0.1:9/v1", key_env="MY_KEY"))
    assert line == "MY_KEY holds something that is no key. Set it again."


async def test_no_key_is_sent_when_no_variable_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with ScriptedServer() as server:
        model = Model("scripted", server.base_url, key_env="")
        async with open_client([model], QUICK, None) as client:
            await write(client, model)
    assert "Authorization" not in server.headers[0]


async def test_a_password_in_the_address_is_not_shown() -> None:
    line = await line_of(Model("m", f"http://me:hunter2@127.0.0.1:{free_port()}/v1"))
    assert "hunter2" not in line
    assert "me:" not in line


async def test_a_model_that_the_endpoint_lacks_is_told_with_those_it_has() -> None:
    names = tuple(f"model-{i}" for i in range(7))
    with ScriptedServer(Script(models=names, demands_model=True)) as server:
        line = await line_of(Model("gpt-9", server.base_url))
    assert line == (
        f"{server.base_url} has no model 'gpt-9'. It has: model-0, model-1, model-2, model-3, model-4 "
        "and 2 more. Give one of them by --model."
    )


async def test_an_address_without_chat_completions() -> None:
    with ScriptedServer() as server:
        line = await line_of(Model("scripted", f"{server.base_url}/elsewhere"))
    assert "no chat completions under this address" in line


@pytest.mark.parametrize(
    ("status", "error", "words"),
    [
        (429, {"code": "insufficient_quota"}, "has no quota left"),
        (402, {}, "has no quota left"),
        (307, {}, "redirects calls (307)"),
        (400, {"message": "secret words", "type": "bad_request"}, "refuses calls (400 bad_request)"),
    ],
)
async def test_an_endpoint_that_cannot_serve_the_run(status: int, error: dict[str, str], words: str) -> None:
    script = Script(lambda ask: Said(status=status, error={"error": error}))
    with ScriptedServer(script) as server:
        line = await line_of(Model("scripted", server.base_url))
    assert words in line
    assert "secret words" not in line


async def test_an_error_in_the_guise_of_success_is_tried_again() -> None:
    left = [Said(status=200, text=None)]

    def answer(ask: Ask) -> str | Said:
        return left.pop() if left else "A letter."

    with ScriptedServer(Script(answer)) as server:
        model = Model("scripted", server.base_url)
        async with open_client([model], QUICK, None) as client:
            assert await write(client, model) == "A letter."


@pytest.mark.parametrize("slashes", ["", "/", "/v1", "/v1/", "/v1/chat/completions"])
async def test_a_base_url_works_with_and_without_v1(slashes: str) -> None:
    with ScriptedServer() as server:
        model = Model("scripted", server.base_url.removesuffix("/v1") + slashes)
        async with open_client([model], QUICK, None) as client:
            assert await write(client, model)


async def test_pauses_grow_and_differ_and_are_the_same_again() -> None:
    endpoint = Endpoint("http://127.0.0.1:9", "", ClientOptions(backoff_base_s=1.0, backoff_cap_s=8.0))
    try:
        fault = transport.Fault("broken", 500)
        pauses = [endpoint._pause_s(b"body", tries, fault) for tries in range(1, 7)]
        assert pauses == [endpoint._pause_s(b"body", tries, fault) for tries in range(1, 7)]
        for pause, longest in zip(pauses, [1, 2, 4, 8, 8, 8], strict=True):
            assert longest / 2 <= pause <= longest
        assert len({endpoint._pause_s(b"%d" % i, 1, fault) for i in range(50)}) > 40
    finally:
        await endpoint.close()
