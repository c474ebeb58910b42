from __future__ import annotations

import dataclasses

from hypothesis import given
from hypothesis import strategies as st

from privasis.analysis.cases import CLOSE, OPEN, cases_table, excerpt, leak_cases, marked
from privasis.analysis.systems import System
from privasis.types import Span
from support.scores import scored


def case(id: str, verdict: str, text: str, value: str, guess: str = "") -> object:
    plain = scored(id, verdict, sanitized=text)
    target = dataclasses.replace(plain.targets[0], value=value, guess=guess)
    return dataclasses.replace(plain, targets=(target,))


HEADER = "HOLM CLINIC, Bergen\nThe patient was seen at the clinic.\nDr. A., Holm Clinic"
WRITE = "Write to editor@fjordreview.example about [journal]."
DRAWN = "Blood was drawn at 12:40, five hours after the dose."
SYSTEM = System(
    "tested",
    "",
    (
        case("r1", "direct", HEADER, "Holm Clinic"),
        case("r2", "direct", "Nothing of it stands here.", "Elsewhere"),
        case("r3", "inference", WRITE, "Fjordreview", "Fjordreview"),
        case("r4", "proximity", DRAWN, "7:40", "7:40, five hours earlier"),
    ),
)


def test_a_direct_leak_is_marked_wherever_it_stands() -> None:
    (found,) = leak_cases([SYSTEM], "direct", 1)
    assert found.id == "r1"
    assert [HEADER[place.start : place.end] for place in found.places] == ["HOLM CLINIC", "Holm Clinic"]
    assert excerpt(found).startswith(f"{OPEN}HOLM CLINIC{CLOSE}, Bergen")


def test_cases_whose_place_is_known_come_first() -> None:
    assert [found.id for found in leak_cases([SYSTEM], "direct", 5)] == ["r1", "r2"]


def test_clues_of_an_inference_are_marked_inside_words() -> None:
    (found,) = leak_cases([SYSTEM], "inference", 1)
    assert (
        marked(found.text, found.places)
        == f"Write to editor@{OPEN}fjordreview{CLOSE}.example about [journal]."
    )


def test_the_table_has_a_case_of_each_kind() -> None:
    table = cases_table([SYSTEM], 1)
    assert [row[0] for row in table.rows] == ["direct", "inference", "proximity"]
    assert f"{OPEN}five{CLOSE} {OPEN}hours{CLOSE}" in table.rows[2][-1]


@given(st.text(max_size=400), st.data())
def test_an_excerpt_shows_every_place(text: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=8)))
    places = tuple(Span(a, b) for a, b in zip(cuts[::2], cuts[1::2], strict=False))
    (plain,) = leak_cases([SYSTEM], "inference", 1)
    shown = excerpt(dataclasses.replace(plain, text=text, places=places), around=5)
    for place in places:
        assert text[place.start : place.end] in shown
    assert marked(text, places).count(OPEN) == text.count(OPEN) + len(places)
