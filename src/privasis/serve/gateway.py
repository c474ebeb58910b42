"""The gateway: an OpenAI-compatible proxy on the user's machine; values stay here, placeholders travel."""

from __future__ import annotations

import asyncio
import hmac
import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

import aiohttp
import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from privasis.cleaner.results import Wish
from privasis.errors import ConfigError
from privasis.serve.gateway_answer import restore_answer
from privasis.serve.gateway_parts import Endpoint, Refused
from privasis.serve.gateway_request import clean_request, read_body, says_target
from privasis.serve.gateway_stream import AnswerStream
from privasis.serve.running import is_loopback

_SENT: Final = ("authorization", "openai-organization", "openai-project", "openai-beta")
_RETURNED: Final = ("content-type", "retry-after", "x-request-id")


@dataclass(frozen=True, slots=True)
class GatewayOptions:
    """How the gateway works.

    Attributes:
        upstream: The endpoint's address, such as ``https://host/v1``.
        wishes: The policy.
        token: What clients show as bearer; empty where only this machine can reach the gateway.
        key: The upstream's key; empty where clients show it themselves.
        timeout_s: How long an answer may take.
        max_bytes: Largest request.
    """

    upstream: str
    wishes: tuple[Wish, ...]
    token: str = ""
    key: str = ""
    timeout_s: float = 600.0
    max_bytes: int = 4_000_000


def check_options(options: GatewayOptions) -> None:
    """Check where the gateway sends what it gets.

    Raises:
        ConfigError: The upstream's address cannot be used, or its key is not named.
    """
    url = urlsplit(options.upstream)
    if url.scheme not in {"http", "https"} or not url.hostname or url.username or url.query or url.fragment:
        raise ConfigError(
            "--upstream is the base of an endpoint, such as https://host/v1, without key or query."
        )
    if says_target([options.upstream], options.wishes):
        raise ConfigError("--upstream holds a value that the policy wants hidden.")
    if options.token and not options.key:
        raise ConfigError(
            "with a bearer token, clients cannot show the upstream's key: name it by --key-env."
        )


def make_app(options: GatewayOptions) -> Starlette:
    """Make the gateway's application.

    Args:
        options: Checked ones (``check_options``).
    """
    gateway = _Gateway(options)
    return Starlette(
        routes=[
            Route("/v1/chat/completions", gateway.chat, methods=["POST"]),
            Route("/v1/responses", gateway.responses, methods=["POST"]),
            Route("/v1/models", gateway.models, methods=["GET"]),
        ],
        lifespan=gateway.lifespan,
        exception_handlers={
            Refused: _refused,
            HTTPException: _not_served,
            aiohttp.ClientError: _unanswered,
            TimeoutError: _unanswered,
            Exception: _failed,
        },
    )


def run_gateway(options: GatewayOptions, bound: socket.socket) -> None:
    """Serve until a signal comes. Nothing is logged: lines and traces of servers may hold text.

    Args:
        options: Checked ones.
        bound: The address.
    """
    config = uvicorn.Config(
        make_app(options), http="h11", ws="none", log_config=None, log_level="critical", access_log=False
    )
    uvicorn.Server(config).run(sockets=[bound])


class _Gateway:
    """The routes, with the connections to the upstream."""

    def __init__(self, options: GatewayOptions) -> None:
        self._options = options

    @asynccontextmanager
    async def lifespan(self, app: Starlette) -> AsyncIterator[None]:
        """Hold the connections for as long as the gateway runs."""
        timeout = aiohttp.ClientTimeout(total=self._options.timeout_s)
        async with aiohttp.ClientSession(timeout=timeout, cookie_jar=aiohttp.DummyCookieJar()) as session:
            self._session = session
            yield

    async def chat(self, request: Request) -> Response:
        """Serve ``POST /v1/chat/completions``."""
        return await self._passed(request, "chat/completions")

    async def responses(self, request: Request) -> Response:
        """Serve ``POST /v1/responses``."""
        return await self._passed(request, "responses")

    async def models(self, request: Request) -> Response:
        """Serve ``GET /v1/models``."""
        async with self._sent("GET", "models", await self._headers(request), None) as reply:
            return Response(await reply.read(), reply.status, _returned(reply))

    async def _passed(self, request: Request, endpoint: Endpoint) -> Response:
        headers = await self._headers(request)
        body = read_body(await self._read(request))
        cleaned = await asyncio.to_thread(clean_request, body, endpoint, self._options.wishes)
        async with AsyncExitStack() as stack:
            reply = await stack.enter_async_context(self._sent("POST", endpoint, headers, cleaned.body))
            if reply.content_type == "text/event-stream":
                answer = AnswerStream(cleaned.values, endpoint)
                pieces = _streamed(reply, answer, stack.pop_all())
                return StreamingResponse(pieces, reply.status, _returned(reply))
            data = await asyncio.to_thread(restore_answer, await reply.read(), cleaned.values)
            return Response(data, reply.status, _returned(reply))

    @asynccontextmanager
    async def _sent(
        self, method: str, path: str, headers: Mapping[str, str], body: dict[str, Any] | None
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        url = f"{self._options.upstream.rstrip('/')}/{path}"
        async with self._session.request(
            method, url, json=body, headers=headers, allow_redirects=False
        ) as reply:
            yield reply

    async def _headers(self, request: Request) -> dict[str, str]:
        """Return the few headers that are passed on; none of them says a value.

        Raises:
            Refused: One does, or the request is none of a client that may ask.
        """
        options = self._options
        shown = request.headers.get("authorization", "")
        if options.token and not hmac.compare_digest(shown.encode(), f"Bearer {options.token}".encode()):
            raise HTTPException(401, "the gateway's bearer token is missing or wrong.")
        if not options.token and not is_loopback(request.url.hostname or ""):
            raise HTTPException(403, "without a token the gateway is for this machine only.")
        if request.method == "POST" and not request.headers.get("content-type", "").startswith(
            "application/json"
        ):
            raise HTTPException(415, "the gateway reads application/json only.")
        if request.url.query or request.headers.get("content-encoding", "identity") != "identity":
            raise Refused("request", "queries and compressed bodies are not passed on.")
        sent = {name: request.headers[name] for name in _SENT if name in request.headers}
        if options.key:
            sent["authorization"] = f"Bearer {options.key}"
        told = await asyncio.to_thread(says_target, tuple(sent.values()), options.wishes) if sent else False
        if told:
            raise Refused("headers", "a header holds a value that is to go.")
        return sent

    async def _read(self, request: Request) -> bytes:
        data = bytearray()
        async for piece in request.stream():
            data += piece
            if len(data) > self._options.max_bytes:
                raise HTTPException(413, f"the request has more than {self._options.max_bytes} bytes.")
        return bytes(data)


async def _streamed(
    reply: aiohttp.ClientResponse, answer: AnswerStream, connection: AsyncExitStack
) -> AsyncIterator[bytes]:
    """Yield the restored answer; where the upstream breaks off, so does this, after what was held."""
    async with connection:
        try:
            async for piece in reply.content.iter_any():
                yield answer.feed(piece)
        except (aiohttp.ClientError, TimeoutError):
            yield answer.end()
            raise
        yield answer.end()


def _returned(reply: aiohttp.ClientResponse) -> dict[str, str]:
    return {name: reply.headers[name] for name in _RETURNED if name in reply.headers}


def _error(status: int, message: str, code: str) -> JSONResponse:
    kind = "invalid_request_error" if status < 500 else "server_error"
    error = {"message": f"privasis gateway: {message}", "type": kind, "param": None, "code": code}
    return JSONResponse({"error": error}, status)


async def _refused(_: Request, error: Exception) -> Response:
    return _error(400, str(error), "not_passed_on")


async def _not_served(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    detail = "only POST /v1/chat/completions, POST /v1/responses and GET /v1/models are served."
    known = error.status_code not in {404, 405}
    return _error(error.status_code, error.detail if known else detail, "not_served")


async def _unanswered(_: Request, error: Exception) -> Response:
    return _error(502, f"the upstream gave no answer ({type(error).__name__}).", "upstream_failed")


async def _failed(_: Request, error: Exception) -> Response:
    """Fail closed. The error's words may hold text, so only its kind is said."""
    return _error(500, f"a defect of privasis: {type(error).__name__}. Please report it.", "defect")
