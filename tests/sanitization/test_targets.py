"""Weights really act; targets stand free of each other; a small model's answer is enough."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from privasis.errors import Reject
from privasis.sanitization.options import SanitizeOptions
from privasis.sanitization.targets import (
    LINES,
    Candidate,
    _weights_model,
    candidate,
    candidates_of,
    choose,
    draw_targets,
    draw_weighted,
    overlap,
)
from privasis.text.fold import bare
from privasis.types import Attribute, Record, Span, Target
from support.answers import Ask
from support.sanitizing import context, record_of
from support.scripted_server import Script, ScriptedServer

TEXT = (
    "Maren Kallio paid 40 euros on 3 March 2024 in Oslo. Her account NO-4471 is with Fjord Bank, branch "
    "Oslo. Ruthanna_vdm signed it."
)
FACTS = {
    "full_name": "Maren Kallio",
    "amount": "40 euros",
    "payment_date": "3 March 2024",
    "bank_name": "Fjord Bank",
    "account": "NO-4471",
    "initial": "M",
    "ruthanna_vdm": "Ruthanna_vdm",
}
DRAWS = 20_000


def first_draws(weights: list[float]) -> np.ndarray:
    rng = np.random.default_rng(3)
    return np.bincount([draw_weighted(weights, 1, rng)[0] for _ in range(DRAWS)], minlength=len(weights))


def single(name: str, value: str, *spans: Span) -> Candidate:
    return candidate(name, False, [Attribute(name, value, "text", spans)])


def crowd(size: int, groups: int = 0) -> list[Candidate]:
    """Candidates that all stand free of each other; the last ones are groups."""
    named = [f"value {chr(97 + n // 26)}{chr(97 + n % 26)}{n:04}" for n in range(size)]
    return [
        candidate(f"c{n}", n >= size - groups, [Attribute(f"c{n}", value, "text", ())])
        for n, value in enumerate(named)
    ]


async def drawn(
    record: Record, weights: Any, options: SanitizeOptions | None = None
) -> tuple[tuple[Target, ...], list[Ask]]:
    """The targets of a record, weighed by what a scripted model answers to each question."""
    asks: list[Ask] = []

    def answer(ask: Ask) -> str:
        asks.append(ask)
        given = weights(ask) if callable(weights) else weights
        return given if isinstance(given, str) else json.dumps(given)

    with ScriptedServer(Script(answer=answer)) as server:
        async with context(server, options) as ctx:
            return await draw_targets(record, ctx.asker(record.id), ctx), asks


def test_the_first_draw_follows_the_weights() -> None:
    weights = [9.0, 3.0, 2.0, 1.0]
    expected = np.array(weights) / sum(weights) * DRAWS
    assert stats.chisquare(first_draws(weights), expected).pvalue > 0.001


def test_an_item_of_nine_tenths_of_the_weight_is_first_nine_times_of_ten() -> None:
    counts = first_draws([81.0] + [1.0] * 9)
    assert stats.binomtest(int(counts[0]), DRAWS, 0.9).pvalue > 0.001


def test_the_second_draw_is_by_weight_among_what_is_left() -> None:
    rng = np.random.default_rng(8)
    pairs = Counter(tuple(draw_weighted([5, 3, 2], 2, rng)) for _ in range(DRAWS))
    expected = {
        (first, second): DRAWS * w / 10 * v / (10 - w)
        for first, w in enumerate((5, 3, 2))
        for second, v in enumerate((5, 3, 2))
        if first != second
    }
    assert pairs.keys() == expected.keys()
    observed = [pairs[pair] for pair in expected]
    assert stats.chisquare(observed, list(expected.values())).pvalue > 0.001


def test_inclusion_rises_with_the_weight() -> None:
    rng = np.random.default_rng(4)
    counts = np.zeros(6)
    for _ in range(6000):
        counts[draw_weighted([1, 2, 3, 4, 5, 6], 3, rng)] += 1
    assert (np.diff(counts) > 0).all()


@given(st.lists(st.floats(0, 1e300), max_size=12), st.integers(0, 14), st.integers(0, 99))
def test_places_of_positive_weight_come_once(weights: list[float], n: int, seed: int) -> None:
    positive = {place for place, weight in enumerate(weights) if weight > 0}
    order = draw_weighted(weights, n, np.random.default_rng(seed))
    assert len(order) == len(set(order)) == min(n, len(positive))
    assert set(order) <= positive


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_groups_come_in_the_configured_proportion(share: float) -> None:
    candidates, rng = crowd(40, groups=6), np.random.default_rng(5)  # few groups, so that it is no accident
    options = SanitizeOptions(group_share=share)
    places = [place for _ in range(1500) for place in choose(candidates, [1] * 40, options, rng)]
    groups = sum(candidates[place].grouped for place in places)
    assert len(places) == 4500
    assert stats.binomtest(groups, 4500, share).pvalue > 0.001


def test_the_other_kind_is_taken_where_one_is_used_up() -> None:
    options = SanitizeOptions(group_share=1.0, targets=5)
    places = choose(crowd(8, groups=2), [1] * 8, options, np.random.default_rng(0))
    assert len(set(places)) == 5
    assert set(places) >= {6, 7}


def test_what_may_be_a_target() -> None:
    groups = {"money": ["amount", "account"], "all": list(FACTS), "none": ["initial"]}
    facts = FACTS | {"place": "in", "phrase": "IS with", "nothing": "is"}
    found = candidates_of(record_of(TEXT, facts, groups), SanitizeOptions(broadest_group=5))
    labels = [one.label for one in found]
    assert "money" in labels
    assert "initial" not in labels  # a single letter
    assert "none" not in labels  # nothing but a single letter
    assert "all" not in labels  # too broad
    assert "phrase" in labels
    assert not {"place", "nothing"} & set(labels)  # every instruction says "in" and "is"
    assert "ruthanna_vdm" not in labels  # its name is its value: it could not be named


@pytest.mark.parametrize(
    ("one", "other", "meet"),
    [
        (single("full_name", "Maren Kallio"), single("last_name", "KALLIO"), True),
        (single("full_name", "Ｍａｒｅｎ Kallio"), single("first_name", "maren"), True),  # full-width
        (single("city", "Malmö"), single("branch", "MALMO office"), True),
        (single("full_name", "Maren Kallio"), single("city", "Oslo"), False),
        (single("name", "Jo Berg", Span(0, 7)), single("place", "Berg, Oslo", Span(3, 13)), True),
        (single("name", "Jo Berg", Span(0, 7)), single("place", "Oslo", Span(7, 11)), False),
    ],
)
def test_targets_overlap_by_their_values_or_places(one: Candidate, other: Candidate, meet: bool) -> None:
    assert overlap(one, other) is meet
    assert overlap(other, one) is meet


WORDS = st.text("abä ", min_size=2, max_size=5).filter(lambda value: len(bare(value)) > 1)


@given(st.lists(st.tuples(WORDS, st.booleans()), min_size=1, max_size=14), st.integers(0, 50))
def test_no_drawn_value_stands_in_another(values: list[tuple[str, bool]], seed: int) -> None:
    candidates = [
        candidate(f"c{n}", grouped, [Attribute(f"c{n}", value, "text", ())])
        for n, (value, grouped) in enumerate(values)
    ]
    places = choose(candidates, [1] * len(values), SanitizeOptions(targets=4), np.random.default_rng(seed))
    assert places
    taken = [candidates[place].folded[0] for place in places]
    assert not any(a in b for n, a in enumerate(taken) for m, b in enumerate(taken) if n != m)


async def test_sensitive_attributes_are_drawn_and_labelled() -> None:
    groups = {"money": ["amount", "account"]}

    def heavy_names(ask: Ask) -> dict[str, int]:
        lines = [line for line in ask.user.splitlines() if line[:1].isdigit()]
        return {str(n): 10 if "full_name" in line else 1 for n, line in enumerate(lines, start=1)}

    taken: Counter[str] = Counter()
    actions: Counter[str] = Counter()
    for number in range(40):
        one = record_of(TEXT, FACTS, groups, id=f"r-{number}")
        targets, _ = await drawn(one, heavy_names, SanitizeOptions(targets=1, group_share=0.0))
        taken[targets[0].label] += 1
        actions[targets[0].action] += 1
    assert taken["full_name"] > 20  # 10 of 14
    assert min(actions["drop"], actions["abstract"]) > 8


async def test_the_same_seed_draws_the_same_targets() -> None:
    record = record_of(TEXT, FACTS, {"money": ["amount", "account"]})
    targets, _ = await drawn(record, {"1": 5})
    assert targets == (await drawn(record, {"1": 5}))[0]
    assert [target.id for target in targets] == ["t1", "t2", "t3"]


async def test_lines_without_a_weight_weigh_least() -> None:
    record = record_of(TEXT, FACTS)
    targets, asks = await drawn(record, {"1": 9, "77": 5}, SanitizeOptions(targets=9, group_share=0.0))
    assert len(asks) == 1
    weights = {target.label: target.weight for target in targets}
    assert weights.pop("full_name") == 9
    assert set(weights.values()) == {1}


async def test_a_weight_for_no_line_is_asked_again_and_then_rejected() -> None:
    answers = iter(["{}", "no idea", '{"2": 4}'])
    targets, asks = await drawn(record_of(TEXT, FACTS), lambda ask: next(answers))
    assert len(asks) == 3
    assert targets
    with pytest.raises(Reject, match=r"sanitize\.weights"):
        await drawn(record_of(TEXT, FACTS), {"1": 11})


async def test_long_lists_are_weighed_in_parts() -> None:
    facts = {f"code_{chr(97 + n // 26)}{chr(97 + n % 26)}": f"X{n:03}Q" for n in range(LINES + 5)}
    record = record_of(" ".join(facts.values()), facts)
    last = f"{LINES + 5}"

    def answer(ask: Ask) -> dict[str, int]:
        assert ask.schema is not None
        return dict.fromkeys(ask.schema["properties"], 2 if "code_aa:" in ask.user else 7)

    targets, asks = await drawn(record, answer, SanitizeOptions(targets=int(last), group_share=0.0))
    assert len(asks) == 2
    assert Counter(target.weight for target in targets) == {2.0: LINES, 7.0: 5}


def test_the_schema_asks_for_every_line() -> None:
    answer = _weights_model(3)
    assert list(answer.model_json_schema()["properties"]) == ["1", "2", "3"]
    assert answer.model_validate_json('{"3": 10}').line_3 == 10  # type: ignore[attr-defined]


async def test_nothing_to_sanitize_is_a_reason() -> None:
    with pytest.raises(Reject, match="no_target"):
        await drawn(record_of("A", {"initial": "A"}), {})


async def test_a_groups_label_tells_no_value() -> None:
    groups = {"Maren Kallio's Contact Details": ["full_name", "account"], "Kallio (Maren)": ["full_name"]}
    labels = set()
    for number in range(12):
        record = record_of(TEXT, FACTS, groups, id=f"r-{number}")
        targets, _ = await drawn(record, {"1": 1}, SanitizeOptions(targets=1, group_share=1.0))
        labels.add(targets[0].label)
    assert labels == {"Contact Details", "certain details"}
