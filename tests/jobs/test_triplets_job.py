"""The sanitization job against a scripted server, over real HTTP: files, bad rows, kills, resumption."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from privasis.errors import ConfigError, InputError, RunFolderError
from privasis.jobs.records import RecordsJob, run_records
from privasis.jobs.triplets import TripletsJob, open_source, run_triplets
from privasis.llm.messages import ClientOptions, Model
from privasis.sanitization.options import SanitizeOptions
from privasis.sanitization.wording import tells
from privasis.store.schema import to_row
from privasis.store.shards import Shards
from privasis.store.triplets import TripletsSummary
from privasis.synthesis.options import SynthesisOptions
from privasis.text.edits import apply_edits
from privasis.types import Triplet, TripletSet
from support.faults import EVERY, FaultPlan
from support.killing import run_with_kills
from support.scripted_server import Script, ScriptedServer

QUICK = ClientOptions(concurrency=32, backoff_base_s=0.01, timeout_s=20)


def ignore(outcome: object) -> None:
    """A progress that nobody looks at."""


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run folder with 24 records."""
    folder = tmp_path_factory.mktemp("records") / "run"
    with ScriptedServer() as server:
        models = (Model("scripted", server.base_url),)
        options = SynthesisOptions(refinement_steps=0)
        run_records(
            RecordsJob(folder, 24, models, seed=7, concurrency=32, client=QUICK, options=options), ignore
        )
    return folder


def job(server: ScriptedServer, source: Path, out: Path, **changes: Any) -> TripletsJob:
    plain = TripletsJob(
        source, out, (Model("scripted", server.base_url),), seed=3, concurrency=32, client=QUICK
    )
    return dataclasses.replace(plain, **changes)


def run(wanted: TripletsJob) -> TripletsSummary:
    return run_triplets(wanted, open_source(wanted), ignore)


def made(folder: Path) -> list[Triplet]:
    return [
        triplet
        for outcome in Shards(folder / "shards", TripletSet)
        if outcome.result
        for triplet in outcome.result.triplets
    ]


def test_every_triplet_is_its_original_with_the_edits(records: Path, tmp_path: Path) -> None:
    with ScriptedServer() as server:
        summary = run(job(server, records, tmp_path))
    triplets = made(tmp_path)
    assert summary.tried == 24
    assert summary.sanitized + summary.failed + summary.rejected == 24
    assert not any(reason.startswith("internal") for reason in summary.rejected_by_reason)
    assert len(triplets) == summary.triplets >= 20
    for triplet in triplets:
        assert apply_edits(triplet.text, triplet.edits) == triplet.sanitized != triplet.text
        assert not any(tells(triplet.sanitized, fact) for t in triplet.targets for fact in t.attributes)
        assert all(keep.value in triplet.sanitized for keep in triplet.keeps)
        assert all(t.instruction for t in triplet.targets)
        assert triplet.category


def test_the_files_of_a_corpus_agree(records: Path, tmp_path: Path) -> None:
    with ScriptedServer() as server:
        summary = run(job(server, records, tmp_path))
        asked = len(server.asks)
        again = run(job(server, records, tmp_path))
        assert len(server.asks) == asked
    assert again == summary
    assert pq.read_table(tmp_path / "triplets.parquet").num_rows == summary.triplets
    lost = summary.rejected + sum(summary.failures_by_reason.values())
    assert pq.read_table(tmp_path / "rejects.parquet").num_rows == lost
    written = json.loads((tmp_path / "summary.json").read_text())
    calls = [call for outcome in Shards(tmp_path / "shards", TripletSet) for call in outcome.calls]
    assert sum(call.attempts for call in calls) == asked
    assert written["total"]["calls"] == len(calls)
    assert written["edits"] == sum(written["edits_by_step"].values())
    assert 0 < written["edited_share"] < 0.5


def test_the_same_seed_gives_the_same_triplets_at_any_concurrency(records: Path, tmp_path: Path) -> None:
    with ScriptedServer(Script(latency_s=0.002)) as server:
        run(job(server, records, tmp_path / "many"))
        run(job(server, records, tmp_path / "few", concurrency=2))
        run(job(server, records, tmp_path / "other", seed=4))
    many, few, other = (_texts(tmp_path / name) for name in ("many", "few", "other"))
    assert many == few
    assert many != other


def _texts(folder: Path) -> dict[str, tuple[str, str]]:
    return {triplet.id: (triplet.sanitized, triplet.instruction) for triplet in made(folder)}


def test_levels_give_triplets_of_their_own(records: Path, tmp_path: Path) -> None:
    options = SanitizeOptions(levels=3, drop_share=0.2)
    with ScriptedServer() as server:
        run(job(server, records, tmp_path, options=options))
    triplets = made(tmp_path)
    assert len({triplet.id for triplet in triplets}) == len(triplets)
    assert {triplet.level for triplet in triplets} >= {1, 2, 3}


def test_the_way_of_the_paper_works_too(records: Path, tmp_path: Path) -> None:
    with ScriptedServer() as server:
        summary = run(job(server, records, tmp_path, options=SanitizeOptions(llm_only=True)))
    assert summary.tried == 24
    assert not any(reason.startswith("internal") for reason in summary.rejected_by_reason)
    assert {"sanitize.relevant", "sanitize.spans"} <= set(summary.by_step)
    for triplet in made(tmp_path):
        assert apply_edits(triplet.text, triplet.edits) == triplet.sanitized


def test_options_that_cannot_be_used(records: Path, tmp_path: Path) -> None:
    with ScriptedServer() as server:
        for options, message in (
            (SanitizeOptions(targets=0), "--targets 0"),
            (SanitizeOptions(chunk_size=3), "--chunk-size 3"),
            (SanitizeOptions(levels=2, llm_only=True), "--levels"),
        ):
            with pytest.raises(ConfigError, match=message):
                open_source(job(server, records, tmp_path / "out", options=options))
    assert not (tmp_path / "out").exists()


def test_another_configuration_is_refused(records: Path, tmp_path: Path) -> None:
    with ScriptedServer() as server:
        run(job(server, records, tmp_path))
        with pytest.raises(RunFolderError, match=r"different: options\.targets"):
            run(job(server, records, tmp_path, options=SanitizeOptions(targets=2)))
        with pytest.raises(RunFolderError, match="holds records, not triplets"):
            run(job(server, records, records))


GOOD = {
    "id": "a",
    "text": "Lena Roth lives in Graz. Lena Roth pays 400 euros every month for the room.",
    "attributes": [{"name": "full_name", "value": "Lena Roth"}, {"name": "city", "value": "Graz"}],
    "groups": [{"label": "who and where", "attributes": ["full_name", "city"]}],
}


def _file(folder: Path, *rows: object) -> Path:
    file = folder / "own.jsonl"
    file.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows))
    return file


def test_a_plain_file_of_records_is_enough(tmp_path: Path) -> None:
    file = _file(tmp_path, GOOD, GOOD | {"id": "b"})
    with ScriptedServer() as server:
        run(job(server, file, tmp_path / "out"))
    outcomes = list(Shards(tmp_path / "out" / "shards", TripletSet))
    assert [outcome.id for outcome in outcomes] == ["a", "b"]


BAD = [
    ({key: value for key, value in GOOD.items() if key != "groups"}, "field 'groups': missing"),
    (GOOD | {"text": None}, "field 'text': missing"),
    (GOOD | {"attributes": []}, "field 'attributes': no list with members"),
    (
        GOOD | {"attributes": [{"name": "city", "value": "Linz"}]},
        "field 'attributes.0.value': does not stand",
    ),
    (
        GOOD | {"attributes": [{"name": "city", "value": "Graz", "spans": [{"start": 0, "end": 4}]}]},
        "field 'attributes.0.spans': do not point",
    ),
    (GOOD | {"attributes": [{"name": "city"}]}, "field 'attributes.0': needs a name and a value"),
    (GOOD | {"groups": [{"label": "x", "attributes": []}]}, "field 'groups.0.attributes': empty"),
    (GOOD | {"groups": [{"label": "x", "attributes": ["y"]}]}, "field 'groups.0.attributes': names no"),
    (GOOD | {"number": "many"}, "field 'number'"),
    ("{broken", "not one JSON value"),
    ("[1]", "no object"),
    (GOOD | {"text": GOOD["text"]}, "field 'id': the same as in row 1"),
]


@pytest.mark.parametrize(("row", "message"), BAD, ids=[message for _, message in BAD])
def test_a_bad_row_is_named_or_skipped(tmp_path: Path, row: object, message: str) -> None:
    third = GOOD | {"id": "c"}
    file = _file(tmp_path, GOOD, row, third)
    with ScriptedServer() as server:
        wanted = job(server, file, tmp_path / "out")
        with pytest.raises(InputError) as error:
            open_source(wanted)
        assert message in str(error.value)
        assert "own.jsonl row 2" in str(error.value)
        assert "Graz" not in str(error.value)
        source = open_source(dataclasses.replace(wanted, skip_bad=True))
    assert len(source.bad) == 1
    assert message in source.bad[0]
    assert [record.id for index in range(source.shards) for record in source.shard(index)] == ["a", "c"]


def test_sources_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "x.parquet").write_bytes(b"PAR1 or not")
    (tmp_path / "x.csv").write_text("a,b")
    (tmp_path / "empty.jsonl").write_text("")
    with ScriptedServer() as server:
        for name, message in (
            ("x.parquet", "cannot be read as Parquet"),
            ("x.csv", "a .parquet or a .jsonl"),
            ("empty.jsonl", "no record that can be used"),
            ("nowhere", "does not exist"),
        ):
            with pytest.raises(InputError, match=message):
                open_source(job(server, tmp_path / name, tmp_path / "out"))
        with pytest.raises(RunFolderError, match=r"no config\.json"):
            open_source(job(server, tmp_path, tmp_path / "out"))


@pytest.mark.slow
def test_faults_leave_every_record_with_an_outcome(records: Path, tmp_path: Path) -> None:
    plan = FaultPlan(rate=0.2, kinds=EVERY, times=1, hang_s=30.0)
    patient = dataclasses.replace(QUICK, timeout_s=3.0)
    with ScriptedServer(Script(faults=plan)) as server:
        summary = run(job(server, records, tmp_path, client=patient))
    assert summary.tried == 24
    assert summary.sanitized + summary.failed + summary.rejected == 24


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_ten_kills_lose_and_repeat_nothing(tmp_path: Path) -> None:
    plan = FaultPlan(rate=0.05, times=1, hang_s=0.5)
    with ScriptedServer(Script(latency_s=0.1, faults=plan)) as server:
        models = (Model("scripted", server.base_url),)
        options = SynthesisOptions(refinement_steps=0)
        source = tmp_path / "run"
        run_records(
            RecordsJob(source, 60, models, seed=7, concurrency=64, client=QUICK, options=options), ignore
        )
        command = ["sanitize", source, "--seed", "7", "--base-url", server.base_url, "--concurrency", "4"]
        code = run_with_kills([*command, "--out", tmp_path / "killed"], 10, 3.0, seed=1)
        undisturbed = run_with_kills([*command, "--out", tmp_path / "calm"], 0, 0.0, seed=1)
    assert code == undisturbed == 0
    killed, calm = _rows(tmp_path / "killed"), _rows(tmp_path / "calm")
    assert len(killed) == 60
    assert killed == calm


def _rows(folder: Path) -> dict[str, dict[str, Any]]:
    rows: dict[str, dict[str, Any]] = {}
    for outcome in Shards(folder / "shards", TripletSet):
        assert outcome.id not in rows
        row = to_row(outcome)
        row["calls"] = []  # what was answered from the cache is marked as such there
        for triplet in (row["result"] or {}).get("triplets", ()):
            triplet["calls"] = []
        for failure in (row["result"] or {}).get("failures", ()):
            failure["detail"] = json.loads(failure["detail"]) | {"calls": []}
        rows[outcome.id] = row
    return rows
