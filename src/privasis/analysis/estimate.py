"""What N records or triplets will take, from what a small run took: numbers in, numbers out.

Everything is proportional to the items tried: the tokens of one tried item are those measured, and the
items that must be tried are N divided by the measured yield.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from privasis.errors import ConfigError, InputError

SECONDS_AN_HOUR = 3600.0
PER_MILLION = 1e-6


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens that were or will be taken; ``cached`` is a part of ``prompt``."""

    prompt: float
    cached: float
    completion: float

    def times(self, factor: float) -> Tokens:
        """Return so many times the tokens."""
        return Tokens(self.prompt * factor, self.cached * factor, self.completion * factor)

    def with_cached_share(self, share: float | None) -> Tokens:
        """Return the tokens with another share of cached prompt tokens; None leaves the measured one."""
        return self if share is None else Tokens(self.prompt, self.prompt * share, self.completion)


@dataclass(frozen=True, slots=True)
class Rates:
    """An entry of the price list: what tokens cost, or how fast one GPU handles them, or both."""

    price_in: float | None = None  # money per million prompt tokens that are not cached
    price_cached: float = 0.0  # money per million that are
    price_out: float = 0.0  # money per million completion tokens
    prompt_tokens_per_s: float | None = None  # of one GPU, prompts alone
    completion_tokens_per_s: float | None = None  # of one GPU, at the batch size that it is run with
    price_gpu_hour: float = 0.0

    def money(self, tokens: Tokens) -> float | None:
        """Return the price of tokens, without GPU hours; None where the entry has no prices."""
        if self.price_in is None:
            return None
        fresh = tokens.prompt - tokens.cached
        return PER_MILLION * (
            fresh * self.price_in + tokens.cached * self.price_cached + tokens.completion * self.price_out
        )

    def gpu_hours(self, tokens: Tokens) -> float | None:
        """Return the GPU hours of tokens (cached ones are free); None where the entry has no throughput."""
        if not self.prompt_tokens_per_s or not self.completion_tokens_per_s:
            return None
        prompts = (tokens.prompt - tokens.cached) / self.prompt_tokens_per_s
        return (prompts + tokens.completion / self.completion_tokens_per_s) / SECONDS_AN_HOUR


@dataclass(frozen=True, slots=True)
class Measured:
    """What a finished small run took."""

    kind: str  # what it made: records or triplets
    made: int
    tried: int  # items whose tokens are counted
    passed_share: float  # things made for each item tried; above 1 where an item gives several
    by_step: Mapping[str, Tokens]
    by_model: Mapping[str, Tokens]
    bytes: int  # on disk, without the response cache
    cache_bytes: int
    item_seconds: float  # seconds that one item was in work, on average


@dataclass(frozen=True, slots=True)
class Estimate:
    """What is to be expected of a run that makes ``wanted`` records or triplets."""

    kind: str
    wanted: int
    tried: float
    by_step: Mapping[str, Tokens]
    tokens: Tokens
    money: float | None  # None: no price is known for one of the models
    gpu_hours: float | None  # None: no throughput is known for one of the models
    bytes: float
    cache_bytes: float
    wall_seconds: float


def estimate(
    measured: Measured,
    wanted: int,
    rates: Mapping[str, Rates],
    *,
    concurrency: int,
    gpus: int = 1,
    priced_as: str | None = None,
    cached_share: float | None = None,
) -> Estimate:
    """Scale a measured run to ``wanted`` results.

    Args:
        measured: The small run.
        wanted: Records or triplets, whichever the run makes.
        rates: The price list, by model.
        concurrency: Items in work at once in the large run; sets wall time where no throughput is known.
        gpus: Number of GPUs, for wall time from throughput.
        priced_as: Every token at this entry of the list, whatever model was measured.
        cached_share: Share of prompt tokens from a prefix cache, 0 to 1. None: as measured.

    Raises:
        InputError: If the run made nothing, so that nothing can be concluded from it.
        ConfigError: If the list has no entry ``priced_as``.
    """
    if not measured.made:
        raise InputError(f"the measured run made no {measured.kind}: nothing can be estimated from it.")
    if priced_as is not None and priced_as not in rates:
        raise ConfigError(f"--as {priced_as}: the price list has {', '.join(sorted(rates))}.")
    tried = wanted / measured.passed_share
    factor = tried / measured.tried
    by_step = {
        step: tokens.times(factor).with_cached_share(cached_share)
        for step, tokens in measured.by_step.items()
    }
    parts = [
        (rates.get(priced_as or model, Rates()), tokens.times(factor).with_cached_share(cached_share))
        for model, tokens in measured.by_model.items()
    ]
    hours = _sum([rate.gpu_hours(tokens) for rate, tokens in parts])
    rent = sum((rate.gpu_hours(tokens) or 0.0) * rate.price_gpu_hour for rate, tokens in parts)
    money = _sum([rate.money(tokens) for rate, tokens in parts])
    if money is None and rent:
        money = 0.0
    measured_wall = tried * measured.item_seconds / concurrency
    return Estimate(
        kind=measured.kind,
        wanted=wanted,
        tried=tried,
        by_step=by_step,
        tokens=_total(by_step.values()),
        money=None if money is None else money + rent,
        gpu_hours=hours,
        bytes=measured.bytes * factor,
        cache_bytes=measured.cache_bytes * factor,
        wall_seconds=measured_wall if hours is None else hours * SECONDS_AN_HOUR / gpus,
    )


def _sum(parts: list[float | None]) -> float | None:
    known = [part for part in parts if part is not None]
    return sum(known) if known and len(known) == len(parts) else None


def _total(parts: Iterable[Tokens]) -> Tokens:
    rows = list(parts)
    return Tokens(
        sum(row.prompt for row in rows),
        sum(row.cached for row in rows),
        sum(row.completion for row in rows),
    )
