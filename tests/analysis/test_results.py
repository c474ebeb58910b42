"""Tables 4, 5, 6, 10 and Figure 5, each by hand."""

from __future__ import annotations

import dataclasses

import pytest

from privasis.analysis.results import (
    figure_5,
    figure_5_points,
    table_4,
    table_5,
    table_6,
    table_10,
)
from privasis.analysis.systems import ScoreSet, System, systems_by_set
from privasis.analysis.table import Named, Share
from privasis.errors import ConfigError
from privasis.evaluation.score import COPY, DELETE
from privasis.evaluation.scores import NO_EVALUATOR, ItemScore
from support.scores import scored

OWN = (
    scored("r1", "full_name:safe age:safe", "exact"),
    scored("r2", "full_name:direct age:proximity", "exact lost", category="Business & Finance"),
    scored("r3", "Full_Name:direct city:inference", "exact", category=""),
    scored("r4", "full_name:safe city:unscored", "exact"),
)
COPIES = tuple(
    dataclasses.replace(
        score,
        system=COPY,
        evaluator="none",
        over_edit=0.0,
        targets=tuple(dataclasses.replace(t, verdict="direct", strict="direct") for t in score.targets),
    )
    for score in OWN
)
BLANKS = tuple(
    dataclasses.replace(
        score,
        system=DELETE,
        evaluator="none",
        over_edit=1.0,
        targets=tuple(dataclasses.replace(t, verdict="safe", strict="safe") for t in score.targets),
        keeps=tuple(dataclasses.replace(k, verdict="lost") for k in score.keeps),
    )
    for score in OWN
)


def set_of(*scores: ItemScore, name: str = "scores", **config: object) -> ScoreSet:
    return ScoreSet(name, config, scores)


def systems() -> tuple[System, ...]:
    return systems_by_set([set_of(*OWN, *COPIES, *BLANKS)])[""]


def test_systems_stand_in_order_with_the_baselines_once_and_last() -> None:
    other = tuple(dataclasses.replace(score, system="other") for score in OWN)
    found = systems_by_set([set_of(*OWN, *COPIES, *BLANKS), set_of(*other, *COPIES, *BLANKS, name="second")])
    assert [(system.label, len(system.scores)) for system in found[""]] == [
        ("tested", 4),
        ("other", 4),
        (COPY, 4),
        (DELETE, 4),
    ]
    assert [system.is_baseline for system in found[""]] == [False, False, True, True]


def test_a_system_of_two_folders_stays_two() -> None:
    found = systems_by_set([set_of(*OWN, name="by-a"), set_of(*OWN, name="by-b")])
    assert [system.label for system in found[""]] == ["tested [by-a]", "tested [by-b]"]


def test_texts_are_kept_only_where_they_are_asked_for() -> None:
    assert {score.sanitized for score in systems_by_set([set_of(*OWN)])[""][0].scores} == {""}
    assert systems_by_set([set_of(*OWN)], texts=True)[""][0].scores == OWN


def test_test_sets_are_kept_apart() -> None:
    hard = dataclasses.replace(OWN[0], set_name="hard")
    assert list(systems_by_set([set_of(OWN[0], hard)])) == ["", "hard"]


def test_table_4_shows_both_baselines_over_edit_and_what_is_unscored() -> None:
    table = table_4(systems())
    by_name = {row[0]: dict(zip(table.columns, row, strict=True)) for row in table.rows}
    own = by_name["tested"]
    # Of 8 attributes 7 were judged, 3 of them safe; of 4 records 3 were judged whole, r1 without a leak
    assert own["Sanitization: attribute"].value == pytest.approx(3 / 7)
    assert own["Sanitization: record"].value == pytest.approx(1 / 3)
    assert own["Retention: attribute"].value == pytest.approx(4 / 5)
    assert own["Full Successful Record"].value == pytest.approx(1 / 3)
    assert own["Over-edit rate"] == Share(0.25)
    assert (own["Records"], own["Unscored records"]) == (4, 1)
    assert own["Full Successful Record"].low <= 1 / 3 <= own["Full Successful Record"].high
    assert by_name[COPY]["Sanitization: record"].value == 0.0
    assert by_name[COPY]["Over-edit rate"] == Share(0.0)
    assert by_name[DELETE]["Sanitization: record"].value == 1.0
    assert by_name[DELETE]["Retention: attribute"].value == 0.0
    assert by_name[DELETE]["Over-edit rate"] == Share(1.0)
    assert any("Copying" in note for note in table.notes)
    assert any("could not be judged" in note for note in table.notes)


def test_table_4_without_an_evaluator_gives_bounds_and_says_so() -> None:
    open_ones = tuple(
        dataclasses.replace(
            score,
            evaluator="none",
            targets=tuple(
                t
                if t.verdict == "direct"
                else dataclasses.replace(t, verdict="unscored", reason=NO_EVALUATOR)
                for t in score.targets
            ),
        )
        for score in OWN
    )
    table = table_4(systems_by_set([set_of(*open_ones)])[""])
    (row,) = table.rows
    cells = dict(zip(table.columns, row, strict=True))
    assert cells["Sanitization: attribute"].value == pytest.approx(6 / 8)  # an upper bound
    assert [cells[name].bound for name in table.columns[2:9]] == ["≤"] * 3 + ["≥"] * 3 + ["~"]
    assert any("upper bounds" in note for note in table.notes)


def test_table_4_says_when_systems_were_scored_on_different_records() -> None:
    other = tuple(dataclasses.replace(score, system="other") for score in OWN[:2])
    table = table_4(systems_by_set([set_of(*OWN, *other)])[""])
    assert any("can't be compared" in note for note in table.notes)
    assert not any("can't be compared" in note for note in table_4(systems()).notes)


def test_table_5_shares_the_leaks_out_and_no_unscored_one() -> None:
    table = table_5(systems())
    by_name = {row[0]: row[1:] for row in table.rows}
    assert by_name["tested"] == (Share(2 / 4), Share(1 / 4), Share(1 / 4), 4, 1, 8)
    assert by_name[COPY] == (Share(1.0), Share(0.0), Share(0.0), 8, 0, 8)
    assert by_name[DELETE] == (None, None, None, 0, 0, 8)


def test_table_6_ranks_the_categories_of_failed_records() -> None:
    more = scored("r5", "safe", "lost")  # a lost retention target is a failure too
    table = table_6(systems_by_set([set_of(*OWN, more)])[""], top=4)
    assert table.rows == (
        (
            "tested",
            Named("Business & Finance", 1 / 3),
            Named("Health & Wellness", 1 / 3),
            Named("not labelled", 1 / 3),
            "",
            3,
        ),
    )


def test_table_10_ranks_leaked_attributes_by_name() -> None:
    table = table_10(systems_by_set([set_of(*OWN)])[""], top=2)
    assert table.rows == (("tested", Named("full_name", 2 / 4), Named("age", 1 / 4), 4),)


def test_figure_5_sorts_its_points_by_chunk_size() -> None:
    sets = [
        set_of(*OWN, name="large", chunk_size=2048),
        set_of(OWN[0], *COPIES, name="middle", chunk_size=512),
    ]
    points = figure_5_points(sets)
    assert [(point.chunk_size, point.records) for point in points] == [(512, 1), (2048, 4)]
    assert points[0].full == (1.0, 1.0, 1.0)
    assert points[1].sanitization.value == pytest.approx(1 / 3)
    table = figure_5(points)
    assert [row[:3] for row in table.rows] == [("all", "tested", 512), ("all", "tested", 2048)]
    assert table.rows[0][3] == Share(1.0, 1.0, 1.0)


@pytest.mark.parametrize("config", [{}, {"chunk_size": None}, {"chunk_size": 0}])
def test_figure_5_needs_a_chunk_size(config: dict[str, object]) -> None:
    with pytest.raises(
        ConfigError, match=r"scores: its config tells no chunk size\. Give it as SIZE=SCORES\."
    ):
        figure_5_points([set_of(*OWN, **config)])
