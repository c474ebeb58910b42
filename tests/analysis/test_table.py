from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privasis.analysis.table import (
    Named,
    Share,
    Table,
    merged,
    restored,
    safe_text,
    spelled,
    to_csv,
    to_markdown,
    transposed,
)

TABLE = Table(
    "A *title*",
    ("System", "Full", "Top", "n", "kappa"),
    (
        ("a|b", Share(0.725, 0.7, 0.75), Named("Home", 0.5), 12, 0.81234),
        ("=1+1", None, Named("Work", 0.25), 0, None),
    ),
    ("A note.",),
)


@pytest.mark.parametrize(
    ("cell", "read"),
    [
        (None, "not known"),
        (Share(0.725), "72.5"),
        (Share(0.725, 0.701, 0.75), "72.5 (70.1–75.0)"),
        (Share(0.725, None, None, "≤"), "≤72.5"),
        (Named("Business & Finance", 0.1714), "Business & Finance (17.1%)"),
        (0.98765, "0.988"),
        (7, "7"),
        ("as it is", "as it is"),
    ],
)
def test_cells_are_spelled(cell: object, read: str) -> None:
    assert spelled(cell) == read


def test_markdown_is_a_table_with_its_title_and_notes() -> None:
    assert to_markdown(TABLE).splitlines() == [
        r"**A \*title\***",
        "",
        "| System | Full | Top | n | kappa |",
        "| --- | ---: | --- | ---: | ---: |",
        r"| a\|b | 72.5 (70.0–75.0) | Home (50.0%) | 12 | 0.812 |",
        "| =1+1 | not known | Work (25.0%) | 0 | not known |",
        "",
        "- A note.",
    ]


def test_csv_keeps_interval_and_name_in_columns_of_their_own() -> None:
    head, first, second = csv.reader(io.StringIO(to_csv(TABLE)))
    assert head == [
        "System", "Full %", "Full low %", "Full high %", "Full bound", "Top", "Top %", "n", "kappa",
    ]  # fmt: skip
    assert first == ["a|b", "72.5000", "70.0000", "75.0000", "", "Home", "50.0000", "12", "0.81234"]
    assert second == ["'=1+1", "", "", "", "", "Work", "25.0000", "0", ""]


@given(st.text())
def test_no_text_becomes_a_formula_and_none_is_lost(text: str) -> None:
    assert not safe_text(text).startswith(("=", "+", "-", "@", "\t", "\r"))
    assert restored(safe_text(text)) == text or text.startswith("'")


@given(st.lists(st.tuples(st.text(), st.text()), max_size=5))
def test_a_hostile_cell_stays_in_its_place(rows: list[tuple[str, str]]) -> None:
    table = Table("t", ("a", "b"), tuple(rows))
    lines = to_markdown(table).split("\n")
    assert len(lines) == 4 + len(rows) + 1
    assert all("<script" not in line for line in lines)
    for line in lines[4:-1]:
        assert line.replace(r"\\", "").replace(r"\|", "").count("|") == 3


def test_tables_are_merged_with_their_names() -> None:
    one = Table("t", ("a",), (("x",),), ("n",))
    both = merged({"vanilla": one, "hard": Table("t", ("a",), (("y",),), ("n", "m"))}, "Set")
    assert both == Table("t", ("Set", "a"), (("vanilla", "x"), ("hard", "y")), ("n", "m"))


def test_a_table_is_transposed() -> None:
    assert transposed(Table("t", ("s", "a", "b"), (("x", 1, 2), ("y", 3, 4)))) == Table(
        "t", ("s", "x", "y"), (("a", 1, 3), ("b", 2, 4))
    )
