"""Figure 3 and §2.2: whom the profiles describe, against what was meant, and whether they could be real."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from math import inf

import numpy as np

from privasis.analysis.agreement import wilson
from privasis.analysis.counts import Fit, equal_shares, fit
from privasis.analysis.table import Cell, Share, Table, share_of
from privasis.store.people import Person
from privasis.synthesis.catalogue import name_table, options
from privasis.synthesis.seeds import SeedOptions

TOP = 12  # values of an open list that are shown
BAND = 10  # years
_US = re.compile(r"\b(?:u\.?s\.?a?\.?|united states|america|american|us citizen)(?!\w)", re.IGNORECASE)
_RESERVED = re.compile(
    r"(?:^|[@./])(?:example\.(?:com|net|org)|[a-z0-9.-]+\.(?:example|test|invalid|localhost))$"
)
_HOST = re.compile(r"^[a-z][a-z0-9+.-]*://(?:[^@/]*@)?([^/:?#]+)", re.IGNORECASE)
# Numbers that no subscriber gets: kept for drama and documentation by the national plans.
_FICTION = (
    re.compile(r"^1\d{3}55501\d\d$"),  # North America: 555-0100 to 555-0199
    re.compile(
        r"^44(?:1632960|7700900|2079460|1134960|1174960|1214960|1314960|1414960|1514960|1614960)\d{3}$"
    ),
    re.compile(r"^61(?:[2378]5550\d{3,4}|[2378]7010\d{4}|491570\d{3})\d*$"),  # Australia
    re.compile(r"^353209\d{6}$"),  # Ireland
)


def distributions(people: Sequence[Person], drawn: SeedOptions, seed: int = 0) -> Table:
    """Return how sex, age, income, blood type, status and language are spread, tested against the drawing.

    Args:
        people: The profiles.
        drawn: How their seeds were drawn.
        seed: Of the tests' draws.
    """
    lists = options()
    meant: dict[str, tuple[Callable[[Person], str], dict[str, float]]] = {
        "sex": (lambda one: one.seed.sex, _sexes(drawn)),
        "age": (lambda one: _band(one.seed.age, drawn.min_age), _ages(drawn)),
        "income class": (lambda one: one.seed.income_class, equal_shares(lists.income_classes)),
        "blood type": (lambda one: one.seed.blood_type, equal_shares(lists.blood_types)),
        "marital status": (lambda one: one.seed.marital_status, equal_shares(lists.marital_statuses)),
    }
    rows: list[tuple[Cell, ...]] = []
    for name, (value_of, shares) in meant.items():
        counts = Counter(map(value_of, people))
        tested = fit(counts, shares, np.random.default_rng(seed))
        values = [*shares, *sorted(counts.keys() - shares.keys())]
        rows += [
            (name, value, *_share(counts[value], len(people)), Share(shares.get(value, 0.0)), _p(tested))
            for value in values
        ]
    return Table(
        f"Profiles: what was drawn, of {len(people)} (%, 95% intervals)",
        ("Attribute", "Value", "Profiles", "Share", "Meant", "p"),
        tuple(rows),
        (
            "p: how often counts drawn as meant are as far off, in 4,000 draws; one for an attribute. "
            "Of many tests one in twenty falls below 0.05 by chance alone.",
        ),
    )


def _sexes(drawn: SeedOptions) -> dict[str, float]:
    names = name_table()
    if drawn.name_sampling == "uniform":
        female = float((names.girls / (names.girls + names.boys)).mean())
    else:
        female = float(names.girls.sum() / (names.girls.sum() + names.boys.sum()))
    return {"female": female, "male": 1 - female}


def _band(age: int, lowest: int) -> str:
    start = max(age // BAND * BAND, lowest)
    return f"{start}-{age // BAND * BAND + BAND - 1}"


def _ages(drawn: SeedOptions) -> dict[str, float]:
    years = range(drawn.min_age, drawn.max_age + 1)
    bands = Counter(_band(age, drawn.min_age) for age in years)
    return {band: count / len(years) for band, count in bands.items()}


def _share(count: int, total: int) -> tuple[Cell, Cell]:
    return count, share_of(wilson(count, total))


def _p(tested: Fit | None) -> float | None:
    return None if tested is None else tested.p


def ethnicities(people: Sequence[Person], top: int = TOP, seed: int = 0) -> Table:
    """Return Figure 3: the ethnicities, and the citizenships, that models chose most often.

    Nothing is meant here: the model chooses of a few that code offers. A model without a preference would
    choose each equally often, so that is what ethnicity is tested against.
    """
    rows: list[tuple[Cell, ...]] = []
    notes = []
    for name in ("ethnicity", "citizenship"):
        counts = Counter(one.fact(name) or "(none)" for one in people)
        rows += [(name, value, *_share(count, len(people))) for value, count in counts.most_common(top)]
        rest = sum(counts.values()) - sum(count for _, count in counts.most_common(top))
        if rest:
            rows.append((name, f"{len(counts) - top} others", *_share(rest, len(people))))
    tested = fit(
        Counter(one.fact("ethnicity") for one in people),
        equal_shares(options().ethnicities),
        np.random.default_rng(seed),
    )
    if tested is not None:
        off = "an ethnicity that was never offered" if tested.chi_square == inf else f"p = {tested.p:.4f}"
        notes.append(f"Ethnicity against equal chances for the {len(options().ethnicities)} offered: {off}.")
    abroad = sum(not _US.search(one.fact("citizenship")) for one in people)
    if people:
        rows.append(("citizenship", "outside the U.S. (paper: 95%)", *_share(abroad, len(people))))
    return Table(
        f"Figure 3: ethnicity and citizenship, of {len(people)} (%, 95% intervals)",
        ("Attribute", "Value", "Profiles", "Share"),
        tuple(rows),
        tuple(notes),
    )


def reality_checks(people: Sequence[Person], known: Iterable[str] = ()) -> Table:
    """Return what code can tell of whether profiles point at somebody real.

    Args:
        people: The profiles.
        known: Full names of well-known people, to be compared without case and spacing.
    """
    famous = {_plain(name) for name in known if name.strip()}
    names = Counter(_plain(one.fact("full_name")) for one in people)
    checks: list[tuple[str, Sequence[bool]]] = [
        ("e-mail at a domain kept for examples", [is_reserved(one.fact("email")) for one in people]),
        ("URL on a domain kept for examples", [is_reserved(host_of(one.fact("url"))) for one in people]),
        ("phone number kept for fiction", [is_fiction(one.fact("phone_number")) for one in people]),
        ("full name of another profile too", [names[_plain(one.fact("full_name"))] > 1 for one in people]),
    ]
    if famous:
        checks.append(
            (
                f"full name on the list of {len(famous)}",
                [_plain(one.fact("full_name")) in famous for one in people],
            )
        )
    rows = tuple((what, *_share(sum(found), len(people))) for what, found in checks)
    return Table(
        f"Could they be real? What code can check, of {len(people)} (%, 95% intervals)",
        ("Profiles with", "Profiles", "Share"),
        rows,
        (
            "Domains of RFC 2606, 6761; numbers of the North American, British, Australian and Irish plans.",
            "An address outside of them is invented by the model and may exist: only a search can tell.",
        ),
    )


def is_reserved(address: str) -> bool:
    """Tell whether an e-mail address or a host can belong to nobody (RFC 2606, RFC 6761)."""
    return _RESERVED.search(address.strip().casefold()) is not None


def host_of(url: str) -> str:
    """Return the host of a URL, empty where there is none."""
    found = _HOST.match(url.strip())
    return found[1] if found else ""


def is_fiction(phone: str) -> bool:
    """Tell whether an international phone number is one that no subscriber gets."""
    digits = re.sub(r"\D", "", phone)
    return any(kept.match(digits) for kept in _FICTION)


def _plain(name: str) -> str:
    return " ".join(name.casefold().split())
