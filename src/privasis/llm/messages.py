"""What is asked and what comes back: the words that other rooms use when they talk to a model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from privasis.errors import Reject
from privasis.types import Call

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Model:
    """One model at one endpoint."""

    name: str  # '' = the endpoint's only or first model
    base_url: str
    share: float = 1.0
    replicas: tuple[str, ...] = ()  # further addresses that serve the same model
    key_env: str = "OPENAI_API_KEY"  # NAME of the environment variable; the key itself is never stored
    price_in: float = 0.0  # money per million prompt tokens that were not in the prefix cache
    price_cached: float = 0.0  # money per million prompt tokens that were
    price_out: float = 0.0  # money per million completion tokens
    # What a small model needs to bring a step to its end; neutral for all others.
    temperature_scale: float = 1.0  # times the step's own temperature
    most_tokens: int | None = None  # caps the step's own max_tokens
    cuts_back: bool = False  # a text that reaches most_tokens ends at its last whole sentence
    frequency_penalty: float = 0.0  # added to the step's own


@dataclass(frozen=True, slots=True)
class Answer(Generic[T]):
    """A validated answer, with what it took to get it."""

    value: T
    call: Call


@dataclass(frozen=True, slots=True)
class ClientOptions:
    """How hard endpoints are worked, and when the client gives up."""

    concurrency: int = 16  # calls in flight at one endpoint
    requests_per_minute: float | None = None  # of one endpoint, evenly spaced
    timeout_s: float = 120.0  # for one try, from sending to the last byte
    attempts: int = 6  # tries of one call at the transport: 429, 5xx, time-outs, broken connections
    retries: int = 2  # times that an unusable answer is asked again, with the reason
    max_cost: float | None = None  # in the currency of the models' prices
    backoff_base_s: float = 0.5  # first wait; doubled with every try, with jitter
    backoff_cap_s: float = 30.0
    retry_after_cap_s: float = 60.0  # longest wait that an endpoint may ask for


class BadAnswer(Reject):
    """The model was asked again as often as allowed, and no answer could be used.

    Args:
        call: What the failed attempts cost, so that provenance can hold it.
    """

    def __init__(self, step: str, reason: str, detail: str, call: Call) -> None:
        super().__init__(step, reason, detail)
        self.call = call

    def __reduce__(self) -> tuple[type[BadAnswer], tuple[str, str, str, Call]]:  # type: ignore[override]
        """Survive the way from a worker's process, with the call."""
        return type(self), (self.step, self.reason, self.detail, self.call)
