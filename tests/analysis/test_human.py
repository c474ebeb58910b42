from __future__ import annotations

import csv
import dataclasses
import io

import pytest

from privasis.analysis.human import export_human_check, human_precision, precision_table
from privasis.analysis.systems import System
from privasis.analysis.table import to_csv
from privasis.errors import InputError
from privasis.evaluation.score import COPY
from support.scores import scored

LEAK = scored("r1", "dose_time:proximity name:direct", sanitized="=cmd|' /C calc'!A0")
LEAK = dataclasses.replace(
    LEAK,
    targets=(
        dataclasses.replace(
            LEAK.targets[0], value="9:30 PM", guess="about half past nine", original_guess="21:30"
        ),
        LEAK.targets[1],
    ),
)
SYSTEMS = (
    System("tested", "", (LEAK, scored("r2", "safe"), scored("r3", "age:proximity"))),
    System(COPY, "", (scored("r1", "proximity", system=COPY),)),
)


def cases() -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(to_csv(export_human_check(SYSTEMS)))))


def test_each_proximity_leak_of_a_system_is_a_case_without_a_verdict() -> None:
    first, second = cases()
    assert first["case"] == "r1/t0/dose_time"
    assert (first["true value"], first["guess from the sanitized text"]) == (
        "9:30 PM",
        "about half past nine",
    )
    assert first["guess from the original"] == "21:30"
    assert first["sanitized text"].startswith("'=")  # no formula for the person's spreadsheet
    assert second["case"] == "r3/t0/age"
    assert [case["verdict"] for case in cases()] == ["", ""]


def test_precision_comes_from_the_verdicts_that_are_there() -> None:
    rows = [
        {"case": f"c{n}", "system": "s", "verdict": v} for n, v in enumerate(["leak", " No  Leak ", "Y", ""])
    ]
    found = human_precision(rows)
    assert (found.correct, found.judged, found.open) == (2, 3, 1)
    assert found.precision is not None
    assert found.precision.value == pytest.approx(2 / 3)
    assert found.precision.low < 2 / 3 < found.precision.high
    assert precision_table(found).notes == ("Precision is of the cases judged so far.",)


def test_the_papers_figure_has_its_interval() -> None:
    rows = [{"case": str(n), "system": "o3", "verdict": "leak" if n < 137 else "no leak"} for n in range(140)]
    found = human_precision(rows)
    assert found.precision is not None
    assert found.precision.value == pytest.approx(0.979, abs=1e-3)
    assert found.precision.low == pytest.approx(0.939, abs=1e-3)


def test_without_verdicts_there_is_no_precision() -> None:
    found = human_precision(cases())
    assert (found.judged, found.open, found.precision) == (0, 2, None)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"case": "c", "system": "s"}], "row 1: the column 'verdict' is missing."),
        (
            [{"case": "c", "system": "s", "verdict": "perhaps"}],
            "row 1: the verdict is neither 'leak' nor 'no leak'.",
        ),
        (
            [{"case": "c", "system": "s", "verdict": "leak"}] * 2,
            "row 2: the case c is there twice.",
        ),
    ],
)
def test_a_file_that_was_filled_wrongly_is_told(rows: list[dict[str, str]], message: str) -> None:
    with pytest.raises(InputError) as raised:
        human_precision(rows)
    assert str(raised.value) == message
