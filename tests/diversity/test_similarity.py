from math import isnan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics.pairwise import cosine_similarity

from privasis.diversity import mean_cosine_similarity, similarity


@settings(deadline=None)
@given(
    n=st.integers(2, 40),
    d=st.integers(1, 12),
    shift=st.sampled_from([0.0, 1.0, 50.0]),
    seed=st.integers(0, 999),
)
def test_it_agrees_with_all_pairs_of_the_package(n: int, d: int, shift: float, seed: int) -> None:
    rows = np.random.default_rng(seed).normal(size=(n, d)) + shift
    pairs = cosine_similarity(rows)[np.triu_indices(n, k=1)]
    assert mean_cosine_similarity(rows) == pytest.approx(pairs.mean(), abs=1e-9)


def test_known_values() -> None:
    assert mean_cosine_similarity(np.ones((5, 3))) == pytest.approx(1)
    assert mean_cosine_similarity(np.eye(4)) == pytest.approx(0)
    assert mean_cosine_similarity(np.array([[2.0, 0.0], [-3.0, 0.0]])) == pytest.approx(-1)


@pytest.mark.parametrize("n", [0, 1])
def test_fewer_than_two_texts_cannot_be_compared(n: int) -> None:
    assert isnan(mean_cosine_similarity(np.ones((n, 3))))


def test_blocks_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.random.default_rng(5).normal(size=(100, 6)).astype(np.float16)
    whole = mean_cosine_similarity(rows)
    monkeypatch.setattr(similarity, "_BLOCK", 7)
    assert mean_cosine_similarity(rows) == pytest.approx(whole, abs=1e-12)


def test_a_bad_row_is_named_by_its_place_in_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(similarity, "_BLOCK", 7)
    rows = np.ones((20, 3))
    rows[15] = 0
    with pytest.raises(ValueError, match="row 15 of the embeddings"):
        mean_cosine_similarity(rows)
