"""The viewer: search, facets, hostile records, a run in progress, the playground."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.testclient import TestClient

from privasis.errors import RunFolderError
from privasis.gold.source import packaged_gold
from privasis.gold.triplets import triplets_of
from privasis.store.run import open_run
from privasis.store.shards import Shards
from privasis.types import Outcome, Record, TripletSet
from privasis.web.app import create_app
from privasis.web.index import PAGE, search, update
from support.sanitizing import record_of

HOSTILE = "Dear <script>alert(1)</script>, نور الكرمي lives in Leeds & likes tea."


def run_of(folder: Path, records: list[Record], shard: int = 0) -> Path:
    with open_run(folder, "records", {}) as run:
        outcomes = [Outcome(record.id, record.number, record, None, ()) for record in records]
        Shards(run.shards, Record).commit(shard, outcomes)
    return folder


def client_of(tmp_path: Path, *runs: Path) -> TestClient:
    return TestClient(create_app(tmp_path / "index.sqlite", runs), base_url="http://127.0.0.1")


@pytest.fixture
def run(tmp_path: Path) -> Path:
    plain = [record_of(f"The garden of person {n} needs rain.", {}, number=n, id=f"r{n}") for n in range(40)]
    hostile = record_of(HOSTILE, {"patient_name": "نور الكرمي", "city": "Leeds"}, number=99, id="hostile")
    return run_of(tmp_path / "run", [*plain, hostile])


def test_search_finds_words_and_their_beginnings(tmp_path: Path, run: Path) -> None:
    index = tmp_path / "i.sqlite"
    assert update(index, [run]) == 41
    assert update(index, [run]) == 41  # nothing twice
    assert search(index, "", {}).total == 41
    assert len(search(index, "garden", {}).entries) == PAGE
    assert [entry["id"] for entry in search(index, "leeds te", {}).entries] == ["hostile"]
    assert search(index, 'garden" OR "', {}).total == 0  # words, never an expression
    assert [entry["id"] for entry in search(index, "", {}, attribute="city").entries] == ["hostile"]


def test_a_hostile_record_is_shown_as_text(tmp_path: Path, run: Path) -> None:
    client = client_of(tmp_path, run)
    listed = client.get("/", params={"q": "leeds"})
    assert listed.status_code == 200
    number = listed.text.split('href="/entry/')[1].split('"')[0]
    shown = client.get(f"/entry/{number}")
    assert "<script>" not in shown.text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in shown.text
    assert 'title="patient_name" tabindex="0">نور الكرمي</mark>' in shown.text
    assert "default-src 'none'" in shown.headers["content-security-policy"]


def test_facets_narrow_and_count(tmp_path: Path, run: Path) -> None:
    client = client_of(tmp_path, run)
    narrowed = client.get("/", params={"kind": "record", "q": "garden"})
    assert '<span id="total">40</span>' in narrowed.text
    assert '<span id="total">0</span>' in client.get("/", params={"kind": "triplet"}).text


def test_a_run_in_progress_grows(tmp_path: Path, run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("privasis.web.app._LOOK_AGAIN_S", -1.0)
    client = client_of(tmp_path, run)
    assert '<span id="total">41</span>' in client.get("/").text
    run_of(run, [record_of("A new one.", {}, number=100, id="new")], shard=1)
    assert '<span id="total">42</span>' in client.get("/").text


def test_triplets_stand_side_by_side(tmp_path: Path) -> None:
    record = next(packaged_gold())
    made = TripletSet(record.id, tuple(triplets_of(record)), ())
    with open_run(tmp_path / "corpus", "triplets", {}) as opened:
        Shards(opened.shards, TripletSet).commit(0, [Outcome(record.id, 0, made, None, ())])
    client = client_of(tmp_path, tmp_path / "corpus")
    client.get("/")
    shown = client.get("/entry/1").text
    assert "<del>" in shown
    assert "<ins>" in shown
    assert client.get("/entry/999").status_code == 404


def test_the_playground_cleans(tmp_path: Path, run: Path) -> None:
    client = client_of(tmp_path, run)
    assert client.get("/try").status_code == 200
    asked = {"text": "Ada Quill likes <b>tea</b>.", "instruction": "Remove Ada Quill."}
    shown = client.post("/try", data=asked).text
    assert 'id="after" dir="auto"><ins></ins>likes &lt;b&gt;tea&lt;/b&gt;.' in shown.replace("\n", "")
    assert "empty" in client.post("/try", data={"text": "Ada", "instruction": ""}).text


def test_other_hosts_and_other_folders_are_refused(tmp_path: Path, run: Path) -> None:
    client = client_of(tmp_path, run)
    assert client.get("/", headers={"host": "evil.example"}).status_code == 400
    with pytest.raises(RunFolderError):
        update(tmp_path / "x.sqlite", [tmp_path])
