"""The record job against a scripted server, over real HTTP: faults, kills, resumption."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from privasis.errors import ConfigError, CostLimitReached, RunFolderError
from privasis.jobs.records import RecordsJob, default_pool_lag, default_shard_size, run_records
from privasis.llm.messages import ClientOptions, Model
from privasis.store.records import accepted_records
from privasis.store.schema import to_row
from privasis.store.shards import Shards
from privasis.synthesis.options import SynthesisOptions
from privasis.types import Record
from support.faults import EVERY, FaultPlan
from support.killing import run_with_kills
from support.scripted_server import Script, ScriptedServer

QUICK = ClientOptions(concurrency=32, backoff_base_s=0.01, timeout_s=20)


def job(server: ScriptedServer, out: Path, records: int, **changes: object) -> RecordsJob:
    plain = RecordsJob(
        out,
        records,
        (Model("scripted", server.base_url),),
        seed=7,
        concurrency=32,
        client=QUICK,
        options=SynthesisOptions(refinement_steps=1),  # each step costs an embedding, the slow part here
    )
    return dataclasses.replace(plain, **changes)


def ignore(outcome: object) -> None:
    """A progress that nobody looks at."""


def made(folder: Path) -> dict[int, tuple[str, str]]:
    """Number -> (id, text) of the accepted records."""
    wanted = json.loads((folder / "summary.json").read_text())["wanted"]
    records = accepted_records(Shards(folder / "shards", Record), wanted)
    return {record.number: (record.id, record.text) for record in records}


def test_records_are_whole(tmp_path: Path) -> None:
    with ScriptedServer() as server:
        summary = run_records(job(server, tmp_path / "run", 12), ignore)
    assert summary.accepted == 12
    records = list(accepted_records(Shards(tmp_path / "run" / "shards", Record), 12))
    for record in records:
        names = [attribute.name for attribute in record.attributes]
        assert len(set(names)) == len(names)
        assert all(set(group.attributes) <= set(names) for group in record.groups)
        for attribute in record.attributes:
            assert attribute.spans
            for span in attribute.spans:
                assert record.text[span.start : span.end] == attribute.value
        assert len(record.embedding) == 2 * 384
        assert {call.step for call in record.calls} >= {"profile.basics", "record.draft", "annotate.groups"}
        for step in record.refinement:
            assert step.accepted == (step.score > 0.5)
    later = [step for record in records[-3:] for step in record.refinement]
    assert later
    assert all(
        max(step.pool) < record.number for record in records for step in record.refinement if step.pool
    )
    assert any(step.pool for step in later)


def test_the_files_of_a_run_agree(tmp_path: Path) -> None:
    with ScriptedServer() as server:
        summary = run_records(job(server, tmp_path, 10), ignore)
    table = pq.read_table(tmp_path / "records.parquet")
    assert table.num_rows == 10
    assert table.column("number").to_pylist() == sorted(table.column("number").to_pylist())
    assert pq.read_table(tmp_path / "rejects.parquet").num_rows == summary.rejected
    written = json.loads((tmp_path / "summary.json").read_text())
    assert written["accepted"] + written["rejected"] + written["surplus"] == written["tried"]
    assert written["by_step"]["record.draft"]["completion_tokens"] > 0
    provenance = json.loads((tmp_path / "provenance.json").read_text())
    assert provenance["sessions"][0]["records"] == 10


def test_the_same_seed_gives_the_same_records_whatever_the_concurrency(tmp_path: Path) -> None:
    with ScriptedServer(Script(latency_s=0.002)) as server:
        run_records(job(server, tmp_path / "many", 16), ignore)
        run_records(job(server, tmp_path / "few", 16, concurrency=3), ignore)
        run_records(job(server, tmp_path / "other", 16, seed=8), ignore)
    assert made(tmp_path / "many") == made(tmp_path / "few")
    assert made(tmp_path / "many") != made(tmp_path / "other")


def test_a_finished_run_asks_nothing_again(tmp_path: Path) -> None:
    with ScriptedServer() as server:
        run_records(job(server, tmp_path, 6), ignore)
        asked = len(server.asks)
        run_records(job(server, tmp_path, 6), ignore)
        assert len(server.asks) == asked


def test_a_run_can_be_extended(tmp_path: Path) -> None:
    with ScriptedServer() as server:
        run_records(job(server, tmp_path / "grown", 6, pool_lag=4, shard_size=4, max_candidates=7), ignore)
        run_records(job(server, tmp_path / "grown", 14, max_candidates=30), ignore)
        run_records(job(server, tmp_path / "whole", 14, pool_lag=4, shard_size=4, max_candidates=30), ignore)
    assert [text for _, text in made(tmp_path / "grown").values()] == [
        text for _, text in made(tmp_path / "whole").values()
    ]


def test_another_seed_is_refused(tmp_path: Path) -> None:
    with ScriptedServer() as server:
        run_records(job(server, tmp_path, 2), ignore)
        with pytest.raises(RunFolderError, match="different: seed"):
            run_records(job(server, tmp_path, 2, seed=8), ignore)


def test_unusable_numbers_are_refused(tmp_path: Path) -> None:
    with ScriptedServer() as server:
        with pytest.raises(ConfigError, match="--records 0"):
            run_records(job(server, tmp_path / "a", 0), ignore)
        with pytest.raises(ConfigError, match="--max-candidates 1"):
            run_records(job(server, tmp_path / "b", 2, max_candidates=1), ignore)
    assert not (tmp_path / "a").exists()


def test_shares_of_models(tmp_path: Path) -> None:
    with ScriptedServer(Script(models=("a", "b"))) as server:
        models = (Model("a", server.base_url, share=0.75), Model("b", server.base_url, share=0.25))
        run_records(
            job(server, tmp_path, 40, models=models, options=SynthesisOptions(refinement_steps=0)), ignore
        )
    counts = Counter(record.model for record in accepted_records(Shards(tmp_path / "shards", Record), 40))
    assert 20 <= counts["a"] <= 38  # 30 expected; binomial, p < 0.001 outside


def test_the_cost_limit_stops_cleanly_and_can_be_raised(tmp_path: Path) -> None:
    with ScriptedServer() as server:
        model = Model("scripted", server.base_url, price_in=100.0, price_out=100.0)
        tight = dataclasses.replace(QUICK, max_cost=1.0)
        with pytest.raises(CostLimitReached, match="--max-cost"):
            run_records(job(server, tmp_path, 20, models=(model,), client=tight), ignore)
        stopped = json.loads((tmp_path / "summary.json").read_text())
        assert stopped["accepted"] < 20
        assert run_records(job(server, tmp_path, 20, models=(model,)), ignore).accepted == 20


def test_defaults_of_lag_and_shards() -> None:
    assert [default_pool_lag(n) for n in (1, 4, 200, 10_000)] == [2, 2, 50, 512]
    assert [default_shard_size(lag) for lag in (2, 50, 512)] == [1, 12, 64]


@pytest.mark.slow
def test_200_items_with_20_percent_faults_all_end(tmp_path: Path) -> None:
    plan = FaultPlan(rate=0.2, kinds=EVERY, times=1, hang_s=30.0)
    patient = dataclasses.replace(QUICK, timeout_s=3.0)
    with ScriptedServer(Script(faults=plan)) as server:
        wanted = job(server, tmp_path, 200, max_candidates=200, concurrency=64, client=patient)
        summary = run_records(wanted, ignore)
        assert set(server.faults) == set(EVERY)
    assert summary.tried == 200
    assert summary.accepted + summary.rejected == 200
    assert sum(summary.rejected_by_reason.values()) == summary.rejected
    outcomes = list(Shards(tmp_path / "shards", Record))
    assert sorted(outcome.number for outcome in outcomes) == list(range(200))
    assert all((outcome.result is None) != (outcome.rejection is None) for outcome in outcomes)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_ten_kills_lose_and_repeat_nothing(tmp_path: Path) -> None:
    plan = FaultPlan(rate=0.05, times=1, hang_s=0.5)
    with ScriptedServer(Script(latency_s=0.1, faults=plan)) as server:
        options = ["--records", "60", "--max-candidates", "90", "--seed", "7", "--base-url", server.base_url]
        options += ["--concurrency", "8", "--refinement-steps", "2"]
        code = run_with_kills(["generate", "--out", tmp_path / "killed", *options], 10, 3.0, seed=1)
        undisturbed = run_with_kills(["generate", "--out", tmp_path / "calm", *options], 0, 0.0, seed=1)
    assert code == undisturbed
    killed, calm = _rows(tmp_path / "killed"), _rows(tmp_path / "calm")
    assert list(killed) == list(calm)
    assert killed == calm


def _rows(folder: Path) -> dict[int, dict[str, object]]:
    rows = {}
    for outcome in Shards(folder / "shards", Record):
        assert outcome.number not in rows
        row = to_row(outcome.result) if outcome.result else to_row(outcome.rejection)
        row.pop("calls", None)  # what was answered from the cache is marked as such there
        rows[outcome.number] = row
    return rows
