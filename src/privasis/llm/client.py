"""Ask a model for a typed answer: validate, ask again with the reason, keep, count.

Below it: dispatch.py (which endpoint, in which words), transport.py (one call), wire.py (bytes),
reading.py (answers), cache.py (answers on disk), usage.py (tokens and money).
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from hashlib import sha256
from typing import TypeVar

from pydantic import BaseModel

from privasis.errors import CostLimitReached, Reject
from privasis.llm.cache import ResponseCache
from privasis.llm.dispatch import Dispatch, Question
from privasis.llm.messages import Answer, BadAnswer, ClientOptions, Model
from privasis.llm.reading import Reading, Said, cut_back, read_object, read_text
from privasis.llm.schema import shape_of
from privasis.llm.usage import Ledger, Tally, Usage
from privasis.llm.wire import EVERYTHING, Correction, pack, unpack
from privasis.types import Request

__all__ = ["Client", "ClientOptions", "open_client"]

M = TypeVar("M", bound=BaseModel)
T = TypeVar("T")


class Client:
    """All endpoints of a run, for one event loop. Made by :func:`open_client`."""

    def __init__(self, models: Sequence[Model], options: ClientOptions, cache: ResponseCache | None) -> None:
        self._options = options
        self._cache = cache
        self._ledger = Ledger()
        self._spent_before = cache.paid if cache else 0.0
        self._dispatch = Dispatch(models, options)

    async def ask(
        self,
        request: Request,
        answer: type[M],
        model: Model,
        seed: int,
        check: Callable[[M], str | None] | None = None,
    ) -> Answer[M]:
        """Ask for a validated object.

        Args:
            request: The rendered prompt.
            answer: The class of the answer; its JSON schema goes along.
            model: Who is asked.
            seed: Draws the tokens; changed each time that the question is asked again.
            check: Says what is wrong with an answer that has the right shape; the model is told.

        Raises:
            Reject: No usable answer came: invalid_json, wrong_shape, refused, empty_answer, truncated,
                check_failed, content_filter, context_exceeded, endpoint_failed. It is a BadAnswer,
                whose ``call`` says what was spent.
            EndpointError: The endpoint cannot serve the run at all.
            CostLimitReached: ``max_cost`` is used up.
            DiskError: The response cache cannot be written.
        """
        question = Question(_suited(request, model), model, seed, shape_of(answer))
        return await self._converse(question, lambda said: read_object(said, answer, check))

    async def write(
        self, request: Request, model: Model, seed: int, check: Callable[[str], str | None] | None = None
    ) -> Answer[str]:
        """Ask for free text.

        Arguments and errors are those of :meth:`ask`; a text that hit ``max_tokens`` is truncated.
        """
        question = Question(_suited(request, model), model, seed, None)
        heard = cut_back if model.cuts_back else _as_said
        return await self._converse(question, lambda said: read_text(heard(said), check))

    @property
    def usage(self) -> Usage:
        """What was asked, answered and paid so far."""
        return self._ledger.snapshot()

    async def close(self) -> None:
        """Close every connection."""
        await self._dispatch.close()

    async def _converse(self, question: Question, read: Callable[[Said], Reading[T]]) -> Answer[T]:
        """Ask until an answer can be used, or as often as allowed."""
        step = question.request.step
        tally = Tally(self._ledger, question.request, question.model)
        left = self._options.retries
        while True:
            try:
                said = await self._say(question, tally)
            except Reject as lost:
                tally.rejected()
                raise BadAnswer(step, lost.reason, lost.detail, tally.call()) from None
            reading = read(said)
            if reading.value is not None:
                return Answer(reading.value, tally.call())
            if not left:
                tally.rejected()
                detail = f"{reading.complaint}\n\n{said.refusal or said.text}"
                raise BadAnswer(step, reading.reason, detail, tally.call())
            left -= 1
            tally.reasked()
            # A failed text is not shown again: small models go on with it, or quote the complaint.
            again = Correction(said.text if question.shape else "", reading.complaint)
            question = replace(question, seed=question.seed + 1, again=again)

    async def _say(self, question: Question, tally: Tally) -> Said:
        """One answer, from the response cache or from the endpoint."""
        body = question.body(question.model.name, EVERYTHING)
        key = sha256(body).digest()  # of what is wanted, however it must be put to the endpoint
        kept = self._cache.get(key) if self._cache else None
        if kept is not None:
            reply = unpack(kept)
            tally.recalled(reply.tokens)
            return reply.said
        self._stop_at_limit()
        reply = await self._dispatch.send(question, body, tally)
        cost = tally.heard(reply.tokens)
        if self._cache:
            self._cache.put(key, pack(reply), cost)
        return reply.said

    def _stop_at_limit(self) -> None:
        limit = self._options.max_cost
        spent = self._spent_before + self._ledger.cost
        if limit is not None and spent >= limit:
            raise CostLimitReached(f"{spent:.4g} are spent and --max-cost is {limit:.4g}. Raise it to go on.")


def _as_said(said: Said) -> Said:
    return said


def _suited(request: Request, model: Model) -> Request:
    """The request with the sampling that this model needs."""
    sampling = request.sampling
    return replace(
        request,
        sampling=replace(
            sampling,
            temperature=sampling.temperature * model.temperature_scale,
            max_tokens=min(sampling.max_tokens, model.most_tokens or sampling.max_tokens),
            frequency_penalty=sampling.frequency_penalty + model.frequency_penalty,
        ),
    )


@asynccontextmanager
async def open_client(
    models: Sequence[Model], options: ClientOptions, cache: ResponseCache | None
) -> AsyncIterator[Client]:
    """A client for the running event loop, closed at the end of the block.

    Args:
        models: All that will be asked; their addresses and keys are looked at once.
        options: Limits and patience.
        cache: The run's response cache; None keeps nothing. It is not closed here.

    Raises:
        EndpointError: A base URL or a key cannot be used.
    """
    client = Client(models, options, cache)
    try:
        yield client
    finally:
        await client.close()
