"""Values come back whatever a model did to their placeholders, and no piece is given out too early."""

from __future__ import annotations

import html
import json
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privasis.serve.restore import JsonPlace, Restorer, Stream

VALUES = {"[PERSON_1]": "Ann", "[PERSON_1_2]": 'Zoë "Z" Kühn & Co', "[PERSON_12]": "Bo", "<<ID_1>>": "C:\\x"}


@pytest.mark.parametrize(
    ("came", "restored"),
    [
        ("[PERSON_1], [PERSON_12]!", "Ann, Bo!"),
        ("[person_1] [Person_1]", "Ann Ann"),
        ("［ＰＥＲＳＯＮ_1］", "Ann"),
        (r"\[PERSON\_1\]", "Ann"),
        (r"C:\[PERSON_1]\x", r"C:\Ann\x"),
        (r"\u005bPERSON_1\u005D", "Ann"),
        (r"\\u005bPERSON_1\\u005d", "Ann"),
        ("&#91;PERSON_1&#x5d;", "Ann"),
        ("&lbrack;PERSON&lowbar;1&rsqb;", "Ann"),
        ("&lt;&lt;ID_1&gt;&gt;", "C:\\x"),
        ("&#91;PERSON_1_2&#93;", html.escape('Zoë "Z" Kühn & Co')),
        ("%5BPERSON_1%5d", "Ann"),
        ("%5BPERSON_1_2%5D", "Zo%C3%AB%20%22Z%22%20K%C3%BChn%20%26%20Co"),
        ("[[PERSON_1]] [PERSON_[PERSON_1]", "[Ann] [PERSON_Ann"),
        ("[PERSON_2] [PERSON_1 ] [PERSON_", "[PERSON_2] [PERSON_1 ] [PERSON_"),
        ('She said "[PERSON_1_2]".', 'She said "Zoë "Z" Kühn & Co".'),
        ("50% &amp; \\ & %5 \\u00", "50% &amp; \\ & %5 \\u00"),
    ],
)
def test_placeholders_in_every_coat(came: str, restored: str) -> None:
    assert Restorer(VALUES).whole(came) == restored


@pytest.mark.parametrize("depth", range(4))
def test_json_in_json_stays_json(depth: int) -> None:
    def wrapped(value: str) -> str:
        for _ in range(depth):
            value = json.dumps({"a": 'it is "quoted"', "b": [1, value]}, ensure_ascii=False)
        return value

    assert Restorer(VALUES).whole(wrapped("[PERSON_1_2]")) == wrapped(VALUES["[PERSON_1_2]"])


@pytest.mark.parametrize(
    ("before", "depth"),
    [
        ("", 0),
        ('{"a": ', 0),
        ('{"a": "', 1),
        ('He said "', 0),
        ('{"a": "{\\"b\\": \\"', 2),
        ('["x", "say \\"', 1),
    ],
)
def test_the_depth_of_a_place(before: str, depth: int) -> None:
    place = JsonPlace()
    place.take(before)
    assert place.depth() == depth


noise = st.text(alphabet='[]<>_PERSON12 id\\u05bd&#9;%"{é', max_size=30)
coated = st.sampled_from(
    ["[PERSON_1]", "[person_12]", r"\u005bPERSON_1_2]", "&#91;PERSON_1&#93;", "%5BPERSON_1%5D"]
)


@given(parts=st.lists(st.one_of(noise, coated), max_size=6), cuts=st.lists(st.integers(0, 150), max_size=20))
def test_pieces_give_the_same_as_the_whole(parts: list[str], cuts: list[int]) -> None:
    text = "".join(parts)
    stream = Stream(Restorer(VALUES))
    borders = sorted({0, len(text), *(min(cut, len(text)) for cut in cuts)})
    given_out = ""
    for start, end in pairwise(borders):
        given_out += stream.feed(text[start:end])
        assert Restorer(VALUES).whole(text).startswith(given_out)
    assert given_out + stream.end() == Restorer(VALUES).whole(text)


def test_only_what_may_be_a_placeholder_is_held() -> None:
    stream = Stream(Restorer(VALUES))
    given_out = [stream.feed(piece) for piece in ("Dear [", "PER", "SON", "_1", "]", ", hi", " [x", "]")]
    assert given_out == ["Dear ", "", "", "", "Ann", ", hi", " [x", "]"]
    assert stream.end() == ""


@settings(max_examples=30)
@given(st.text(max_size=60))
def test_without_placeholders_nothing_changes(text: str) -> None:
    assert Restorer({}).whole(text) == text
    assert Restorer({"⟦Ω_1⟧": "x"}).whole(text) == text
