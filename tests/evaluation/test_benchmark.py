from __future__ import annotations

import dataclasses

import pytest

from privasis.evaluation.benchmark import (
    BenchFact,
    BenchItem,
    BenchTarget,
    absent_targets,
    fact_of,
    item_of,
    values_of,
)
from privasis.types import Fact, Target, Triplet

ITEM = BenchItem(
    id="r1",
    number=1,
    original="Ann Lee lives in Bonn with 2 dogs.",
    instruction="Drop the name.",
    targets=(BenchTarget("t1", "name", False, (BenchFact("name", ("Ann Lee",)),), "drop"),),
    keeps=(BenchFact("dogs", ("2",)),),
    record_type="note",
    category="Home",
    set_name="",
)


@pytest.mark.parametrize(
    ("value", "leaves"),
    [
        ("Bonn", ("Bonn",)),
        ("  Bonn\n", ("Bonn",)),
        (None, ()),
        ("", ()),
        ("  ", ()),
        (34, ("34",)),
        (1.5, ("1.5",)),
        (0, ("0",)),
        (True, ("true",)),
        (["a", None, "b", "a"], ("a", "b")),
        ([], ()),
        (
            {"street": "Elm 4", "city": {"name": "Bonn", "zip": 53111}, "floor": None},
            ("Elm 4", "Bonn", "53111"),
        ),
        ([{"drug": "lithium", "mg": 300}, {"drug": "iron"}], ("lithium", "300", "iron")),
    ],
)
def test_values_are_flattened_to_their_leaves(value: object, leaves: tuple[str, ...]) -> None:
    assert values_of(value) == leaves
    assert fact_of("x", value) == BenchFact("x", leaves)


def test_a_triplet_is_an_item() -> None:
    target = Target("t1", "identity", True, (Fact("name", "Ann"), Fact("nick", "")), "drop", 0.5, "Drop it.")
    triplet = Triplet(
        id="t-1",
        record_id="r-1",
        number=7,
        person="p",
        language="English",
        record_type="note",
        category="Home",
        model="m",
        text="Ann is here.",
        sanitized="Someone is here.",
        edits=(),
        targets=(target,),
        keeps=(Fact("place", "here"),),
        base_instruction="Drop it.",
        instruction="Please drop who it is.",
        level=0,
        attributes=(),
        groups=(),
        calls=(),
    )
    item = item_of(triplet, "hard")
    assert item == BenchItem(
        "t-1",
        7,
        "Ann is here.",
        "Please drop who it is.",
        (BenchTarget("t1", "identity", True, (BenchFact("name", ("Ann",)), BenchFact("nick", ())), "drop"),),
        (BenchFact("place", ("here",)),),
        "note",
        "Home",
        "hard",
    )


def test_targets_that_are_not_in_the_text_are_named() -> None:
    assert absent_targets(ITEM) == ()
    assert absent_targets(dataclasses.replace(ITEM, original="Nobody lives here.")) == ("name",)


def test_a_target_in_another_form_is_in_the_text() -> None:
    assert absent_targets(dataclasses.replace(ITEM, original="ANN\nLEE lives here.")) == ()


def test_one_of_several_values_is_enough() -> None:
    target = BenchTarget("t1", "pets", False, (BenchFact("pets", ("cat", "dogs")),), "drop")
    assert absent_targets(dataclasses.replace(ITEM, targets=(target,))) == ()
