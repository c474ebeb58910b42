"""An OpenAI-compatible server over real HTTP that answers by a script, and misbehaves on order.

    with ScriptedServer(Script(latency_s=0.05, faults=FaultPlan(0.2))) as server:
        ... base_url = server.base_url ...
        assert server.peak <= 16

It runs in a thread with an event loop of its own, so that it outlives a killed child process and its
counters can be read at any time.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Self

from aiohttp import web

from support.answers import Ask, answer_to
from support.faults import Fault, FaultDrawer, FaultPlan

WORDS_A_TOKEN = 4  # characters, roughly
NOT_UNDERSTOOD = ("response_format", "max_tokens", "max_completion_tokens", "temperature", "top_p", "seed")


@dataclass(frozen=True)
class Said:
    """An answer with more to it than its text."""

    text: str | None = None
    finish: str = "stop"
    refusal: str | None = None
    reasoning: str | None = None
    status: int = 200
    error: dict[str, Any] = field(default_factory=dict)  # body of a status that is not 200


@dataclass(frozen=True)
class Script:
    """What the server does."""

    answer: Callable[[Ask], str | Said] = answer_to
    latency_s: float = 0.0
    slots: int | None = None  # requests worked on at once; the others wait
    faults: FaultPlan | None = None
    models: tuple[str, ...] | None = ("scripted",)  # None: it lists none (404)
    demands_model: bool = False  # 404 for a name that is not listed
    key: str | None = None  # 401 without it
    refuses: frozenset[str] = frozenset()  # parameters of NOT_UNDERSTOOD that get a 400
    names_the_refused: bool = True  # the 400 says which


class ScriptedServer:
    """Serves a script on a loopback address until the end of the block."""

    def __init__(self, script: Script | None = None) -> None:
        self.script = script or Script()
        self.asks: list[Ask] = []  # every chat request that came, in order
        self.headers: list[dict[str, str]] = []
        self.peak = 0  # most chat requests in work at the same time
        self._drawer = FaultDrawer(self.script.faults)
        self._now = 0
        self._seen: set[str] = set()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, name="scripted-server", daemon=True)

    @property
    def faults(self) -> Counter[Fault]:
        """The faults that were met so far, by kind."""
        return self._drawer.met

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._ready.wait(10)
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Close the address and every connection; a second time does nothing."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join(10)

    def _run(self) -> None:
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        self._slots = asyncio.Semaphore(self.script.slots) if self.script.slots else None
        app = web.Application(client_max_size=1 << 26)
        app.router.add_get("/v1/models", self._models)
        app.router.add_post("/v1/chat/completions", self._chat)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        self.port: int = runner.addresses[0][1]
        self._ready.set()
        await self._stop.wait()
        await runner.cleanup()

    async def _models(self, request: web.Request) -> web.Response:
        if self.script.models is None:
            raise web.HTTPNotFound
        listed = [{"id": name, "object": "model"} for name in self.script.models]
        return web.json_response({"object": "list", "data": listed})

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        self._now += 1
        self.peak = max(self.peak, self._now)
        try:
            raw = await request.read()
            self.asks.append(Ask(json.loads(raw), raw))
            self.headers.append(dict(request.headers))
            if self._slots is None:
                return await self._work(request, self.asks[-1])
            async with self._slots:
                return await self._work(request, self.asks[-1])
        finally:
            self._now -= 1

    async def _work(self, request: web.Request, ask: Ask) -> web.StreamResponse:
        refusal = self._refusal(request, ask)
        if refusal:
            return refusal
        fault = self._drawer.next(ask.raw)
        if self.script.latency_s:
            await asyncio.sleep(self.script.latency_s)
        match fault:
            case "rate_limit":
                headers = {"Retry-After": self._drawer.plan.retry_after}
                return _error(429, "rate_limit_exceeded", headers=headers)
            case "server_error":
                return _error(500, "server_error")
            case "hang":
                await asyncio.sleep(self._drawer.plan.hang_s)
            case "drop":
                request.transport.abort()
                return web.Response()
        said = self._say(ask, fault)
        if said.status != 200:
            return web.json_response(said.error, status=said.status)
        payload = json.dumps(self._completion(ask, said), ensure_ascii=False).encode()
        return await _halved(request, payload) if fault == "cut_off" else _json(payload)

    def _refusal(self, request: web.Request, ask: Ask) -> web.Response | None:
        script = self.script
        if script.key and request.headers.get("Authorization") != f"Bearer {script.key}":
            return _error(401, "invalid_api_key")
        if script.demands_model and ask.body["model"] not in (script.models or ()):
            return _error(404, "model_not_found")
        for name in NOT_UNDERSTOOD:
            if name in script.refuses and name in ask.body:
                param = name if script.names_the_refused else None
                return _error(400, "unsupported_parameter", param=param)
        return None

    def _say(self, ask: Ask, fault: Fault | None) -> Said:
        match fault:
            case "wrong_shape":
                return Said('{"unasked": [1, 2, 3]}' if ask.schema else "")
            case "empty":
                return Said("")
            case "refusal":
                return Said(None, refusal="I cannot help with that.")
        said = self.script.answer(ask)
        return said if isinstance(said, Said) else Said(said)

    def _completion(self, ask: Ask, said: Said) -> dict[str, Any]:
        text, finish = said.text, said.finish
        limit = ask.body.get("max_tokens", ask.body.get("max_completion_tokens", 1 << 30)) * WORDS_A_TOKEN
        if text and len(text) > limit:
            text, finish = text[:limit], "length"
        prompt = sum(len(message["content"]) for message in ask.body["messages"]) // WORDS_A_TOKEN
        cached = len(ask.system) // WORDS_A_TOKEN if ask.system in self._seen else 0
        self._seen.add(ask.system)
        message = {"role": "assistant", "content": text, "refusal": said.refusal}
        if said.reasoning:
            message["reasoning_content"] = said.reasoning
        return {
            "id": f"chatcmpl-{len(self.asks)}",
            "object": "chat.completion",
            "model": ask.body["model"],
            "choices": [{"index": 0, "message": message, "finish_reason": finish}],
            "usage": {
                "prompt_tokens": prompt,
                "completion_tokens": len(text or "") // WORDS_A_TOKEN,
                "prompt_tokens_details": {"cached_tokens": cached},
            },
        }


def _json(payload: bytes) -> web.Response:
    return web.Response(body=payload, content_type="application/json")


def _error(
    status: int, code: str, param: str | None = None, headers: dict[str, str] | None = None
) -> web.Response:
    error = {"message": f"{code}: {param}" if param else code, "type": code, "param": param, "code": code}
    return web.json_response({"error": error}, status=status, headers=headers)


async def _halved(request: web.Request, payload: bytes) -> web.StreamResponse:
    """Half a reply: either its JSON ends early, or the connection does."""
    if payload[-3] % 2:
        return _json(payload[: len(payload) // 2])
    response = web.StreamResponse(headers={"Content-Length": str(len(payload))})
    await response.prepare(request)
    await response.write(payload[: len(payload) // 2])
    request.transport.abort()
    return response
