"""ΔVendi of §2.1 against two computations by the PyPI package vendi-score, in one run.

    python benchmarks/bench_vendi.py

The package's own way with embeddings is score_X (the n x n matrix of similarities); its
score_dual decomposes the d x d matrix, where d < n, and stands beside it. "fresh" has a pool
that was never seen before, "prepared" one that is decomposed already and then serves any number
of candidates; a record whose three refinement steps share a pool pays for it once. Medians; every
round measures all ways one after the other.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # both sides are slower and erratic with more

import time
import warnings
from collections.abc import Callable
from statistics import median

import numpy as np
from numpy.typing import NDArray
from vendi_score.vendi import score_dual, score_X

from privasis.diversity import delta_vendi, delta_vendi_in, prepare_pool

ROUNDS = 15
STEPS = 3  # refinement steps of a record, §2.1


def embeddings(n: int, d: int, seed: int) -> NDArray[np.float64]:
    """Unit rows around a common direction, with a falling spectrum, as texts' embeddings have."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(n, d)) * np.exp(-4 * np.arange(d) / d) + 0.5 * rng.normal(size=d)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def timed(work: Callable[[], float]) -> tuple[float, float]:
    start = time.perf_counter()
    value = work()
    return 1e3 * (time.perf_counter() - start), value


def three_steps(
    pool: NDArray[np.float64], current: NDArray[np.float64], candidate: NDArray[np.float64]
) -> float:
    prepared = prepare_pool(pool)
    return [delta_vendi_in(prepared, current, candidate) for _ in range(STEPS)][-1]


def compare(n: int, d: int) -> None:
    rows = embeddings(n + 2, d, seed=n)
    pool, current, candidate = rows[:n], rows[n], rows[n + 1]
    prepared = prepare_pool(pool)
    both = np.vstack([pool, current]), np.vstack([pool, candidate])
    ways: dict[str, Callable[[], float]] = {
        "vendi-score, score_X twice": lambda: score_X(both[1]) - score_X(both[0]),
        "vendi-score, score_dual twice": lambda: score_dual(both[1]) - score_dual(both[0]),
        "ours, fresh pool": lambda: delta_vendi(pool, current, candidate),
        "ours, fresh pool for 3 steps, a step": lambda: three_steps(pool, current, candidate),
        "ours, prepared pool": lambda: delta_vendi_in(prepared, current, candidate),
    }
    times: dict[str, list[float]] = {name: [] for name in ways}
    values: dict[str, float] = {}
    for _ in range(ROUNDS):
        for name, work in ways.items():
            elapsed, values[name] = timed(work)
            times[name].append(elapsed / STEPS if "3 steps" in name else elapsed)
    base = median(times["vendi-score, score_X twice"])
    print(f"pool of {n} x {d}")
    for name, measured in times.items():
        middle = median(measured)
        apart = abs(values[name] - values["vendi-score, score_X twice"])
        print(f"  {name:37} {middle:9.3f} ms  {base / middle:7.1f} x as fast, differs by {apart:.0e}")


def main() -> None:
    warnings.simplefilter("ignore", DeprecationWarning)  # of a scipy name inside the package
    print(f"BLAS threads: {os.environ.get('OPENBLAS_NUM_THREADS', 'default')}; medians of {ROUNDS} rounds")
    for n, d in [(100, 384), (1000, 384), (2000, 384)]:
        compare(n, d)


if __name__ == "__main__":
    main()
