"""The evaluation job against a scripted server, over real HTTP: faults, kills, resumption."""

from __future__ import annotations

import dataclasses
import json
import re
from collections import Counter
from hashlib import sha256
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from privasis.cli.main import run as command
from privasis.errors import ConfigError, CostLimitReached, RunFolderError
from privasis.evaluation.benchmark import BenchFact, BenchItem, BenchTarget
from privasis.evaluation.score import EvaluateOptions
from privasis.evaluation.scores import ItemScore
from privasis.jobs.scores import ScoresJob, read_scores, run_scores
from privasis.llm.messages import ClientOptions, Model
from privasis.store.schema import to_row
from privasis.store.shards import Shards
from support.answers import NAMES, PLACES, THINGS, Ask
from support.faults import EVERY, FaultPlan
from support.killing import run_with_kills
from support.scripted_server import Said, Script, ScriptedServer

QUICK = ClientOptions(concurrency=32, backoff_base_s=0.01, timeout_s=20)


def bench(count: int) -> tuple[BenchItem, ...]:
    return tuple(made_item(number) for number in range(count))


def made_item(number: int) -> BenchItem:
    name = f"{NAMES[number % len(NAMES)]} {number}"
    place, thing = PLACES[number % len(PLACES)], THINGS[(number // 3) % len(THINGS)]
    return BenchItem(
        id=f"r{number}",
        number=number,
        original=f"{name} met the clerk {place} and left {thing} with file {1000 + number}.",
        instruction="Drop the person and the place.",
        targets=(
            BenchTarget("t1", "person", False, (BenchFact("name", (name,)),), "drop"),
            BenchTarget("t2", "place", True, (BenchFact("place", (place,)),), "abstract"),
        ),
        keeps=(BenchFact("thing", (thing,)), BenchFact("file", (str(1000 + number),))),
        record_type="note",
        category="Home",
        set_name="hard" if number % 2 else "vanilla",
    )


def drawn(ask: Ask, choices: int) -> int:
    """The same for the same request, whatever the order."""
    return int.from_bytes(sha256(ask.user.encode()).digest()[:4], "little") % choices


def answers(ask: Ask) -> str | Said:
    """A sanitizer that leaks now and then, and an evaluator that guesses now and then."""
    if ask.schema is None:
        text = re.search(r"Document:\n```\n(.*)\n```", ask.user, re.DOTALL)
        if text is None:
            return "OK"  # a call of one token
        words = text[1].split()
        kept = {0: words, 1: ["Someone", *words[3:]], 2: ["Someone", "left", *words[-6:]]}[drawn(ask, 3)]
        return " ".join(kept)
    step = next(iter(ask.schema["properties"]))
    if step == "guess":
        return json.dumps({"guess": f"guess {drawn(ask, 3)}"})
    choices = ask.schema["properties"][step]["enum"]
    return json.dumps({step: choices[drawn(ask, len(choices))]})


SCRIPT = Script(answer=answers)


def job(server: ScriptedServer, out: Path, count: int, **changes: object) -> ScoresJob:
    model = Model("scripted", server.base_url)
    plain = ScoresJob(
        out, bench(count), EvaluateOptions("scripted", model, model), client=QUICK, concurrency=32
    )
    return dataclasses.replace(plain, **changes)


def ignore(outcome: object) -> None:
    """A progress that nobody looks at."""


def own(folder: Path) -> dict[str, dict[str, object]]:
    """Id -> row of the system's scores, without what tells of the cache."""
    rows = {}
    for score in read_scores(folder):
        if score.system == "scripted":
            assert score.id not in rows
            rows[score.id] = to_row(score)
            rows[score.id].pop("calls")
    return rows


def test_every_item_is_scored_beside_the_baselines(tmp_path: Path) -> None:
    with ScriptedServer(SCRIPT) as server:
        summary = run_scores(job(server, tmp_path, 20), ignore)
    scores = list(read_scores(tmp_path))
    assert Counter(score.system for score in scores) == {
        "scripted": 20,
        "copy the input": 20,
        "delete everything": 20,
    }
    assert [name for name, _ in summary.rows] == ["hard"] * 3 + ["vanilla"] * 3
    assert [row.system for _, row in summary.rows[:3]] == ["scripted", "copy the input", "delete everything"]
    copied, deleted = summary.rows[1][1], summary.rows[2][1]
    assert (copied.sanitization.record[0], copied.retention.record[0], copied.over_edit) == (0.0, 1.0, 0.0)
    assert (deleted.sanitization.record[0], deleted.retention.record[0], deleted.over_edit) == (1.0, 0.0, 1.0)
    assert copied.full[0] == deleted.full[0] == 0.0
    verdicts = {target.verdict for score in scores for target in score.targets}
    assert verdicts >= {"safe", "direct", "proximity"}


def test_the_files_of_a_run_agree(tmp_path: Path) -> None:
    with ScriptedServer(SCRIPT) as server:
        summary = run_scores(job(server, tmp_path, 11), ignore)
    assert pq.read_table(tmp_path / "scores.parquet").num_rows == 33
    written = json.loads((tmp_path / "summary.json").read_text())
    assert (written["items"], written["scored"]) == (11, 11)
    assert written["leaks"] == summary.leaks
    assert written["by_step"]["evaluate.sanitize"]["calls"] == 11
    assert sum(row["records"] for _, row in written["rows"]) == 33


def test_a_direct_leak_and_an_exact_match_cost_no_call(tmp_path: Path) -> None:
    texts = {item.id: item.original + " Indeed." for item in bench(9)}
    with ScriptedServer(SCRIPT) as server:
        given = job(server, tmp_path, 9, predictions=texts)
        options = dataclasses.replace(given.options, sanitizer=None)
        summary = run_scores(dataclasses.replace(given, options=options), ignore)
        assert server.asks == []
    assert summary.leaks == {"direct": 18}


def test_the_guess_from_the_original_is_paid_for_once(tmp_path: Path) -> None:
    texts = [{item.id: f"Version {n}." for item in bench(6)} for n in range(2)]
    with ScriptedServer(SCRIPT) as server:
        for n in range(2):
            given = job(server, tmp_path / f"s{n}", 6, predictions=texts[n], cache=tmp_path / "cache")
            run_scores(
                dataclasses.replace(given, options=dataclasses.replace(given.options, sanitizer=None)), ignore
            )
        about_originals = [ask for ask in server.asks if "met the clerk" in ask.user]
    assert len(about_originals) == 2 * 6  # two targets an item, for both systems together


def test_the_concurrency_changes_nothing(tmp_path: Path) -> None:
    with ScriptedServer(dataclasses.replace(SCRIPT, latency_s=0.002)) as server:
        run_scores(job(server, tmp_path / "many", 16), ignore)
        run_scores(job(server, tmp_path / "few", 16, concurrency=1), ignore)
    assert own(tmp_path / "many") == own(tmp_path / "few")


def test_a_finished_run_asks_nothing_again_and_can_be_extended(tmp_path: Path) -> None:
    with ScriptedServer(SCRIPT) as server:
        run_scores(job(server, tmp_path / "grown", 30, limit=11), ignore)
        asked = len(server.asks)
        assert run_scores(job(server, tmp_path / "grown", 30, limit=11), ignore).scored == 11
        assert len(server.asks) == asked
        assert run_scores(job(server, tmp_path / "grown", 30, limit=5), ignore).scored == 5
        run_scores(job(server, tmp_path / "grown", 30), ignore)
        run_scores(job(server, tmp_path / "whole", 30), ignore)
    assert own(tmp_path / "grown") == own(tmp_path / "whole")
    assert len(own(tmp_path / "grown")) == 30


def test_another_test_set_or_evaluator_is_refused(tmp_path: Path) -> None:
    with ScriptedServer(SCRIPT) as server:
        run_scores(job(server, tmp_path, 2), ignore)
        with pytest.raises(RunFolderError, match="different: bench"):
            run_scores(job(server, tmp_path, 3), ignore)
        without = EvaluateOptions("scripted", Model("scripted", server.base_url))
        with pytest.raises(RunFolderError, match="different: evaluator"):
            run_scores(job(server, tmp_path, 2, options=without), ignore)
        with pytest.raises(ConfigError, match="--limit 0"):
            run_scores(job(server, tmp_path, 2, limit=0), ignore)
        with pytest.raises(ConfigError, match="--concurrency 0"):
            run_scores(job(server, tmp_path, 2, concurrency=0), ignore)


def test_the_cost_limit_stops_cleanly_and_can_be_raised(tmp_path: Path) -> None:
    with ScriptedServer(SCRIPT) as server:
        model = Model("scripted", server.base_url, price_in=100.0, price_out=100.0)
        options = EvaluateOptions("scripted", model, model)
        tight = dataclasses.replace(QUICK, max_cost=0.05)
        with pytest.raises(CostLimitReached, match="--max-cost"):
            run_scores(job(server, tmp_path, 40, options=options, client=tight, concurrency=8), ignore)
        assert json.loads((tmp_path / "summary.json").read_text())["scored"] < 40
        assert run_scores(job(server, tmp_path, 40, options=options), ignore).scored == 40


def test_a_failing_evaluator_is_counted(tmp_path: Path) -> None:
    def failing(ask: Ask) -> str | Said:
        if ask.schema and "guess" in ask.schema["properties"] and drawn(ask, 3) == 0:
            return Said(None, refusal="I cannot help with that.")
        return answers(ask)

    with ScriptedServer(Script(answer=failing)) as server:
        summary = run_scores(job(server, tmp_path, 30), ignore)
    unscored = [s for s in read_scores(tmp_path) if any(t.verdict == "unscored" for t in s.targets)]
    assert unscored
    assert summary.unscored_by_reason.keys() == {"evaluate.guess: refused"}
    rows = [row for _, row in summary.rows if row.system == "scripted"]
    assert sum(row.unscored for row in rows) >= len(unscored)


@pytest.mark.slow
def test_200_items_with_20_percent_faults_all_end(tmp_path: Path) -> None:
    plan = FaultPlan(rate=0.2, kinds=EVERY, times=1, hang_s=30.0)
    patient = dataclasses.replace(QUICK, timeout_s=3.0)
    with ScriptedServer(dataclasses.replace(SCRIPT, faults=plan)) as server:
        summary = run_scores(job(server, tmp_path, 200, client=patient, concurrency=64), ignore)
        assert set(server.faults) == set(EVERY)
    assert summary.scored == 200
    assert sorted(own(tmp_path)) == sorted(item.id for item in bench(200))


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_ten_kills_lose_and_repeat_nothing(tmp_path: Path) -> None:
    file = tmp_path / "bench.jsonl"
    file.write_text("".join(json.dumps(to_row(item)) + "\n" for item in bench(96)), "utf-8")
    plan = FaultPlan(rate=0.05, times=1, hang_s=0.5)
    with ScriptedServer(dataclasses.replace(SCRIPT, latency_s=0.15, faults=plan)) as server:
        options = ["--base-url", server.base_url, "--evaluator-url", server.base_url]
        options += ["--seed", "7", "--concurrency", "4"]
        code = run_with_kills(["evaluate", file, "--out", tmp_path / "killed", *options], 10, 3.0, seed=1)
        calm = run_with_kills(["evaluate", file, "--out", tmp_path / "calm", *options], 0, 0.0, seed=1)
    assert code == calm == 0
    assert own(tmp_path / "killed") == own(tmp_path / "calm")
    assert len(own(tmp_path / "calm")) == 96
    outcomes = [outcome.id for outcome in Shards(tmp_path / "killed" / "shards", ItemScore)]
    assert len(outcomes) == len(set(outcomes)) == 96


def write_files(folder: Path) -> tuple[Path, Path]:
    items = bench(3)
    file, predictions = folder / "bench.jsonl", folder / "mine.jsonl"
    file.write_text("".join(json.dumps(to_row(item)) + "\n" for item in items), "utf-8")
    rows = [{"id": item.id, "sanitized_text": "Someone left it."} for item in items]
    predictions.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return file, predictions


def test_the_command_prints_table_4_and_its_bounds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, predictions = write_files(tmp_path)
    given = ["evaluate", str(file), "--predictions", str(predictions), "--evaluator", "none"]
    assert command([*given, "--out", str(tmp_path / "scores")]) == 0
    said = " ".join(capsys.readouterr().out.split())  # wherever the terminal's width breaks a line
    for words in (
        "Full Successful Record",
        "mine",
        "copy the input",
        "delete everything",
        "≤100.0",
        "upper bounds",
    ):
        assert words in said
    assert "smoke test" not in said


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--predictions", "{folder}/mine.jsonl", "--model", "m"], "leave out --model and --base-url"),
        (["--predictions", "{folder}/none.jsonl"], "cannot be read"),
        (["--layout", "ornate"], "--layout ornate: there is no such prompt layout"),
        (["--predictions", "{folder}/mine.jsonl", "--limit", "0"], "--limit 0"),
    ],
)
def test_bad_options_are_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], complaint: str
) -> None:
    file, _ = write_files(tmp_path)
    given = [option.replace("{folder}", str(tmp_path)) for option in options]
    assert command(["evaluate", str(file), "--evaluator", "none", "--out", str(tmp_path / "s"), *given]) == 2
    error = capsys.readouterr().err
    assert complaint in error
    assert error.count("\n") == 1


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_on_the_embedded_engine_it_ends_with_its_caveat(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, _ = write_files(tmp_path)
    assert command(["evaluate", str(file), "--out", str(tmp_path / "scores"), "--limit", "1"]) == 0
    said = capsys.readouterr().out
    assert "a smoke test, not a judge" in said
    assert len(list(read_scores(tmp_path / "scores"))) == 3
