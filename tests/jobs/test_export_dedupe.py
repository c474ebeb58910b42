"""Export and deduplication: planted repetitions, resumption, and kills at any moment."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from privasis.cli.main import run
from privasis.diversity.duplicates import near_pairs, repeats
from privasis.errors import ConfigError, InputError, MissingExtraError, RunFolderError
from privasis.jobs.dedupe import DedupeJob, run_dedupe, shingles
from privasis.jobs.exports import ExportJob, run_export
from support.killing import run_with_kills
from support.rows import write_rows


def ignore(done: int) -> None:
    """A progress that nobody looks at."""


def exported(folder: Path) -> pa.Table:
    return pa.concat_tables([pq.read_table(file) for file in sorted((folder / "data").glob("*.parquet"))])


def test_every_row_is_exported_once_in_its_order(tmp_path: Path) -> None:
    source = tmp_path / "rows.parquet"
    write_rows(source, 1234)
    counts = run_export(ExportJob(source, tmp_path / "out", "Rows", shard_size=500), ignore)
    assert exported(tmp_path / "out").equals(pq.read_table(source))
    names = [file.name for file in sorted((tmp_path / "out" / "data").iterdir())]
    assert names == [f"train-0000{i}-of-00003.parquet" for i in range(3)]
    assert (counts.rows, counts.words, counts.lists) == (1234, 1234 * 120, {"attributes": 1234})
    card = (tmp_path / "out" / "README.md").read_text()
    assert "- 1,234 records" in card
    assert "120.0 words a text" in card
    assert "| scripted | 822 |" in card
    assert "license: cc-by-nc-4.0" in card
    assert "Nobody may try to find a real person" in card


def test_an_export_goes_on_where_it_was_and_keeps_its_counts(tmp_path: Path) -> None:
    source, out = tmp_path / "rows.parquet", tmp_path / "out"
    write_rows(source, 900)
    job = ExportJob(source, out, "Rows", shard_size=300, without=("model",))
    whole = run_export(job, ignore)
    second = out / "data" / "train-00001-of-00003.parquet"
    before = {file: file.stat().st_mtime_ns for file in (out / "data").iterdir() if file != second}
    second.unlink()
    (out / "README.md").unlink()
    (out / "data" / ".train-00001-of-00003.parquet.99.tmp").write_bytes(b"half")
    assert run_export(job, ignore) == whole
    assert {file: file.stat().st_mtime_ns for file in before} == before
    assert sorted(file.name for file in (out / "data").iterdir())[0].startswith("train-")
    assert "model" not in exported(out).column_names


def test_another_source_or_a_broken_shard_is_one_line(tmp_path: Path) -> None:
    source, out = tmp_path / "rows.parquet", tmp_path / "out"
    write_rows(source, 300)
    run_export(ExportJob(source, out, "Rows", shard_size=100), ignore)
    with pytest.raises(RunFolderError, match="different: shard_size"):
        run_export(ExportJob(source, out, "Rows", shard_size=50), ignore)
    broken = out / "data" / "train-00001-of-00003.parquet"
    broken.write_bytes(broken.read_bytes()[:-20])
    with pytest.raises(RunFolderError, match="Delete this file"):
        run_export(ExportJob(source, out, "Rows", shard_size=100), ignore)
    write_rows(source, 400)
    with pytest.raises(RunFolderError, match=r"different: digest, rows|different: rows"):
        run_export(ExportJob(source, out, "Rows", shard_size=100), ignore)
    with pytest.raises(ConfigError, match="--without text"):
        run_export(ExportJob(source, tmp_path / "b", "Rows", without=("text",)), ignore)
    pq.write_table(pa.table({"a": [1]}), tmp_path / "other.parquet")
    with pytest.raises(InputError, match="no columns 'id' and 'text'"):
        run_export(ExportJob(tmp_path / "other.parquet", tmp_path / "c", "Rows"), ignore)


def test_what_is_private_in_provenance_is_not_published(tmp_path: Path) -> None:
    write_rows(tmp_path / "records.parquet", 10)
    session = {"seconds": 1.0, "endpoints": ["http://10.0.0.1/v1"], "source": "/home/someone/run"}
    (tmp_path / "provenance.json").write_text(json.dumps({"sessions": [session]}))
    run_export(ExportJob(tmp_path, tmp_path / "out", "Rows"), ignore)
    held = json.loads((tmp_path / "out" / "source-provenance.json").read_text())
    assert held == {"sessions": [{"seconds": 1.0}]}


def test_planted_repetitions_are_found_and_nothing_else(tmp_path: Path) -> None:
    source, out = tmp_path / "rows.parquet", tmp_path / "out"
    planted = write_rows(source, 2000)
    summary = run_dedupe(DedupeJob(source, out), ignore)
    listed = pq.read_table(out / "duplicates.parquet").to_pylist()
    assert {row["id"]: row["kind"] for row in listed} == planted
    assert all(int(row["like"][1:]) < int(row["id"][1:]) for row in listed)
    assert (summary.rows, summary.kept, summary.exact, summary.near) == (2000, 1960, 20, 20)
    kept = pq.read_table(out / "records.parquet")
    assert set(kept.column("id").to_pylist()) == {f"r{i}" for i in range(2000)} - planted.keys()
    again = run_dedupe(DedupeJob(out, tmp_path / "again"), ignore)
    assert (again.exact, again.near) == (0, 0)


def test_exact_only_leaves_near_ones(tmp_path: Path) -> None:
    planted = write_rows(tmp_path / "rows.parquet", 500)
    summary = run_dedupe(DedupeJob(tmp_path / "rows.parquet", tmp_path / "out", exact_only=True), ignore)
    assert (summary.exact, summary.near) == (sum(kind == "exact" for kind in planted.values()), 0)


def test_triplets_of_one_record_are_no_repetitions_of_each_other(tmp_path: Path) -> None:
    rows = [("a", "one", "t1"), ("a", "one", "t2"), ("b", "one", "t3"), ("b", "other", "t4")]
    table = {
        "record_id": [row[0] for row in rows],
        "text": [f"The {row[1]} text has some words of its own." for row in rows],
        "id": [row[2] for row in rows],
        "sanitized": [""] * 4,
    }
    pq.write_table(pa.table(table), tmp_path / "triplets.parquet")
    run_dedupe(DedupeJob(tmp_path, tmp_path / "out"), ignore)
    assert pq.read_table(tmp_path / "out" / "triplets.parquet")["id"].to_pylist() == ["t1", "t2", "t4"]


def test_a_row_is_not_dropped_for_the_sake_of_a_dropped_one() -> None:
    signatures = np.zeros((3, 10), np.uint32)
    signatures[1, 8:], signatures[2, 6:] = 1, [1, 1, 1, 1]  # 0~1 by 0.8, 1~2 by 0.8, 0~2 by 0.6
    pairs = near_pairs(signatures, 5, 2, 0.8)
    assert list(zip(pairs.earlier.tolist(), pairs.later.tolist(), strict=True)) == [(0, 1), (1, 2)]
    assert [found.row for found in repeats(pairs, np.arange(3))] == [1]


def test_large_groups_of_equal_rows_leave_one() -> None:
    pairs = near_pairs(np.ones((5000, 8), np.uint32), 2, 4, 0.8)
    assert len(repeats(pairs, np.arange(5000))) == 4999


def test_shingles_work_in_every_script() -> None:
    assert shingles("One two, THREE four five six") == [
        b"one two three four five",
        b"two three four five six",
    ]
    assert len(shingles("本日は晴天なり、皆様いかがお過ごしでしょうか")) > 5
    assert shingles("") == [b""]


def test_a_missing_library_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "datasketch", None)
    with pytest.raises(MissingExtraError, match=r"privasis\[scale\]"):
        run_dedupe(DedupeJob(tmp_path, tmp_path / "out"), ignore)
    with pytest.raises(ConfigError, match="--threshold 2"):
        run_dedupe(DedupeJob(tmp_path, tmp_path / "out", threshold=2), ignore)


def test_the_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_rows(tmp_path / "rows.parquet", 200)
    assert run(["dedupe", str(tmp_path / "rows.parquet"), "--out", str(tmp_path / "kept")]) == 0
    assert "196 of 200 rows" in capsys.readouterr().out
    assert run(["export", str(tmp_path / "kept"), "--out", str(tmp_path / "set"), "--title", "Mine"]) == 0
    assert "196 rows" in capsys.readouterr().out
    assert "# Mine" in (tmp_path / "set" / "README.md").read_text()
    assert run(["export", str(tmp_path / "nothing"), "--out", str(tmp_path / "x")]) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("command", ["export", "dedupe"])
def test_ten_kills_lose_and_repeat_no_row(tmp_path: Path, command: str) -> None:
    source = tmp_path / "rows.parquet"
    write_rows(source, 40_000 if command == "export" else 20_000, words=300)
    options = ["--shard-size", "1000"] if command == "export" else []
    killed = [command, source, "--out", tmp_path / "killed", *options]
    assert run_with_kills(killed, 10, 1.5, seed=3) == 0
    assert run([command, str(source), "--out", str(tmp_path / "calm"), *options]) == 0
    files = [file.relative_to(tmp_path / "calm") for file in sorted((tmp_path / "calm").rglob("*.parquet"))]
    found = [
        file.relative_to(tmp_path / "killed") for file in sorted((tmp_path / "killed").rglob("*.parquet"))
    ]
    assert files == found
    for file in files:
        assert pq.read_table(tmp_path / "killed" / file).equals(pq.read_table(tmp_path / "calm" / file))
    assert not list((tmp_path / "killed").rglob("*.tmp"))
