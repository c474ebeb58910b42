"""A gateway over real HTTP in a thread, and an upstream that writes down all that it gets."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import uvicorn
from aiohttp import web

from privasis.serve.gateway import GatewayOptions, make_app
from privasis.serve.policy import parse_policy


@dataclass
class Upstream:
    """What came, byte for byte, and what is answered."""

    answer: Callable[[dict[str, Any]], Any]  # a body; or, for a stream, a list of SSE byte pieces
    status: int = 200
    got: list[str] = field(default_factory=list)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    port: int = 0

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @contextmanager
    def serving(self) -> Iterator[Upstream]:
        ready, loop = threading.Event(), asyncio.new_event_loop()
        thread = threading.Thread(target=self._run, args=(loop, ready), daemon=True)
        thread.start()
        assert ready.wait(10)
        try:
            yield self
        finally:
            loop.call_soon_threadsafe(loop.stop)
            thread.join(10)

    def _run(self, loop: asyncio.AbstractEventLoop, ready: threading.Event) -> None:
        asyncio.set_event_loop(loop)
        app = web.Application(client_max_size=1 << 26)
        app.router.add_route("*", "/{path:.*}", self._take)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        loop.run_until_complete(runner.setup())
        loop.run_until_complete(web.TCPSite(runner, "127.0.0.1", 0).start())
        self.port = runner.addresses[0][1]
        ready.set()
        loop.run_forever()
        loop.run_until_complete(runner.cleanup())
        loop.close()

    async def _take(self, request: web.Request) -> web.StreamResponse:
        raw = await request.read()
        self.got.append(f"{request.raw_path}\n{dict(request.headers)}\n{raw.decode()}")
        body = json.loads(raw) if raw else {}
        self.bodies.append(body)
        answer = self.answer(body)
        if not isinstance(answer, list):
            return web.json_response(answer, status=self.status)
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for piece in answer:
            await response.write(piece)
        return response


@contextmanager
def gateway(upstream: Upstream, policy: str, **options: Any) -> Iterator[str]:
    """Yield the base URL of a gateway with a policy before an upstream."""
    app = make_app(GatewayOptions(upstream.base_url, parse_policy(policy), **options))
    server = uvicorn.Server(uvicorn.Config(app, "127.0.0.1", 0, log_level="critical", ws="none"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/v1"
    finally:
        server.should_exit = True
        thread.join(10)


def completion(text: str | None, tool_calls: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    """Return a chat completion that says a text."""
    message = {"role": "assistant", "content": text, "refusal": None}
    if tool_calls:
        message["tool_calls"] = tool_calls
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "scripted",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }
