"""One HTTP call to one endpoint, and the only place that tries a call again.

A call waits for a slot (concurrency), for its turn (rate limit) and for the endpoint (Retry-After), and is
tried again with growing, jittered pauses when the fault may pass. See docs/decisions/transport.md.
"""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Literal, NamedTuple
from urllib.request import getproxies, proxy_bypass
from zlib import crc32

import aiohttp
from pydantic_core import from_json
from yarl import URL

from privasis.errors import EndpointError
from privasis.llm.messages import ClientOptions
from privasis.llm.wire import Complaint, Reply, chat_url, read_complaint, read_reply, shown

FaultKind = Literal["unreachable", "dropped", "timeout", "cut_off", "busy", "broken"]

PASSING_STATUS = frozenset({408, 409, 425, 429})  # and every 5xx
QUOTA_CODES = frozenset({"insufficient_quota", "billing_hard_limit_reached", "insufficient_balance"})
MODEL_CODES = frozenset({"model_not_found", "model_not_available", "model_not_supported", "invalid_model"})
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


class Fault(NamedTuple):
    """Why one try failed, when another may do better."""

    kind: FaultKind
    status: int = 0
    retry_after_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Sent:
    """A good reply, with the number of tries that it took."""

    reply: Reply
    tries: int


class Refused(Exception):
    """The endpoint does not accept this request (400, 413, 422, …); sending it again is useless."""

    def __init__(self, status: int, complaint: Complaint, tries: int = 1) -> None:
        super().__init__(f"{status} {complaint.code}")
        self.status = status
        self.complaint = complaint
        self.tries = tries


class Exhausted(Exception):
    """Every try failed."""

    def __init__(self, fault: Fault, tries: int) -> None:
        super().__init__(f"{fault.kind} {fault.status or ''}".rstrip())
        self.fault = fault
        self.tries = tries


class Endpoint:
    """One base URL with one key: its connections, its slots and its temper.

    Args:
        base_url: With or without /v1.
        key_env: Name of the environment variable that holds the key; '' sends none.
        options: Limits and patience.

    Raises:
        EndpointError: The base URL or the key cannot be used.
    """

    def __init__(self, base_url: str, key_env: str, options: ClientOptions) -> None:
        self.url = chat_url(base_url)
        self.key_env = key_env
        self.has_key = bool(key_env and os.environ.get(key_env, "").strip())
        self.answered = 0  # good replies so far
        self.queued = 0  # calls that were given to it and have not ended
        self._options = options
        self._session = _session(key_env, options)
        self._proxy = _proxy_for(self.url)
        self._slots = asyncio.Semaphore(options.concurrency)
        self._open_at = 0.0  # loop time before which nothing is sent: the endpoint asked for a pause
        self._next_turn = 0.0  # loop time of the next call under the rate limit
        rate = options.requests_per_minute
        self._spacing_s = 60.0 / rate if rate else 0.0

    @property
    def name(self) -> str:
        """The endpoint as it may stand in a message."""
        return shown(self.url)

    async def close(self) -> None:
        """Close the connections."""
        await self._session.close()

    async def send(self, body: bytes) -> Sent:
        """Send one chat completion until it is answered.

        Args:
            body: The request as JSON.

        Raises:
            Refused: The endpoint does not accept the request.
            Exhausted: No try succeeded.
            EndpointError: The endpoint cannot serve the run.
        """
        self.queued += 1
        try:
            return await self._send(body)
        finally:
            self.queued -= 1

    async def _send(self, body: bytes) -> Sent:
        tries = 0
        while True:
            tries += 1
            async with self._slots:
                await self._turn()
                result = await self.once(body, tries)
            if isinstance(result, Reply):
                self.answered += 1
                return Sent(result, tries)
            if tries >= self._options.attempts or self._never_there(result, tries):
                raise Exhausted(result, tries)
            await asyncio.sleep(self._pause_s(body, tries, result))

    def _never_there(self, fault: Fault, tries: int) -> bool:
        """An address that never answered and refuses twice is a wrong one: no minute of patience for it."""
        return fault.kind == "unreachable" and not self.answered and tries >= 2

    async def once(self, body: bytes, tries: int = 1) -> Reply | Fault:
        """One try, without patience."""
        try:
            async with self._session.post(
                self.url, data=body, proxy=self._proxy, allow_redirects=False
            ) as response:
                payload = await response.read()
        except aiohttp.ClientConnectorCertificateError:
            raise EndpointError(
                f"the certificate of {self.name} cannot be verified. "
                "Use its right name, or set SSL_CERT_FILE to your authority's file."
            ) from None
        except (aiohttp.ClientError, TimeoutError, ConnectionError) as error:
            return Fault(_kind_of(error))
        if response.status == 200:
            return read_reply(payload) or self._unread(payload)
        return self._judge(response.status, response.headers.get("Retry-After", ""), payload, tries)

    async def list_models(self) -> tuple[str, ...]:
        """The names that the endpoint lists; none when it lists none or does not say."""
        url = self.url.parent.parent / "models"
        try:
            async with self._session.get(url, proxy=self._proxy, allow_redirects=False) as response:
                document = from_json(await response.read())
                return tuple(str(entry["id"]) for entry in document["data"])
        except (aiohttp.ClientError, TimeoutError, ConnectionError, ValueError, TypeError, LookupError):
            return ()

    def _unread(self, payload: bytes) -> Fault:
        """A 200 that holds no completion: cut off, or an error in disguise."""
        if read_complaint(payload).code in QUOTA_CODES:
            raise EndpointError(self._no_quota())
        return Fault("cut_off", 200)

    def _judge(self, status: int, retry_after: str, payload: bytes, tries: int) -> Fault:
        complaint = read_complaint(payload)
        if status == 402 or complaint.code in QUOTA_CODES:
            raise EndpointError(self._no_quota())
        if status in PASSING_STATUS or status >= 500:
            pause_s = min(seconds_asked_for(retry_after), self._options.retry_after_cap_s)
            if pause_s:
                self._open_at = max(self._open_at, asyncio.get_running_loop().time() + pause_s)
            return Fault("busy" if status in {429, 503} else "broken", status, pause_s)
        if status in {401, 403} and complaint.code not in MODEL_CODES:
            raise EndpointError(self._no_entry(status))
        if 300 <= status < 400:
            raise EndpointError(f"{self.name} redirects calls ({status}): give the address that it leads to.")
        raise Refused(status, complaint, tries)

    def _no_quota(self) -> str:
        return f"the account behind {self.name} has no quota left. Raise it and give the same command again."

    def _no_entry(self, status: int) -> str:
        if self.has_key:
            return f"{self.name} refuses the key in {self.key_env} ({status}). Set the right one."
        variable = self.key_env or "the variable named by the model's key_env"
        return f"{self.name} wants a key ({status}): set {variable}."

    async def _turn(self) -> None:
        """Wait for the rate limit and for a pause that the endpoint asked for."""
        if not self._spacing_s and not self._open_at:
            return
        loop = asyncio.get_running_loop()
        if self._spacing_s:
            turn = max(self._next_turn, loop.time())
            self._next_turn = turn + self._spacing_s
            await asyncio.sleep(turn - loop.time())
        while (wait_s := self._open_at - loop.time()) > 0:
            await asyncio.sleep(wait_s)

    def _pause_s(self, body: bytes, tries: int, fault: Fault) -> float:
        """Full jitter between half and the whole of a doubled pause; the same for the same call and try."""
        longest = min(self._options.backoff_base_s * 2.0 ** (tries - 1), self._options.backoff_cap_s)
        jitter = crc32(body, tries) / 2**32
        if fault.retry_after_s:  # everyone waits for the same moment: spread what follows it
            return fault.retry_after_s + jitter * self._options.backoff_base_s
        return longest * (0.5 + 0.5 * jitter)


def _session(key_env: str, options: ClientOptions) -> aiohttp.ClientSession:
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    key = os.environ.get(key_env, "").strip() if key_env else ""
    if key:
        if not key.isascii() or not key.isprintable() or " " in key:
            raise EndpointError(f"{key_env} holds something that is no key. Set it again.")
        headers["Authorization"] = f"Bearer {key}"
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0, ttl_dns_cache=300, keepalive_timeout=30),
        headers=headers,
        cookie_jar=aiohttp.DummyCookieJar(),
        timeout=aiohttp.ClientTimeout(total=options.timeout_s),
    )


def _proxy_for(url: URL) -> str | None:
    """The proxy of the environment, looked up once: aiohttp's own way reads it for every call."""
    if url.host is None or url.host in LOOPBACK or proxy_bypass(url.host):
        return None
    return getproxies().get(url.scheme)


def _kind_of(error: Exception) -> FaultKind:
    if isinstance(error, TimeoutError):
        return "timeout"
    if isinstance(error, aiohttp.ClientConnectorError):
        return "unreachable"
    if isinstance(error, aiohttp.ClientPayloadError):
        return "cut_off"
    if isinstance(error, aiohttp.ServerDisconnectedError | ConnectionError):
        return "dropped"
    return "broken"


def seconds_asked_for(retry_after: str) -> float:
    """A Retry-After header in seconds: a number, or an HTTP date; 0 when it is neither."""
    if not retry_after:
        return 0.0
    try:
        return max(0.0, float(retry_after))
    except ValueError:
        pass
    try:
        then = parsedate_to_datetime(retry_after)
    except ValueError:
        return 0.0
    then = then if then.tzinfo else then.replace(tzinfo=UTC)
    return max(0.0, (then - datetime.now(UTC)).total_seconds())
