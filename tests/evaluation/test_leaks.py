from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privasis.evaluation.leaks import over_edit, strict_spans
from privasis.text.leaks import direct_leaks
from privasis.types import Span

TEXT = (
    "Dr. Ana Beltrán saw two lawyers on March 12, 2024. Invoice 1204 came to 310.50 EUR, paid from DE44 5001."
)


@pytest.mark.parametrize(
    ("value", "stands"),
    [
        ("ana beltrán", True),
        ("ANA BELTRÁN", True),
        ("lawyer", True),  # the paper's reading is a substring search
        ("120", True),
        ("12/03/2024", False),
        ("Ana Beltran", False),  # another letter is another string
        ("Beltrán Ana", False),
    ],
)
def test_the_papers_reading_is_a_substring_in_any_case(value: str, stands: bool) -> None:
    assert direct_leaks(TEXT, [value]) == [stands]


@pytest.mark.parametrize(
    ("name", "value", "stands"),
    [
        ("visit_date", "March 12, 2024", True),
        ("profession", "lawyer", False),  # 'lawyers' is another word
        ("invoice", "120", False),  # 1204 is another number
        ("invoice", "1204", True),
        ("patient_name", "Ana Beltrán Ruiz", True),  # a part of the name is there
    ],
)
def test_the_stricter_reading_keeps_to_word_borders(name: str, value: str, stands: bool) -> None:
    assert bool(strict_spans(TEXT, name, [value])) == stands


def test_the_stricter_reading_knows_other_formats() -> None:
    assert strict_spans("seen on 12/03/2024 at noon", "visit_date", ["March 12, 2024"])
    assert strict_spans("call 0049-170.5550199 at noon", "phone", ["0049 170 555 0199"])
    assert direct_leaks("seen on 12/03/2024 at noon", ["March 12, 2024"]) == [False]


def test_any_value_counts_and_places_are_sorted() -> None:
    spans = strict_spans("Bonn, then Kiel, then Bonn", "cities", ["Kiel", "Bonn"])
    assert spans == (Span(0, 4), Span(11, 15), Span(22, 26))


@given(
    st.text(st.characters(exclude_categories=[]), max_size=60),
    st.lists(st.text(st.characters(exclude_categories=[]), min_size=1, max_size=4), max_size=6),
)
def test_one_folding_gives_the_verdicts_of_python(text: str, values: list[str]) -> None:
    pieces = [text[place : place + 3].swapcase() for place in range(0, len(text), 7)]
    wanted = [*values, *(piece for piece in pieces if piece)]
    assert direct_leaks(text, wanted) == [value.casefold() in text.casefold() for value in wanted]


@pytest.mark.parametrize("value", ["STRASSE", "straße", "ﬁt", "FIT", "ΣΟΦΟΣ", "İzmir", "a\x00b"])
def test_letters_that_fold_to_several(value: str) -> None:
    for text in (f"x {value} y", f"x {value.swapcase()} y", f"x {value.casefold()} y", "nothing"):
        assert direct_leaks(text, [value, "q"]) == [value.casefold() in text.casefold(), False]


ORIGINAL = "Ann lives in Bonn. She likes tea."  # 33 characters
ANN, BONN = Span(0, 3), Span(13, 17)  # 7 of them are targets


def test_over_edit_of_nothing_and_everything() -> None:
    assert over_edit(ORIGINAL, ORIGINAL, [ANN, BONN]) == 0.0
    assert over_edit(ORIGINAL, "", [ANN, BONN]) == 1.0


def test_what_replaces_a_target_is_free() -> None:
    assert over_edit(ORIGINAL, "Someone lives in a city. She likes tea.", [ANN, BONN]) == 0.0


def test_over_edit_by_hand() -> None:
    # 'likes' became 'loves': 2 of the 26 characters outside the targets
    assert over_edit(ORIGINAL, "Someone lives in a city. She loves tea.", [ANN, BONN]) == pytest.approx(
        2 / 26
    )
    # the second sentence and the blank before it (15 characters) are gone
    assert over_edit(ORIGINAL, "Ann lives in Bonn.", [ANN, BONN]) == pytest.approx(15 / 26)


def test_a_text_of_nothing_but_targets() -> None:
    assert over_edit("Bonn", "a city", [Span(0, 4)]) == 0.0
