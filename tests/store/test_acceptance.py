import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from privasis.store.acceptance import Acceptance, Candidate, PoolSample


def candidate(number: int, *bands: int) -> Candidate:
    embedding = np.full(4, number, dtype="<f2").tobytes()
    return Candidate(number, bands or (number, -number), embedding)


def test_a_near_duplicate_of_an_earlier_accepted_one_is_dropped() -> None:
    acceptance = Acceptance()
    taken = acceptance.take([candidate(0, 1, 2), candidate(1, 9, 2), candidate(2, 9, 3)])
    assert [c.number for c in taken] == [0, 2]  # 2 shares a band only with 1, which was dropped


def test_equal_values_in_different_bands_do_not_meet() -> None:
    assert len(Acceptance().take([candidate(0, 1, 2), candidate(1, 2, 1)])) == 2


def test_rejected_candidates_are_passed_over() -> None:
    assert Acceptance().take([Candidate(0, None, None)]) == []


@given(st.permutations(range(40)), st.integers(1, 50))
def test_the_sample_does_not_depend_on_the_order(order: list[int], size: int) -> None:
    ordered, shuffled = PoolSample(3, size), PoolSample(3, size)
    ordered.add(candidate(number) for number in range(40))
    shuffled.add(candidate(number) for number in order)
    assert ordered.snapshot().numbers.tolist() == shuffled.snapshot().numbers.tolist()
    assert len(ordered.snapshot().numbers) == min(size, 40)


def test_the_sample_is_uniform() -> None:
    counts = np.zeros(20)
    for seed in range(2000):
        sample = PoolSample(seed, 5)
        sample.add(candidate(number) for number in range(20))
        counts[sample.snapshot().numbers] += 1
    expected = 2000 * 5 / 20
    assert (((counts - expected) ** 2) / expected).sum() < 43.8  # chi-square, 19 degrees, p = 0.001


def test_embeddings_stay_with_their_numbers() -> None:
    sample = PoolSample(1, 8)
    sample.add(candidate(number) for number in range(30))
    pool = sample.snapshot()
    assert (pool.embeddings[:, 0] == pool.numbers).all()
