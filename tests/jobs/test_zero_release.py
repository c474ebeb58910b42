"""The authors' release as a test set, and its two commands."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from privasis.cli.zero import app
from privasis.errors import ConfigError
from privasis.jobs.benches import BenchFormat, read_bench
from privasis.jobs.zero import zero_item
from privasis.store.schema import arrow_schema, from_row, to_row
from privasis.store.zero import COLUMNS, ZeroFact, ZeroRow, ZeroTarget, read_zero, write_zero
from privasis.types import Edit, Fact, Target, Triplet

ZERO = BenchFormat("Privasis-Zero", COLUMNS, zero_item)
ROWS = [
    ZeroRow(
        id=f"z{number}",
        original_record=f"Ines Duarte paid invoice 7{number}.",
        sanitized_record=f"Someone paid invoice 7{number}.",
        base_instruction="Drop full_name.",
        smoothed_instruction="Please leave the name out.",
        record_type="receipt",
        attributes={},
        keep=(ZeroFact("invoice", 70 + number),),
        drop=(ZeroTarget(None, (ZeroFact("full_name", "Ines Duarte"),)),),
        abstract=(),
    )
    for number in range(2)
]
TRIPLET = Triplet(
    id="c1-t1",
    record_id="c1",
    number=0,
    person="p",
    language="English",
    record_type="receipt",
    category="Business & Finance",
    model="m",
    text="Ines Duarte paid.",
    sanitized="Someone paid.",
    edits=(Edit(0, 11, "Someone", "t1", "span"),),
    targets=(Target("t1", "full_name", False, (Fact("full_name", "Ines Duarte"),), "drop", 0.9, "Drop it."),),
    keeps=(),
    base_instruction="base",
    instruction="natural",
    level=0,
    attributes=(Fact("full_name", "Ines Duarte"),),
    groups=(),
    calls=(),
)


def zero(*arguments: object) -> None:
    app([str(argument) for argument in arguments], standalone_mode=False)


def test_a_file_of_the_release_is_a_test_set(tmp_path: Path) -> None:
    write_zero(tmp_path / "hard_test.parquet", ROWS)
    bench = read_bench(tmp_path, formats=(ZERO,))
    assert [(item.id, item.set_name, item.instruction) for item in bench.items] == [
        ("z0", "hard", "Please leave the name out."),
        ("z1", "hard", "Please leave the name out."),
    ]


def test_triplets_are_exported(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    table = pa.Table.from_pylist([to_row(TRIPLET)], arrow_schema(Triplet))
    pq.write_table(table, corpus / "triplets.parquet")
    zero("export", corpus, "--out", tmp_path / "zero.jsonl")
    (row,) = read_zero(tmp_path / "zero.jsonl")
    assert (row.original_record, row.sanitized_record) == ("Ines Duarte paid.", "Someone paid.")
    assert row.drop == (ZeroTarget(None, (ZeroFact("full_name", "Ines Duarte"),)),)


def test_rows_are_imported_as_items_that_evaluate_reads(tmp_path: Path) -> None:
    write_zero(tmp_path / "zero.parquet", ROWS)
    zero(
        "import",
        tmp_path / "zero.parquet",
        "--out",
        tmp_path / "i.jsonl",
        "--set",
        "hard",
        "--instruction",
        "base",
    )
    bench = read_bench(tmp_path / "i.jsonl")
    assert [(item.id, item.set_name, item.instruction) for item in bench.items] == [
        ("z0", "hard", "Drop full_name."),
        ("z1", "hard", "Drop full_name."),
    ]


def test_rows_are_imported_as_triplets(tmp_path: Path) -> None:
    write_zero(tmp_path / "zero.parquet", ROWS)
    zero("import", tmp_path / "zero.parquet", "--out", tmp_path / "t.jsonl", "--as", "triplets")
    lines = (tmp_path / "t.jsonl").read_text().splitlines()
    triplets = [from_row(Triplet, json.loads(line), "t.jsonl") for line in lines]
    assert [triplet.sanitized for triplet in triplets] == [row.sanitized_record for row in ROWS]


def test_another_suffix_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"imported rows are written as \.jsonl"):
        zero("import", tmp_path, "--out", tmp_path / "i.parquet")
