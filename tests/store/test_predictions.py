from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from privasis.errors import InputError
from privasis.store.benchmark import bench_files, read_predictions, read_rows

IDS = ("a", "b", "c")


def lines(path: Path, *rows: object) -> Path:
    path.write_text("".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows), "utf-8")
    return path


def said(id: object, text: object = "A text.") -> dict[str, object]:
    return {"id": id, "sanitized_text": text}


def test_predictions_are_read_from_jsonl_and_parquet(tmp_path: Path) -> None:
    rows = [said("b", "B."), said("a", "A."), {**said("c", "C."), "model": "m"}]
    expected = {"a": "A.", "b": "B."}
    assert read_predictions(lines(tmp_path / "p.jsonl", *rows), IDS, ("a", "b")) == expected
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "p.parquet")
    assert read_predictions(tmp_path / "p.parquet", IDS, ("a", "b")) == expected


@pytest.mark.parametrize(
    ("rows", "complaint"),
    [
        ([said("a"), said("b"), said("c"), said("b")], "rows with twice the same id: 1 (b)."),
        ([said("a"), said("b"), said("c"), said("x"), said("y")], "the test set does not have: 2 (x, y)."),
        ([said("a"), said("b", " \n"), said("c", None)], "rows with an empty text: 2 (b, c)."),
        ([said("b")], "no prediction for 2 (a, c) of the test set's items."),
        (
            [{"id": "a", "text": "A."}],
            "row 1: the columns are id, text; predictions have id and sanitized_text.",
        ),
        ([said("a"), said("b", 7)], "row 2: id and sanitized_text have to be text."),
        ([said("a"), "{broken"], "line 2 is no JSON."),
        ([said("a"), "[1]"], "line 2 is no JSON object."),
    ],
)
def test_bad_predictions_are_one_line_with_the_ids(
    tmp_path: Path, rows: list[object], complaint: str
) -> None:
    path = lines(tmp_path / "p.jsonl", *rows)
    with pytest.raises(InputError) as caught:
        read_predictions(path, IDS, IDS)
    message = str(caught.value)
    assert message.startswith(str(path))
    assert message.endswith(complaint)
    assert "\n" not in message


def test_many_ids_are_counted_and_the_first_are_named(tmp_path: Path) -> None:
    path = lines(tmp_path / "p.jsonl", *(said(f"x{n}") for n in range(50)))
    with pytest.raises(InputError, match=r": 50 \(x0, x1, x2, x3, x4, \.\.\.\)\.$"):
        read_predictions(path, IDS, IDS)


def test_what_is_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        list(read_rows(tmp_path / "none.parquet"))
    with pytest.raises(InputError, match="cannot be read"):
        list(read_rows(tmp_path / "none.jsonl"))
    (tmp_path / "p.parquet").write_bytes(b"no parquet at all")
    with pytest.raises(InputError, match="is no Parquet file"):
        list(read_rows(tmp_path / "p.parquet"))
    (tmp_path / "p.jsonl").write_bytes(b'{"id": "\xff"}')
    with pytest.raises(InputError, match="not UTF-8"):
        list(read_rows(tmp_path / "p.jsonl"))


def test_numbers_stay_as_they_are_written(tmp_path: Path) -> None:
    (row,) = read_rows(lines(tmp_path / "p.jsonl", '{"rent": 310.50, "age": 34}'))
    assert row.values == {"rent": "310.50", "age": 34}


def test_a_corpus_folder_gives_its_test_sets_or_its_triplets(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        bench_files(tmp_path / "none")
    with pytest.raises(InputError, match="holds no test set"):
        bench_files(tmp_path)
    (tmp_path / "triplets.parquet").touch()
    (tmp_path / "shards").mkdir()
    (tmp_path / "shards" / "shard-000000.parquet").touch()  # a shard is no hard set
    assert [(file.path.name, file.set_name) for file in bench_files(tmp_path)] == [("triplets.parquet", "")]
    (tmp_path / "splits").mkdir()
    for name in ("train", "test-hard", "test-vanilla"):
        (tmp_path / "splits" / f"{name}.parquet").touch()
    found = [(file.path.name, file.set_name) for file in bench_files(tmp_path)]
    assert found == [("test-hard.parquet", "hard"), ("test-vanilla.parquet", "vanilla")]
    assert bench_files(tmp_path / "splits" / "test-hard.parquet")[0].set_name == "hard"
