"""Several addresses of one model: the shorter queue is chosen, and a dead address costs no item."""

from __future__ import annotations

import asyncio
from pathlib import Path

from pydantic import BaseModel

from privasis.cli.main import run
from privasis.cli.serving import Prices, served
from privasis.llm.client import open_client
from privasis.llm.messages import ClientOptions, Model
from privasis.types import Request, Sampling
from support.fast_server import FastServer
from support.scripted_server import ScriptedServer

DEAD = "http://127.0.0.1:9/v1"


class Said(BaseModel):
    """An answer with one field."""

    word: str


async def ask_many(model: Model, count: int) -> None:
    options = ClientOptions(concurrency=64, backoff_base_s=0.01)
    request = Request("step", "hash", "Say it.", "A word.", Sampling())
    async with open_client((model,), options, None) as client:
        await asyncio.gather(*(client.ask(request, Said, model, seed) for seed in range(count)))


def test_load_follows_the_length_of_queues() -> None:
    with FastServer(latency_s=0.01, slots=8) as quick, FastServer(latency_s=0.05, slots=8) as slow:
        model = Model("fast", quick.base_url, replicas=(slow.base_url,), key_env="")
        asyncio.run(_in_waves(model))
        quick_calls, slow_calls = quick.stats()["requests"], slow.stats()["requests"]
    assert quick_calls + slow_calls == 400
    assert quick_calls > slow_calls > 0


async def _in_waves(model: Model) -> None:
    options = ClientOptions(concurrency=64)
    request = Request("step", "hash", "Say it.", "A word.", Sampling())
    async with open_client((model,), options, None) as client:

        async def one_after_another(first: int) -> None:
            for seed in range(first, first + 20):
                await client.ask(request, Said, model, seed)

        await asyncio.gather(*(one_after_another(20 * worker) for worker in range(20)))


def test_a_dead_replica_is_left_alone() -> None:
    with ScriptedServer() as server:
        asyncio.run(ask_many(Model("scripted", DEAD, replicas=(server.base_url,), key_env=""), 20))
        assert len(server.asks) == 20


def test_one_model_takes_several_addresses(tmp_path: Path) -> None:
    with served(["a"], ["http://x/v1", "http://y/v1"], "", Prices(), 4) as models:
        assert [(model.base_url, model.replicas) for model in models] == [("http://x/v1", ("http://y/v1",))]
    with ScriptedServer() as one, ScriptedServer() as two:
        made = ["generate", "--out", str(tmp_path), "--records", "4", "--refinement-steps", "0"]
        urls = ["--base-url", one.base_url, "--base-url", two.base_url]
        assert run([*made, "--model", "scripted", *urls]) == 0
        assert one.asks
        assert two.asks
