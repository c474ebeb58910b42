from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from privasis.text.leaks import contains_direct, direct_leaks

TEXTS = st.text(st.sampled_from("aAbB éÉßſİıΣσς“’Ł\ud800🌸王\x00"), max_size=20)


@pytest.mark.parametrize(
    ("text", "value", "leaks"),
    [
        ("The Annual report", "ann", True),  # the paper's check knows no word borders
        ("STRASSE", "straße", True),
        ("Leeds", "York", False),
        ("", "York", False),
    ],
)
def test_a_direct_leak_is_a_substring_in_any_case(text: str, value: str, leaks: bool) -> None:
    assert contains_direct(text, value) is leaks
    assert direct_leaks(text, [value]) == [leaks]


@given(text=TEXTS, values=st.lists(TEXTS.map(lambda text: text[:4]), max_size=6))
@example(text="İ", values=["i̇", "i", "İ"])
@example(text="ΑΣ", values=["ας", "ασ"])
def test_many_values_get_the_verdicts_of_one(text: str, values: list[str]) -> None:
    assert direct_leaks(text, values) == [value.casefold() in text.casefold() for value in values]
