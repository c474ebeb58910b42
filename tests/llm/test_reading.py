"""Finding JSON in what models say."""

from __future__ import annotations

import json
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privasis.llm.reading import JSON_TRIES, find_json, without_thoughts

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
DOCUMENTS = st.lists(VALUES, min_size=1, max_size=4) | st.dictionaries(
    st.text(), VALUES, min_size=1, max_size=4
)
PROSE = st.text(string.ascii_letters + string.punctuation.replace("{", "").replace("[", "") + " \n`")


@given(DOCUMENTS, PROSE, st.text(string.printable))
def test_json_is_found_behind_any_prose_and_before_anything(
    document: object, before: str, after: str
) -> None:
    said = json.dumps(document)
    assert find_json(before + said + after) == said


@given(DOCUMENTS, st.sampled_from([json.dumps, lambda d: json.dumps(d, indent=2, ensure_ascii=False)]))
def test_fences_do_not_hinder(document: object, dump: object) -> None:
    said = dump(document)  # type: ignore[operator]
    assert find_json(f"```json\n{said}\n```") == said


@given(DOCUMENTS)
def test_a_part_of_a_cut_off_value_is_never_taken_for_it(document: object) -> None:
    said = json.dumps({"whole": document})
    for end in range(len(said)):
        assert find_json(said[:end]) is None
    assert find_json('{"whole": "a {} in a str') is None


def test_placeholders_in_prose_are_passed_over() -> None:
    assert find_json('For {name} in [the list]: {"a": [1]} and {"b": 2}') == '{"a": [1]}'


@pytest.mark.parametrize("hostile", ["{" * 100_000, "[" * 100_000, '{"' * 100_000, '{"a":' * 50_000])
def test_hostile_nesting_ends_soon_and_quietly(hostile: str) -> None:
    assert find_json(hostile) is None


def test_the_number_of_places_is_limited() -> None:
    assert find_json("{ " * (JSON_TRIES + 1) + '{"a": 1}') is None


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("plain", "plain"),
        ("<think>a</think>b", "b"),
        ("a</think>b", "b"),
        ("<think>a</think>b<think>c</think>d", "d"),
        ("<think>never ends", ""),
        ("x <think>never ends", "x "),
    ],
)
def test_thoughts_are_left_out(said: str, left: str) -> None:
    assert without_thoughts(said) == left
