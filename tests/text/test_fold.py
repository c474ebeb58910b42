from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privasis.text import fold as fold_module
from privasis.text.fold import fold, strip_accents
from privasis.types import Span

# Letters, marks, digits, blanks and ignorable characters of many scripts, thrown together.
HOSTILE = st.text(
    st.sampled_from(
        "aZ1 .,-=>#'\n\r\t\u00a0\u3000\u00ad\u200b\u200d\u2066\ufe0f\u0301\u0323\u064f\u05b8éßİıŁøﬁ½①"
        "ВаРοΣς患あガｶﾞ가ᄀ\u1161\u11a8٣०👩🏽\U0001f1e6’“–…"
    ),
    max_size=60,
)


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Ｚｏｆｉａ　Ｂｒａｎｄｔ", "zofia brandt"),
        ("zo\u200bfia.brandt@exam\u200dple.org", "zofia.brandt@example.org"),
        ("Bra\u00adndt Zo\u2060fia", "brandt zofia"),
        ("O’Brien – “x”", 'o\'brien - "x"'),
        ("٢١٢-٥٥٥-٠١٤٧ ２１２ २१२", "212-555-0147 212 212"),
        ("Вrаndt", "brandt"),  # Cyrillic letters
        ("STRASSE Straße", "strasse strasse"),
        ("ΣΊΣΥΦΟΣ", "σίσyφoσ"),
        ("IŞIL Işıl İSTANBUL", "işil işil istanbul"),
        ("Ze\u0301lie Ren\u0303a", "zélie reña"),
        ("\u1100\u1161\u11a8", "각"),
        ("ｶﾞ", "ガ"),
        ("ﬁn…", "fin..."),
        ("e\u200b\u0301", "é"),
        ("\u202edt\u202c", "dt"),
        ("", ""),
    ],
)
def test_folding_makes_alike_what_reads_alike(text: str, folded: str) -> None:
    assert fold(text).text == folded


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Zofia\nBrandt", "zofia brandt"),
        ("Zofia \t\r\n  Brandt", "zofia brandt"),
        ("> On Mon, Zofia\n> Brandt wrote:\n>> ok", "> on mon, zofia brandt wrote: ok"),
        ("# by Andy\n# Rusk", "# by andy rusk"),
        ("\n#tag stays", " #tag stays"),
        ("Zo-\nfia", "zofia"),
        ("Zo\u00ad\nfia", "zofia"),
        ("Bra=\nndt", "brandt"),
        ("2019-\n2020", "2019- 2020"),
        ("a > b", "a > b"),
    ],
)
def test_line_ends_are_one_space_or_nothing(text: str, folded: str) -> None:
    assert fold(text).text == folded


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("Hélène Łukasz Øre", "helene lukasz ore"),
        ("نُور الكَرمي", "نور الكرمي"),
        ("נוֹעָה", "נועה"),
        ("がぎ มาลี", "がぎ มาลี"),  # these marks make another word
        ("plain", "plain"),
    ],
)
def test_accents_and_optional_marks_are_the_second_level(text: str, bare: str) -> None:
    assert strip_accents(fold(text)).text == bare


@pytest.mark.parametrize("level", [fold, lambda text: strip_accents(fold(text))], ids=["fold", "bare"])
@given(text=HOSTILE)
def test_every_folded_character_knows_its_place(level, text: str) -> None:
    folded = level(text)
    assert len(folded.text) == len(folded.starts) == len(folded.ends)
    assert all(0 <= s < e <= len(text) for s, e in zip(folded.starts, folded.ends, strict=True))
    assert all(a <= b for a, b in zip(folded.starts, folded.starts[1:], strict=False))


SETTLED = st.text(
    st.sampled_from("aZ1 .,'\u00a0\u3000\u00ad\u200b\u2066éßİıŁøﬁ½①ВаΟΣς患あガ가٣०👩’“–…"), max_size=60
)


@given(text=SETTLED)
def test_folding_twice_changes_nothing(text: str) -> None:
    once = fold(text).text
    assert fold(once).text == once


@given(before=HOSTILE, after=HOSTILE)
def test_a_planted_word_is_mapped_back(before: str, after: str) -> None:
    text = f"{before}|xylo|{after}"
    folded = fold(text)
    at = folded.text.index("|xylo|") + 1
    span = folded.span(at, at + 4)
    assert text[span.start : span.end] == "xylo"


def test_a_span_takes_its_last_mark_along() -> None:
    text = "Rene\u0301 x"
    assert fold(text).span(0, 4) == Span(0, 5)
    assert strip_accents(fold(text)).span(0, 4) == Span(0, 5)


def test_a_range_outside_is_refused() -> None:
    with pytest.raises(ValueError, match="no such range in a folded text of 3 characters: 1-4"):
        fold("abc").span(1, 4)
    with pytest.raises(ValueError, match="no such range"):
        fold("abc").span(2, 2)


def test_the_fast_road_agrees_with_the_slow_one() -> None:
    plain = [chr(c) for c in range(0x10000) if re.fullmatch(f"[{fold_module._PLAIN}]", chr(c))]
    assert len(plain) > 30_000
    assert [c for c in plain if fold_module._fold_plain(c) != fold_module._fold_cluster(c)] == []


def test_every_script_matches_itself_in_the_other_case() -> None:
    cased = [chr(c) for c in range(0x110000) if chr(c).upper().lower() == chr(c) != chr(c).upper()]
    assert len(cased) > 1300
    assert [c for c in cased if fold(c.upper()).text != fold(c).text] == []
