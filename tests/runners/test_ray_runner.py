"""The Ray runner on a real cluster of two nodes: faults of every kind, and the local runner's results."""

from __future__ import annotations

import json
import signal
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from privasis.cli.main import run
from privasis.evaluation.scores import ItemScore
from privasis.store.schema import to_row
from privasis.store.shards import Shards
from privasis.types import Record, TripletSet
from support.clusters import count_shards, kill_a_worker, stop_second_node, two_nodes, wait_for_shards
from support.fast_server import FastServer
from support.killing import privasis

NOUNS = {"generate": Record, "sanitize": TripletSet, "evaluate": ItemScore}
ITEMS = 96


def outcomes(folder: Path, command: str) -> dict[str, Any]:
    """Id -> what became of the item, without what it took to make it."""
    rows: dict[str, Any] = {}
    for outcome in Shards(folder / "shards", NOUNS[command]):
        assert outcome.id not in rows
        rows[outcome.id] = _without_calls(to_row(outcome))
    return rows


def _without_calls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_calls(inner) for key, inner in value.items() if key != "calls"}
    if isinstance(value, list | tuple):
        return [_without_calls(inner) for inner in value]
    return value


def write_records(path: Path, count: int) -> None:
    rows = []
    for number in range(count):
        name, town = f"Lena Roth{number}", f"Graz{number}"
        text = f"{name} lives in {town}. {name} pays {400 + number} euros every month for the room."
        facts = [{"name": "full_name", "value": name}, {"name": "city", "value": town}]
        groups = [{"label": "who and where", "attributes": ["full_name", "city"]}]
        rows.append({"id": f"r{number}", "text": text, "attributes": facts, "groups": groups})
    path.write_text("\n".join(json.dumps(row) for row in rows))


@pytest.fixture(scope="module")
def server() -> Iterator[FastServer]:
    with FastServer(latency_s=0.15, slots=256) as server:
        yield server


def arguments(command: str, tmp_path: Path, url: str) -> list[str]:
    """The command with all that it needs but --out."""
    asked = ["--model", "fast", "--base-url", url, "--concurrency", "16"]
    records = tmp_path / "records.jsonl"
    if command == "generate":
        pool = ["--shard-size", "2", "--pool-lag", "48", "--refinement-steps", "1"]
        return [command, "--records", str(ITEMS), "--max-candidates", str(ITEMS), *pool, *asked]
    if command == "sanitize":
        write_records(records, ITEMS)
        return [command, str(records), "--shard-size", "2", *asked]
    write_records(records, ITEMS)
    corpus = tmp_path / "corpus"
    if not corpus.exists():
        run(["sanitize", str(records), "--out", str(corpus), *asked])
    return [command, str(corpus), "--evaluator", "fast", "--evaluator-url", url, *asked]


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("command", ["generate", "sanitize", "evaluate"])
def test_a_dead_worker_a_lost_node_and_a_dead_driver_change_nothing(
    tmp_path: Path, server: FastServer, command: str
) -> None:
    given = arguments(command, tmp_path, server.base_url)
    calm, folder = tmp_path / "calm", tmp_path / "on-ray"
    code = run([*given, "--out", str(calm)])
    with two_nodes() as cluster:
        on_ray = [*given, "--out", folder, "--runner", "ray", "--address", cluster.address]
        driver = privasis(*on_ray)
        wait_for_shards(folder, 1, driver)
        kill_a_worker(cluster)
        wait_for_shards(folder, 1, driver)
        stop_second_node(cluster)
        wait_for_shards(folder, 1, driver)
        driver.send_signal(signal.SIGKILL)
        driver.communicate()
        before = count_shards(folder)
        again = privasis(*on_ray)
        _, said = again.communicate()
        assert again.returncode == code, said.decode()
        assert b"Traceback" not in said
        assert 0 < before < count_shards(folder)
    assert outcomes(folder, command) == outcomes(calm, command)


@pytest.mark.slow
@pytest.mark.timeout(120)
def test_a_cluster_of_this_machine_alone(tmp_path: Path, server: FastServer) -> None:
    write_records(tmp_path / "records.jsonl", 8)
    given = ["sanitize", tmp_path / "records.jsonl", "--model", "fast", "--base-url", server.base_url]
    process = privasis(*given, "--out", tmp_path / "ray", "--runner", "ray")
    _, said = process.communicate()
    assert process.returncode == run([*map(str, given), "--out", str(tmp_path / "local")]), said.decode()
    assert outcomes(tmp_path / "ray", "sanitize") == outcomes(tmp_path / "local", "sanitize")


def ask(tmp_path: Path, *more: str) -> list[str]:
    return ["generate", "--out", str(tmp_path / "run"), "--records", "2", "--runner", "ray", *more]


def test_an_address_that_does_not_answer_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, and nobody listens
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        assert run(ask(tmp_path, "--base-url", "http://127.0.0.1:9/v1", "--address", address)) == 2
    said = capsys.readouterr().err
    assert f"--address {address} does not answer" in said
    assert "Traceback" not in said


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ([], "--runner ray needs an endpoint"),
        (["--base-url", "http://x/v1", "--max-cost", "1"], "--max-cost is watched by one process"),
        (["--runner", "local", "--address", "auto"], "--address needs --runner ray"),
    ],
)
def test_options_that_do_not_go_together(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], more: list[str], says: str
) -> None:
    assert run(ask(tmp_path, *more)) == 2
    assert says in capsys.readouterr().err


def test_without_ray_the_extra_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "ray", None)
    assert run(ask(tmp_path, "--base-url", "http://127.0.0.1:9/v1")) == 2
    assert "pip install 'privasis[ray]'" in capsys.readouterr().err
