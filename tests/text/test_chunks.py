from __future__ import annotations

import unicodedata
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from privasis.text.chunks import split
from privasis.text.graphemes import is_grapheme_border

MIXED = st.lists(
    st.one_of(
        st.text(max_size=40),
        st.text(st.sampled_from("ab. ,;:\n\r\t-1"), max_size=80),
        st.sampled_from(
            [
                "\r\n",
                "\r\n\r\n",
                "\n\n\n",
                "👩‍👩‍👧",
                "🙏🏽",
                "🇩🇪🇫🇷",
                "e\u0301",
                "が",
                "नमस्ते",
                "患者は来た。次回は来週。",
                "المريضة نور الكرمي؟ نعم.",
                "כתובת: רחוב 6",
                "1. one\n2. two\n3. three\n",
                "- a\n- b\n",
                "| a | b |\n|---|---|\n| 1 | 2 |\n",
                "x" * 90,
                "[({" * 20,
                "a." * 40,
                "\u200b" * 9,
                "\ud83d\ude00",
            ]
        ),
    ),
    max_size=25,
).map("".join)


@given(text=MIXED, limit=st.integers(1, 60))
@example(text="", limit=1)
@example(text="\r\n" * 20, limit=1)
@example(text="x" * 600 + "\n\n", limit=512)
def test_chunks_tile_the_text_within_the_limit(text: str, limit: int) -> None:
    chunks = split(text, limit)
    assert "".join(text[c.start : c.end] for c in chunks) == text
    assert [c.start for c in chunks] == [0, *(c.end for c in chunks[:-1])][: len(chunks)]
    assert all(0 < c.end - c.start <= limit for c in chunks)
    assert split(text, limit) == chunks


@given(text=MIXED, limit=st.integers(24, 60))
def test_no_cut_tears_a_grapheme(text: str, limit: int) -> None:
    starts = [c.start for c in split(text, limit)[1:]]
    floor = 0
    for start in starts:
        earlier = range(max(floor + 1, start - limit + 1), start)
        short = any(is_grapheme_border(text, place, floor) for place in earlier)
        assert is_grapheme_border(text, start, floor) or not short
        assert not (text[start - 1] == "\r" and text[start] == "\n") or not short
        assert unicodedata.combining(text[start]) == 0 or not short
        floor = start


def test_equal_chunks_are_two_chunks() -> None:
    text = ("Signed: Maren Virtanen\n\n" + "x" * 500 + "\n\n") * 2
    spans = split(text)
    assert len({(s.start, s.end) for s in spans}) == len(spans)
    signed = [s for s in spans if text[s.start : s.end].startswith("Signed")]
    assert len(signed) == 2


def test_a_text_that_fits_is_one_chunk() -> None:
    text = "One.\n\nTwo.\n\n- a\n- b\n"
    assert [(s.start, s.end) for s in split(text)] == [(0, len(text))]


def test_small_neighbours_are_merged_up_to_the_limit() -> None:
    text = "".join(f"Paragraph number {n:03}.\n\n" for n in range(100))
    spans = split(text, 100)
    assert all(a.end - a.start + b.end - b.start > 100 for a, b in pairwise(spans))


@pytest.mark.parametrize("line", ["word " * 16, "患者は来た。" * 14, "مريضة " * 13])
def test_paragraphs_that_fit_stay_whole(line: str) -> None:
    paragraphs = [f"{n}{line}" for n in range(12)]
    text = "\n\n".join(paragraphs)
    spans = split(text, 200)
    for paragraph in paragraphs:
        start = text.index(paragraph)
        assert any(s.start <= start and start + len(paragraph) <= s.end for s in spans)


LISTS = {
    "bullets": "Medication:\n- aspirin 100 mg\n- ramipril 5 mg\n  in the morning\n- none else\n",
    "numbers": "1. Bring the form.\n2. Sign it.\n3. Send it.\n",
    "blank lines": "To do:\n\n* call her\n\n* write him\n\n* sleep\n",
    "letters": "a) first\nb) second\nc) third\n",
    "nested": "- one\n  - one and a half\n  - one and three quarters\n- two\n",
    "table": "| name | dose |\n|------|------|\n| x | 2 |\n| y | 3 |\n",
    "japanese": "一、申込書\n二、写真\n三、印鑑\n",
    "crlf": "Items:\r\n- a\r\n- b\r\n- c\r\n",
}


@pytest.mark.parametrize("kind", LISTS)
@pytest.mark.parametrize("before", range(60, 200, 7))
def test_a_list_that_fits_is_not_divided(kind: str, before: int) -> None:
    items = LISTS[kind]
    sentence = "So it went on and on. "
    prose = (sentence * 12)[:before].rstrip() + ".\n"
    text = prose + items + "\n" + sentence * 20
    start = text.index(items)
    spans = split(text, 200)
    assert any(s.start <= start and start + len(items.rstrip()) <= s.end for s in spans)


def test_the_items_of_a_long_list_stay_whole() -> None:
    items = [f"- item {n}: {'word ' * 12}\n  and its second line\n" for n in range(20)]
    text = "".join(items)
    spans = split(text, 220)
    for item in items:
        start = text.index(item)
        assert any(s.start <= start and start + len(item) <= s.end for s in spans)


def test_numbers_inside_prose_are_no_list() -> None:
    text = (
        "1. Invoice No. 12. Payable on receipt "
        + "of the goods " * 20
        + "\n2. Letter dated 3. March 2023 "
        + "x " * 100
    )
    spans = split(text, 300)
    assert not any(text[s.start : s.end].startswith("Payable") for s in spans)
    assert not any(text[s.start : s.end].startswith("March") for s in spans)


def test_a_long_line_is_cut_at_its_clauses_then_its_words() -> None:
    text = "first part of it, " * 10 + "no clause here " * 10
    for s in split(text, 50)[:-1]:
        assert text[s.end - 1] == " "


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_below_one_is_refused(limit: int) -> None:
    with pytest.raises(ValueError, match="at least one character"):
        split("x", limit)


@pytest.mark.parametrize(
    "unit",
    ["x", "a.", "a. ", "[", "\n", " ", "\r\n", "- a\n", "1. a\n", "|a|\n", "\u0301", "\u200d", "\U0001f1e6"],
)
def test_two_hundred_thousand_hostile_characters_are_split(unit: str) -> None:
    text = unit * (200_000 // len(unit))
    spans = split(text)
    assert sum(s.end - s.start for s in spans) == len(text)
    assert max(s.end - s.start for s in spans) <= 512
