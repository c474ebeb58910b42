"""``privasis table`` over folders that the evaluation job has made."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from privasis.cli.tables import app
from privasis.errors import ConfigError, InputError, RunFolderError
from privasis.evaluation.benchmark import BenchFact, BenchItem, BenchTarget
from privasis.evaluation.score import EvaluateOptions
from privasis.jobs.scores import ScoresJob, run_scores


def item(number: int) -> BenchItem:
    name, town = f"Ines Duarte {number}", ("Porto", "Faro")[number % 2]
    return BenchItem(
        id=f"r{number}",
        number=number,
        original=f"{name} of {town} paid invoice {70 + number}.",
        instruction="Drop the person.",
        targets=(BenchTarget("t1", "name", False, (BenchFact("full_name", (name,)),), "drop"),),
        keeps=(BenchFact("town", (town,)),),
        record_type="note",
        category="Business & Finance" if number < 3 else "Health & Wellness",
        set_name="hard" if number % 2 else "vanilla",
    )


ITEMS = tuple(item(number) for number in range(6))


def ignore(outcome: object) -> None:
    """A progress that nobody looks at."""


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Scores of two systems: one that drops every name, one that leaks every second."""
    root = tmp_path_factory.mktemp("scores")
    texts = {
        "good": {i.id: i.original.replace(f"Ines Duarte {i.number}", "Someone") for i in ITEMS},
        "leaky": {i.id: i.original if i.number < 3 else "Someone paid." for i in ITEMS},
    }
    for name, predictions in texts.items():
        run_scores(ScoresJob(root / name, ITEMS, EvaluateOptions(name), predictions), ignore)
    return {name: root / name for name in texts}


def table(*arguments: object) -> None:
    app([str(argument) for argument in arguments], standalone_mode=False)


def read(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_table_4_puts_systems_side_by_side(folders: dict[str, Path], tmp_path: Path) -> None:
    table("4", folders["good"], folders["leaky"], "--out", tmp_path / "t.csv")
    rows = {(row["Set"], row["System"]): row for row in read(tmp_path / "t.csv")}
    assert list(rows)[:4] == [
        ("hard", "good"),
        ("hard", "leaky"),
        ("hard", "copy the input"),
        ("hard", "delete everything"),
    ]
    assert float(rows["hard", "good"]["No direct leak %"]) == 100.0
    assert float(rows["vanilla", "leaky"]["No direct leak %"]) == pytest.approx(100 / 3, abs=1e-3)
    assert rows["hard", "good"]["Records"] == "3"


def test_each_format_is_written(
    folders: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table("5", folders["leaky"], "--set", "vanilla")
    assert "Table 5: leaks by kind (%), vanilla test set" in capsys.readouterr().out
    table("5", folders["leaky"], "--format", "markdown")
    assert capsys.readouterr().out.count("| System |") == 2
    table("5", folders["leaky"], "--out", tmp_path / "t.md")
    assert (tmp_path / "t.md").read_text().startswith("**Table 5")


@pytest.mark.parametrize("name", ["4", "5", "6", "10", "cases", "human-check"])
def test_every_table_is_drawn(
    folders: dict[str, Path], name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    table(name, folders["leaky"])
    assert "leaky" in capsys.readouterr().out or name == "human-check"


def test_categories_and_names_that_fail(folders: dict[str, Path], tmp_path: Path) -> None:
    table("6", folders["leaky"], "--out", tmp_path / "6.csv", "--top", 1)
    assert {row["1"] for row in read(tmp_path / "6.csv") if row["System"] == "leaky"} == {
        "Business & Finance"
    }
    table("10", folders["leaky"], "--out", tmp_path / "10.csv", "--top", 1)
    assert {row["1"] for row in read(tmp_path / "10.csv") if row["System"] == "leaky"} == {"full_name"}


def test_figure_5_takes_its_sizes_from_the_command(folders: dict[str, Path], tmp_path: Path) -> None:
    table("figure-5", f"128={folders['leaky']}", f"512={folders['good']}", "--out", tmp_path / "f.csv")
    rows = read(tmp_path / "f.csv")
    assert [(row["Set"], row["Chunk size"]) for row in rows] == [
        ("hard", "128"),
        ("hard", "512"),
        ("vanilla", "128"),
        ("vanilla", "512"),
    ]


def test_figure_5_without_a_size_says_what_to_do(folders: dict[str, Path]) -> None:
    with pytest.raises(ConfigError, match="Give it as SIZE=SCORES"):
        table("figure-5", folders["good"])


def test_agreement_of_a_folder_with_itself(folders: dict[str, Path], tmp_path: Path) -> None:
    table("agreement", folders["good"], folders["good"], "--out", tmp_path / "a.csv")
    rows = read(tmp_path / "a.csv")
    assert {row["Cases"] for row in rows} == {"0"}  # nothing was judged: nobody can agree
    with pytest.raises(InputError, match="different texts or targets for"):
        table("agreement", folders["good"], folders["leaky"])


def test_a_filled_check_gives_its_precision(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    filled = tmp_path / "filled.csv"
    filled.write_text("case,system,verdict\na,s,leak\nb,s,no leak\n")
    table("human-check", "--filled", filled)
    assert "50.0" in capsys.readouterr().out
    filled.write_text("case,system,verdict\na,s,hm\n")
    with pytest.raises(InputError) as raised:
        table("human-check", "--filled", filled)
    assert str(raised.value) == f"{filled} row 1: the verdict is neither 'leak' nor 'no leak'."


def test_wrong_uses_are_told(folders: dict[str, Path], tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="--set easy: the scores are of these test sets: hard, vanilla"):
        table("4", folders["good"], "--set", "easy")
    with pytest.raises(RunFolderError, match="is no run folder"):
        table("4", tmp_path)
    with pytest.raises(ConfigError, match="give folders of scores"):
        table("human-check")
