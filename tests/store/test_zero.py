"""The authors' release format, with small files of our own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privasis.errors import ConfigError, InputError
from privasis.evaluation.benchmark import BenchFact, BenchTarget
from privasis.jobs.zero import item_of_row, row_of_item, row_of_triplet, triplet_of_row
from privasis.store.zero import ZeroFact, ZeroRow, ZeroTarget, parse_zero, read_zero, write_zero
from privasis.text.edits import apply_edits
from privasis.types import Edit, Fact, Group, Target, Triplet

TEXT = "Ines Duarte of Porto paid invoice 71 on 3 May 2024, beside Rui and Ana."
CLEAN = "Someone of a Portuguese town paid invoice 71 in spring, beside friends."


DATE = {"day": 3, "month": "May"}


def columns(**changes: Any) -> dict[str, Any]:
    return {
        "id": "z1",
        "original_record": TEXT,
        "sanitized_record": CLEAN,
        "base_instruction": "Drop full_name. Abstract the town.",
        "smoothed_instruction": "Could you take the name out?",
        "record_type": "receipt",
        "record_tags": "finance",
        "grouped_annotated_attributes": {"person": {"full_name": "Ines Duarte", "friends": ["Rui", "Ana"]}},
        "attributes_to_keep": {"invoice": 71},
        "attributes_to_drop": {"selected": {"full_name": "Ines Duarte", "nickname": None}, "group": False},
        "attributes_to_abstract": {
            "selected": [
                {"attrs": {"town": "Porto", "date": DATE}, "group_name": "Where and when"},
                {"attrs": {"friends": ["Rui", "Ana"]}, "group_name": "People around"},
            ],
            "group": True,
        },
        **changes,
    }  # fmt: skip


def stringed(row: dict[str, Any]) -> dict[str, Any]:
    """Attributes as JSON strings, as in the release."""
    return {name: json.dumps(cell) if isinstance(cell, dict) else cell for name, cell in row.items()}


ROW = ZeroRow(
    id="z1",
    original_record=TEXT,
    sanitized_record=CLEAN,
    base_instruction="Drop full_name. Abstract the town.",
    smoothed_instruction="Could you take the name out?",
    record_type="receipt",
    attributes={"person": {"full_name": "Ines Duarte", "friends": ["Rui", "Ana"]}},
    keep=(ZeroFact("invoice", 71),),
    drop=(
        ZeroTarget(None, (ZeroFact("full_name", "Ines Duarte"),)),
        ZeroTarget(None, (ZeroFact("nickname", None),)),
    ),
    abstract=(
        ZeroTarget(
            "Where and when", (ZeroFact("town", "Porto"), ZeroFact("date", {"day": 3, "month": "May"}))
        ),
        ZeroTarget("People around", (ZeroFact("friends", ["Rui", "Ana"]),)),
    ),
    extra={"record_tags": "finance"},
)


@pytest.mark.parametrize("cells", [columns(), stringed(columns())])
def test_both_ways_of_selecting_are_read_from_objects_and_from_strings(cells: dict[str, Any]) -> None:
    assert parse_zero(cells, "here") == ROW


@pytest.mark.parametrize("suffix", [".parquet", ".jsonl"])
def test_a_file_comes_back_as_it_was(tmp_path: Path, suffix: str) -> None:
    rows = [ROW, parse_zero(columns(id="z2"), "here")]
    assert write_zero(tmp_path / f"vanilla_test{suffix}", rows) == 2
    assert list(read_zero(tmp_path / f"vanilla_test{suffix}")) == rows


def test_the_authors_columns_are_written_as_their_loader_reads_them(tmp_path: Path) -> None:
    write_zero(tmp_path / "t.parquet", [ROW])
    (row,) = pq.read_table(tmp_path / "t.parquet").to_pylist()
    for name in ("attributes_to_drop", "attributes_to_abstract", "attributes_to_keep"):
        assert isinstance(row[name], str)
    assert json.loads(row["attributes_to_drop"])["selected"] == {"full_name": "Ines Duarte", "nickname": None}
    assert [group["group_name"] for group in json.loads(row["attributes_to_abstract"])["selected"]] == [
        "Where and when",
        "People around",
    ]
    assert json.loads(row["attributes_to_keep"]) == {"invoice": 71}


@pytest.mark.parametrize(
    ("cell", "kept"),
    [
        ({"a": 1, "b": [1, 2]}, (ZeroFact("a", 1), ZeroFact("b", [1, 2]))),
        ({"a": {"value": "x", "sanitization": "keep", "guess": "y"}}, (ZeroFact("a", "x"),)),
        ({"selected": {"a": 1}, "group": False}, (ZeroFact("a", 1),)),
        (
            {"selected": [{"attrs": {"a": 1, "b": 2}, "group_name": "g"}]},
            (ZeroFact("a", 1), ZeroFact("b", 2)),
        ),
        ({"selected": None}, ()),
        ({}, ()),
        (None, ()),
        ("", ()),
    ],
)
def test_retention_targets_are_read_in_each_of_their_forms(cell: Any, kept: tuple[ZeroFact, ...]) -> None:
    assert parse_zero(columns(attributes_to_keep=cell), "here").keep == kept


floats = st.floats(allow_nan=False, allow_infinity=False)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | floats | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip
names = st.text(max_size=6) | st.sampled_from(["selected", "group", "value", "sanitization", "attrs"])
facts = st.dictionaries(names, values, max_size=4).map(lambda d: tuple(ZeroFact(*e) for e in d.items()))
single = facts.map(lambda held: tuple(ZeroTarget(None, (fact,)) for fact in held))
groups = st.lists(st.builds(ZeroTarget, st.none() | st.text(max_size=5), facts), max_size=3).map(tuple)
texts = st.text(max_size=30)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.builds(
            ZeroRow,
            id=texts,
            original_record=texts,
            sanitized_record=texts,
            base_instruction=texts,
            smoothed_instruction=texts,
            record_type=texts,
            attributes=values.filter(lambda value: not isinstance(value, str)),
            keep=facts,
            drop=single | groups,
            abstract=single | groups,
            extra=st.fixed_dictionaries({"record_tags": texts}),
        ),
        min_size=1,
        max_size=3,
    ),
    st.sampled_from([".parquet", ".jsonl"]),
)
def test_any_row_survives_the_round_trip(
    tmp_path_factory: pytest.TempPathFactory, rows: list[ZeroRow], suffix: str
) -> None:
    path = tmp_path_factory.getbasetemp() / f"zero{suffix}"
    write_zero(path, rows)
    assert list(read_zero(path)) == rows


def test_a_folder_that_datasets_has_saved_is_read(tmp_path: Path) -> None:
    table = pa.Table.from_pylist([stringed(columns()), stringed(columns(id="z2"))])
    folder = tmp_path / "saved" / "test"
    folder.mkdir(parents=True)
    with pa.OSFile(str(folder / "data-00000-of-00001.arrow"), "wb") as sink:
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
    (folder / "state.json").write_text("{}")
    (folder.parent / "dataset_dict.json").write_text('{"splits": ["test"]}')
    assert [row.id for row in read_zero(tmp_path / "saved")] == ["z1", "z2"]


def test_an_arrow_file_with_a_footer_is_read_too(tmp_path: Path) -> None:
    table = pa.Table.from_pylist([stringed(columns())])
    with pa.OSFile(str(tmp_path / "t.arrow"), "wb") as sink:
        with pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table)
    assert list(read_zero(tmp_path / "t.arrow")) == [ROW]


def test_an_item_of_a_test_set_flattens_the_values() -> None:
    item = item_of_row(ROW, 4, "vanilla")
    assert (item.id, item.number, item.set_name) == ("z1", 4, "vanilla")
    assert item.instruction == "Could you take the name out?"
    assert item_of_row(ROW, 4, "vanilla", "base").instruction == "Drop full_name. Abstract the town."
    assert item.targets == (
        BenchTarget("t1", "full_name", False, (BenchFact("full_name", ("Ines Duarte",)),), "drop"),
        BenchTarget("t2", "nickname", False, (BenchFact("nickname", ()),), "drop"),
        BenchTarget(
            "t3",
            "Where and when",
            True,
            (BenchFact("town", ("Porto",)), BenchFact("date", ("3", "May"))),
            "abstract",
        ),
        BenchTarget("t4", "People around", True, (BenchFact("friends", ("Rui", "Ana")),), "abstract"),
    )
    assert item.keeps == (BenchFact("invoice", ("71",)),)


def test_an_item_survives_the_way_through_the_release(tmp_path: Path) -> None:
    item = item_of_row(ROW, 0, "hard")
    write_zero(tmp_path / "t.parquet", [row_of_item(item, CLEAN)])
    (row,) = read_zero(tmp_path / "t.parquet")
    assert item_of_row(row, 0, "hard") == item
    assert row.sanitized_record == CLEAN


TRIPLET = Triplet(
    id="c1-t1",
    record_id="c1",
    number=7,
    person="p",
    language="Portuguese",
    record_type="receipt",
    category="Business & Finance",
    model="m",
    text=TEXT,
    sanitized=TEXT.replace("Ines Duarte", "Someone"),
    edits=(Edit(0, 11, "Someone", "t1", "span"),),
    targets=(
        Target("t1", "full_name", False, (Fact("full_name", "Ines Duarte"),), "drop", 0.9, "Drop it."),
        Target("t2", "place", True, (Fact("town", "Porto"),), "drop", 0.4, "Drop it."),
    ),
    keeps=(Fact("invoice", "71"),),
    base_instruction="base",
    instruction="natural",
    level=0,
    attributes=(Fact("full_name", "Ines Duarte"), Fact("town", "Porto"), Fact("invoice", "71")),
    groups=(Group("place", ("town",)), Group("person", ("full_name", "town"))),
    calls=(),
)


def test_a_triplet_becomes_a_row_and_a_row_a_triplet(tmp_path: Path) -> None:
    write_zero(tmp_path / "t.parquet", [row_of_triplet(TRIPLET)])
    (row,) = read_zero(tmp_path / "t.parquet")
    # Single and grouped targets mixed: the single one is a group without a name
    assert row.drop == (
        ZeroTarget(None, (ZeroFact("full_name", "Ines Duarte"),)),
        ZeroTarget("place", (ZeroFact("town", "Porto"),)),
    )
    back = triplet_of_row(row, 7)
    for name in (
        "id", "number", "language", "record_type", "category", "model", "text", "sanitized", "keeps",
        "base_instruction", "instruction", "groups",
    ):  # fmt: skip
        assert getattr(back, name) == getattr(TRIPLET, name), name
    assert set(back.attributes) == set(TRIPLET.attributes)
    assert [(t.label, t.grouped, t.attributes, t.action) for t in back.targets] == [
        (t.label, t.grouped, t.attributes, t.action) for t in TRIPLET.targets
    ]
    assert apply_edits(back.text, back.edits) == back.sanitized


def test_a_list_becomes_facts_that_can_be_found() -> None:
    assert triplet_of_row(ROW, 0).targets[3].attributes == (Fact("friends", "Rui"), Fact("friends", "Ana"))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"attributes_to_drop": "{not"}, "here: field 'attributes_to_drop' is no JSON."),
        ({"attributes_to_drop": {"chosen": 1}}, "here: field 'attributes_to_drop' has no 'selected'."),
        (
            {"attributes_to_drop": {"selected": 7}},
            "here: field 'attributes_to_drop': 'selected' is neither a list nor an object.",
        ),
        (
            {"attributes_to_abstract": {"selected": ["town"]}},
            "here: field 'attributes_to_abstract': a selected group has no attrs, or its name is no text.",
        ),
        ({"attributes_to_keep": [1]}, "here: field 'attributes_to_keep' is no object."),
        ({"original_record": 7}, "here: field 'original_record' is no text."),
    ],
)
def test_a_broken_row_is_told_by_its_field(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as raised:
        parse_zero(columns(**changes), "here")
    assert str(raised.value) == message


def test_a_missing_column_is_told(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text('{"id": "z1", "text": "x"}\n')
    with pytest.raises(InputError, match=r"t\.jsonl row 1: the column 'attributes_to_abstract' is missing"):
        list(read_zero(path))


def test_columns_of_other_names_are_those_of_the_first_row(tmp_path: Path) -> None:
    tagged = [parse_zero(columns(id=f"z{n}", score=n), "here") for n in range(300)]
    assert write_zero(tmp_path / "t.parquet", tagged) == 300
    rows = list(read_zero(tmp_path / "t.parquet"))
    assert (rows[299].id, rows[299].extra) == ("z299", {"record_tags": "finance", "score": "299"})
    with pytest.raises(InputError, match="columns that the first row lacks: score"):
        write_zero(tmp_path / "t.parquet", [ROW, *tagged])


def test_no_rows_are_a_file_too(tmp_path: Path) -> None:
    assert write_zero(tmp_path / "t.parquet", []) == 0
    assert list(read_zero(tmp_path / "t.parquet")) == []


def test_wrong_paths_are_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        list(read_zero(tmp_path / "none"))
    with pytest.raises(InputError, match="holds no data"):
        list(read_zero(tmp_path))
    with pytest.raises(ConfigError, match=r"is written as \.parquet or \.jsonl"):
        write_zero(tmp_path / "t.xlsx", [ROW])
