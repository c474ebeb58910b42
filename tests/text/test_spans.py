from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privasis.text.fold import fold
from privasis.text.spans import find_verbatim


def found(text: str, value: str) -> list[tuple[str, str]]:
    return [(text[m.span.start : m.span.end], m.form) for m in find_verbatim(text, value)]


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("Zofia Brandt slept.", "Zofia Brandt", [("Zofia Brandt", "exact")]),
        ("ZOFIA BRANDT", "Zofia Brandt", [("ZOFIA BRANDT", "folded")]),
        ("Ｚｏｆｉａ　Ｂｒａｎｄｔ.", "Zofia Brandt", [("Ｚｏｆｉａ　Ｂｒａｎｄｔ", "folded")]),
        ("call Bra\u00adndt, Zo\u2060fia", "Brandt", [("Bra\u00adndt", "folded")]),
        ("Вrаndt", "Brandt", [("Вrаndt", "folded")]),
        ("Zofia\n  Brandt", "Zofia Brandt", [("Zofia\n  Brandt", "line_break")]),
        ("> by Zofia\n> Brandt", "Zofia Brandt", [("Zofia\n> Brandt", "line_break")]),
        ("the Zo-\nfia Brandt", "Zofia Brandt", [("Zo-\nfia Brandt", "line_break")]),
        ("Mrs Arcq-\nValmy", "Arcq-Valmy", [("Arcq-\nValmy", "line_break")]),
        ("Arcqvalmy", "Arcq-Valmy", []),
        ("Ann’s coat, Ann's hat", "Ann", [("Ann’s", "possessive"), ("Ann's", "possessive")]),
        ("Silas Innes' dosage", "Silas Innes", [("Silas Innes'", "possessive")]),
        ("‘by Silas Innes’", "Silas Innes", [("Silas Innes", "exact")]),
        ("the Oldroyds’ shop", "Oldroyd", [("Oldroyds’", "possessive")]),
        ("O’Brien said", "O'Brien", [("O’Brien", "folded")]),
        ("Ze\u0301lie", "Z\u00e9lie", [("Ze\u0301lie", "folded")]),
        ("café", "cafe", []),
        ("", "Ann", []),
        ("Ann", "", []),
        ("Ann", " \n", []),
        ("Ann", "\u200b", []),
        ("12 Elm Row\nLeeds", "12 Elm Row\nLeeds", [("12 Elm Row\nLeeds", "exact")]),
        ("12 Elm Row, Leeds", " 12 Elm Row, Leeds\n", [("12 Elm Row, Leeds", "exact")]),
    ],
)
def test_a_value_is_found_as_it_stands(text: str, value: str, expected: list[tuple[str, str]]) -> None:
    assert found(text, value) == expected


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Annual Joann Anneke annex", "Ann"),
        ("backend token /home/kenneth", "ken"),
        ("Bottrop Schrott Ottomotor", "Otto"),
        ("Mühle Müher", "Müh"),
        ("candy_count meandyou", "Andy"),
        ("13800138000", "1380"),
        ("at 12:40 for 12.50 or 112 or 12,500", "12"),
        ("1,500", "500"),
        ("नमस्तेजी", "नमस्त"),  # the vowel sign belongs to the last letter
        ("lawyers", "lawyer"),
        ("Paulson", "Paul"),
    ],
)
def test_a_value_inside_another_word_is_not_found(text: str, value: str) -> None:
    assert found(text, value) == []


@pytest.mark.parametrize(
    ("text", "value", "spans"),
    [
        ("user=ken /home/ken/log", "ken", ["ken", "ken"]),
        ("brandt_zofia.pdf", "zofia", ["zofia"]),
        ("电话13800138000请联系王小明,", "13800138000", ["13800138000"]),
        ("电话13800138000请联系王小明,", "王小明", ["王小明"]),
        ("คุณมาลีวรรณ ทองใสโทร มาลีวรรณจะมา", "มาลีวรรณ", ["มาลีวรรณ", "มาลีวรรณ"]),
        ("לנועה יש תור. נועה, אנועה", "נועה", ["לנועה", "נועה"]),
        ("وللكرمي نسخة، الكرمي", "الكرمي", ["وللكرمي", "الكرمي"]),
        ("김민수가 왔다. 김민수에게서는, 김민수진", "김민수", ["김민수가", "김민수에게서는"]),
        ("aged 12, row 12. Or 12", "12", ["12", "12", "12"]),
        ("rooms 12,13", "12", ["12"]),
        ("a Zofia가 and ל-Zofia", "Zofia", ["Zofia", "Zofia"]),
        ("Call Zofia🌸Brandt", "Zofia", ["Zofia"]),
    ],
)
def test_borders_are_those_of_the_script(text: str, value: str, spans: list[str]) -> None:
    assert [span for span, _ in found(text, value)] == spans


def test_the_core_is_the_value_without_what_is_attached() -> None:
    text = "Zofia’s coat; לנועה"
    assert [text[m.core.start : m.core.end] for m in find_verbatim(text, "zofia")] == ["Zofia"]
    assert [text[m.core.start : m.core.end] for m in find_verbatim(text, "נועה")] == ["נועה"]


def test_a_short_word_of_another_script_is_no_lookalike() -> None:
    assert found("и он сказал", "Oh") == []
    assert found("και έτσι", "Kai") == []
    assert found("Оh", "Oh") == [("Оh", "folded")]  # one Cyrillic letter


def test_overlapping_occurrences_are_covered() -> None:
    text = "アアア"
    assert [(m.span.start, m.span.end) for m in find_verbatim(text, "アア")] == [(0, 3)]


def test_offsets_are_code_points_after_emoji_and_bidi() -> None:
    text = "Hi 😀👩‍👩‍👧 \u2067Danilo\u2069, 🙏🏽"
    (match,) = find_verbatim(text, "danilo")
    assert text[match.span.start : match.span.end] == "Danilo"


def test_one_folded_copy_serves_many_values() -> None:
    folded = fold("Zofia Brandt, Leeds")
    assert [len(find_verbatim(folded, value)) for value in ("zofia", "LEEDS", "York")] == [1, 1, 0]


NAMES = st.sampled_from(
    ["Zofia Brandt", "O'Brien", "Ann", "王小明", "נועה", "Zoë Müller", "id-7", "(x)", "#42", "a-"]
)
AROUND = st.text(st.sampled_from("ab 1.,'’\n>-#\u200b\u0301患ל👩’s"), max_size=12)


@given(before=AROUND, value=NAMES, after=AROUND)
def test_a_planted_value_is_found_at_its_place(before: str, value: str, after: str) -> None:
    text = f"{before} {value} {after}"
    at = len(before) + 1
    assert any(m.core.start <= at and at + len(value) <= m.core.end for m in find_verbatim(text, value))


@given(text=st.text(st.sampled_from("anAN 'sS.\n-\u200b"), max_size=30))
def test_what_is_found_folds_to_the_value(text: str) -> None:
    matches = find_verbatim(text, "Ann")
    for m in matches:
        assert fold(text[m.core.start : m.core.end]).text == "ann"
        assert m.span.start <= m.core.start < m.core.end <= m.span.end
    assert all(a.span.end <= b.span.start for a, b in pairwise(matches))
