"""``privasis clean`` of many formats and of folders: same codes, fail closed, the worst exit code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from privasis.cli.main import run

CODES = "Replace each person by a code [P1], [P2]. Remove all phone numbers and e-mail addresses."


def clean(*options: str) -> int:
    return run(["clean", *options])


def folder(tmp_path: Path) -> Path:
    source = tmp_path / "in"
    (source / "deep" / "Zofia Brandt").mkdir(parents=True)
    (source / "a.csv").write_text("name,phone\nZofia Brandt,212-555-0147\nRavi Moreno,\n", "utf-8")
    (source / "b.md").write_text("# Ravi Moreno\n\nZofia called.\n", "utf-8")
    (source / "deep" / "Zofia Brandt" / "c.json").write_text('{"note": "Brandt, Zofia"}', "utf-8")
    (source / "deep" / "quiet.txt").write_text("nothing here\n", "utf-8")
    return source


def test_a_folder_is_cleaned_with_the_same_codes(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    source, target = folder(tmp_path), tmp_path / "out"
    assert clean(str(source), "-i", CODES, "--out", str(target), "--report", str(tmp_path / "r.json")) == 0
    files = {path.relative_to(target).as_posix(): path.read_text("utf-8") for path in target.rglob("*.*")}
    assert files == {
        "a.csv": "name,phone\n[P1],\n[P2],\n",
        "b.md": "# [P2]\n\n[P1] called.\n",
        "deep/[P1]/c.json": '{"note": "[P1]"}',
        "deep/quiet.txt": "nothing here\n",
    }
    said = capfd.readouterr().err.splitlines()
    assert "deep/quiet.txt: nothing to change" in said
    assert "b.md: clean, 2 changes" in said
    report = json.loads((tmp_path / "r.json").read_text())
    assert [one["clean"] for one in report["files"]] == [True] * 4
    assert "Zofia" not in json.dumps(report)


def test_each_file_fails_closed_and_the_worst_code_counts(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    source, target = folder(tmp_path), tmp_path / "out"
    (source / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00")
    (source / "link.txt").symlink_to(source / "b.md")
    assert clean(str(source), "-i", CODES, "--out", str(target)) == 2
    assert not (target / "picture.png").exists()
    assert not (target / "link.txt").exists()
    assert (target / "b.md").exists()
    said = capfd.readouterr().err
    assert "picture.png: refused. picture.png is no text" in said
    (source / "key.json").write_text('{"Zofia Brandt": "1"}', "utf-8")
    assert clean(str(source), "-i", CODES, "--out", str(tmp_path / "out2")) == 3
    assert not (tmp_path / "out2" / "key.json").exists()
    assert (tmp_path / "out2" / "b.md").exists()
    assert "key.json: not clean, not written" in capfd.readouterr().err


def test_a_folder_without_anything_to_clean_is_not_written(tmp_path: Path) -> None:
    source, target = tmp_path / "in", tmp_path / "out"
    source.mkdir()
    (source / "a.txt").write_text("nothing here\n", "utf-8")
    assert clean(str(source), "--drop", "phone numbers", "--out", str(target)) == 4
    assert not target.exists()


def test_names_that_become_the_same_stay_apart(tmp_path: Path) -> None:
    source, target = tmp_path / "in", tmp_path / "out"
    source.mkdir()
    for name in ("Zofia Brandt.txt", "Zofia.txt", "zofia-brandt.txt"):
        (source / name).write_text(f"Zofia Brandt in {len(name)}\n", "utf-8")
    assert clean(str(source), "--drop", "Zofia Brandt", "--out", str(target)) == 0
    assert sorted(path.name for path in target.iterdir()) == ["file-2.txt", "file-3.txt", "file.txt"]


def test_where_a_folder_may_go(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    source = folder(tmp_path)
    assert clean(str(source), "-i", CODES) == 2
    assert clean(str(source), "-i", CODES, "--out", str(source / "out")) == 2
    full = tmp_path / "full"
    full.mkdir()
    (full / "x").write_text("x")
    assert clean(str(source), "-i", CODES, "--out", str(full)) == 2
    said = capfd.readouterr().err
    assert all(words in said for words in ("--out FOLDER", "lies in the folder", "no empty folder"))


def test_json_has_a_line_for_each_file_and_parts_by_name(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    source = folder(tmp_path)
    assert clean(str(source), "-i", CODES, "--out", str(tmp_path / "out"), "--json") == 0
    lines = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    assert [line["written"] for line in lines] == ["a.csv", "b.md", "deep/[P1]/c.json", "deep/quiet.txt"]
    assert lines[0]["edits"][0] == {
        "part": "row 2, column 1",
        "start": 0,
        "end": 12,
        "replacement": "[P1]",
        "wish": 1,
    }
    assert lines[0]["text"].startswith("name,phone\n[P1]")


def test_the_format_is_by_suffix_unless_it_is_named(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "a.dat"
    file.write_text('{"Zofia Brandt": "Zofia Brandt"}', "utf-8")
    assert clean(str(file), "--drop", "Zofia Brandt") == 0
    assert capfd.readouterr().out == '{"": ""}'
    assert clean(str(file), "--drop", "Zofia Brandt", "--format", "json") == 3
    assert capfd.readouterr().out == ""
    file.write_text("a,b\nZofia Brandt,1\n", "utf-8")
    assert clean(str(file), "--drop", "Zofia Brandt", "--format", "csv", "--diff") == 0
    assert "row 2, column 1" in capfd.readouterr().out
