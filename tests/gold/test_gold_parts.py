"""The gold corpus as splits, answered by the Cleaner and scored without a judge."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from privasis.cli.main import run
from privasis.gold.parts import part_of
from privasis.gold.source import packaged_gold
from privasis.gold.triplets import person_of
from privasis.store.splits import read_split


def test_no_person_stands_in_two_parts() -> None:
    parts: dict[str, set[str]] = {}
    for record in packaged_gold():
        parts.setdefault(person_of(record), set()).add(part_of(record))
    assert all(len(found) == 1 for found in parts.values())


@pytest.mark.timeout(300)
def test_gold_is_written_answered_and_scored(tmp_path: Path) -> None:
    assert run(["gold", "--out", str(tmp_path / "gold")]) == 0
    vanilla = [triplet.id for triplet in read_split(tmp_path / "gold", "test_vanilla")]
    assert vanilla
    bench = tmp_path / "gold" / "test_vanilla.parquet"
    answers = tmp_path / "rules.jsonl"
    assert run(["predict", str(bench), "--out", str(answers)]) == 0
    assert [json.loads(line)["id"] for line in answers.read_text("utf-8").splitlines()] == vanilla
    scored = ["evaluate", str(bench), "--predictions", str(answers), "--evaluator", "none"]
    assert run([*scored, "--out", str(tmp_path / "scores")]) == 0
