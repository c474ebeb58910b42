"""Table 4 by hand: five records, one of them with an attribute that could not be judged."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from privasis.evaluation.scores import NO_EVALUATOR, ItemScore, KeepScore, Kept, TargetScore, Verdict
from privasis.evaluation.summary import UNKNOWN, Interval, table4


def scored(number: int, leaks: list[Verdict], keeps: list[Kept], **changes: object) -> ItemScore:
    plain = ItemScore(
        id=f"r{number}",
        number=number,
        system="tested",
        evaluator="judge",
        set_name="",
        category="Home",
        record_type="note",
        grouped=False,
        original="x",
        sanitized="y",
        targets=tuple(
            TargetScore("t1", f"a{n}", leak, "direct" if leak == "direct" else "safe", "", "")
            for n, leak in enumerate(leaks)
        ),
        keeps=tuple(KeepScore(f"k{n}", kept, "") for n, kept in enumerate(keeps)),
        over_edit=0.1 * number,
        calls=(),
    )
    return dataclasses.replace(plain, **changes)


FIVE = [
    scored(1, ["safe", "safe"], ["exact"]),  # a full success
    scored(2, ["safe", "direct", "proximity", "safe"], ["exact", "inferred"]),
    scored(3, ["inference"], ["present", "lost"]),
    scored(4, ["safe", "unscored"], ["exact"]),
    scored(5, ["safe"], []),  # nothing to keep: nothing lost
]


def value(interval: Interval | None) -> float:
    assert interval is not None
    assert 0.0 <= interval.low <= interval.value <= interval.high <= 1.0
    return interval.value


def test_the_seven_columns_by_hand() -> None:
    row = table4(FIVE, np.random.default_rng(0))
    # 2 + 2 + 0 + 1 + 1 of the 2 + 4 + 1 + 1 + 1 attributes that were judged
    assert value(row.sanitization.attribute) == pytest.approx(6 / 9)
    # of the four records that were judged whole: 1, 1/2, 0, 1
    assert value(row.sanitization.per_record) == pytest.approx(2.5 / 4)
    assert value(row.sanitization.record) == pytest.approx(2 / 4)
    # 1 + 2 + 1 + 1 of the 1 + 2 + 2 + 1 retention targets
    assert value(row.retention.attribute) == pytest.approx(5 / 6)
    # of the four records that have any: 1, 1, 1/2, 1
    assert value(row.retention.per_record) == pytest.approx(3.5 / 4)
    assert value(row.retention.record) == pytest.approx(3 / 4)
    # records 1 and 5 of the four that were judged whole
    assert value(row.full) == pytest.approx(2 / 4)
    assert (row.records, row.unscored, row.unanswered) == (5, 1, 0)
    assert row.over_edit == pytest.approx(0.3)


def test_the_columns_of_strings_alone_by_hand() -> None:
    row = table4(FIVE, np.random.default_rng(0))
    assert value(row.direct.attribute) == pytest.approx(9 / 10)
    assert value(row.direct.per_record) == pytest.approx((1 + 3 / 4 + 1 + 1 + 1) / 5)
    assert value(row.direct.record) == pytest.approx(4 / 5)
    assert value(row.exact.attribute) == pytest.approx(3 / 6)
    assert value(row.exact.record) == pytest.approx(2 / 4)
    assert value(row.full_direct) == pytest.approx(3 / 5)


def test_the_stricter_reading_has_columns_of_its_own() -> None:
    target = TargetScore("t1", "date", "safe", "direct", "", "")
    rows = [*FIVE, scored(6, [], [], targets=(target,))]
    row = table4(rows, np.random.default_rng(0))
    assert value(row.direct.record) == pytest.approx(5 / 6)
    assert value(row.strict.record) == pytest.approx(4 / 6)
    assert value(row.strict.attribute) == pytest.approx(9 / 11)


def test_without_an_evaluator_its_columns_are_not_there() -> None:
    open_leak = TargetScore("t1", "a", "unscored", "safe", "", NO_EVALUATOR)
    open_keep = KeepScore("k", "unscored", NO_EVALUATOR)
    # the one leak that is known must not become "all known ones leak"
    rows = [scored(n, ["direct"], ["exact"], evaluator="none") for n in (1, 2)]
    rows = [
        dataclasses.replace(r, targets=(*r.targets, open_leak), keeps=(*r.keeps, open_keep)) for r in rows
    ]
    row = table4(rows, np.random.default_rng(0))
    assert row.sanitization == row.retention == UNKNOWN
    assert row.full is None
    assert value(row.direct.attribute) == 0.5
    assert value(row.exact.attribute) == 0.5
    assert value(row.full_direct) == 0.0
    assert row.unscored == 2


def test_a_text_that_is_not_there_is_in_no_column() -> None:
    lost = scored(9, ["unscored"], ["unscored"], failure="truncated", over_edit=0.0)
    alone, beside = (
        table4([FIVE[0]], np.random.default_rng(0)),
        table4([FIVE[0], lost], np.random.default_rng(0)),
    )
    assert (beside.records, beside.unscored, beside.unanswered) == (2, 1, 1)
    assert value(beside.direct.record) == value(alone.direct.record) == 1.0
    assert beside.over_edit == alone.over_edit == pytest.approx(0.1)


def test_nothing_scored() -> None:
    row = table4([], np.random.default_rng(0))
    assert row.records == 0
    assert row.full is None
    assert row.strict.attribute is None


def test_the_interval_is_the_binomial_one() -> None:
    rng = np.random.default_rng(5)
    wins = rng.random(900) < 0.7
    row = table4([scored(n, ["safe" if win else "direct"], []) for n, win in enumerate(wins)], rng)
    assert row.full is not None
    share = wins.mean()
    half = 1.96 * np.sqrt(share * (1 - share) / 900)
    assert row.full.value == pytest.approx(share)
    assert row.full.low == pytest.approx(share - half, abs=0.01)
    assert row.full.high == pytest.approx(share + half, abs=0.01)


def test_records_are_resampled_whole() -> None:
    # all attributes of a record succeed or fail together: the interval is that of 40 records, not of 400
    rows = [scored(n, ["safe" if n % 2 else "direct"] * 10, []) for n in range(40)]
    column = table4(rows, np.random.default_rng(1)).sanitization.attribute
    assert column is not None
    assert column.high - column.low > 0.25


def test_the_same_state_gives_the_same_resamples() -> None:
    assert table4(FIVE, np.random.default_rng(3)) == table4(FIVE, np.random.default_rng(3))
