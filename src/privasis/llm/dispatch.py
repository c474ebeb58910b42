"""Which endpoint, in which words: what each one understands is learned here, and whose fault a failure is."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from privasis.errors import EndpointError, Reject
from privasis.llm.messages import ClientOptions, Model
from privasis.llm.schema import Shape
from privasis.llm.transport import MODEL_CODES, Endpoint, Exhausted, Refused
from privasis.llm.usage import Tally
from privasis.llm.wire import EVERYTHING, Abilities, Correction, Reply, body_of, humbler
from privasis.types import Request, Sampling

PING = Request("ping", "", "", "Say OK.", Sampling(max_tokens=1))
FILTER_CODES = frozenset({"content_filter", "content_policy_violation"})
NAMES_SHOWN = 5
REST_S = 30.0  # that a replica which failed is left alone, where others answer
ANY_NAME = "default"  # for endpoints that list no model and serve one


class Place(NamedTuple):
    """One model at one endpoint: abilities are remembered by it."""

    url: str
    name: str


@dataclass(frozen=True, slots=True)
class Question:
    """One way of asking: asking again changes the seed and adds a correction."""

    request: Request
    model: Model
    seed: int
    shape: Shape | None
    again: Correction | None = None

    def body(self, name: str, able: Abilities) -> bytes:
        """The bytes that ask it."""
        return body_of(self.request, name, self.seed, self.shape, self.again, able)


class Dispatch:
    """The endpoints of a client, with what was learned about them."""

    def __init__(self, models: Iterable[Model], options: ClientOptions) -> None:
        self._options = options
        self._endpoints: dict[tuple[str, str], Endpoint] = {}
        self._able: dict[Place, Abilities] = {}
        self._first: dict[str, str] = {}  # name of the model that '' stands for, by base URL
        self._resting: dict[Endpoint, float] = {}  # loop time until which a failed replica is left alone
        for model in models:
            self._replicas(model)

    async def close(self) -> None:
        """Close every connection."""
        for endpoint in self._endpoints.values():
            await endpoint.close()

    def endpoint(self, model: Model) -> Endpoint:
        """The first endpoint of a model, opened when it is new."""
        return self._at(model.base_url, model.key_env)

    def _replicas(self, model: Model) -> list[Endpoint]:
        return [self._at(url, model.key_env) for url in (model.base_url, *model.replicas)]

    def _at(self, base_url: str, key_env: str) -> Endpoint:
        found = self._endpoints.get((base_url, key_env))
        if found is None:
            found = self._endpoints[base_url, key_env] = Endpoint(base_url, key_env, self._options)
        return found

    async def name_of(self, model: Model) -> str:
        """The name to ask for: the model's own, or that of the endpoint's first model."""
        if model.name:
            return model.name
        if model.base_url not in self._first:
            listed = await self.endpoint(model).list_models()
            self._first[model.base_url] = listed[0] if listed else ANY_NAME
        return self._first[model.base_url]

    async def send(self, question: Question, plain: bytes, tally: Tally) -> Reply:
        """Send a question to the replica with the shortest queue, in the fullest words that it understands.

        A replica that fails the run's way (not one item's) rests for a while, and another is asked.

        Args:
            question: What is asked.
            plain: Its body for an endpoint that understands everything, already made for the cache's key.
            tally: Counts the tries, the failed ones too.

        Raises:
            Reject: The endpoint lives, but has no answer to this question.
            EndpointError: The endpoint, or every one of the replicas, cannot serve the run.
        """
        left = self._replicas(question.model)
        while True:
            endpoint = self._shortest_queue(left)
            left.remove(endpoint)
            try:
                return await self._send_to(endpoint, question, plain, tally)
            except EndpointError:
                if not left:
                    raise
                self._resting[endpoint] = asyncio.get_running_loop().time() + REST_S

    def _shortest_queue(self, endpoints: list[Endpoint]) -> Endpoint:
        if len(endpoints) == 1:
            return endpoints[0]
        now = asyncio.get_running_loop().time()
        return min(endpoints, key=lambda one: (self._resting.get(one, 0.0) > now, one.queued))

    async def _send_to(self, endpoint: Endpoint, question: Question, plain: bytes, tally: Tally) -> Reply:
        model = question.model
        name = model.name or await self.name_of(model)
        place = Place(str(endpoint.url), model.name)
        able = self._able.get(place, EVERYTHING)
        before = endpoint.answered
        while True:
            as_is = able is EVERYTHING and name == model.name
            try:
                sent = await endpoint.send(plain if as_is else question.body(name, able))
            except Exhausted as lost:
                tally.tried(lost.tries)
                raise await self._verdict(endpoint, question, lost, before) from None
            except Refused as refused:
                tally.tried(refused.tries)
                less = _fewer_words(refused, able, question.shape)
                if less is None:
                    raise await _whose_fault(endpoint, name, question.request.step, refused) from None
                able = less
                continue
            tally.tried(sent.tries)
            if able is not EVERYTHING:
                self._able[place] = able
            return sent.reply

    async def _verdict(
        self, endpoint: Endpoint, question: Question, lost: Exhausted, before: int
    ) -> Reject | EndpointError:
        """Whether a call without any good try is one item's misfortune or the endpoint's end.

        Calls answered meanwhile prove that the endpoint lives; without any, it is asked for one token.
        """
        if endpoint.answered > before or await self._lives(endpoint, question.model):
            return Reject(question.request.step, "endpoint_failed", str(lost))
        return EndpointError(_obituary(endpoint, lost, self._options))

    async def _lives(self, endpoint: Endpoint, model: Model) -> bool:
        able = self._able.get(Place(str(endpoint.url), model.name), EVERYTHING)
        ping = body_of(PING, await self.name_of(model), 0, None, None, able)
        try:
            return isinstance(await endpoint.once(ping), Reply)
        except Refused:
            return True


def _fewer_words(refused: Refused, able: Abilities, shape: Shape | None) -> Abilities | None:
    """Fewer parameters, when it was the parameters that the endpoint refused."""
    code = refused.complaint.code
    if refused.status not in {400, 422, 501} or code in FILTER_CODES | MODEL_CODES or "context" in code:
        return None
    return humbler(able, refused.complaint.blamed, shape is not None)


async def _whose_fault(endpoint: Endpoint, name: str, step: str, refused: Refused) -> Reject | EndpointError:
    """Whether a refused request is one item's misfortune or the run's."""
    code = refused.complaint.code
    if refused.status == 404 or code in MODEL_CODES:
        return EndpointError(await missing(endpoint, name))
    if code in FILTER_CODES:
        return Reject(step, "content_filter", code)
    if refused.status == 413 or "context" in code:
        return Reject(step, "context_exceeded", code)
    what = f"{refused.status} {code}".strip()
    if endpoint.answered:
        return Reject(step, "endpoint_failed", what)
    return EndpointError(f"{endpoint.name} refuses calls ({what}). Is it an OpenAI-compatible endpoint?")


async def missing(endpoint: Endpoint, name: str) -> str:
    """One line for a model or an address that the endpoint does not have."""
    listed = await endpoint.list_models()
    if not listed or name in listed:
        return (
            f"{endpoint.name} has no model {name!r}, or no chat completions under this address. "
            "Check --model and --base-url."
        )
    some = ", ".join(listed[:NAMES_SHOWN])
    more = f" and {len(listed) - NAMES_SHOWN} more" if len(listed) > NAMES_SHOWN else ""
    return f"{endpoint.name} has no model {name!r}. It has: {some}{more}. Give one of them by --model."


def _obituary(endpoint: Endpoint, lost: Exhausted, options: ClientOptions) -> str:
    kind, status = lost.fault.kind, lost.fault.status
    if kind == "unreachable":
        return f"{endpoint.name} cannot be reached. Is the server running, and is --base-url right?"
    if kind == "timeout":
        return f"{endpoint.name} does not answer within {options.timeout_s:g} s. Is it overloaded?"
    if kind == "busy":
        return f"{endpoint.name} stays busy ({status}). Lower --concurrency and give the same command again."
    what = str(status) if status else kind
    return f"{endpoint.name} fails every call ({what}). Look at its log, then give the same command again."
