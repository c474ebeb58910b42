"""Counts against the shares that were meant, with a test that holds for small numbers too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

DRAWS = 4_000  # of counts as meant: p is good to 0.7% at 0.05


@dataclass(frozen=True, slots=True)
class Fit:
    """How well counts fit what was meant."""

    counted: int
    chi_square: float
    p: float  # share of draws, as meant, that are at least as far off


def fit(counts: Mapping[str, int], meant: Mapping[str, float], rng: np.random.Generator) -> Fit | None:
    """Test counts against shares: Pearson's statistic, its p by drawing counts as meant (Monte Carlo).

    Args:
        counts: By value; those of values that are not meant count as infinitely far off.
        meant: The share of each value; they add up to 1.
        rng: Draws what is compared with.

    Returns:
        None where nothing was counted.
    """
    total = sum(counts.values())
    if total == 0:
        return None
    if counts.keys() - {value for value, share in meant.items() if share > 0}:
        return Fit(total, float("inf"), 0.0)
    values = [value for value, share in meant.items() if share > 0]
    shares = np.array([meant[value] for value in values])
    shares = shares / shares.sum()
    seen = _statistic(np.array([[counts.get(value, 0) for value in values]]), shares)[0]
    drawn = _statistic(rng.multinomial(total, shares, size=DRAWS), shares)
    further = int((drawn >= seen * (1 - 1e-12)).sum())
    return Fit(total, float(seen), (further + 1) / (DRAWS + 1))


def _statistic(counts: np.ndarray, shares: np.ndarray) -> np.ndarray:
    expected = counts.sum(axis=1, keepdims=True) * shares
    statistic: np.ndarray = ((counts - expected) ** 2 / expected).sum(axis=1)
    return statistic


def equal_shares(values: Sequence[str]) -> dict[str, float]:
    """Return the same share for each value."""
    return dict.fromkeys(values, 1 / len(values))
