from collections import Counter
from itertools import pairwise
from math import isnan, log2
from statistics import fmean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lexicalrichness import LexicalRichness

from privasis.diversity import (
    LexicalDiversity,
    bigram_diversity,
    lexical_diversity,
    mattr,
    shannon_entropy,
    tokenise,
)
from privasis.diversity.lexical import _TOKEN

LETTER = (
    "Dear Mr Aydin, we've received your application of 3 May. The flat at 12 Mill Lane is free from "
    "1 June; the rent is 840 a month, heating included. Please send us your last three payslips, a "
    "copy of your identity card, and the name of your present landlord. We can't hold the flat for "
    "longer than two weeks. The keys are handed over on the day on which the deposit reaches us. "
)

words = st.lists(st.sampled_from("abcdefgh"), max_size=120)


def mattr_by_definition(text: list[str], window: int) -> float:
    width = min(window, len(text))
    ratios = [len(set(text[start : start + width])) / width for start in range(len(text) - width + 1)]
    return sum(ratios) / len(ratios)


@settings(deadline=None)
@given(text=words.filter(bool), window=st.integers(1, 60))
def test_mattr_is_its_definition(text: list[str], window: int) -> None:
    assert mattr(text, window) == pytest.approx(mattr_by_definition(text, window), abs=1e-12)


@settings(deadline=None)
@given(text=words.filter(lambda text: len(text) > 1))
def test_bigrams_and_entropy_are_their_definitions(text: list[str]) -> None:
    pairs = list(pairwise(text))
    shares = [count / len(text) for count in Counter(text).values()]
    assert bigram_diversity(text) == pytest.approx(len(set(pairs)) / len(pairs), abs=1e-12)
    assert shannon_entropy(text) == pytest.approx(-sum(p * log2(p) for p in shares), abs=1e-12)


@pytest.mark.parametrize("window", [1, 10, 50])
@pytest.mark.parametrize("repeats", [1, 3])
def test_mattr_agrees_with_the_package(window: int, repeats: int) -> None:
    text = tokenise(LETTER * repeats)
    theirs = LexicalRichness(text, preprocessor=None, tokenizer=None).mattr(window)
    assert mattr(text, window) == pytest.approx(theirs, abs=1e-6)


def test_planted_values() -> None:
    assert mattr(["a"] * 60) == pytest.approx(1 / 50)
    assert mattr([str(number) for number in range(60)]) == 1.0
    assert bigram_diversity(["a", "b"] * 4) == pytest.approx(2 / 7)
    assert shannon_entropy(["a", "b", "c", "d"] * 5) == pytest.approx(2.0)


def test_short_texts() -> None:
    assert mattr(["a", "b", "a"]) == pytest.approx(2 / 3)  # one window of three
    assert isnan(mattr([]))
    assert isnan(bigram_diversity(["a"]))
    assert isnan(shannon_entropy([]))
    assert shannon_entropy(["a"]) == 0.0


def test_a_window_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1 token, not 0"):
        mattr(["a"], window=0)


def test_means_leave_out_what_cannot_be_judged() -> None:
    measured = lexical_diversity([["a", "b", "a"], [], ["c"]])
    assert measured.documents == 3
    assert measured.words == pytest.approx(4 / 3)
    assert measured.mattr == pytest.approx((2 / 3 + 1) / 2)
    assert measured.bigram_diversity == 1.0
    assert measured.shannon_entropy == pytest.approx(shannon_entropy(["a", "b", "a"]) / 2)


@settings(deadline=None)
@given(documents=st.lists(words, max_size=200), window=st.integers(1, 60))
def test_many_documents_are_measured_as_each_alone(documents: list[list[str]], window: int) -> None:
    measured = lexical_diversity(iter(documents), window)
    each = [(mattr(text, window), bigram_diversity(text), shannon_entropy(text)) for text in documents]
    for mean, values in zip(measured[2:], zip(*each, strict=True), strict=False):
        judged = [value for value in values if not isnan(value)]
        assert mean == pytest.approx(fmean(judged) if judged else float("nan"), abs=1e-12, nan_ok=True)


def test_a_single_document_is_its_own_mean() -> None:
    text = tokenise(LETTER)
    expected = LexicalDiversity(1, len(text), mattr(text), bigram_diversity(text), shannon_entropy(text))
    assert lexical_diversity(iter([text])) == pytest.approx(expected)


@pytest.mark.parametrize("documents", [[], [[]], [[], []]])
def test_nothing_to_measure_is_nan_and_not_zero(documents: list[list[str]]) -> None:
    measured = lexical_diversity(documents)
    assert measured.documents == len(documents)
    assert all(isnan(value) for value in measured[2:])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Don't PANIC, Ann-Marie!", ["don't", "panic", "ann", "marie"]),
        ("'quoted' ''twice'' rock'n'roll o''clock", ["quoted", "twice", "rock'n'roll", "o", "clock"]),
        ("born__1979-04-02", ["born", "1979", "04", "02"]),
        ("L\u2019été à Zürich", ["l\u2019été", "à", "zürich"]),
        ("cafe\u0301s", ["cafe\u0301s"]),
        ("患者は3日", ["患", "者", "は", "3", "日"]),
        ("고객님의 주문", ["고객님의", "주문"]),
        ("कृपया आवेदन।", ["कृपया", "आवेदन"]),
        ("نسخة من الجواز", ["نسخة", "من", "الجواز"]),
        ("", []),
    ],
)
def test_tokens(text: str, expected: list[str]) -> None:
    assert tokenise(text) == expected


@settings(deadline=None)
@given(st.text(alphabet=[chr(code) for code in range(128)] + ["'", "'", "a"]))
def test_the_quick_way_for_ascii_gives_the_same_tokens(text: str) -> None:
    assert tokenise(text) == _TOKEN.findall(text.lower())


@settings(deadline=None)
@given(st.text())
def test_any_text_is_tokenised(text: str) -> None:
    found = tokenise(text)
    assert all(found)
    assert not any(character.isspace() for token in found for character in token)
