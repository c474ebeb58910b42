from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privasis.analysis.agreement import agreement_table, agreements, cohens_kappa, wilson
from privasis.analysis.systems import System
from privasis.errors import InputError
from support.scores import scored


def test_kappa_by_hand() -> None:
    # 20 yes/yes, 5 yes/no, 10 no/yes, 15 no/no: agreed 0.7, by chance 0.5*0.6 + 0.5*0.4 = 0.5
    pairs = [("y", "y")] * 20 + [("y", "n")] * 5 + [("n", "y")] * 10 + [("n", "n")] * 15
    assert cohens_kappa(pairs) == pytest.approx((0.7 - 0.5) / (1 - 0.5))


@pytest.mark.parametrize(
    ("pairs", "kappa"),
    [
        ([], None),
        ([("y", "y")] * 3, None),  # no room above chance
        ([("y", "y"), ("n", "n")], 1.0),
        ([("y", "n"), ("n", "y")], -1.0),
        ([("y", "y"), ("y", "n")], 0.0),
    ],
)
def test_kappa_at_its_edges(pairs: list[tuple[str, str]], kappa: float | None) -> None:
    assert cohens_kappa(pairs) == kappa


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), min_size=1))
def test_kappa_does_not_depend_on_who_is_first(pairs: list[tuple[str, str]]) -> None:
    there, back = cohens_kappa(pairs), cohens_kappa([(b, a) for a, b in pairs])
    assert there == (None if back is None else pytest.approx(back))
    assert there is None or there <= 1.0


def test_wilson_by_hand() -> None:
    # 98 of 100: (0.98 + 1.92073/100 ± 1.95996 * sqrt(0.98*0.02/100 + 3.84146/40000)) / 1.0384146
    assert wilson(98, 100) == pytest.approx((0.98, 0.929995, 0.994498), abs=1e-5)
    assert wilson(0, 0) is None
    assert wilson(5, 5)[2] == 1.0


@given(st.integers(1, 2000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_holds_its_share(pair: tuple[int, int]) -> None:
    value, low, high = wilson(*pair)
    assert 0.0 <= low <= value <= high <= 1.0


FIRST = System(
    "a",
    "",
    (
        scored("r1", "safe direct proximity inference", "exact lost"),
        scored("r2", "safe proximity unscored", "present"),
    ),
)
SECOND = System(
    "b",
    "",
    (
        scored("r1", "safe direct safe inference", "exact present", evaluator="other"),
        scored("r2", "proximity proximity safe", "unscored", evaluator="other"),
    ),
)


def test_agreement_leaves_out_what_strings_decide_and_counts_the_unscored() -> None:
    proximity, leak, kind, kept = agreements(FIRST, SECOND)
    # safe/safe, proximity/safe, safe/proximity, proximity/proximity; unscored/safe; the direct leak is out
    assert (proximity.cases, proximity.agreed, proximity.unscored) == (4, 2, 1)
    assert proximity.kappa == pytest.approx(0.0)
    assert (leak.cases, leak.agreed) == (5, 3)
    assert (kind.cases, kind.agreed) == (5, 3)
    assert (kept.cases, kept.agreed, kept.unscored) == (1, 0, 1)


def test_the_table_names_both_evaluators() -> None:
    table = agreement_table(FIRST, SECOND)
    assert table.title == "Evaluator agreement: judge and other on tested"
    assert table.rows[0][1].value == 0.5
    assert [row[3:] for row in table.rows] == [(4, 1), (5, 1), (5, 1), (1, 1)]


def test_items_of_one_evaluator_only_are_noted() -> None:
    fewer = dataclasses.replace(SECOND, scores=SECOND.scores[:1])
    table = agreement_table(FIRST, fewer)
    assert table.rows[0][3] == 2
    assert any("1 items were scored by one of the two only" in note for note in table.notes)


def test_different_texts_are_refused_with_their_ids() -> None:
    changed = dataclasses.replace(SECOND.scores[1], sanitized="Something else.")
    with pytest.raises(InputError, match=r"different texts or targets for 1 items \(r2\)"):
        agreements(FIRST, dataclasses.replace(SECOND, scores=(SECOND.scores[0], changed)))


def test_nothing_in_common_is_refused() -> None:
    with pytest.raises(InputError, match="no item was scored by both"):
        agreements(FIRST, System("b", "", (scored("r9", "safe"),)))
