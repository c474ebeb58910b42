"""What is said of an endpoint before a run starts."""

from __future__ import annotations

import pytest

from privasis.errors import EndpointError
from privasis.llm import ClientOptions, Model, probe
from support.faults import FaultPlan
from support.scripted_server import Script, ScriptedServer

QUICK = ClientOptions(backoff_base_s=0.001, timeout_s=0.5)


async def test_a_good_endpoint_is_described() -> None:
    with ScriptedServer(Script(models=("one", "two"))) as server:
        found = await probe(Model("two", server.base_url), QUICK)
    assert (found.endpoint, found.model, found.listed) == (server.base_url, "two", ("one", "two"))
    assert found.latency_s > 0
    assert [ask.body["max_tokens"] for ask in server.asks] == [1]


async def test_an_unnamed_model_gets_its_name() -> None:
    with ScriptedServer(Script(models=("one", "two"))) as server:
        assert (await probe(Model("", server.base_url), QUICK)).model == "one"


async def test_an_endpoint_that_lists_nothing_may_still_work() -> None:
    with ScriptedServer(Script(models=None)) as server:
        assert (await probe(Model("any", server.base_url), QUICK)).listed == ()


async def test_an_endpoint_with_other_parameters_works() -> None:
    script = Script(refuses=frozenset({"max_tokens", "temperature", "seed"}))
    with ScriptedServer(script) as server:
        assert (await probe(Model("scripted", server.base_url), QUICK)).model == "scripted"


async def test_a_model_that_is_not_there() -> None:
    with (
        ScriptedServer(Script(models=("one",), demands_model=True)) as server,
        pytest.raises(EndpointError, match=r"has no model 'two'\. It has: one"),
    ):
        await probe(Model("two", server.base_url), QUICK)


async def test_an_endpoint_that_hangs() -> None:
    script = Script(faults=FaultPlan(1.0, ("hang",), times=9))
    with (
        ScriptedServer(script) as server,
        pytest.raises(EndpointError, match=r"does not answer within 0\.1 s"),
    ):
        await probe(Model("scripted", server.base_url), ClientOptions(timeout_s=0.1, backoff_base_s=0.001))
