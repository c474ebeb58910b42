"""Drawing seeds, tested as statistics: fixed generators, planted probabilities."""

from __future__ import annotations

import lzma
from collections import Counter
from collections.abc import Iterable
from datetime import date

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from privasis.errors import ConfigError
from privasis.synthesis.catalogue import NameTable, name_table, options, parse_names
from privasis.synthesis.seeds import NameSampling, SeedOptions, draw_name, draw_seed
from privasis.types import Seed

DRAWS = 40_000
# A fair sample falls below once in a thousand; the generators are fixed, so it never does by chance.
P_VALUE = 0.001


def _draw(sampling: NameSampling, rng_seed: int) -> list[Seed]:
    rng = np.random.default_rng(rng_seed)
    chosen = SeedOptions(name_sampling=sampling)
    return [draw_seed(number, rng, chosen) for number in range(DRAWS)]


@pytest.fixture(scope="module")
def uniform() -> list[Seed]:
    return _draw("uniform", 20_260_101)


@pytest.fixture(scope="module")
def frequency() -> list[Seed]:
    return _draw("frequency", 20_260_102)


def _table(*rows: tuple[str, int, int]) -> NameTable:
    lines = "".join(f"{name},{girls},{boys}\n" for name, girls, boys in rows)
    return parse_names(lzma.compress(f"name,girls,boys\n{lines}".encode(), preset=0))


def _assert_equally_likely(drawn: Iterable[object], values: Iterable[object]) -> None:
    counts = Counter(drawn)
    expected_values = list(values)
    assert counts.keys() <= set(expected_values)
    assert stats.chisquare([counts[value] for value in expected_values]).pvalue > P_VALUE


def _rows_of(seeds: list[Seed]) -> np.ndarray:
    names = np.array([seed.first_name for seed in seeds], dtype=name_table().names.dtype)
    rows = np.searchsorted(name_table().names, names)
    assert bool(np.all(name_table().names[rows] == names))
    return rows


def test_expected_share_of_women_is_exactly_known() -> None:
    table = name_table()
    each_name_once = (table.girls / (table.girls + table.boys)).mean()
    each_child_once = table.girls.sum() / (table.girls.sum() + table.boys.sum())
    assert each_name_once == pytest.approx(0.625886, abs=1e-6)
    assert each_child_once == pytest.approx(0.494432, abs=1e-6)


@pytest.mark.parametrize(("sampling", "expected"), [("uniform", 0.625886), ("frequency", 0.494432)])
def test_share_of_women(sampling: NameSampling, expected: float, request: pytest.FixtureRequest) -> None:
    seeds: list[Seed] = request.getfixturevalue(sampling)
    women = sum(seed.sex == "female" for seed in seeds)
    low, high = stats.binom.interval(1 - P_VALUE, DRAWS, expected)
    assert low <= women <= high


def test_uniform_sampling_gives_every_stretch_of_names_its_share(uniform: list[Seed]) -> None:
    bins = 200
    counts = np.bincount(_rows_of(uniform) * bins // len(name_table()), minlength=bins)
    edges = -(-np.arange(bins + 1) * len(name_table()) // bins)
    expected = np.diff(edges) / len(name_table()) * DRAWS
    assert stats.chisquare(counts, expected).pvalue > P_VALUE


def test_frequency_sampling_gives_every_stretch_of_children_its_share(frequency: list[Seed]) -> None:
    cumulative = name_table().cumulative
    bins = cumulative * 200 // (cumulative[-1] + 1)
    counts = np.bincount(bins[_rows_of(frequency)], minlength=200)
    mass = np.bincount(bins, weights=np.diff(cumulative, prepend=0), minlength=200)
    filled = mass > 0  # a very common name may span a whole bin
    expected = mass[filled] / cumulative[-1] * DRAWS
    assert stats.chisquare(counts[filled], expected).pvalue > P_VALUE


def test_frequency_sampling_prefers_common_names(frequency: list[Seed], uniform: list[Seed]) -> None:
    totals = name_table().girls + name_table().boys
    expected = (totals / totals.sum() * (totals > 1_000_000)).sum()
    common = totals[_rows_of(frequency)] > 1_000_000
    low, high = stats.binom.interval(1 - P_VALUE, DRAWS, expected)
    assert low <= common.sum() <= high
    assert (totals[_rows_of(uniform)] > 1_000_000).mean() < 0.002


def test_ages_are_uniform_from_18_to_90(uniform: list[Seed]) -> None:
    _assert_equally_likely((seed.age for seed in uniform), range(18, 91))


def test_days_are_uniform(uniform: list[Seed]) -> None:
    first, last = date(2006, 1, 1).toordinal(), date(2025, 12, 31).toordinal()
    days = np.array([date.fromisoformat(seed.date).toordinal() for seed in uniform])
    assert first <= days.min()
    assert days.max() <= last
    assert stats.kstest((days - first + 0.5) / (last - first + 1), "uniform").pvalue > P_VALUE


@pytest.mark.parametrize(
    ("field", "listed"),
    [
        ("income_class", "income_classes"),
        ("blood_type", "blood_types"),
        ("marital_status", "marital_statuses"),
        ("native_language", "native_languages"),
    ],
)
def test_listed_values_are_equally_likely(field: str, listed: str, uniform: list[Seed]) -> None:
    _assert_equally_likely((getattr(seed, field) for seed in uniform), getattr(options(), listed))


@pytest.mark.parametrize("other", ["blood_type", "income_class", "marital_status"])
def test_sex_tells_nothing_about_the_rest(other: str, uniform: list[Seed]) -> None:
    pairs = Counter((seed.sex, getattr(seed, other)) for seed in uniform)
    values = sorted({value for _, value in pairs})
    table = [[pairs[sex, value] for value in values] for sex in options().sexes]
    assert stats.chi2_contingency(table).pvalue > P_VALUE


@pytest.mark.parametrize("sampling", ["uniform", "frequency"])
def test_same_generator_same_seed(sampling: NameSampling) -> None:
    chosen = SeedOptions(name_sampling=sampling)
    one, other = np.random.default_rng(7), np.random.default_rng(7)
    assert [draw_seed(i, one, chosen) for i in range(50)] == [draw_seed(i, other, chosen) for i in range(50)]
    assert draw_seed(0, np.random.default_rng(8), chosen) != draw_seed(0, np.random.default_rng(7), chosen)


def test_number_is_copied_and_decides_nothing() -> None:
    one = draw_seed(1, np.random.default_rng(7), SeedOptions())
    two = draw_seed(2, np.random.default_rng(7), SeedOptions())
    assert (one.number, two.number) == (1, 2)
    assert one.first_name == two.first_name
    assert one.date == two.date


@pytest.mark.parametrize("sampling", ["uniform", "frequency"])
def test_first_and_last_name_can_be_drawn(sampling: NameSampling) -> None:
    ends = _table(name_table().row(0), ("Middle", 3, 3), name_table().row(len(name_table()) - 1))
    rng = np.random.default_rng(11)
    assert {draw_name(rng, ends, sampling).first_name for _ in range(500)} == {"Aaban", "Middle", "Zzyzx"}


@pytest.mark.parametrize(
    ("sampling", "shares"),
    [
        ("uniform", {"female": (1 / 3, 1 / 12, 0), "male": (0, 1 / 4, 1 / 3)}),
        ("frequency", {"female": (0.1, 0.2, 0), "male": (0, 0.6, 0.1)}),
    ],
)
def test_planted_table_is_drawn_as_planted(
    sampling: NameSampling, shares: dict[str, tuple[float, ...]]
) -> None:
    planted = _table(("Ada", 1, 0), ("Bo", 2, 6), ("Cy", 0, 1))
    rng = np.random.default_rng(12)
    drawn = Counter(draw_name(rng, planted, sampling) for _ in range(10_000))
    names = ("Ada", "Bo", "Cy")
    cells = {(name, sex): row[i] for sex, row in shares.items() for i, name in enumerate(names)}
    possible = {cell: share for cell, share in cells.items() if share}
    assert drawn.keys() == possible.keys()
    expected = [10_000 * share for share in possible.values()]
    assert stats.chisquare([drawn[cell] for cell in possible], expected).pvalue > P_VALUE


@given(
    counts=st.lists(
        st.tuples(st.integers(0, 10**7), st.integers(0, 10**7)).filter(any), min_size=1, max_size=8
    ),
    sampling=st.sampled_from(["uniform", "frequency"]),
    rng_seed=st.integers(0, 2**32),
)
def test_a_sex_without_a_count_is_never_drawn(
    counts: list[tuple[int, int]], sampling: NameSampling, rng_seed: int
) -> None:
    table = _table(*((f"N{'abcdefgh'[i]}", girls, boys) for i, (girls, boys) in enumerate(counts)))
    drawn = draw_name(np.random.default_rng(rng_seed), table, sampling)
    girls, boys = counts["abcdefgh".index(drawn.first_name[1])]
    assert (girls if drawn.sex == "female" else boys) > 0


def test_bounds_are_kept_and_reached() -> None:
    narrow = SeedOptions(min_age=40, max_age=42, first_date="2024-02-28", last_date="2024-03-01")
    rng = np.random.default_rng(13)
    seeds = [draw_seed(i, rng, narrow) for i in range(300)]
    assert {seed.age for seed in seeds} == {40, 41, 42}
    assert {seed.date for seed in seeds} == {"2024-02-28", "2024-02-29", "2024-03-01"}


def test_a_single_age_and_a_single_day_will_do() -> None:
    fixed = SeedOptions(min_age=33, max_age=33, first_date="2020-05-05", last_date="2020-05-05")
    seed = draw_seed(0, np.random.default_rng(1), fixed)
    assert (seed.age, seed.date) == (33, "2020-05-05")


def test_defaults_are_the_papers() -> None:
    assert SeedOptions() == SeedOptions("uniform", 18, 90, "2006-01-01", "2025-12-31")


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"name_sampling": "top"}, "name sampling 'top' is unknown. Use uniform or frequency."),
        ({"min_age": 17}, "ages 17 to 90 cannot be drawn. Use 18 <= lowest <= highest <= 120."),
        (
            {"min_age": 50, "max_age": 49},
            "ages 50 to 49 cannot be drawn. Use 18 <= lowest <= highest <= 120.",
        ),
        ({"max_age": 121}, "ages 18 to 121 cannot be drawn. Use 18 <= lowest <= highest <= 120."),
        ({"first_date": "2024-13-01"}, "'2024-13-01' is not a date. Write it as YYYY-MM-DD."),
        ({"last_date": "20251231"}, "'20251231' is not a date. Write it as YYYY-MM-DD."),
        (
            {"first_date": "2026-01-01"},
            "the first date 2026-01-01 comes after the last date 2025-12-31. Swap them.",
        ),
    ],
)
def test_options_out_of_range_are_refused_in_one_line(changes: dict[str, object], line: str) -> None:
    with pytest.raises(ConfigError) as error:
        SeedOptions(**changes)  # type: ignore[arg-type]
    assert str(error.value) == line
