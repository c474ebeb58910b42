"""Figure 3 and §3.2: planted profiles and triplets, whose figures are known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chi2, chisquare

from privasis.analysis.categories import PAPER, categories_table
from privasis.analysis.corpus import corpus_table, record_figures, triplet_figures
from privasis.analysis.counts import equal_shares, fit
from privasis.analysis.profiles import distributions, ethnicities, is_fiction, is_reserved, reality_checks
from privasis.analysis.table import Share
from privasis.errors import ConfigError, InputError
from privasis.jobs.measures import measure_corpus, measure_profiles
from privasis.store.people import Person
from privasis.synthesis.catalogue import life_events, options
from privasis.synthesis.seeds import SeedOptions, draw_seed
from privasis.types import Fact, LifeEvent, Profile
from support.runs import run_and_corpus


def person(number: int, **facts: str) -> Person:
    seed = draw_seed(number, np.random.default_rng(number), SeedOptions())
    pairs = tuple(Fact(name, value) for name, value in facts.items())
    return Person(str(number), seed, Profile(pairs, LifeEvent("", "", "", ())))


def test_p_is_that_of_the_chi_square_distribution_where_this_holds() -> None:
    counts = {"a": 130, "b": 95, "c": 75}
    found = fit(counts, equal_shares("abc"), np.random.default_rng(0))
    expected = chisquare(list(counts.values()))
    assert found is not None
    assert found.chi_square == pytest.approx(expected.statistic)
    assert found.p == pytest.approx(chi2.sf(expected.statistic, 2), abs=0.003)


def test_what_was_not_meant_does_not_fit() -> None:
    found = fit({"a": 5, "z": 1}, equal_shares("ab"), np.random.default_rng(0))
    assert found is not None
    assert found.p == 0
    assert fit({}, equal_shares("ab"), np.random.default_rng(0)) is None


def test_profiles_drawn_as_meant_pass_and_others_do_not() -> None:
    people = [person(number) for number in range(600)]
    p_of = {row[0]: row[-1] for row in distributions(people, SeedOptions()).rows}
    assert set(p_of) == {"sex", "age", "income class", "blood type", "marital status"}
    assert all(isinstance(p, float) and p > 0.01 for p in p_of.values())
    young = [one for one in people if one.seed.age < 50]
    assert {row[0]: row[-1] for row in distributions(young, SeedOptions()).rows}["age"] < 0.001  # type: ignore[operator]


def test_ages_of_all_bands_add_up() -> None:
    rows = [row for row in distributions([person(1)], SeedOptions()).rows if row[0] == "age"]
    assert sum(row[4].value for row in rows if isinstance(row[4], Share)) == pytest.approx(1)


def test_citizenship_outside_the_us_is_told() -> None:
    said = ["United States", "American", "U.S.A.", "Kenya", "Latin American Republic of Peru", "Ukraine"]
    rows = ethnicities([person(n, citizenship=value) for n, value in enumerate(said)]).rows
    (abroad,) = [row for row in rows if str(row[1]).startswith("outside")]
    assert abroad[2] == 2  # whoever names America is not counted as abroad


@pytest.mark.parametrize(
    ("address", "reserved"),
    [
        ("a@example.com", True),
        ("a@mail.test", True),
        ("a@example.company.com", False),
        ("a@myexample.com", False),
    ],
)
def test_reserved_domains(address: str, reserved: bool) -> None:
    assert is_reserved(address) is reserved


@pytest.mark.parametrize(
    ("phone", "fiction"),
    [
        ("+1 212-555-0142", True),
        ("+1 212-555-0242", False),
        ("+44 7700 900123", True),
        ("+49 30 1234567", False),
    ],
)
def test_numbers_of_nobody(phone: str, fiction: bool) -> None:
    assert is_fiction(phone) is fiction


def test_names_of_known_people_are_found() -> None:
    people = [person(1, full_name="Ada  LOVELACE"), person(2, full_name="Ines Duarte")]
    rows = dict((row[0], row[1]) for row in reality_checks(people, ["ada lovelace", ""]).rows)
    assert rows["full name on the list of 1"] == 1
    assert rows["full name of another profile too"] == 0


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A run folder of records, and the corpus made of it."""
    return run_and_corpus(tmp_path_factory.mktemp("runs"))


def test_runs_are_counted_as_their_summaries_count_them(folders: tuple[Path, Path]) -> None:
    import json

    run, corpus = folders
    for folder, pairs in (
        (run, {"attributes a record": "attributes_per_record", "words a record": "words_per_record"}),
        (corpus, {"targets a triplet": "targets_per_triplet", "edits a triplet": "edits_per_triplet"}),
    ):
        summary = json.loads((folder / "summary.json").read_text())
        table = {row[0]: row[1] for row in measure_corpus([folder]).rows}
        for name, key in pairs.items():
            assert table[name] == pytest.approx(summary[key])
        (folder_table,) = [row for row in measure_corpus([folder]).rows if row[0] == "by scripted (%)"]
        assert folder_table[1] == Share(1.0)


def test_profiles_of_a_run_are_read(folders: tuple[Path, Path]) -> None:
    drawn, chosen, checks = measure_profiles(folders[0])
    assert "of 4" in drawn.title
    assert sum(row[2] for row in drawn.rows if row[0] == "sex") == 4  # type: ignore[misc]
    assert {row[0] for row in chosen.rows} == {"ethnicity", "citizenship"}
    assert len(checks.rows) == 4


def test_a_run_in_progress_is_read_as_far_as_it_is(folders: tuple[Path, Path], tmp_path: Path) -> None:
    import shutil

    shutil.copytree(folders[0], tmp_path / "run")
    (tmp_path / "run" / "records.parquet").unlink()
    assert measure_corpus([tmp_path / "run"]).rows[0][1] >= 4  # type: ignore[operator]
    shutil.rmtree(tmp_path / "run" / "shards")
    assert measure_corpus([tmp_path / "run"]).rows[0][1] == 0
    with pytest.raises(InputError, match="no profile yet"):
        measure_profiles(tmp_path / "run")


def test_domains_are_those_of_the_life_events() -> None:
    known = {event.subcategory: event for event in life_events()}
    care, banks = known["Medical Care"], known["Banking & Insurance"]
    events = [LifeEvent(e.id, e.name, e.category, ()) for e in (care, care, care, banks)]
    rows = categories_table([*events, LifeEvent("x", "", "", ())]).rows
    assert [row[:2] for row in rows] == [
        ("Health & Wellness", 3),
        ("(not labelled)", 1),
        ("Business & Finance", 1),
    ]
    assert rows[0][4:] == ("Medical Care (60.0%)", "", "")
    assert rows[1][3] is None
    assert categories_table([]).rows == ()


def test_the_paper_names_the_catalogue_s_categories() -> None:
    assert set(PAPER) == {category.name for category in options().categories}


def test_records_and_triplets_do_not_mix(folders: tuple[Path, Path]) -> None:
    with pytest.raises(ConfigError, match="one kind at a time"):
        measure_corpus(folders)


def test_nothing_counted_is_not_known() -> None:
    for figures, triplets in ((record_figures([]), False), (triplet_figures([]), True)):
        rows = corpus_table({"empty": figures}, triplets=triplets).rows
        assert rows[0][1] == 0
        assert {row[1] for row in rows[2:]} == {None}
