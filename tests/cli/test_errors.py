"""What a user can do wrong: one line, a code other than 0, nothing lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from privasis.cli.main import run
from support.scripted_server import Script, ScriptedServer


def failed(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, str]:
    """Run a command that must fail; return its code and its one line."""
    code = run([str(argument) for argument in arguments])
    error = capsys.readouterr().err
    assert error.count("\n") == 1, error
    assert "Traceback" not in error
    return code, error


def test_unknown_flag(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, line = failed(capsys, "generate", "--out", tmp_path / "r", "--records", "1", "--colour", "blue")
    assert code == 2
    assert "--colour" in line


def test_no_records(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    url = "http://127.0.0.1:9/v1"
    code, line = failed(capsys, "generate", "--out", tmp_path / "r", "--records", "0", "--base-url", url)
    assert (code, line) == (2, "error: --records 0: at least 1 is needed.\n")


def test_unreachable_endpoint(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    url = "http://127.0.0.1:9/v1"
    code, line = failed(capsys, "generate", "--out", tmp_path / "r", "--records", "1", "--base-url", url)
    assert code == 2
    assert "127.0.0.1:9" in line


def test_wrong_key_is_said_without_the_key(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-wrong-secret")
    with ScriptedServer(Script(key="sk-right")) as server:
        arguments = ["generate", "--out", tmp_path / "r", "--records", "1", "--base-url", server.base_url]
        code, line = failed(capsys, *arguments)
    assert code == 2
    assert "sk-wrong-secret" not in line
    assert "OPENAI_API_KEY" in line
    stored = [path.read_bytes() for path in (tmp_path / "r").rglob("*") if path.is_file()]
    assert all(b"sk-wrong-secret" not in content for content in stored)


def test_missing_model(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with ScriptedServer(Script(models=("one", "two"), demands_model=True)) as server:
        arguments = ["generate", "--out", tmp_path / "r", "--records", "1", "--base-url", server.base_url]
        code, line = failed(capsys, *arguments, "--model", "three")
    assert code == 2
    assert "three" in line


def test_another_runs_folder(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with ScriptedServer() as server:
        plain = ["generate", "--out", str(tmp_path), "--records", "1", "--base-url", server.base_url]
        plain += ["--refinement-steps", "0"]
        assert run(plain) == 0
        capsys.readouterr()
        shards = sorted((tmp_path / "shards").iterdir())
        code, line = failed(capsys, *plain, "--seed", "9")
    assert code == 2
    assert "different: seed" in line
    assert sorted((tmp_path / "shards").iterdir()) == shards


def test_broken_cache(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with ScriptedServer() as server:
        plain = ["generate", "--out", str(tmp_path), "--records", "1", "--base-url", server.base_url]
        plain += ["--refinement-steps", "0"]
        assert run(plain) == 0
        capsys.readouterr()
        for file in (tmp_path / "cache").iterdir():
            file.write_bytes(b"not a database, " * 100)
        code, line = failed(capsys, *plain[:4], "9", *plain[5:])
    assert code == 2
    assert "cache" in line


def test_broken_shard(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with ScriptedServer() as server:
        plain = ["generate", "--out", str(tmp_path), "--records", "1", "--base-url", server.base_url]
        plain += ["--refinement-steps", "0"]
        assert run(plain) == 0
        capsys.readouterr()
        shard = next((tmp_path / "shards").iterdir())
        shard.write_bytes(shard.read_bytes()[:100])
        code, line = failed(capsys, *plain)
    assert code == 2
    assert shard.name in line


def test_full_disk(capsys: pytest.CaptureFixture[str]) -> None:
    with ScriptedServer() as server:
        arguments = ["generate", "--out", "/dev/full/run", "--records", "1", "--base-url", server.base_url]
        code, line = failed(capsys, *arguments)
    assert code == 2
    assert "/dev/full" in line


def test_candidates_used_up_is_code_3(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with ScriptedServer(Script(answer=lambda ask: "no")) as server:
        code = run(["generate", "--out", str(tmp_path), "--records", "1", "--base-url", server.base_url])
    assert code == 3
    assert "0 of 1 wanted" in capsys.readouterr().out


def test_no_weights(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PRIVASIS_HOME", str(tmp_path))
    code, line = failed(capsys, "generate", "--out", tmp_path / "r", "--records", "1")
    assert code == 2
    assert "privasis models pull" in line


def test_show_on_something_else(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, line = failed(capsys, "show", tmp_path)
    assert (code, line) == (2, f"error: {tmp_path} is no run folder: it has no config.json.\n")
