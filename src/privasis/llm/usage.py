"""Tokens and money, by step and by model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields

from privasis.llm.messages import Model
from privasis.types import Call, Request

PER_MILLION = 1e-6


@dataclass(frozen=True, slots=True)
class Tokens:
    """What an endpoint says that one answer took; zeros where it says nothing."""

    prompt: int = 0
    cached: int = 0  # part of ``prompt`` that came from the endpoint's prefix cache
    completion: int = 0


@dataclass(slots=True)
class Totals:
    """Sums over calls."""

    calls: int = 0  # times that ask() or write() returned or gave up
    attempts: int = 0  # times that an answer was wanted from an endpoint, whatever became of it
    retries: int = 0  # attempts that failed at the transport and were sent again
    reasks: int = 0  # answers that could not be used and were asked for again
    rejects: int = 0  # calls that ended without a usable answer
    cache_hits: int = 0  # answers taken from the run's own response cache
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0  # newly spent: cached answers cost nothing

    @property
    def cached_share(self) -> float:
        """Share of prompt tokens that endpoints took from their prefix caches, 0 to 1."""
        return self.cached_tokens / self.prompt_tokens if self.prompt_tokens else 0.0


@dataclass(frozen=True, slots=True)
class Usage:
    """A snapshot of the totals, cut both ways."""

    total: Totals
    by_step: Mapping[str, Totals]
    by_model: Mapping[str, Totals]


class Ledger:
    """The running sums of one client."""

    __slots__ = ("_rows", "cost")

    def __init__(self) -> None:
        self._rows: dict[tuple[str, str], Totals] = {}
        self.cost = 0.0

    def row(self, step: str, model: str) -> Totals:
        """The sums of one step at one model, to be added to."""
        key = (step, model)
        found = self._rows.get(key)
        if found is None:
            found = self._rows[key] = Totals()
        return found

    def snapshot(self) -> Usage:
        """Everything counted so far."""
        return Usage(
            total=_sum(self._rows.values()),
            by_step={step: self._part(0, step) for step in sorted({key[0] for key in self._rows})},
            by_model={name: self._part(1, name) for name in sorted({key[1] for key in self._rows})},
        )

    def _part(self, place: int, name: str) -> Totals:
        return _sum(row for key, row in self._rows.items() if key[place] == name)


class Tally:
    """What one question took so far, added to its row of the ledger at the same time."""

    __slots__ = ("_ledger", "_model", "_request", "_row", "attempts", "fresh", "tokens")

    def __init__(self, ledger: Ledger, request: Request, model: Model) -> None:
        self._ledger = ledger
        self._request = request
        self._model = model
        self._row = ledger.row(request.step, model.name)
        self._row.calls += 1
        self.attempts = 0
        self.tokens = [0, 0, 0]  # prompt, cached, completion
        self.fresh: float | None = None  # money spent now; None while everything came from the cache

    def tried(self, tries: int) -> None:
        """An endpoint was asked, with so many tries."""
        self.attempts += tries
        self._row.attempts += tries
        self._row.retries += tries - 1
        self.fresh = self.fresh or 0.0

    def heard(self, tokens: Tokens) -> float:
        """The endpoint answered; returns what that cost."""
        cost = price(self._model, tokens)
        self._add(tokens)
        self.fresh = (self.fresh or 0.0) + cost
        self._row.cost += cost
        self._ledger.cost += cost
        return cost

    def recalled(self, tokens: Tokens) -> None:
        """The response cache answered: tokens count, money does not."""
        self.attempts += 1
        self._row.cache_hits += 1
        self._add(tokens)

    def reasked(self) -> None:
        """An answer could not be used."""
        self._row.reasks += 1

    def rejected(self) -> None:
        """No usable answer came."""
        self._row.rejects += 1

    def call(self) -> Call:
        """The provenance of the answer."""
        prompt, cached, completion = self.tokens
        return Call(
            step=self._request.step,
            prompt_hash=self._request.prompt_hash,
            model=self._model.name,
            attempts=self.attempts,
            prompt_tokens=prompt,
            cached_tokens=cached,
            completion_tokens=completion,
            cost=self.fresh or 0.0,
            from_cache=self.fresh is None,
        )

    def _add(self, tokens: Tokens) -> None:
        row, mine = self._row, self.tokens
        row.prompt_tokens += tokens.prompt
        row.cached_tokens += tokens.cached
        row.completion_tokens += tokens.completion
        mine[0] += tokens.prompt
        mine[1] += tokens.cached
        mine[2] += tokens.completion


def _sum(rows: Iterable[Totals]) -> Totals:
    total = Totals()
    for row in rows:
        for field in fields(Totals):
            setattr(total, field.name, getattr(total, field.name) + getattr(row, field.name))
    return total


def price(model: Model, tokens: Tokens) -> float:
    """Money for one answer, in the currency of the model's prices."""
    fresh = tokens.prompt - tokens.cached
    return PER_MILLION * (
        fresh * model.price_in + tokens.cached * model.price_cached + tokens.completion * model.price_out
    )
