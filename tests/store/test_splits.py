"""One person, one split; vanilla where the pipeline succeeded, hard where it failed."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from privasis.errors import ConfigError, InputError, RunFolderError
from privasis.store.shards import Shards
from privasis.store.splits import (
    MANIFEST,
    SPLITS,
    IsPerfect,
    Splits,
    corpus_shape,
    perfect_by_code,
    perfect_by_scores,
    read_split,
    split_of,
    write_splits,
)
from privasis.types import Edit, Fact, Outcome, Rejection, Target, Triplet, TripletSet


def triplet(number: int, person: str, grouped: bool = False) -> Triplet:
    text = f"{person} lives in Oslo."
    end = len(person)
    goal = Target("t1", "full_name", grouped, (Fact("full_name", person),), "drop", 5.0, "Drop it.")
    return Triplet(
        id=f"r-{number}", record_id=f"r-{number}", number=number, person=person, language="English",
        record_type="a note", category="Personal & Family", model="m", text=text, sanitized=text[end:],
        edits=(Edit(0, end, "", "t1", "span"),), targets=(goal,), keeps=(Fact("city", "Oslo"),),
        base_instruction="b", instruction="Drop the name.", level=0, attributes=(), groups=(), calls=(),
    )  # fmt: skip


def corpus(folder: Path, triplets: list[Triplet], failed: dict[int, str] | None = None) -> Path:
    """A corpus folder; the triplets of some numbers were not selected, for a reason."""
    failed = failed or {}
    outcomes = []
    for one in triplets:
        detail = json.dumps(dataclasses.asdict(one), ensure_ascii=False)
        if one.number in failed:
            failures = (Rejection("sanitize.select", failed[one.number], detail),)
            made = TripletSet(one.record_id, (), failures)
        else:
            made = TripletSet(one.record_id, (one,), ())
        outcomes.append(Outcome(one.id, one.number, made, None, ()))
    outcomes.append(Outcome("r-lost", 10**6, None, Rejection("sanitize.weights", "refused", "x"), ()))
    Shards(folder / "shards", TripletSet).commit(0, outcomes)
    return folder


def split(
    source: Path,
    out: Path,
    is_perfect: IsPerfect = perfect_by_code,
    test: float = 0.3,
    validation: float = 0.2,
) -> Splits:
    return write_splits(
        source, out, validation=validation, test=test, is_perfect=is_perfect, judged_by="code"
    )


def rows(out: Path) -> dict[str, list[str]]:
    tables = {name: pq.read_table(out / f"{name}.parquet").to_pylist() for name in SPLITS}
    return {name: [row["id"] for row in table] for name, table in tables.items()}


def persons(out: Path) -> dict[str, set[str]]:
    tables = {name: pq.read_table(out / f"{name}.parquet", columns=["person"]) for name in SPLITS}
    return {name: set(table["person"].to_pylist()) for name, table in tables.items()}


def test_a_person_stands_in_one_split_only(tmp_path: Path) -> None:
    made = [triplet(n, f"Person {n % 60}", grouped=n % 2 == 0) for n in range(240)]
    failed = {n: "direct_leak" for n in range(0, 240, 7)}
    splits = split(corpus(tmp_path / "c", made, failed), tmp_path / "out")
    found = persons(tmp_path / "out")
    tests = found["test_vanilla"] | found["test_hard"]
    assert min(len(names) for names in found.values()) > 0
    assert found["train"].isdisjoint(found["validation"] | tests)
    assert found["validation"].isdisjoint(tests)
    assert sum(shape.triplets for shape in splits.shapes.values()) + splits.unused == 240


def test_hard_is_what_the_pipeline_failed_at(tmp_path: Path) -> None:
    made = [triplet(n, f"Person {n}", grouped=n % 2 == 0) for n in range(200)]
    reasons = {0: "direct_leak", 1: "keep_lost", 2: "unchanged", 3: "form_broken"}
    failed = {n: reasons[n % 5] for n in range(200) if n % 5 in reasons}
    splits = split(corpus(tmp_path / "c", made, failed), tmp_path / "out", test=0.5)
    found = rows(tmp_path / "out")
    numbers = {name: [int(id.removeprefix("r-")) for id in ids] for name, ids in found.items()}
    assert {n % 5 for n in numbers["test_vanilla"]} == {4}
    assert {n % 5 for n in numbers["test_hard"]} == {0, 1, 2}  # broken markup is no failure of §4.2
    assert {n % 5 for name in ("train", "validation") for n in numbers[name]} == {4}
    assert any(n % 2 == 0 for n in numbers["test_vanilla"])  # groups can be vanilla: 60% in the paper
    assert splits.unused == 200 - sum(map(len, numbers.values()))


def test_a_selected_triplet_can_be_hard(tmp_path: Path) -> None:
    """The paper's reading of a leak is a substring; selection looks at word borders."""
    made = [dataclasses.replace(triplet(n, f"P{n}"), sanitized=f"xP{n}x in Oslo") for n in range(60)]
    split(corpus(tmp_path / "c", made), tmp_path / "out", test=0.5)
    found = rows(tmp_path / "out")
    assert not found["test_vanilla"]
    assert found["test_hard"]


def test_the_same_corpus_gives_the_same_files(tmp_path: Path) -> None:
    source = corpus(tmp_path / "c", [triplet(n, f"Person {n}") for n in range(80)])
    split(source, tmp_path / "one")
    split(source, tmp_path / "two")
    assert rows(tmp_path / "one") == rows(tmp_path / "two")
    assert (tmp_path / "one" / MANIFEST).read_text() == (tmp_path / "two" / MANIFEST).read_text()


def test_a_broken_split_has_no_manifest(tmp_path: Path) -> None:
    source = corpus(tmp_path / "c", [triplet(n, f"Person {n}") for n in range(80)])
    split(source, tmp_path / "out")
    before = rows(tmp_path / "out")

    def fails(one: Triplet) -> bool:
        raise RunFolderError("broken")

    with pytest.raises(RunFolderError):
        split(source, tmp_path / "out", fails)
    assert not (tmp_path / "out" / MANIFEST).exists()
    assert rows(tmp_path / "out") == before
    assert not list((tmp_path / "out").glob(".*"))


def test_the_split_of_a_person_never_changes() -> None:
    assert split_of("Maren Kallio", 0.1, 0.1) == split_of(" MAREN  kallio", 0.1, 0.1)
    for n in range(60):
        assert split_of(f"Zo\u00eb {n}", 0.4, 0.3) == split_of(f"Zoe\u0308 {n}", 0.4, 0.3)
    names = [split_of(f"p{n}", 0.1, 0.2) for n in range(5000)]
    assert 0.17 < names.count("test") / 5000 < 0.23
    assert 0.08 < names.count("validation") / 5000 < 0.12


def test_records_of_nobody_are_split_by_themselves(tmp_path: Path) -> None:
    made = [dataclasses.replace(triplet(n, "Al B"), person="") for n in range(100)]
    splits = split(corpus(tmp_path / "c", made), tmp_path / "out")
    assert min(splits.shapes[name].triplets for name in ("train", "validation", "test_vanilla")) > 0


def test_vanilla_needs_no_leak_and_every_keep() -> None:
    good = triplet(1, "Maren Kallio")
    assert perfect_by_code(good)
    assert perfect_by_code(triplet(2, "Maren Kallio", grouped=True))
    assert not perfect_by_code(dataclasses.replace(good, sanitized=good.text))
    assert not perfect_by_code(dataclasses.replace(good, sanitized=good.sanitized + " (maren kallio)"))
    assert not perfect_by_code(dataclasses.replace(good, sanitized=" lives there."))
    assert not perfect_by_code(dataclasses.replace(good, sanitized=" lives in OSLO."))


def scores(path: Path, verdicts: list[tuple[Triplet, str, str]]) -> Path:
    """A table as an evaluation writes it: of each triplet's own result, and of copying the input."""
    table = [
        {"id": one.id, "sanitized": text, "targets": [{"verdict": leak}], "keeps": [{"verdict": kept}]}
        for one, own_leak, own_kept in verdicts
        for text, leak, kept in ((one.text, "direct", "exact"), (one.sanitized, own_leak, own_kept))
    ]
    pq.write_table(pa.Table.from_pylist(table), path)
    return path


@pytest.mark.parametrize(
    ("leak", "kept", "expected"),
    [
        ("safe", "exact", True),
        ("safe", "inferred", True),
        ("safe", "present", True),
        ("inference", "exact", False),
        ("proximity", "exact", False),
        ("direct", "unscored", False),
        ("safe", "lost", False),
        ("unscored", "lost", False),
        ("unscored", "exact", None),
        ("safe", "unscored", None),
    ],
)
def test_an_evaluators_verdict(tmp_path: Path, leak: str, kept: str, expected: bool | None) -> None:
    one = triplet(1, "Maren Kallio")
    judge = perfect_by_scores(scores(tmp_path / "scores.parquet", [(one, leak, kept)]))
    assert judge(one) is expected
    assert judge(triplet(2, "Maren Kallio")) is None
    assert judge(dataclasses.replace(one, sanitized="Someone lives in Oslo.")) is None  # another text


def test_of_two_verdicts_on_one_text_the_worse_counts(tmp_path: Path) -> None:
    one = triplet(1, "Maren Kallio")
    for order in ([True, False], [False, True]):
        both = [(one, "safe" if good else "inference", "exact") for good in order]
        assert perfect_by_scores(scores(tmp_path / "scores.parquet", both))(one) is False


def test_unjudged_triplets_stand_in_no_test_set(tmp_path: Path) -> None:
    made = [triplet(n, f"Person {n}") for n in range(90)]
    verdict = {0: ("safe", "exact"), 1: ("inference", "exact"), 2: ("unscored", "exact")}
    (tmp_path / "scores").mkdir()
    scores(tmp_path / "scores" / "scores.parquet", [(one, *verdict[one.number % 3]) for one in made])
    splits = split(corpus(tmp_path / "c", made), tmp_path / "o", perfect_by_scores(tmp_path / "scores"), 0.5)
    found = rows(tmp_path / "o")
    assert {int(id[2:]) % 3 for id in found["test_vanilla"]} == {0}
    assert {int(id[2:]) % 3 for id in found["test_hard"]} == {1}
    assert {int(id[2:]) % 3 for id in found["train"]} == {0, 1, 2}
    assert splits.unscored > 0


def broken_scores(folder: Path) -> Iterator[tuple[Path, str]]:
    yield folder / "nowhere.parquet", "not there"
    (folder / "text.parquet").write_text("no table")
    yield folder / "text.parquet", "holds no scores"
    pq.write_table(pa.table({"id": ["r-1"]}), folder / "other.parquet")
    yield folder / "other.parquet", "holds no scores"


def test_bad_scores_are_one_line(tmp_path: Path) -> None:
    for path, message in broken_scores(tmp_path):
        with pytest.raises(InputError, match=message):
            perfect_by_scores(path)


@pytest.mark.parametrize(("validation", "test"), [(0.5, 0.5), (-0.1, 0.1), (0.1, float("nan")), (1.2, -0.4)])
def test_shares_must_leave_a_training_set(tmp_path: Path, validation: float, test: float) -> None:
    with pytest.raises(ConfigError, match="something to train on"):
        split(tmp_path, tmp_path / "o", validation=validation, test=test)
    assert not (tmp_path / "o").exists()


def test_out_must_be_a_folder(tmp_path: Path) -> None:
    (tmp_path / "o").write_text("mine")
    with pytest.raises(RunFolderError, match="is a file"):
        split(tmp_path, tmp_path / "o")


def test_the_shape_of_a_corpus() -> None:
    shape = corpus_shape([triplet(1, "Maren Kallio"), triplet(2, "Jo", grouped=True)])
    assert shape.triplets == 2
    assert shape.mean(shape.words) == 4.5
    assert shape.mean(shape.instruction_words) == 3
    assert shape.mean(shape.targets) == 1
    assert shape.mean(shape.grouped) == 0.5
    assert corpus_shape([]).mean(0) == 0


def test_a_split_is_read_back(tmp_path: Path) -> None:
    made = [triplet(n, f"Person {n}") for n in range(40)]
    split(corpus(tmp_path / "c", made), tmp_path / "out")
    read = [one for name in SPLITS for one in read_split(tmp_path / "out", name)]
    assert sorted(read, key=lambda one: one.number) == made
    (tmp_path / "out" / MANIFEST).unlink()  # as after a kill: the files may not be of one piece
    with pytest.raises(InputError, match="holds no splits"):
        list(read_split(tmp_path / "out", "train"))
