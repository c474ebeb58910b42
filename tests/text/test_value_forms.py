from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privasis.text.dates import Day, find_dates, same_day
from privasis.text.fold import fold, strip_accents
from privasis.text.forms import find_forms
from privasis.text.kinds import ValueKind


def found(text: str, value: str, kind: ValueKind) -> list[str]:
    return [text[m.span.start : m.span.end] for m in find_forms(text, value, kind)]


def days(text: str) -> set[Day]:
    return {day for found in find_dates(strip_accents(fold(text))) for day in found.days}


@pytest.mark.parametrize(
    "written",
    [
        "March 9, 2021",
        "9 March 2021",
        "9th of March, 2021",
        "the ninth of March 2021",
        "Mar. 9, 2021",
        "Tuesday, March 9th, 2021",
        "Tue 9 Mar '21",
        "2021-03-09",
        "2021/3/9",
        "2021.03.09",
        "20210309",
        "09.03.2021",
        "9/3/21",
        "03/09/2021",
        "09-Mar-2021",
        "2021 March 9",
        "9. März 2021",
        "le 9 mars 2021",
        "9 de marzo de 2021",
        "9 marzo 2021",
        "9 de março de 2021",
        "9 maart 2021",
        "9 marca 2021",
        "9. března 2021",
        "9 марта 2021",
        "9 березня 2021",
        "9 Μαρτίου 2021",
        "9 Mart 2021",
        "٩ مارس ٢٠٢١",
        "9 במרץ 2021",
        "9 मार्च 2021",
        "9 มีนาคม 2564",
        "2021年3月9日",
        "令和3年3月9日",
        "R3.3.9",
        "二〇二一年三月九日",
        "民國110年3月9日",
        "2021년 3월 9일",
        "９ March ２０２１",
        "9\nMarch 2021",
    ],
)
def test_a_date_is_the_same_however_it_is_written(written: str) -> None:
    text = f"seen on {written} again"
    assert found(text, "2021-03-09", "date") in (
        [written],
        [written.removeprefix("the ")],
        [written.removeprefix("le ")],
    )
    assert found("seen on 9 March 2021 again", written, "date") == ["9 March 2021"]


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("on 9 March and March 9", "9 March 2021", ["9 March", "March 9"]),
        ("in 2021, on 9 March 2020", "9 March 2021", []),
        ("March 2021, 10 March 2021, 9 April 2021", "9 March 2021", []),
        ("March 2021 and 03/2021", "March 2021", ["March 2021"]),
        ("7-9 March 2021", "9 March 2021", ["7-9 March 2021"]),
        ("7-9 March 2021", "7 March 2021", ["7-9 March 2021"]),
        ("DTSTART:20210309T090000Z", "9 March 2021", ["20210309"]),
        ("2021-03-09T09:00", "9 March 2021", ["2021-03-09"]),
        ("1.2021.03.09 and v1.9.3 and 192.168.9.3", "9 March 2021", []),
        ("we may 9 times", "9 March 2021", []),
        ("born S59.3.3", "1984-03-03", ["S59.3.3"]),
        ("31/02/2021, 32 March 2021, 2021-13-09", "9 March 2021", []),
        ("9 March 1921 or 9/3/21", "9 March 2021", ["9/3/21"]),
    ],
)
def test_dates_agree_as_far_as_they_say(text: str, value: str, expected: list[str]) -> None:
    assert found(text, value, "date") == expected


@given(st.dates(date(1900, 1, 1), date(2099, 12, 31)), st.dates(date(1900, 1, 1), date(2099, 12, 31)))
def test_other_days_are_other_days(a: date, b: date) -> None:
    def formats(d: date) -> list[str]:
        return [
            d.isoformat(),
            f"{d.day} {d:%B} {d.year}",
            f"{d:%b} {d.day}, {d.year}",
            f"{d.year}年{d.month}月{d.day}日",
        ]

    for written in formats(a):
        for other in formats(b):
            assert same_day(days(written), days(other)) is (a == b)
        assert same_day(days(written), days((a + timedelta(days=1)).isoformat())) is False


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("at 21:30, 9.30 pm, 21h30, half past nine, nine thirty", "9:30 PM", None),
        ("9:30 AM, 20:30, 9:31, 19:30:00, 3.9:30", "9:30 PM", []),
        ("at 12:00 or noon; 24:00", "12 pm", ["12:00", "noon"]),
        ("quarter to seven, 6:45", "18:45", ["quarter to seven", "6:45"]),
        ("um 18 Uhr, 18時", "6 pm", ["18 Uhr", "18時"]),
        ("nine people, nine", "9 am", []),
        ("2130 hours", "21:30", ["2130 hours"]),
    ],
)
def test_a_time_is_the_same_in_other_notations(text: str, value: str, expected: list[str] | None) -> None:
    assert found(text, value, "time") == (
        expected if expected is not None else ["21:30", "9.30 pm", "21h30", "half past nine", "nine thirty"]
    )


PHONE = [
    "+44 20 7946 0018",
    "+442079460018",
    "0044 20 7946 0018",
    "+44 (0)20 7946 0018",
    "(020) 7946 0018",
    "020-7946-0018",
    "02079460018",
    "020.7946.0018",
    "０２０ ７９４６ ００１８",
    "٠٢٠ ٧٩٤٦ ٠٠١٨",
    "020 7946\n0018",
]


@pytest.mark.parametrize("value", [PHONE[0], PHONE[4], PHONE[6]])
@pytest.mark.parametrize("written", PHONE)
def test_a_phone_number_is_the_same_in_any_grouping(written: str, value: str) -> None:
    assert found(f"call {written}, or not", value, "phone") == [written]


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("call 5550147 or 212-555-0148 or 12125550147999", "212-555-0147", ["5550147"]),
        ("1 (212) 555-0147 ext. 12", "212-555-0147", ["1 (212) 555-0147"]),
        ("two one two, five double five, oh one four seven!", "(212) 555-0147", None),
        ("电话02079460018请", "+44 20 7946 0018", ["02079460018"]),
        ("tel:+12125550147;x", "212 555 0147", ["+12125550147"]),
    ],
)
def test_phone_numbers_end_where_they_end(text: str, value: str, expected: list[str] | None) -> None:
    assert found(text, value, "phone") == (expected or ["two one two, five double five, oh one four seven"])


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("4111111111111111 or 4111-1111-1111-1111", "4111 1111 1111 1111", None),
        ("gb33bukb20201555555555; GB33-BUKB-2020-1555-5555-55", "GB33 BUKB 2020 1555 5555 55", None),
        ("GB33 BUKB 2O2O 1555 5555 55", "GB33BUKB20201555555555", None),
        ("078051120 or 078 05 1120", "078-05-1120", None),
        ("ts 1749550123456, ratio 0.250750683890174", "4111 1111 1111 1111", []),
        ("41111111111111112 and 94111111111111111", "4111 1111 1111 1111", []),
        ("card ending in 1111, **** 1111, room 1111", "4111 1111 1111 1111", ["ending in 1111", "**** 1111"]),
        ("房号1380", "13800138000", []),
        ("(AB) 12-345 / AB12345", "AB-12345", ["(AB) 12-345", "AB12345"]),
        ("{'id': 4111111111111111}", "4111 1111 1111 1111", ["4111111111111111"]),
        ("room 12, aged 12.5, 12:40, 3/12/2024", "12", ["12"]),
    ],
)
def test_a_number_is_the_same_with_any_separators(text: str, value: str, expected: list[str] | None) -> None:
    spans = found(text, value, "number")
    if expected is not None:
        assert spans == expected
        return
    for span in spans:
        text = text.replace(span, "", 1)
    assert text.strip(" ;or") == ""


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("USD 45000, 45k, $45,000.00, 45.000, 45 000, $45 thousand", "$45,000", None),
        ("forty-five thousand dollars", "$45,000", None),
        ("£45,000 or 45,001 or 450,000 or $45", "$45,000", ["45"]),
        ("€40, 40 EUR, forty euros, EUR 40.00", "40 euros", None),
        ("room 40, aged forty, $40", "40 EUR", []),
        ("1,2 Mio. €, 1.200.000 EUR", "€1.2 million", None),
        ("¥3,000 and 3000円", "3,000 yen", None),
    ],
)
def test_an_amount_is_the_same_in_other_figures(text: str, value: str, expected: list[str] | None) -> None:
    spans = found(text, value, "amount")
    if expected is not None:
        assert spans == expected or (expected == ["45"] and spans == [])
        return
    for span in spans:
        text = text.replace(span, "", 1)
    assert text.strip(" ,.and") == ""


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("turned seventy-four; 74 years, 74yo, 74-year-old", "74", ["seventy-four", "74", "74", "74"]),
        ("in 1974, 7.4 mg, 174, 74.5", "74", []),
        ("she is 74", "seventy-four years old", ["74"]),
    ],
)
def test_an_age_is_found_in_words_and_figures(text: str, value: str, expected: list[str]) -> None:
    assert found(text, value, "age") == expected


@pytest.mark.parametrize(
    ("text", "value", "kind", "expected"),
    [
        ("ilse dot v at example dot org", "ilse.v@example.org", "email", None),
        ("ilse.v[AT]example[DOT]org", "ilse.v@example.org", "email", None),
        ("ilse.v (at) example.org", "ilse.v@example.org", "email", None),
        ("ILSE.V＠EXAMPLE.ORG", "ilse.v@example.org", "email", None),
        ("il\u200bse.v@exam\u00adple.org", "ilse.v@example.org", "email", None),
        ("user ilse.v logged in at dot-matrix", "ilse.v@example.org", "email", ["ilse.v"]),
        ("xilse.v@example.org, ilse.v@example.organic", "ilse.v@example.org", "email", ["ilse.v"]),
        ("info at the desk", "info@example.org", "email", []),
        ("http://www.example.org/~v/ and example.org/~v", "https://example.org/~v", "url", None),
        ("example.org/~vv", "https://example.org/~v", "url", []),
        ("@ilse92 as ilse92, x.com/ilse92; ilse921", "@ilse92", "handle", ["@ilse92", "ilse92", "ilse92"]),
        (
            "4 Elm Road or 4 elm rd. or 4 ELM RD",
            "4 Elm Rd, Leeds",
            "address",
            ["4 Elm Road", "4 elm rd", "4 ELM RD"],
        ),
        ("14 Elm Road, 4 Elmer Road", "4 Elm Rd, Leeds", "address", []),
        ("ROYAL TARN\nHOSPITAL; Royal Tarn; RTH; rth", "Royal Tarn Hospital", "organization", None),
        ("desk@royaltarn.example", "Royal Tarn Hospital", "organization", None),
        ("Aster Bay or Aster Bay Ltd", "Aster Bay Ltd.", "organization", ["Aster Bay", "Aster Bay"]),
        ("aster, bay", "Aster Bay Ltd", "organization", []),
    ],
)
def test_addresses_and_organisations(
    text: str, value: str, kind: ValueKind, expected: list[str] | None
) -> None:
    spans = found(text, value, kind)
    if expected is not None:
        assert spans == expected
        return
    for span in spans:
        text = text.replace(span, "", 1)
    assert text.strip(" ;and") in {"", "rth"}


@given(
    digits=st.lists(st.sampled_from("0123456789"), min_size=9, max_size=16),
    separators=st.lists(st.sampled_from(["", "", " ", "-", ".", " - ", "\n"]), min_size=16, max_size=16),
)
def test_a_planted_number_is_found_in_any_grouping(digits: list[str], separators: list[str]) -> None:
    written = "".join(digit + gap for digit, gap in zip(digits, separators, strict=False)).rstrip(" -.\n")
    assert any(written in span for span in found(f"No {written}; end", "".join(digits), "number"))
