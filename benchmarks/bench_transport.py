"""CPU and throughput of one chat completion: our connections beside aiohttp, httpx and the openai package.

    python benchmarks/bench_transport.py

First table: CPU of the calling process for each call, 64 at once, against a server without latency.
Second table: throughput against 50 ms of latency and 256 slots, 256 calls in flight; ideal is 5,120 calls/s.
With --uvloop the same on that loop.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from pydantic import BaseModel
from pydantic_core import from_json, to_json

from privasis.llm import ClientOptions, Model, ResponseCache, open_client
from privasis.types import Request, Sampling
from support.fast_server import FastServer

Call = Callable[[], Awaitable[object]]
ROUNDS = 3
SYSTEM, USER = "You write records of everyday life. " * 20, "Write one, please. " * 60
FIELDS = {
    "model": "fast",
    "messages": [{"role": "system", "content": SYSTEM}, {"role": "user", "content": USER}],
    "temperature": 0.7,
    "max_tokens": 1024,
    "seed": 1,
}


class Note(BaseModel):
    title: str
    tags: list[str]


async def by_openai(url: str, stack: AsyncExitStack) -> Call:
    import httpx
    import openai

    limits = httpx.Limits(max_connections=None, max_keepalive_connections=None)
    http = httpx.AsyncClient(limits=limits, timeout=120)
    client = await stack.enter_async_context(
        openai.AsyncOpenAI(base_url=url, api_key="none", http_client=http)
    )
    return lambda: client.chat.completions.create(**FIELDS)


async def by_httpx(url: str, stack: AsyncExitStack) -> Call:
    import httpx

    limits = httpx.Limits(max_connections=None, max_keepalive_connections=None)
    client = await stack.enter_async_context(httpx.AsyncClient(limits=limits, timeout=120))
    headers = {"Content-Type": "application/json"}

    async def call() -> object:
        reply = await client.post(f"{url}/chat/completions", content=to_json(FIELDS), headers=headers)
        return from_json(reply.content)["choices"][0]["message"]["content"]

    return call


async def by_aiohttp(url: str, stack: AsyncExitStack) -> Call:
    import aiohttp

    session = await stack.enter_async_context(
        aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0),
            cookie_jar=aiohttp.DummyCookieJar(),
            headers={"Content-Type": "application/json"},
            timeout=aiohttp.ClientTimeout(total=120),
        )
    )

    async def call() -> object:
        async with session.post(f"{url}/chat/completions", data=to_json(FIELDS)) as reply:
            return from_json(await reply.read())["choices"][0]["message"]["content"]

    return call


async def by_us(url: str, stack: AsyncExitStack) -> Call:
    from privasis.llm.transport import Endpoint

    endpoint = Endpoint(url, "", ClientOptions(concurrency=1024))
    stack.callback(endpoint.close)
    return lambda: endpoint.send(to_json(FIELDS))


WAYS = {"openai": by_openai, "httpx": by_httpx, "aiohttp": by_aiohttp, "privasis.llm.transport": by_us}


async def measure(call: Call, at_once: int, count: int) -> tuple[float, float]:
    """CPU seconds and calls per second."""

    async def worker(turns: int) -> None:
        for _ in range(turns):
            await call()

    await asyncio.gather(*(worker(1) for _ in range(at_once)))
    cpu, wall = time.process_time(), time.perf_counter()
    await asyncio.gather(*(worker(count // at_once) for _ in range(at_once)))
    done = count // at_once * at_once
    return (time.process_time() - cpu) / done, done / (time.perf_counter() - wall)


async def table(url: str, at_once: int, slow: int, fast: int, ideal: float | None) -> None:
    for name, way in WAYS.items():
        count = slow if name in {"openai", "httpx"} else fast
        try:
            rounds = []
            for _ in range(ROUNDS):
                async with AsyncExitStack() as stack:
                    rounds.append(await measure(await way(url, stack), at_once, count))
        except ImportError as missing:
            print(f"  {name:24} not measured: {missing.name} is not installed")
            continue
        line(name, rounds, ideal)


async def whole_client(url: str, at_once: int, count: int, ideal: float) -> None:
    """ask() and write() in turn: schema, validation, counting, and the cache on disk."""
    for kept in (False, True):
        rounds = []
        for _ in range(ROUNDS):
            with tempfile.TemporaryDirectory() as folder:
                cache = ResponseCache(Path(folder)) if kept else None
                rounds.append(await one_client(url, at_once, count, cache))
                if cache:
                    cache.close()
        line(f"Client, {'with' if kept else 'without'} its cache", rounds, ideal)


async def one_client(url: str, at_once: int, count: int, cache: ResponseCache | None) -> tuple[float, float]:
    model, seed = Model("fast", url, key_env=""), 0
    request = Request("bench", "hash", SYSTEM, USER, Sampling())
    async with open_client([model], ClientOptions(concurrency=at_once), cache) as client:

        async def call() -> object:
            nonlocal seed
            seed += 1
            return await (
                client.ask(request, Note, model, seed) if seed % 2 else client.write(request, model, seed)
            )

        return await measure(call, at_once, count)


def line(name: str, rounds: list[tuple[float, float]], ideal: float | None) -> None:
    cpu = statistics.median(cpu for cpu, _ in rounds) * 1e6
    rate = statistics.median(rate for _, rate in rounds)
    share = f"   {rate / ideal:5.1%} of ideal" if ideal else ""
    print(f"  {name:24} {cpu:7.0f} us CPU a call   {rate:6.0f} calls/s{share}", flush=True)


async def main() -> None:
    print(f"loop: {type(asyncio.get_running_loop()).__module__}, medians of {ROUNDS}")
    print("no latency, 64 at once")
    with FastServer(latency_s=0.0, slots=64) as server:
        await table(server.base_url, 64, 320, 6400, None)
    print("50 ms latency, 256 slots, 256 at once")
    with FastServer(latency_s=0.05, slots=256) as server:
        await table(server.base_url, 256, 512, 10240, 256 / 0.05)
        await whole_client(server.base_url, 256, 10240, 256 / 0.05)


if __name__ == "__main__":
    if "--uvloop" in sys.argv:
        import uvloop

        uvloop.run(main())
    else:
        asyncio.run(main())
