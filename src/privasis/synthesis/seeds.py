"""Draw a seed: the part of a profile that code decides before any model is asked (§2.1, item 1)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Literal, NamedTuple, TypeVar, get_args

import numpy as np

from privasis.errors import ConfigError
from privasis.synthesis import catalogue
from privasis.synthesis.catalogue import NameTable
from privasis.types import Seed, Sex

NameSampling = Literal["uniform", "frequency"]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class SeedOptions:
    """How seeds are drawn; the lists that they are drawn from are the package's options.

    Raises:
        ConfigError: An option is out of its range.
    """

    # §2.2: 59% female and 95% outside the U.S. fit names drawn with equal chances, not by their counts
    # (docs/data.md has the figures of both). "frequency" draws names by their counts.
    name_sampling: NameSampling = "uniform"
    # §2.1, item 4: profiles under 18 are filtered out, so none is drawn. §2.2: ages are uniform.
    min_age: int = 18
    # The paper gives no upper bound: this one is ours.
    max_age: int = 90
    # §2.1, item 1: a date belongs to the profile. The paper gives no range: ours holds most dates of its
    # examples (Appendix G, 2006 to 2026), when e-mail, handles and URLs were everybody's.
    first_date: str = "2006-01-01"
    last_date: str = "2025-12-31"

    def __post_init__(self) -> None:
        if self.name_sampling not in get_args(NameSampling):
            raise ConfigError(f"name sampling {self.name_sampling!r} is unknown. Use uniform or frequency.")
        if not 18 <= self.min_age <= self.max_age <= 120:
            raise ConfigError(
                f"ages {self.min_age} to {self.max_age} cannot be drawn. Use 18 <= lowest <= highest <= 120."
            )
        if _day(self.first_date) > _day(self.last_date):
            raise ConfigError(
                f"the first date {self.first_date} comes after the last date {self.last_date}. Swap them."
            )


class DrawnName(NamedTuple):
    """A first name with the sex that was drawn for it."""

    first_name: str
    sex: Sex


def draw_seed(number: int, rng: np.random.Generator, options: SeedOptions) -> Seed:
    """Draw one seed; the same state of ``rng`` gives the same seed.

    Ages (whole years), income classes and blood types are uniform as in §2.2; so are days, marital
    statuses and native languages, for which the paper gives no distribution. Nothing depends on
    anything else, but for the sex, which follows from the name.

    Args:
        number: The candidate's number. It is copied: what is drawn depends on ``rng`` alone.
        rng: The candidate's own source of randomness.
        options: Bounds, and the way of drawing names.
    """
    lists = catalogue.options()
    first_name, sex = draw_name(rng, catalogue.name_table(), options.name_sampling)
    return Seed(
        number=number,
        first_name=first_name,
        sex=sex,
        age=int(rng.integers(options.min_age, options.max_age, endpoint=True)),
        date=_draw_date(rng, options),
        marital_status=_draw_one(rng, lists.marital_statuses),
        income_class=_draw_one(rng, lists.income_classes),
        blood_type=_draw_one(rng, lists.blood_types),
        native_language=_draw_one(rng, lists.native_languages),
    )


def draw_name(rng: np.random.Generator, table: NameTable, sampling: NameSampling) -> DrawnName:
    """Draw a first name, then a sex by that name's own counts of girls and boys."""
    if sampling == "uniform":
        index = int(rng.integers(len(table)))
    else:
        child = rng.integers(table.cumulative[-1])  # one of all the children ever counted
        index = int(table.cumulative.searchsorted(child, side="right"))
    name, girls, boys = table.row(index)
    return DrawnName(name, "female" if rng.integers(girls + boys) < girls else "male")


def _draw_date(rng: np.random.Generator, options: SeedOptions) -> str:
    first, last = _day(options.first_date), _day(options.last_date)
    return date.fromordinal(int(rng.integers(first.toordinal(), last.toordinal(), endpoint=True))).isoformat()


def _draw_one(rng: np.random.Generator, values: tuple[T, ...]) -> T:
    return values[int(rng.integers(len(values)))]


def _day(text: str) -> date:
    try:
        day = date.fromisoformat(text)
    except ValueError:
        day = None
    if day is None or day.isoformat() != text:  # Python reads 20251231 and 2025-W01-1 too
        raise ConfigError(f"{text!r} is not a date. Write it as YYYY-MM-DD.")
    return day
