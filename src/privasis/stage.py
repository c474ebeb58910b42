"""What a stage is, what it is given, and what a runner and a sink promise.

A stage is a pure async function of (item, context): it opens no file, and its randomness comes from
(run seed, item, step) alone, so that any runner, on any machine, in any order, makes the same results.
"""

from __future__ import annotations

import hashlib
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, ExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import numpy as np
from pydantic import BaseModel

from privasis.llm.cache import ResponseCache
from privasis.llm.client import Client, open_client
from privasis.llm.embeddings import Encoder, open_encoder
from privasis.llm.messages import Answer, BadAnswer, ClientOptions, Model
from privasis.types import Call, Outcome, Request

T = TypeVar("T")

# Windows of 256 tokens that stand for a text: each costs about 15 ms, and two tell drafts apart well enough.
ENCODER_WINDOWS = 2

Item = TypeVar("Item")
ItemRead = TypeVar("ItemRead", covariant=True)
Result = TypeVar("Result")
Options = TypeVar("Options")
AnswerT = TypeVar("AnswerT", bound=BaseModel)


def derive_seed(seed: int, item: str, step: str) -> int:
    """Return 64 bits that depend on run seed, item and step alone."""
    digest = hashlib.blake2b(f"{seed}\x1f{item}\x1f{step}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little")


class Pool(NamedTuple):
    """The earlier final records that a refinement step may compare with (§2.1, item 2)."""

    numbers: np.ndarray  # (n,) int64: the records' numbers
    embeddings: np.ndarray  # (n, d) float16


EMPTY_POOL = Pool(np.empty(0, np.int64), np.empty((0, 0), np.float16))


@dataclass(slots=True)
class Asker:
    """The client, bound to one item: draws its seeds and keeps the calls that made the item."""

    client: Client
    model: Model
    seed: int
    item: str
    calls: list[Call] = field(default_factory=list)

    async def ask(
        self, request: Request, answer: type[AnswerT], check: Callable[[AnswerT], str | None] | None = None
    ) -> AnswerT:
        """Ask for a typed answer.

        Raises:
            Reject: If no valid answer comes after the re-asks.
        """
        seed = self._next_seed(request.step)
        return await self._noted(self.client.ask(request, answer, self.model, seed, check))

    async def write(self, request: Request, check: Callable[[str], str | None] | None = None) -> str:
        """Ask for free text.

        Raises:
            Reject: If no usable text comes after the re-asks.
        """
        seed = self._next_seed(request.step)
        return await self._noted(self.client.write(request, self.model, seed, check))

    async def _noted(self, reply: Awaitable[Answer[T]]) -> T:
        try:
            answer = await reply
        except BadAnswer as bad:
            self.calls.append(bad.call)  # what failed was paid for too
            raise
        self.calls.append(answer.call)
        return answer.value

    def _next_seed(self, step: str) -> int:
        # 31 bits: the largest seed that every endpoint seen so far takes
        return derive_seed(self.seed, self.item, f"{step}#{len(self.calls)}") & 0x7FFFFFFF


@dataclass(frozen=True, slots=True)
class Context(Generic[Options]):
    """What a step is given. It is opened where the work runs, and never pickled."""

    run: str  # a short name that makes the ids of different runs different
    seed: int
    options: Options
    models: tuple[Model, ...]
    client: Client
    encoder: Encoder
    pool: Pool = EMPTY_POOL

    def rng(self, item: str, step: str) -> np.random.Generator:
        """Return the generator of one step of one item."""
        return np.random.Generator(np.random.PCG64(derive_seed(self.seed, item, step)))

    def asker(self, item: str) -> Asker:
        """Return the client bound to an item, with the model drawn by the models' shares."""
        shares = np.array([model.share for model in self.models])
        chosen = int(self.rng(item, "model").choice(len(shares), p=shares / shares.sum()))
        return Asker(self.client, self.models[chosen], self.seed, item)

    def with_pool(self, pool: Pool) -> Context[Options]:
        """Return the same context over another pool."""
        return replace(self, pool=pool)


@dataclass(frozen=True, slots=True)
class Stage(Generic[Item, Result, Options]):
    """A named unit of the chain: one item in, one outcome out."""

    name: str
    run: Callable[[Item, Context[Options]], Awaitable[Outcome[Result]]]


@dataclass(frozen=True, slots=True)
class Settings(Generic[Options]):
    """All that is needed to open a context, anywhere: plain data that can be sent to a worker."""

    run: str
    seed: int
    options: Options
    models: tuple[Model, ...]
    client: ClientOptions
    cache: Path | None  # the folder of the response cache; None keeps no answers


@asynccontextmanager
async def open_context(settings: Settings[Options]) -> AsyncIterator[Context[Options]]:
    """Open client, cache and encoder on the running event loop.

    Raises:
        EndpointError: If an address or a key cannot be used.
        RunFolderError: If the cache is broken.
    """
    with ExitStack() as stack:
        cache = stack.enter_context(ResponseCache(settings.cache)) if settings.cache else None
        async with open_client(settings.models, settings.client, cache) as client:
            yield Context(
                settings.run,
                settings.seed,
                settings.options,
                settings.models,
                client,
                open_encoder(threads=1, windows=ENCODER_WINDOWS),
            )


def of_this_host(settings: Settings[Options]) -> Settings[Options]:
    """Return the settings with a cache of this machine's own: SQLite is not for network file systems."""
    if settings.cache is None:
        return settings
    return replace(settings, cache=settings.cache / f"host-{socket.gethostname()}")


@asynccontextmanager
async def open_host_context(settings: Settings[Options]) -> AsyncIterator[Context[Options]]:
    """Open a context as one of many on several machines. Errors are those of :func:`open_context`."""
    async with open_context(of_this_host(settings)) as ctx:
        yield ctx


OpenContext = Callable[[], AbstractAsyncContextManager[Context[Options]]]


class Source(Protocol[ItemRead]):
    """Items in a fixed order, cut into shards: the unit of work and of commit."""

    @property
    def shards(self) -> int:
        """The number of shards."""

    def shard(self, index: int) -> Sequence[ItemRead]:
        """Return the items of one shard."""


class Sink(Protocol[Result]):
    """Where outcomes go. A commit is one rename: a shard is there whole, or not there."""

    def done(self) -> frozenset[int]:
        """Return the indices of the shards that are committed."""

    def pool(self, shard: int) -> Pool | None:
        """Return what a shard may read of earlier results; None while that is not yet settled."""

    def commit(self, shard: int, outcomes: Sequence[Outcome[Result]]) -> None:
        """Keep the outcomes of one shard, whole."""

    def wanted(self, in_flight: int) -> bool:
        """Tell whether another shard should be started while this many items are in work."""

    def complete(self) -> bool:
        """Tell whether no further result is needed."""


Progress = Callable[[Outcome[Any]], None]  # told by a runner when an item has ended


class Runner(Protocol):
    """Runs a stage over a source into a sink; knows no pipeline."""

    async def __call__(
        self,
        stage: Stage[Item, Result, Options],
        source: Source[Item],
        sink: Sink[Result],
        open_context: OpenContext[Options],
        progress: Progress,
    ) -> None:
        """Run until the sink is complete or the source is used up.

        Raises:
            Stop: If the run ends early and can be resumed.
        """
