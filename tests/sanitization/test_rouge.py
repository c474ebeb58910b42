"""ROUGE-L by hand, and against the reference package."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer

from privasis.sanitization.rouge import rouge_l

REFERENCE = RougeScorer(["rougeL"], use_stemmer=False)
VALUES = st.lists(st.text("abcXY12", min_size=1, max_size=2), max_size=12).map(" ".join)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("the cat sat", "the cat sat", 1.0),
        ("the cat sat", "The dog SAT", 4 / 6),
        ("a b c d", "b d", 4 / 6),
        ("a b c", "c b a", 2 / 6),
        ("Oslo", "Bergen", 0.0),
        ("", "x", 0.0),
        ("", "", 0.0),
        ("東京都港区", "東京", 4 / 7),  # characters where a script has no spaces
    ],
)
def test_by_hand(one: str, other: str, expected: float) -> None:
    assert rouge_l(one, other) == pytest.approx(expected)
    assert rouge_l(other, one) == pytest.approx(expected)


@given(VALUES, VALUES)
def test_as_the_reference_package(one: str, other: str) -> None:
    expected = REFERENCE.score(one, other)["rougeL"].fmeasure
    assert rouge_l(one, other) == pytest.approx(expected, abs=1e-9)
