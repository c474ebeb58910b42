from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from privasis.errors import InputError
from privasis.evaluation.benchmark import BenchFact, BenchItem, BenchTarget, item_of
from privasis.jobs.benches import read_bench
from privasis.store.schema import arrow_schema, to_row
from privasis.types import Fact, Target, Triplet

WHOLE = BenchItem(
    id="a",
    number=4,
    original="Ann Lee keeps two cats and a parrot in Bonn for 310.50 a month.",
    instruction="Drop who it is.",
    targets=(BenchTarget("t1", "identity", True, (BenchFact("name", ("Ann Lee",)),), "drop"),),
    keeps=(BenchFact("pets", ("cats", "parrot")),),
    record_type="note",
    category="Home",
    set_name="hard",
)


def lines(path: Path, *rows: object) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def short(**changes: object) -> dict[str, object]:
    """The least that an item needs."""
    plain = {
        "id": "a",
        "original": WHOLE.original,
        "instruction": "Drop it.",
        "targets": [{"id": "t1", "attributes": [{"name": "name", "value": "Ann Lee"}]}],
    }
    return {**plain, **changes}


def test_our_items_come_back_as_they_were(tmp_path: Path) -> None:
    assert read_bench(lines(tmp_path / "b.jsonl", to_row(WHOLE))).items == (WHOLE,)
    table = pa.Table.from_pylist([to_row(WHOLE)], arrow_schema(BenchItem))
    pq.write_table(table, tmp_path / "b.parquet")
    assert read_bench(tmp_path / "b.parquet").items == (WHOLE,)


def test_what_is_left_out_has_a_default_and_values_may_be_anything(tmp_path: Path) -> None:
    facts = [{"name": "pets", "value": ["cats", None, "parrot"]}, {"name": "fax", "value": None}]
    row = short(
        targets=[{"id": "t1", "attributes": facts}],
        keeps=[{"name": "rent", "value": {"eur": 310, "how": "a month"}}],
    )
    (item,) = read_bench(lines(tmp_path / "test-vanilla.jsonl", row)).items
    assert item == BenchItem(
        "a",
        0,
        WHOLE.original,
        "Drop it.",
        (
            BenchTarget(
                "t1", "t1", False, (BenchFact("pets", ("cats", "parrot")), BenchFact("fax", ())), "drop"
            ),
        ),
        (BenchFact("rent", ("310", "a month")),),
        "",
        "",
        "vanilla",
    )


def test_triplets_are_read_from_a_corpus_folder(tmp_path: Path) -> None:
    target = Target("t1", "name", False, (Fact("name", "Ann Lee"),), "drop", 0.5, "Drop it.")
    triplet = Triplet(
        id="t-1",
        record_id="r-1",
        number=7,
        person="p",
        language="English",
        record_type="note",
        category="Home",
        model="m",
        text=WHOLE.original,
        sanitized="Someone keeps two cats.",
        edits=(),
        targets=(target,),
        keeps=(Fact("place", "Bonn"),),
        base_instruction="Drop it.",
        instruction="Please drop who it is.",
        level=0,
        attributes=(),
        groups=(),
        calls=(),
    )
    table = pa.Table.from_pylist([to_row(triplet)], arrow_schema(Triplet))
    pq.write_table(table, tmp_path / "triplets.parquet")
    assert read_bench(tmp_path).items == (item_of(triplet),)


@pytest.mark.parametrize(
    ("rows", "complaint"),
    [
        ([{"id": "a", "prompt": "x"}], "row 1: unknown columns: id, prompt. Known are items ("),
        ([], "holds no items."),
        ([short(instruction=7)], "row 1: field 'instruction': Input should be a valid string"),
        ([short(targets=[{"attributes": []}])], "row 1: field 'targets.0.id': Field required"),
        ([short(targets="all")], "rows with no target: 1 (a)."),
        ([short(), short()], "rows with twice the same id: 1 (a)."),
        ([short(original=" ")], "rows with no original text: 1 (a)."),
        (
            [short(), short(id="b", original="Nobody.")],
            "not in the original text: 1 (b). Mend them, or pass --skip-bad",
        ),
    ],
)
def test_bad_test_sets_are_one_line(tmp_path: Path, rows: list[object], complaint: str) -> None:
    path = lines(tmp_path / "b.jsonl", *rows)
    with pytest.raises(InputError) as caught:
        read_bench(path)
    assert str(caught.value).startswith(str(path))
    assert complaint in str(caught.value)
    assert "Ann Lee" not in str(caught.value)


def test_bad_items_can_be_left_out(tmp_path: Path) -> None:
    bench = read_bench(lines(tmp_path / "b.jsonl", short(), short(id="b", original="Nobody.")), skip_bad=True)
    assert [item.id for item in bench.items] == ["a"]
    assert bench.skipped == ("b",)
