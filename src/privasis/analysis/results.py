"""Tables 4, 5, 6 and 10 and Figure 5: how systems do, how they leak, and where they fail (§4.3, §4.4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from privasis.analysis.systems import ScoreSet, System, differing_items, systems_by_set
from privasis.analysis.table import Named, Share, Table, share_of
from privasis.errors import ConfigError
from privasis.evaluation.scores import ItemScore
from privasis.evaluation.summary import Interval, Successes, Table4Row, table4

KINDS = ("direct", "inference", "proximity")
TOP = 8  # Tables 6 and 10 show as many
NO_CATEGORY = "not labelled"
BOUNDS = (
    "≤, ≥ and ~: judged without an evaluator. Inference and proximity leaks and retention in other words "
    "were not looked for, so sanitization figures are upper bounds, retention figures lower bounds, and full "
    "success is that of strings alone."
)
BASELINES = (
    "Copying keeps everything and hides nothing, deleting hides everything and keeps nothing: a column in "
    "which either does well says little by itself."
)
UNSCORED = "Records of which something could not be judged are left out of the columns that need it."


def table_4(systems: Sequence[System], seed: int = 0) -> Table:
    """Return Table 4 for one test set: the paper's seven columns, and what keeps them honest.

    Args:
        systems: Their rows, in this order.
        seed: Of the bootstrap; all systems get the same resamples of records.
    """
    rows = [(system, table4(system.scores, np.random.default_rng(seed))) for system in systems]
    notes = [BASELINES] if any(system.is_baseline for system in systems) else []
    notes += [BOUNDS] if any(_is_bounded(row) for _, row in rows) else []
    notes += [UNSCORED] if any(row.unscored for _, row in rows) else []
    return Table(
        _titled("Table 4: sanitization and retention (%, 95% intervals)", systems),
        (
            "System",
            "Evaluator",
            "Sanitization: attribute",
            "Sanitization: att./record",
            "Sanitization: record",
            "Retention: attribute",
            "Retention: att./record",
            "Retention: record",
            "Full Successful Record",
            "No direct leak",
            "Stricter reading",
            "Over-edit rate",
            "Records",
            "Unscored records",
        ),
        tuple(_row_4(system, row) for system, row in rows),
        (*notes, *differing_items(systems)),
    )


def _row_4(system: System, row: Table4Row) -> tuple[str | int | Share | None, ...]:
    bounded = _is_bounded(row)
    sanitized, retained = (row.direct, row.exact) if bounded else (row.sanitization, row.retention)
    full = share_of(row.full_direct, "~") if bounded else share_of(row.full)
    return (
        system.label,
        row.evaluator,
        *_three(sanitized, "≤" if bounded else ""),
        *_three(retained, "≥" if bounded else ""),
        full,
        share_of(row.direct.record),
        share_of(row.strict.record),
        Share(row.over_edit),
        row.records,
        row.unscored,
    )


def _three(successes: Successes, bound: str) -> tuple[Share | None, ...]:
    parts = (successes.attribute, successes.per_record, successes.record)
    return tuple(share_of(part, bound) for part in parts)


def _is_bounded(row: Table4Row) -> bool:
    """Tell whether strings alone judged, and could not settle everything."""
    return row.evaluator == "none" and row.unscored > row.unanswered


def table_5(systems: Sequence[System]) -> Table:
    """Return Table 5: of all leaks of a system, the share of each kind; unscored attributes are no leaks."""
    rows = []
    for system in systems:
        verdicts: Counter[str] = Counter(
            target.verdict for score in system.scores for target in score.targets
        )
        leaks = sum(verdicts[kind] for kind in KINDS)
        shares = [Share(verdicts[kind] / leaks) if leaks else None for kind in KINDS]
        rows.append((system.label, *shares, leaks, verdicts["unscored"], verdicts.total()))
    return Table(
        _titled("Table 5: leaks by kind (%)", systems),
        ("System", "Direct leak", "Inference leak", "Proximity leak", "Leaks", "Unscored", "Attributes"),
        tuple(rows),
        (
            "Each attribute counts once, by the first kind that was found: direct, then inference, then "
            "proximity. Where nobody judged, only direct leaks are known.",
            *differing_items(systems),
        ),
    )


def table_6(systems: Sequence[System], top: int = TOP) -> Table:
    """Return Table 6: of a system's failed records, the share of each main category; the first ``top``.

    A record fails if an attribute leaks or a retention target is lost. What is unscored fails nothing.
    """
    failures = [
        Counter(score.category or NO_CATEGORY for score in system.scores if fails(score))
        for system in systems
    ]
    return _ranked(_titled("Table 6: categories of failed records", systems), systems, failures, top)


def table_10(systems: Sequence[System], top: int = TOP) -> Table:
    """Return Table 10: of a system's leaked attributes, the share of each name; the first ``top``.

    ``Full name`` and ``full_name`` are one name.
    """
    failures = [
        Counter(
            "_".join(target.name.casefold().split())
            for score in system.scores
            for target in score.targets
            if target.verdict in KINDS
        )
        for system in systems
    ]
    return _ranked(_titled("Table 10: leaked attributes", systems), systems, failures, top)


def fails(score: ItemScore) -> bool:
    """Tell whether a record is known to have failed: a leak of any depth, or a lost retention target."""
    return any(target.verdict in KINDS for target in score.targets) or any(
        keep.verdict == "lost" for keep in score.keeps
    )


def _ranked(title: str, systems: Sequence[System], failures: Sequence[Counter[str]], top: int) -> Table:
    rows = []
    for system, counts in zip(systems, failures, strict=True):
        total = counts.total()
        first = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))[:top]
        cells = [Named(name, count / total) for name, count in first]
        rows.append((system.label, *(cells + [""] * (top - len(cells))), total))
    columns = ("System", *(str(place) for place in range(1, top + 1)), "Failures")
    notes = (
        "The row of copying shows what there was to fail at: a share above it is a weakness, not a frequency."
        if any(system.is_baseline for system in systems)
        else "Shares are of the system's own failures.",
        *differing_items(systems),
    )
    return Table(title, columns, tuple(rows), notes)


@dataclass(frozen=True, slots=True)
class Point:
    """One point of Figure 5."""

    set_name: str
    label: str
    chunk_size: int  # characters
    full: Interval | None  # Full Successful Record
    sanitization: Interval | None  # Successful Record, no leak
    retention: Interval | None  # Successful Record, all kept
    records: int
    unscored: int
    bounded: bool  # judged by strings alone


def figure_5_points(sets: Iterable[ScoreSet], seed: int = 0) -> tuple[Point, ...]:
    """Return the points of Figure 5, sorted by test set and chunk size (Appendix B).

    Raises:
        ConfigError: If a set's config tells no chunk size.
    """
    points = [point for given in sets for point in _points(given, seed)]
    return tuple(sorted(points, key=lambda point: (point.set_name, point.chunk_size, point.label)))


def _points(given: ScoreSet, seed: int) -> list[Point]:
    size = given.config.get("chunk_size")
    if not isinstance(size, int) or size < 1:
        raise ConfigError(f"{given.name}: its config tells no chunk size. Give it as SIZE=SCORES.")
    points = []
    for set_name, systems in systems_by_set([given]).items():
        for system in systems:
            if system.is_baseline:
                continue
            row = table4(system.scores, np.random.default_rng(seed))
            bounded = _is_bounded(row)
            leaks, kept = (row.direct, row.exact) if bounded else (row.sanitization, row.retention)
            full = row.full_direct if bounded else row.full
            points.append(
                Point(
                    set_name,
                    system.label,
                    size,
                    full,
                    leaks.record,
                    kept.record,
                    row.records,
                    row.unscored,
                    bounded,
                )
            )
    return points


def figure_5(points: Sequence[Point]) -> Table:
    """Return Figure 5 as a table."""
    rows = tuple(
        (
            point.set_name or "all",
            point.label,
            point.chunk_size,
            share_of(point.full, "~" if point.bounded else ""),
            share_of(point.sanitization, "≤" if point.bounded else ""),
            share_of(point.retention, "≥" if point.bounded else ""),
            point.records,
            point.unscored,
        )
        for point in points
    )
    columns = (
        "Set",
        "System",
        "Chunk size",
        "Full Successful Record",
        "Sanitization: record",
        "Retention: record",
        "Records",
        "Unscored records",
    )
    notes = (BOUNDS,) if any(point.bounded for point in points) else ()
    return Table("Figure 5: score by chunk size (%, 95% intervals)", columns, rows, notes)


def _titled(title: str, systems: Sequence[System]) -> str:
    name = systems[0].set_name if systems else ""
    return f"{title}, {name} test set" if name else title
