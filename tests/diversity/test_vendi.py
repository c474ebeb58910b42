import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from vendi_score.vendi import score_dual, score_X

from privasis.diversity import delta_vendi, delta_vendi_in, prepare_pool, vendi

# The package itself reads scipy.sparse.csr, a name that scipy has deprecated.
old_scipy_name = pytest.mark.filterwarnings("ignore:Please import .csr_matrix.:DeprecationWarning")

# One text; below, at and above n = d; far more texts than dimensions.
SHAPES = [
    (1, 1),
    (1, 5),
    (2, 384),
    (50, 384),
    (383, 384),
    (384, 384),
    (385, 384),
    (1000, 384),
    (9, 2),
    (40, 1),
]


def unit_normal(n: int, d: int, seed: int = 0, shift: float = 0.5) -> NDArray[np.float64]:
    """Random directions around a common one, with a falling spectrum, as texts' embeddings have."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(n, d)) * np.exp(-4 * np.arange(d) / d) + shift * rng.normal(size=d)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def by_package(pool: NDArray[np.float64], row: NDArray[np.float64]) -> float:
    return float(score_X(np.vstack([pool, row])))


@old_scipy_name
@pytest.mark.parametrize(("n", "d"), SHAPES)
def test_vendi_agrees_with_the_package(n: int, d: int) -> None:
    rows = unit_normal(n, d)
    assert vendi(rows) == pytest.approx(score_X(rows), abs=1e-6)
    assert vendi(rows) == pytest.approx(score_dual(rows), abs=1e-6)


@old_scipy_name
@pytest.mark.parametrize(("n", "d"), SHAPES)
def test_delta_agrees_with_the_package_fresh_and_prepared(n: int, d: int) -> None:
    rows = unit_normal(n + 2, d, seed=n)
    pool, current, candidate = rows[:n], rows[n], rows[n + 1]
    expected = by_package(pool, candidate) - by_package(pool, current)
    assert delta_vendi(pool, current, candidate) == pytest.approx(expected, abs=1e-6)
    assert delta_vendi_in(prepare_pool(pool), current, candidate) == pytest.approx(expected, abs=1e-6)


@settings(deadline=None)
@given(
    n=st.integers(0, 12),
    d=st.integers(1, 12),
    repeats=st.integers(0, 12),
    echo=st.booleans(),
    shift=st.sampled_from([0.0, 0.5, 100.0]),
    seed=st.integers(0, 2**32 - 1),
)
def test_three_ways_to_the_same_delta(
    n: int, d: int, repeats: int, echo: bool, shift: float, seed: int
) -> None:
    rows = unit_normal(n + 2, d, seed, shift)
    pool, current, candidate = rows[:n], rows[n], rows[n + 1]
    if n:
        pool = np.vstack([pool, np.repeat(pool[:1], repeats, axis=0)])
        candidate = pool[-1] if echo else candidate
    expected = vendi(np.vstack([pool, candidate])) - vendi(np.vstack([pool, current]))
    assert delta_vendi(pool, current, candidate) == pytest.approx(expected, abs=1e-9)
    assert delta_vendi_in(prepare_pool(pool), current, candidate) == pytest.approx(expected, abs=1e-9)


def test_known_scores() -> None:
    assert vendi(np.eye(7)) == pytest.approx(7)
    assert vendi(np.ones((7, 3))) == pytest.approx(1)
    assert vendi(np.repeat(np.eye(4), 5, axis=0)) == pytest.approx(4)  # repeating a set adds nothing
    assert vendi(np.empty((0, 3))) == 0.0


def test_a_new_direction_is_worth_more_than_a_copy() -> None:
    pool = np.eye(5)[:3]
    assert delta_vendi(pool, current=pool[0], candidate=np.eye(5)[4]) > 0.5
    assert delta_vendi(pool, current=np.eye(5)[4], candidate=pool[0]) < -0.5


@pytest.mark.parametrize("kind", ["same", "swapped"])
def test_delta_is_antisymmetric(kind: str) -> None:
    rows = unit_normal(42, 16)
    pool, x, y = rows[:40], rows[40], rows[40] if kind == "same" else rows[41]
    assert delta_vendi(pool, x, y) == pytest.approx(-delta_vendi(pool, y, x), abs=1e-12)


def test_an_empty_pool_prefers_neither() -> None:
    rows = unit_normal(2, 8)
    empty = np.empty((0, 8))
    assert delta_vendi(empty, rows[0], rows[1]) == pytest.approx(0, abs=1e-12)
    assert delta_vendi_in(prepare_pool(empty), rows[0], rows[1]) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_narrow_floats_are_computed_in_double_precision(dtype: type[np.floating]) -> None:
    narrow = unit_normal(32, 24).astype(dtype)
    wide = narrow.astype(np.float64)
    assert vendi(narrow) == vendi(wide)
    assert delta_vendi(narrow[:30], narrow[30], narrow[31]) == delta_vendi(wide[:30], wide[30], wide[31])


def test_callers_arrays_are_left_alone() -> None:
    rows = 3.0 * unit_normal(6, 4)
    before = rows.copy()
    vendi(rows)
    delta_vendi_in(prepare_pool(rows[:4]), rows[4], rows[5])
    assert (rows == before).all()


@pytest.mark.parametrize("bad", [0.0, np.nan, np.inf])
def test_a_row_without_direction_is_named(bad: float) -> None:
    rows = unit_normal(5, 4)
    rows[3] = bad
    with pytest.raises(ValueError, match="row 3 of the embeddings"):
        vendi(rows)


def test_a_flat_array_is_refused() -> None:
    with pytest.raises(ValueError, match=r"shape \(n, d\)"):
        vendi(np.ones(3))
