from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privasis.text.fold import bare, fold
from privasis.text.forms import find_forms
from privasis.text.name_tables import COMMON_WORDS, OPENERS
from privasis.text.names import parse_name
from privasis.text.reading import read, read_markup


def found(text: str, name: str) -> list[str]:
    return [text[m.span.start : m.span.end] for m in find_forms(text, name, "person_name")]


def forms(text: str, name: str) -> list[tuple[str, str]]:
    return [(text[m.core.start : m.core.end], m.form) for m in find_forms(text, name, "person_name")]


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("Ilse Vandermeer, ILSE VANDERMEER", "Ilse Vandermeer", ["Ilse Vandermeer", "ILSE VANDERMEER"]),
        ("its ilse here, vandermeer again", "Ilse Vandermeer", ["ilse", "vandermeer"]),
        ("Vandermeer, Ilse; Vandermeer Ilse", "Ilse Vandermeer", ["Vandermeer, Ilse", "Vandermeer Ilse"]),
        ("N:Vandermeer;Ilse;;;", "Ilse Vandermeer", ["Vandermeer;Ilse"]),
        ("I. Vandermeer, I Vandermeer, Vandermeer, I.", "Ilse Vandermeer", None),
        ("I. J. Vandermeer; I.J. Vandermeer; Ilse J. Vandermeer", "Ilse Vandermeer", None),
        ("Mrs Vandermeer, Dr. Vandermeer", "Ilse Vandermeer", ["Vandermeer", "Vandermeer"]),
        ("the Vandermeers’ shop, the Vandermeers", "Ilse Vandermeer", ["Vandermeers’", "Vandermeers"]),
        ("Ilse's coat. Vandermeer’s hat", "Ilse Vandermeer", ["Ilse's", "Vandermeer’s"]),
        ("Ilse\n  Vandermeer; > Ilse\n> Vandermeer", "Ilse Vandermeer", None),
        ("Ilse🌸Vandermeer", "Ilse Vandermeer", ["Ilse", "Vandermeer"]),
        ("signed I.V. or (IV)", "Ilse Vandermeer", ["I.V.", "IV"]),
        ("Ludwig van Beek, van Beek, Beek, Ludwig van, L. van Beek", "Ludwig van Beek", None),
        ("Séan O'Dowd; O’Dowd; ODOWD; S. O'Dowd", "Séan O'Dowd", None),
        ("Sra. Núñez y Lucía Núñez Prado", "Lucía Núñez Prado", ["Núñez", "Lucía Núñez Prado"]),
        (
            "Jürgen Köhler, Koehler, Kohler, KÖHLER",
            "Jürgen Köhler",
            ["Jürgen Köhler", "Koehler", "Kohler", "KÖHLER"],
        ),
        ("Nguyen Thi Lan", "Nguyễn Thị Lan", ["Nguyen Thi Lan"]),
        ("Robert Ashdown (Bob). Bob A. came", "Robert Ashdown", ["Robert Ashdown", "Bob", "Bob A."]),
        ("„Kiki“ came", 'Ilse "Kiki" Vandermeer', ["Kiki"]),
        ("Dr. Elena Rossi, MD. E. Rossi", "Dr. Elena Rossi, MD", ["Dr. Elena Rossi, MD", "E. Rossi"]),
        (
            "Иван Петров, Петрову, Иваном Петровым",
            "Иван Петров",
            ["Иван Петров", "Петрову", "Иваном Петровым"],
        ),
        ("王小明先生，王先生，小明。王府", "王小明", ["王小明", "王", "小明"]),
        ("山田太郎様、山田さん、太郎", "山田 太郎", ["山田太郎", "山田", "太郎"]),
        ("김민수 씨와 민수가, 김씨", "김민수", ["김민수", "민수가", "김씨"]),
        ("สมชาย ใจดีมา สมชายไป", "สมชาย ใจดี", ["สมชาย ใจดี", "สมชาย"]),
        ("לדנה ולכהן", "דנה כהן", ["לדנה", "ולכהן"]),
        ("ولِلهاشمي نسخة من ليلى", "ليلى الهاشمي", ["ولِلهاشمي", "ليلى"]),
        ("I1se and Ilse Vanderrneer", "Ilse Vandermeer", ["I1se", "Ilse Vanderrneer"]),
    ],
)
def test_a_person_is_found_in_every_shape(text: str, name: str, expected: list[str] | None) -> None:
    spans = found(text, name)
    if expected is not None:
        assert spans == expected
        return
    left = text
    for span in spans:  # all that is left are separators
        left = left.replace(span, "", 1)
    assert left.strip(" ,;>\n") == ""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("to ilse.vandermeer@example.org", ["ilse.vandermeer@example.org"]),
        ("ivandermeer@example.net, vandermeeri@x.org", ["ivandermeer@example.net", "vandermeeri@x.org"]),
        ("info@vandermeer-law.example", ["info@vandermeer-law.example"]),
        ("@ilsevandermeer92 and vandermeer_i", ["@ilsevandermeer92", "vandermeer_i"]),
        ("login ivandermeer", ["ivandermeer"]),
        ("C:\\Users\\Ilse Vandermeer\\x.txt", ["Ilse Vandermeer"]),
        ("/home/ilse/.cache /tmp/pytest-of-ilse/run-3", ["ilse", "pytest-of-ilse"]),
        ("vandermeer_ilse_cv.pdf", ["vandermeer_ilse_cv"]),
        ("https://www.ilsevandermeer.com/about", ["https://www.ilsevandermeer.com/about"]),
        ("https://social.example/in/ilse-vandermeer?x=1", ["ilse-vandermeer"]),
        ("class VandermeerTools: pass", ["VandermeerTools"]),
        ("mailto:ilse@example.org", ["ilse@example.org"]),
        ("drvandermeer@x.org, iamilse@x.org", ["drvandermeer@x.org", "iamilse@x.org"]),
        ("desk@example.com, /usr/lib/vander, silse_x", []),
    ],
)
def test_a_name_is_found_in_what_is_made_for_machines(text: str, expected: list[str]) -> None:
    assert found(text, "Ilse Vandermeer") == expected


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Annual Joann Anneke annex plan_b", "Ann Mays"),
        ("import meandyou; candy_count = handy", "Andy Rusk"),
        ("Bottrop, Schrott, Ottomotor, Mühle", "Otto Müh"),
        ("backend token /home/kenneth", "Ken Doe"),
        ("Ilse Bergman and Ilse Okoro were there too", "Ilse Vandermeer"),  # other people
        ("The bill was paid. Will you come? will it rain? Hunt for it", "William Hunt"),
        ("Mark my words, young people. Young people!", "Mark Young"),
        ("April showers in April and May", "April May"),
        ("A rose may die. Roses. THE ROSE WILL DIE", "Will Rose"),
        ("The Rose Garden, Little Rose Inn", "Ella Rose"),
        ("I.T. and U.S. and p.m.", "Ulla Stone"),
        ("Mr A.B. Baka and Mr Nicola", "Anders Nicolaides"),
        ("Mr A.B. Baka", "Anthony Boner"),
        ("アンナマリーさん", "アン カトウ"),
        ("김수진", "이수진"),
        ("Иванова Мария", "Ольга Ива"),
    ],
)
def test_other_words_and_other_people_stay(text: str, name: str) -> None:
    assert found(text, name) == []


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("Will Hope will hope; Hope so. Dear Hope, ask Will.", "Will Hope", ["Will Hope", "Hope", "Will"]),
        ("Thanks,\nGrace", "Grace Stone", ["Grace"]),
        ("Grace: hello\nRavi: hi", "Grace Stone", ["Grace"]),
        ("Mr Young and Mr. Young", "Mark Young", ["Young", "Young"]),
        ("mark.young@x.org; mark@x.org; markyoung; young.txt", "Mark Young", None),
    ],
)
def test_names_that_are_words_count_where_they_look_like_names(
    text: str, name: str, expected: list[str] | None
) -> None:
    assert found(text, name) == (expected or ["mark.young@x.org", "mark@x.org", "markyoung"])


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("Ilse Vandermeer", "exact"),
        ("ILSE VANDERMEER", "folded"),
        ("Ilse\nVandermeer", "line_break"),
        ("Vandermeer", "name_part"),
        ("Vandermeer, Ilse", "turned"),
        ("I. Vandermeer", "initials"),
        ("Ilse M. Vandermeer", "name"),
        ("Vandermeers", "plural"),
        ("ilse_vandermeer", "slug"),
        ("x.ilse@vm.org", "email"),
        ("I1se", "look_alike"),
    ],
)
def test_the_form_is_named(text: str, form: str) -> None:
    assert [f for _, f in forms(text, "Ilse Vandermeer")] == [form]


@pytest.mark.parametrize(
    ("value", "given", "family"),
    [
        ("Ilse Vandermeer", ("ilse",), ("vandermeer",)),
        ("Vandermeer, Ilse", ("ilse",), ("vandermeer",)),
        ("Dr. Ilse M. Vandermeer, PhD", ("ilse",), ("vandermeer",)),
        ("Ludwig van der Beek", ("ludwig",), ("beek",)),
        ("Hélène d'Arcq-Valmy", ("helene",), ("arcq", "valmy")),
        ("Lucía Núñez Prado", ("lucia", "nunez"), ("prado",)),
        ("王小明", ("小明",), ("王",)),
        ("欧阳小明", ("小明",), ("欧阳",)),
        ("김민수", ("민수",), ("김",)),
        ("Madonna", (), ("madonna",)),
        ("", (), ()),
        ("!!", (), ()),
    ],
)
def test_a_name_has_parts(value: str, given: tuple[str, ...], family: tuple[str, ...]) -> None:
    name = parse_name(value)
    assert (name.given, name.family) == (given, family)


def test_words_that_open_sentences_are_common_words() -> None:
    assert COMMON_WORDS | {"peace", "clear", "close", "dear", "free", "hands", "hold"} >= OPENERS


def test_markup_inside_a_name_is_looked_through() -> None:
    text = (
        "# Ilse **Vander**meer\n<b>Il</b>se <i>Vander</i>meer, "
        "Vanderm&#101;er and Vander=\nmeer and \\u0049lse"
    )
    spans = [
        text[m.span.start : m.span.end]
        for m in find_forms(read_markup(text), "Ilse Vandermeer", "person_name")
    ]
    assert spans == [
        "Ilse **Vander**meer",
        "Il</b>se <i>Vander</i>meer",
        "Vanderm&#101;er",
        "Vander=\nmeer",
        "\\u0049lse",
    ]


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("x=Ilse%20Vandermeer&", "percent_encoded"),
        ("ilse+vandermeer", "percent_encoded"),
        ("SWxzZSBWYW5kZXJtZWVy", "base64"),
        ("eCBJbHNlIFZhbmRlcm1lZXIgeQ==", "base64"),
        ("eHggSWxzZSBWYW5kZXJtZWVyIHl5", "base64"),
        ("\u202ereemrednaV eslI\u202c", "reversed"),
        ("I l s e V a n d e r m e e r", "spaced"),
        ("I-l-s-e-V-a-n-d-e-r-m-e-e-r", "spaced"),
    ],
)
def test_coats_of_programs_are_seen_through(text: str, form: str) -> None:
    assert form in [m.form for m in find_forms(text, "Ilse Vandermeer", "person_name")]


ANYTHING = st.text(
    st.sampled_from("IlseVandrm .,;'’-_@/\n\r\u200b\u00adŁé0159()<>*&#;ЖאممX王"), max_size=50
) | st.lists(
    st.sampled_from(
        [
            "Ilse",
            "ilse",
            "Vandermeer",
            "I.",
            "V",
            " ",
            " ",
            ", ",
            "@",
            "_",
            "'s",
            "\n",
            "> ",
            ".org",
            "\u200b",
            "é",
            "x",
        ]
    ),
    max_size=14,
).map("".join)


@given(text=ANYTHING)
def test_matches_are_ordered_disjoint_and_inside(text: str) -> None:
    matches = find_forms(text, "Ilse Vandermeer", "person_name")
    for m in matches:
        assert 0 <= m.span.start <= m.core.start < m.core.end <= m.span.end <= len(text)
    assert all(a.span.end <= b.span.start for a, b in pairwise(matches))


@given(before=ANYTHING, after=ANYTHING)
def test_a_planted_name_is_always_covered(before: str, after: str) -> None:
    text = f"{before} Ilse Vandermeer {after}"
    start = len(before) + 1
    covered = {
        p for m in find_forms(text, "Ilse Vandermeer", "person_name") for p in range(m.span.start, m.span.end)
    }
    assert set(range(start, start + 4)) <= covered
    assert set(range(start + 5, start + 15)) <= covered


@given(text=ANYTHING)
def test_once_removed_the_name_is_gone(text: str) -> None:
    for _ in range(4):  # what is removed may bring two halves together, so more than once
        matches = find_forms(text, "Ilse Vandermeer", "person_name")
        if not matches:
            break
        for m in reversed(matches):
            text = text[: m.span.start] + "[x]" + text[m.span.end :]
    assert "ilse vandermeer" not in fold(text).text
    assert find_forms(text, "Ilse Vandermeer", "person_name") == ()


def test_one_reading_serves_many_values() -> None:
    reading = read("Ilse Vandermeer, 3 May 2024")
    assert len(find_forms(reading, "Ilse Vandermeer", "person_name")) == 1
    assert len(find_forms(reading, "2024-05-03", "date")) == 1


@pytest.mark.parametrize("value", ["", " ", "\u200b", "\n"])
def test_an_empty_value_is_never_found(value: str) -> None:
    assert find_forms("some text", value, "person_name") == ()
    assert bare(value) == ""
