"""From scores to the seven columns of Table 4, each with its interval over records (§4.2).

A column is a quotient of two sums over records, so that one resampling serves all of them. An attribute that
could not be judged takes its record out of the columns that need it: it is neither right nor wrong there, and
counted apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from privasis.evaluation.scores import NO_EVALUATOR, ItemScore

RESAMPLES = 1000
LEVEL = 95.0  # per cent of the resamples that an interval holds
_COLUMNS = 17  # the seven of the paper and the ten of strings alone
_BLOCK = 4_000_000  # draws that are held in memory

Floats = NDArray[np.float64]


class Interval(NamedTuple):
    """A share with its bootstrap interval, all between 0 and 1."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Successes:
    """Three ways of counting successes; None where nothing could be counted."""

    attribute: Interval | None  # Successful Attribute: over all attributes of the test set
    per_record: Interval | None  # Successful Att./Record: mean over records of each one's share
    record: Interval | None  # Successful Record: share of the records without any failure


UNKNOWN = Successes(None, None, None)


@dataclass(frozen=True, slots=True)
class Table4Row:
    """One system on one test set: the paper's seven columns, and what stands beside them.

    Attributes:
        system: Whose texts were judged.
        evaluator: Who judged them; 'none' without one.
        records: How many there are.
        unscored: Records of which something could not be judged.
        unanswered: Those of them of which the system gave no text.
        over_edit: Mean share of the characters outside the targets that were changed.
        sanitization: No leak of any depth.
        retention: Kept in any way; records without retention targets are not counted.
        full: Full Successful Record: no leak, and all retention targets kept.
        direct: No direct leak, by the paper's reading: an upper bound of ``sanitization``.
        strict: No direct leak, by the stricter reading.
        exact: Kept letter by letter: a lower bound of ``retention``.
        full_direct: Records without direct leak whose retention targets are all kept letter by letter.
    """

    system: str
    evaluator: str
    records: int
    unscored: int
    unanswered: int
    over_edit: float
    sanitization: Successes
    retention: Successes
    full: Interval | None
    direct: Successes
    strict: Successes
    exact: Successes
    full_direct: Interval | None


class Table4Counter:
    """Takes the scores of one system one by one, and keeps of each what the columns need."""

    def __init__(self) -> None:
        self._system = self._evaluator = ""
        self._columns: list[tuple[tuple[float, float], ...]] = []
        self._over_edit: list[float] = []
        self._unscored = 0
        self._open_leaks = self._open_keeps = False

    def add(self, score: ItemScore) -> None:
        """Count one record; each record once."""
        self._system, self._evaluator = score.system, score.evaluator
        columns, unscored = _columns(score)
        self._columns.append(columns)
        self._unscored += unscored
        # Where nobody was asked, only the failures are known: a share of them would tell nothing.
        self._open_leaks |= any(target.reason == NO_EVALUATOR for target in score.targets)
        self._open_keeps |= any(keep.reason == NO_EVALUATOR for keep in score.keeps)
        if not score.failure:
            self._over_edit.append(score.over_edit)

    def row(self, rng: np.random.Generator) -> Table4Row:
        """Return the row of Table 4.

        Args:
            rng: Draws the resamples of records; the same generator state gives systems on the same records
                the same resamples.
        """
        records = len(self._columns)
        columns = np.array(self._columns, np.float64).reshape(records, _COLUMNS, 2)
        intervals = _intervals(columns, rng)
        return Table4Row(
            system=self._system,
            evaluator=self._evaluator,
            records=records,
            unscored=self._unscored,
            unanswered=records - len(self._over_edit),
            over_edit=float(np.mean(self._over_edit)) if self._over_edit else 0.0,
            sanitization=UNKNOWN if self._open_leaks else Successes(*intervals[0:3]),
            retention=UNKNOWN if self._open_keeps else Successes(*intervals[3:6]),
            full=None if self._open_leaks or self._open_keeps else intervals[6],
            direct=Successes(*intervals[7:10]),
            strict=Successes(*intervals[10:13]),
            exact=Successes(*intervals[13:16]),
            full_direct=intervals[16],
        )


def table4(scores: Iterable[ItemScore], rng: np.random.Generator) -> Table4Row:
    """Return a row of Table 4 for the scores of one system on one test set, each record once."""
    counter = Table4Counter()
    for score in scores:
        counter.add(score)
    return counter.row(rng)


def _columns(score: ItemScore) -> tuple[tuple[tuple[float, float], ...], bool]:
    """Return what a record adds to each column, and whether something about it is unscored."""
    answered = not score.failure
    leaks = [_of(target.verdict, "safe") for target in score.targets]
    kept = [None if keep.verdict == "unscored" else keep.verdict != "lost" for keep in score.keeps]
    direct = [target.verdict != "direct" if answered else None for target in score.targets]
    strict = [target.strict == "safe" if answered else None for target in score.targets]
    exact = [keep.verdict == "exact" if answered else None for keep in score.keeps]
    columns = (
        *_three(leaks),
        *_three(kept),
        _all([*leaks, *kept]),
        *_three(direct),
        *_three(strict),
        *_three(exact),
        _all([*direct, *exact]),
    )
    return columns, None in leaks or None in kept


def _of(verdict: str, success: str) -> bool | None:
    return None if verdict == "unscored" else verdict == success


def _three(judged: Sequence[bool | None]) -> tuple[tuple[float, float], ...]:
    known = [success for success in judged if success is not None]
    share = sum(known) / len(known) if known else 0.0
    whole = 1.0 if known and len(known) == len(judged) else 0.0
    return (sum(known), len(known)), (share * whole, whole), _all(judged)


def _all(judged: Sequence[bool | None]) -> tuple[float, float]:
    if not judged or None in judged:
        return 0.0, 0.0
    return float(all(judged)), 1.0


def _intervals(columns: Floats, rng: np.random.Generator) -> list[Interval | None]:
    """Return value and percentile interval of each column.

    Args:
        columns: Shape (n, k, 2): what each record adds to the numerator and denominator of each column.
        rng: Draws the resamples.
    """
    n = len(columns)
    if not n:
        return [None] * _COLUMNS
    sums = columns.sum(axis=0)
    drawn = _resampled(columns.reshape(n, -1), rng).reshape(RESAMPLES, -1, 2)
    return [_interval(sums[k], drawn[:, k]) for k in range(columns.shape[1])]


def _interval(sums: Floats, drawn: Floats) -> Interval | None:
    if not sums[1]:
        return None
    counted = drawn[drawn[:, 1] > 0]  # a resample may hold none of few scored records
    low, high = np.percentile(counted[:, 0] / counted[:, 1], [50 - LEVEL / 2, 50 + LEVEL / 2])
    return Interval(float(sums[0] / sums[1]), float(low), float(high))


def _resampled(values: Floats, rng: np.random.Generator) -> Floats:
    """Return the column sums of resamples with replacement.

    Args:
        values: Shape (n, m).
        rng: Draws the resamples.

    Returns:
        Shape (RESAMPLES, m).
    """
    n = len(values)
    size = max(1, min(RESAMPLES, _BLOCK // n))
    blocks = []
    for start in range(0, RESAMPLES, size):
        rows = min(size, RESAMPLES - start)
        drawn = rng.integers(n, size=(rows, n)) + np.arange(rows)[:, None] * n
        weights = np.bincount(drawn.ravel(), minlength=rows * n).reshape(rows, n)
        blocks.append(weights @ values)
    return np.concatenate(blocks)
