"""Weights really act; targets don't overlap; keeps are least alike; instructions name and don't tell."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from privasis.sanitization.instruct import base_instruction, complaint
from privasis.sanitization.keeps import draw_keeps
from privasis.sanitization.options import SanitizeOptions
from privasis.sanitization.rouge import rouge_l
from privasis.sanitization.targets import Candidate, candidates_of, draw_weighted, overlap
from privasis.stage import Context
from privasis.types import Fact, Span, Target
from support.sanitizing import record_of

TEXT = (
    "Maren Kallio paid 40 euros on 3 March 2024 in Oslo. Her account NO-4471 is with Fjord Bank, branch Oslo."
)
FACTS = {
    "full_name": "Maren Kallio",
    "amount": "40 euros",
    "payment_date": "3 March 2024",
    "bank_name": "Fjord Bank",
    "account": "NO-4471",
    "initial": "M",
}


def target(action: str, names: list[str], label: str = "", id: str = "t1", instruction: str = "") -> Target:
    facts = tuple(Fact(name, FACTS[name]) for name in names)
    return Target(id, label or names[0], len(names) > 1, facts, action, 5.0, instruction)


def first_draws(weights: list[float], draws: int = 20_000) -> np.ndarray:
    rng = np.random.default_rng(3)
    return np.bincount([draw_weighted(weights, rng)[0] for _ in range(draws)], minlength=len(weights))


def test_the_first_draw_follows_the_weights() -> None:
    weights = [9.0, 3.0, 2.0, 1.0]
    expected = np.array(weights) / sum(weights) * 20_000
    assert stats.chisquare(first_draws(weights), expected).pvalue > 0.001


def test_a_heavy_item_among_ten_is_first_nine_times_of_ten() -> None:
    counts = first_draws([81.0] + [1.0] * 9)
    assert stats.binomtest(int(counts[0]), 20_000, 0.9).pvalue > 0.001


def test_inclusion_rises_with_the_weight() -> None:
    rng = np.random.default_rng(4)
    counts = np.zeros(6)
    for _ in range(6000):
        counts[draw_weighted([1, 2, 3, 4, 5, 6], rng)[:3]] += 1
    assert (np.diff(counts) > 0).all()


@given(st.lists(st.just(0.0) | st.floats(0.01, 10), max_size=12), st.integers(0, 99))
def test_every_place_of_positive_weight_comes_once(weights: list[float], seed: int) -> None:
    order = draw_weighted(weights, np.random.default_rng(seed))
    assert sorted(order) == [place for place, weight in enumerate(weights) if weight > 0]


def test_what_may_be_a_target() -> None:
    groups = {"money": ["amount", "account"], "all": list(FACTS)}
    record = record_of(TEXT, FACTS, groups)
    found = candidates_of(record, SanitizeOptions(broadest_group=5))
    labels = [candidate.label for candidate in found]
    assert "initial" not in labels  # a single letter
    assert "money" in labels
    assert "all" not in labels  # too broad


def test_targets_overlap_by_their_values() -> None:
    name = Candidate("full_name", False, (Fact("full_name", "Maren Kallio"),))
    part = Candidate("last_name", False, (Fact("last_name", "KALLIO"),))
    city = Candidate("city", False, (Fact("city", "Oslo"),))
    assert overlap(name, part)
    assert overlap(part, name)
    assert not overlap(name, city)


def test_keeps_touch_no_target_and_are_least_alike() -> None:
    record = record_of(TEXT, {**FACTS, "bank_branch": "Fjord Bank, branch Oslo", "city": "Oslo"})
    ctx: Context[SanitizeOptions] = Context("r", 1, SanitizeOptions(keeps=2), (), None, None)  # type: ignore[arg-type]
    targets = [target("drop", ["bank_name"])]
    start = TEXT.index("Fjord Bank")
    keeps = draw_keeps(record, targets, [Span(start, start + 10)], ctx, "r-0")
    assert len(keeps) == 2
    assert "bank_branch" not in {keep.name for keep in keeps}
    assert keeps == draw_keeps(record, targets, [Span(start, start + 10)], ctx, "r-0")


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("the cat sat", "the cat sat", 1.0),
        ("the cat sat", "the dog sat", 4 / 6),
        ("a b c d", "b d", 4 / 6),
        ("Oslo", "Bergen", 0.0),
        ("", "x", 0.0),
    ],
)
def test_rouge_by_hand(one: str, other: str, expected: float) -> None:
    assert rouge_l(one, other) == pytest.approx(expected)
    assert rouge_l(other, one) == pytest.approx(expected)


def test_the_base_instruction_by_hand() -> None:
    targets = [
        target("drop", ["full_name"], instruction="Drop the information about full name from the text."),
        target(
            "abstract", ["amount", "account"], "money", "t2", "Abstract the money matters as 'some money'"
        ),
    ]
    keeps = [Fact("payment_date", "3 March 2024")]
    whole = base_instruction(targets, keeps)
    assert whole == (
        "Drop the information about full name from the text. Abstract the money matters as 'some money'. "
        "This means amount and account. Keep payment date as it is in the text."
    )
    assert "This means" not in base_instruction(targets, keeps, frozenset({"t2"}))


def test_a_users_instruction_names_all_and_tells_nothing() -> None:
    targets = [target("drop", ["full_name"]), target("abstract", ["amount", "account"], "money", "t2")]
    keeps = [Fact("payment_date", "3 March 2024")]
    good = "Please take out the full name, make money vague, and leave the payment date."
    assert complaint(good, targets, keeps, frozenset()) is None
    assert "full name" in (complaint(good.replace("full name", "person"), targets, keeps, frozenset()) or "")
    told = complaint(f"{good} She is MAREN KALLIO.", targets, keeps, frozenset())
    assert told is not None
    assert "Maren" not in told
    assert "payment date" in (
        complaint(good.replace("payment date", "day"), targets, keeps, frozenset()) or ""
    )
    members = "Drop the full name; blur the amount and the account; keep the payment date."
    assert complaint(members, targets, keeps, frozenset()) is None
    assert complaint(members, targets, keeps, frozenset({"t2"})) is not None
