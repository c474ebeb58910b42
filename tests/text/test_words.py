from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privasis.text.words import count_words, sentence_ends, share_unspaced, words


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("  \n ", 0),
        ("One, two -- three.", 3),
        ("don't re-send 3.5 mg to a@b.org", 6),
        ("Müller – naïve café", 3),
        ("שלום עולם", 2),
        ("नमस्ते दुनिया", 2),
        ("Zélie", 1),
    ],
)
def test_words_between_spaces_are_counted(text: str, count: int) -> None:
    assert count_words(text) == count


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("我昨天在医院见到了王医生", 5, 9),  # 我/昨天/在/医院/见到/了/王/医生
        ("คุณมาลีวรรณโทรมาเมื่อวาน", 4, 8),
        ("患者は昨日病院に来ました", 4, 9),
    ],
)
def test_words_without_spaces_are_estimated(text: str, low: int, high: int) -> None:
    assert low <= count_words(text) <= high


@given(st.text(), st.text())
def test_counting_adds_up_over_lines(a: str, b: str) -> None:
    assert abs(count_words(f"{a}\n{b}") - count_words(a) - count_words(b)) <= 1


def test_the_share_of_unspaced_scripts() -> None:
    assert share_unspaced("") == 0.0
    assert share_unspaced("abcd 患者患者") == 0.5
    assert words("Zofia 患者x") == ["Zofia", "患者", "x"]


@pytest.mark.parametrize(
    "sentences",
    [
        ["He left. ", "She stayed! ", "Why?"],
        ["Dr. Z. Brandt met Mr. Oldroyd at no. 4. ", "All went well."],
        ["It cost 3.50 EUR. ", "Cheap."],
        ["On the 3. March she came. ", "“Good.” ", "So it was."],
        ["1. Bring it. ", "Sign it."],
        ["He said e.g. this and that."],
        ["患者は来た。", "次回は来週。"],
        ["आज आया। ", "कल गया।"],
        ["هل جاء؟ ", "نعم."],
    ],
)
def test_sentences_end_where_a_reader_says(sentences: list[str]) -> None:
    text = "".join(sentences)
    cuts = [cut for cut in sentence_ends(text, 0, len(text)) if cut < len(text)]
    places = [0, *cuts, len(text)]
    assert [text[i:j] for i, j in pairwise(places)] == sentences
