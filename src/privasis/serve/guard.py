"""What stands before the service: who may ask, how much, how long; and what is told of it afterwards."""

from __future__ import annotations

import asyncio
import hmac
import logging
import time
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from typing import Any, Final

from privasis.serve.forms import Failure, Problem
from privasis.serve.limits import Gate, Limits, Refused
from privasis.serve.metrics import PATHS, Metrics

Message = MutableMapping[str, Any]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

CLEAN: Final = "/v1/clean"
OPEN: Final = "/health"  # tells nothing, and a load balancer has no token
LOCAL_NAMES: Final = ("localhost", "127.0.0.1", "[::1]")
_DISCARD: Final = 16 << 20  # bytes of a refused body that are read, so that the client sees the answer
_log = logging.getLogger("privasis.serve")


class ClientGone(Exception):
    """The client has hung up, or does not read its answer."""


@dataclass(slots=True)
class Exchange:
    """One request on its way: what was answered so far."""

    status: int = 0
    done: bool = False


@dataclass(frozen=True, slots=True)
class Guard:
    """An ASGI application around another.

    Attributes:
        app: The application inside.
        limits: Sizes and times.
        gate: Of requests that are held.
        metrics: Where requests are counted.
        token: A bearer token that every request but ``/health`` must bring; empty for none.
    """

    app: App
    limits: Limits
    gate: Gate
    metrics: Metrics
    token: str

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or run the life of the application inside."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        start = time.monotonic()
        exchange = Exchange()
        try:
            await self._answer(scope, receive, _noting(send, exchange, self.limits.read_seconds), exchange)
        except ClientGone:
            pass
        finally:
            self._tell(str(scope["path"]), exchange, time.monotonic() - start)

    async def _answer(self, scope: Scope, receive: Receive, send: Send, exchange: Exchange) -> None:
        try:
            self._admit(scope)
            if scope["path"] == CLEAN and scope["method"] == "POST":
                with self.gate.place():
                    body = await self._body(scope, receive)
                    await self._work(scope, body, receive, send, exchange)
            else:
                await self.app(scope, receive, send)
        except Refused as refusal:
            if refusal.status != 408:
                await _discard(receive, self.limits.read_seconds)
            await _refuse(send, refusal)
        except ClientGone:
            raise
        except Exception as error:  # its text may hold the user's: its kind only
            _log.error("a defect: %s", type(error).__name__)
            if not exchange.status:
                await _refuse(send, Refused(500, "defect", "a defect of privasis. Please report it."))

    async def _work(
        self, scope: Scope, body: bytes, receive: Receive, send: Send, exchange: Exchange
    ) -> None:
        """Let the application work for as long as the client is there: what waits for nobody is dropped.

        Raises:
            ClientGone: The client has hung up.
        """
        work = asyncio.ensure_future(self.app(scope, _replay(body, receive), send))
        gone = asyncio.ensure_future(receive())  # after the whole body, only the end of a connection comes
        try:
            await asyncio.wait({work, gone}, return_when=asyncio.FIRST_COMPLETED)
            if not (work.done() or exchange.done):
                raise ClientGone
            await work
        finally:
            gone.cancel()
            work.cancel()
            await asyncio.gather(work, gone, return_exceptions=True)

    def _admit(self, scope: Scope) -> None:
        """Let a request in: by its token, or on this machine by the name that it calls us.

        Raises:
            Refused: It is not let in.
        """
        headers = dict(scope["headers"])
        if self.token:
            given = headers.get(b"authorization", b"")
            wanted = b"Bearer " + self.token.encode()
            if scope["path"] != OPEN and not hmac.compare_digest(given, wanted):
                raise Refused(
                    401, "unauthorized", "the header Authorization: Bearer TOKEN is missing or wrong."
                )
            return
        # A page in a browser can have a name of its own point to 127.0.0.1, and ask in the user's place.
        host = headers.get(b"host", b"").decode("latin-1").lower()
        if _without_port(host) not in LOCAL_NAMES:
            raise Refused(403, "host", "without a token only requests to localhost are answered.")

    async def _body(self, scope: Scope, receive: Receive) -> bytes:
        """Read a request's body, to the last byte or not at all.

        Raises:
            Refused: It is too large or too slow.
            ClientGone: It ends early.
        """
        too_large = Refused(
            413, "too_large", f"a request has at most {self.limits.body_bytes} bytes. Send the text in parts."
        )
        length = dict(scope["headers"]).get(b"content-length", b"0")
        if not length.isdigit() or int(length) > self.limits.body_bytes:
            raise too_large
        body = bytearray()
        try:
            async with asyncio.timeout(self.limits.read_seconds):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise ClientGone
                    body += message.get("body", b"")
                    if len(body) > self.limits.body_bytes:
                        raise too_large
                    if not message.get("more_body", False):
                        return bytes(body)
        except TimeoutError:
            message_text = f"the request did not arrive within {self.limits.read_seconds:g} s."
            raise Refused(408, "read_time", message_text) from None

    def _tell(self, path: str, exchange: Exchange, seconds: float) -> None:
        status = str(exchange.status) if exchange.done else "cut_off"
        self.metrics.request(path, status, seconds)
        _log.info("%s %s %.0f ms", path if path in PATHS else "other", status, seconds * 1000)


def _without_port(host: str) -> str:
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdigit() else host


def _noting(send: Send, exchange: Exchange, seconds: float) -> Send:
    async def noting(message: Message) -> None:
        if message["type"] == "http.response.start":
            exchange.status = int(message["status"])
        try:
            async with asyncio.timeout(seconds):
                await send(message)
        except TimeoutError:  # a client that does not read its answer must not hold a place for ever
            raise ClientGone from None
        if message["type"] == "http.response.body" and not message.get("more_body", False):
            exchange.done = True

    return noting


def _replay(body: bytes, receive: Receive) -> Receive:
    left = [body]

    async def replay() -> Message:
        if left:
            return {"type": "http.request", "body": left.pop(), "more_body": False}
        return await receive()

    return replay


async def _discard(receive: Receive, seconds: float) -> None:
    """Read what is left of a body and forget it: a client that is still sending sees no answer."""
    size = 0
    try:
        async with asyncio.timeout(seconds):
            while size < _DISCARD:
                message = await receive()
                size += len(message.get("body", b""))
                if not message.get("more_body", False):
                    return
    except TimeoutError:
        return


async def _refuse(send: Send, refusal: Refused) -> None:
    body = failure(refusal)
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if refusal.status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    if refusal.status == 429:
        headers.append((b"retry-after", b"1"))
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def failure(refusal: Refused) -> bytes:
    """Return the body of an answer that says no."""
    problem = Problem(code=refusal.code, message=refusal.message)
    return Failure(error=problem).model_dump_json().encode()
