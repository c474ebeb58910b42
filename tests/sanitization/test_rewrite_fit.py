"""A phrase in place of a span: articles, titles, genitives, capitals, JSON, table cells."""

from __future__ import annotations

import json

import pytest

from privasis.sanitization.fit import put, take_out
from privasis.sanitization.markup import MOST_PROSE, form_is_kept, frame_of, json_tokens, signs
from privasis.types import Span


def place(text: str, words: str) -> Span:
    start = text.index(words)
    return Span(start, start + len(words))


def after(text: str, words: str, phrase: str | None) -> str:
    change = take_out(text, place(text, words)) if phrase is None else put(text, place(text, words), phrase)
    assert change is not None
    return text[: change.start] + change.replacement + text[change.end :]


@pytest.mark.parametrize(
    ("text", "words", "phrase", "result"),
    [
        ("At an Oslo clinic.", "Oslo clinic", "a hospital", "At a hospital."),
        ("At the Oslo clinic.", "Oslo clinic", "a hospital", "At the hospital."),
        ("At her Oslo clinic.", "Oslo clinic", "the hospital", "At her hospital."),
        ("A 34-year-old left.", "34-year-old", "adult", "An adult left."),
        ("An Ipswich nurse.", "Ipswich", "northern", "A northern nurse."),
        ("It was Mr. Roth.", "Roth", "the tenant", "It was the tenant."),
        ("It was Dr. Roth.", "Roth", "Someone", "It was Dr. Someone."),
        ("Roth's dog.", "Roth's", "the tenant", "The tenant's dog."),
        ("Innes' dosage.", "Innes", "the patient", "The patient's dosage."),
        ("He left. Roth stayed.", "Roth", "the tenant", "He left. The tenant stayed."),
        ("- Roth stayed.", "Roth", "the tenant", "- The tenant stayed."),
        ("He saw Roth.", "Roth", "the tenant", "He saw the tenant."),
        ('{"a": "Roth"}', "Roth", 'a "tenant"', '{"a": "A \\"tenant\\""}'),
        ('{"a": 34, "b": 1}', "34", "in the thirties", '{"a": "in the thirties", "b": 1}'),
        ('{"a": 34, "b": 1}', "34", None, '{"a": null, "b": 1}'),
        ('{"a": "Roth, 34", "b": 1}', "Roth", None, '{"a": "34", "b": 1}'),
        ("| Roth | 34 |\n", "Roth", "the tenant", "| The tenant | 34 |\n"),
        ("| Roth | 34 |\n", "34", None, "| Roth | |\n"),
    ],
)
def test_a_change_fits_its_place(text: str, words: str, phrase: str | None, result: str) -> None:
    assert after(text, words, phrase) == result


def test_a_span_across_structure_is_not_changed_by_code() -> None:
    text = '{"names": ["Lena", "Roth"], "room": 4}'
    assert put(text, place(text, 'Lena", "Roth'), "x") is None
    assert take_out(text, place(text, '"Lena"')) is None
    row = "| Lena | Roth |"
    assert put(row, place(row, "Lena | Roth"), "x") is None


def test_json_is_seen_where_it_is_json() -> None:
    inner = json.dumps({"a": ["b", {"c": 'd"e'}], "f": 1.5, "g": None})
    text = f'See [1] and {{name}}, {{ and [[ and {inner} and {{broken: yes}} and ["x", 2].'
    tokens, values = json_tokens(text)
    assert values == 2
    assert [text[t.start : t.end] for t in tokens][:3] == ['"a"', '"b"', '"c"']
    assert "null" in [text[t.start : t.end] for t in tokens]
    assert frame_of(text, place(text, "name")) is not None


def test_frames_are_bounded_where_lines_are_not() -> None:
    text = "word " * 40_000
    frame = frame_of(text, Span(100_000, 100_004))
    assert frame is not None
    assert frame.end - frame.start <= 2 * MOST_PROSE + 4


@pytest.mark.parametrize("hostile", ["{" * 50_000, "[" * 50_000, '{"a": ' * 20_000, '["' * 30_000])
def test_hostile_brackets_are_no_obstacle(hostile: str) -> None:
    assert json_tokens(hostile)[1] == 0
    assert form_is_kept(hostile, hostile)


def test_signs_of_form() -> None:
    text = "# Title\n- one\n2. two\n> said\n| a | b |\n```\n<b>x</b>"
    assert signs(text) == ["#", "-", "2.", ">", "|", "|", "|", "```", "<b>", "</b>"]
    assert not form_is_kept(text, text.replace("|", ""))
    assert not form_is_kept(text, text.replace("<b>", ""))
    assert form_is_kept(text, text.replace("one", "three"))
