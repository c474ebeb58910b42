"""``privasis sanitize`` from the command line: exit codes, and what is said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from privasis.cli.main import run
from support.scripted_server import Script, ScriptedServer

ROW = {
    "id": "a",
    "text": "Lena Roth lives in Graz. Lena Roth pays 400 euros every month for the room.",
    "attributes": [{"name": "full_name", "value": "Lena Roth"}, {"name": "city", "value": "Graz"}],
    "groups": [{"label": "who and where", "attributes": ["full_name", "city"]}],
}


def call(server: ScriptedServer, file: Path, *options: str) -> int:
    folder = file.parent / "corpus"
    return run(["sanitize", str(file), "--out", str(folder), "--base-url", server.base_url, *options])


def records(folder: Path, *rows: dict[str, object]) -> Path:
    file = folder / "own.jsonl"
    file.write_text("\n".join(json.dumps(row) for row in rows))
    return file


def test_a_corpus_is_built_and_summed_up(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with ScriptedServer() as server:
        assert call(server, records(tmp_path, ROW), "--targets", "1", "--seed", "3") == 0
    assert (tmp_path / "corpus" / "triplets.parquet").exists()
    said = capsys.readouterr().out
    assert "1 of 1 records" in said
    config = json.loads((tmp_path / "corpus" / "config.json").read_text())["config"]
    assert config["options"]["targets"] == 1
    assert config["seed"] == 3


def test_bad_rows_are_named_or_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = ROW | {"id": "b", "groups": [{"label": "nothing", "attributes": []}]}
    with ScriptedServer() as server:
        assert call(server, records(tmp_path, ROW, bad)) == 2
        assert "row 2: field 'groups.0.attributes': empty. Mend the row" in capsys.readouterr().err
        assert call(server, records(tmp_path, ROW, bad), "--skip-bad") == 0
        assert "skipped:" in capsys.readouterr().err
    summary = json.loads((tmp_path / "corpus" / "summary.json").read_text())
    assert len(summary["skipped"]) == 1


def test_no_triplet_at_all_is_code_3(tmp_path: Path) -> None:
    with ScriptedServer(Script(answer=lambda ask: "no JSON")) as server:
        assert call(server, records(tmp_path, ROW), "--llm-only") == 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--targets", "0"], "--targets 0: at least 1"),
        (["--levels", "2", "--llm-only"], "--levels needs the way by code"),
        (["--drop-share", "1.5"], "--drop-share"),
        (["--unknown"], "--unknown"),
    ],
)
def test_options_that_cannot_be_used(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], message: str
) -> None:
    with ScriptedServer() as server:
        assert call(server, records(tmp_path, ROW), *options) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "corpus").exists()
