import dataclasses
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from privasis.errors import ConfigError
from privasis.store.shards import Shards
from privasis.store.splits import SPLITS, perfect_by_code, split_of, write_splits
from privasis.types import Edit, Fact, Outcome, Target, Triplet, TripletSet


def triplet(number: int, person: str, grouped: bool = False) -> Triplet:
    text = f"{person} lives in Oslo."
    end = len(person)
    goal = Target("t1", "full_name", grouped, (Fact("full_name", person),), "drop", 5.0, "Drop it.")
    return Triplet(
        id=f"r-{number}", record_id=f"r-{number}", number=number, person=person, language="English",
        record_type="a note", category="Personal & Family", model="m", text=text, sanitized=text[end:],
        edits=(Edit(0, end, "", "t1", "span"),), targets=(goal,), keeps=(Fact("city", "Oslo"),),
        base_instruction="b", instruction="i", level=0, attributes=(), groups=(), calls=(),
    )  # fmt: skip


def corpus(folder: Path, triplets: list[Triplet]) -> Path:
    outcomes = [Outcome(t.id, t.number, TripletSet(t.record_id, (t,), ()), None, ()) for t in triplets]
    Shards(folder / "shards", TripletSet).commit(0, outcomes)
    return folder


def test_a_person_stands_in_one_split_only(tmp_path: Path) -> None:
    made = [triplet(n, f"Person {n % 60}", grouped=n % 2 == 0) for n in range(240)]
    counts = write_splits(
        corpus(tmp_path / "c", made), tmp_path / "out", validation=0.2, test=0.3, is_perfect=perfect_by_code
    )
    assert sum(counts.values()) == 240
    assert min(counts.values()) > 0
    tables = {name: pq.read_table(tmp_path / "out" / f"{name}.parquet").to_pylist() for name in SPLITS}
    persons = {name: {row["person"] for row in rows} for name, rows in tables.items()}
    tests = persons["test_vanilla"] | persons["test_hard"]
    assert persons["train"].isdisjoint(persons["validation"] | tests)
    assert persons["validation"].isdisjoint(tests)
    assert all(not row["targets"][0]["grouped"] for row in tables["test_vanilla"])
    assert all(row["targets"][0]["grouped"] for row in tables["test_hard"])


def test_the_split_of_a_person_never_changes() -> None:
    assert split_of("Maren Kallio", 0.1, 0.1) == split_of(" MAREN  kallio", 0.1, 0.1)
    names = [split_of(f"p{n}", 0.1, 0.2) for n in range(5000)]
    assert 0.17 < names.count("test") / 5000 < 0.23
    assert 0.08 < names.count("validation") / 5000 < 0.12


def test_vanilla_needs_no_leak_and_every_keep() -> None:
    good = triplet(1, "Maren Kallio")
    assert perfect_by_code(good)
    assert not perfect_by_code(dataclasses.replace(good, sanitized=good.text))
    assert not perfect_by_code(dataclasses.replace(good, sanitized=" lives there."))
    assert not perfect_by_code(triplet(2, "Maren Kallio", grouped=True))


def test_shares_must_leave_a_training_set(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="something to train on"):
        write_splits(tmp_path, tmp_path / "o", validation=0.5, test=0.5, is_perfect=perfect_by_code)
