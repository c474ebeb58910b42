from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privasis.text.compose import compose
from privasis.text.diff import diff_edits
from privasis.text.edits import (
    EditError,
    apply_edits,
    changed_fraction,
    check_edits,
    common_prefix,
    common_suffix,
    resolve_overlaps,
    shift,
    trim,
)
from privasis.types import Edit, Span


def edit(start: int, end: int, replacement: str = "", target: str = "name", step: str = "drop") -> Edit:
    return Edit(start, end, replacement, target, step)


@st.composite
def edits_on(draw: st.DrawFn, length: int) -> tuple[Edit, ...]:
    """Disjoint edits in order, touching ones and insertions among them."""
    places = sorted(draw(st.lists(st.integers(0, length), max_size=10)))
    found: list[Edit] = []
    for start, end in zip(places[::2], places[1::2], strict=False):
        new = edit(start, end, draw(st.text("xyz", max_size=4)), draw(st.sampled_from("pq")))
        if not (found and (found[-1].start, found[-1].end) == (start, end)):
            found.append(new)
    return tuple(found)


def test_edits_are_applied_at_their_places() -> None:
    text = "Zofia Brandt, 34, of Leeds"
    made = [edit(21, 26, "the north"), edit(0, 12, "A woman"), edit(14, 16, "in her thirties")]
    assert apply_edits(text, made) == "A woman, in her thirties, of the north"
    assert apply_edits(text, []) == text


def test_insertions_stand_beside_other_edits() -> None:
    assert apply_edits("abcdef", [edit(2, 4), edit(2, 2, "<"), edit(4, 4, ">")]) == "ab<>ef"


@pytest.mark.parametrize(
    ("edits", "message"),
    [
        ([edit(0, 4, "secret"), edit(3, 5)], "edits 0-4 and 3-5 overlap"),
        ([edit(2, 2, "a"), edit(2, 2, "b")], "edits 2-2 and 2-2 overlap"),
        ([edit(1, 3), edit(1, 3)], "edits 1-3 and 1-3 overlap"),
        ([edit(2, 7)], "edit 2-7 lies outside a text of 6 characters"),
        ([edit(-1, 2)], "edit -1-2 lies outside a text of 6 characters"),
        ([edit(3, 2)], "edit 3-2 lies outside a text of 6 characters"),
    ],
)
def test_edits_that_cannot_be_applied_are_refused_without_text(edits: list[Edit], message: str) -> None:
    with pytest.raises(EditError) as refused:
        apply_edits("abcdef", edits)
    assert str(refused.value) == message


@given(st.data(), st.text("abc ", max_size=30))
def test_text_outside_edits_is_the_same_to_the_last_character(data: st.DataObject, text: str) -> None:
    edits = data.draw(edits_on(len(text)))
    changed = apply_edits(text, edits)
    place = done = 0
    for e in edits:
        kept = text[done : e.start]
        assert changed[place : place + len(kept)] == kept
        place += len(kept) + len(e.replacement)
        done = e.end
    assert changed[place:] == text[done:]


@given(st.data(), st.text("abc ", max_size=30))
def test_a_composition_does_what_both_steps_do(data: st.DataObject, text: str) -> None:
    first = data.draw(edits_on(len(text)))
    middle = apply_edits(text, first)
    second = data.draw(edits_on(len(middle)))
    composed = compose(first, second)
    assert apply_edits(text, composed) == apply_edits(middle, second)
    assert composed == check_edits(composed, len(text))


@given(st.data(), st.text("abc ", max_size=30))
def test_composing_with_nothing_changes_nothing(data: st.DataObject, text: str) -> None:
    edits = data.draw(edits_on(len(text)))
    assert compose(edits, ()) == edits
    assert compose((), edits) == edits


def test_edits_that_do_not_meet_keep_their_targets() -> None:
    first = (edit(0, 5, "A woman", "name"),)
    second = (edit(11, 13, "thirties", "age"),)
    assert compose(first, second) == (edit(0, 5, "A woman", "name"), edit(9, 11, "thirties", "age"))


def test_of_edits_that_meet_the_later_names_the_result() -> None:
    # "Zofia of Leeds" -> "someone of Leeds" -> "people up north"
    first = (edit(0, 5, "someone", "name"),)
    second = (edit(0, 16, "people up north", "group"),)
    assert compose(first, second) == (edit(0, 14, "people up north", "group"),)


def covered(edits: Iterable[Edit]) -> set[int]:
    return {place for e in edits for place in range(e.start, e.end)}


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 8)), max_size=8))
def test_resolving_removes_all_that_any_edit_removes(ranges: list[tuple[int, int]]) -> None:
    edits = [edit(start, start + length, str(n)) for n, (start, length) in enumerate(ranges)]
    resolved = resolve_overlaps(edits)
    assert resolved == check_edits(resolved, 40)
    assert covered(edits) == covered(resolved)
    assert resolve_overlaps(resolved) == resolved


def test_the_longest_of_overlapping_edits_gives_the_replacement() -> None:
    card, site = edit(10, 29, "[CARD]", "card"), edit(25, 33, "[SITE]", "site")
    assert resolve_overlaps([site, card]) == (edit(10, 33, "[CARD]", "card"),)
    outer, inner = edit(0, 20, "[ORG]"), edit(5, 12, "[NAME]")
    assert resolve_overlaps([inner, outer]) == (outer,)


def test_shifting_moves_both_ends() -> None:
    assert shift([edit(1, 3, "x")], 10) == (edit(11, 13, "x"),)


def test_trimming_leaves_only_what_differs() -> None:
    assert trim("on March 3 she", edit(0, 14, "on March 9 she")) == edit(9, 10, "9")
    assert trim("aa", edit(0, 1, "aa")) == edit(1, 1, "a")


@pytest.mark.parametrize(
    ("edits", "allowed", "share"),
    [
        ([], [], 0.0),
        ([edit(0, 12, "A woman")], [Span(0, 12)], 0.0),
        ([edit(0, 12, "A woman")], [], 12 / 20),
        ([edit(0, 14, "A woman, ")], [Span(0, 12)], 0.0),  # the ", " that it puts back is no change
        ([edit(0, 16, "A woman")], [Span(0, 5), Span(3, 12)], 4 / 8),
        ([edit(20, 20, "!!")], [Span(0, 12)], 2 / 8),
        ([edit(14, 16, "35")], [Span(0, 12)], 1 / 8),
        ([edit(0, 20, "")], [Span(0, 20)], 0.0),
    ],
)
def test_the_over_edit_rate_by_hand(edits: list[Edit], allowed: list[Span], share: float) -> None:
    text = "Zofia Brandt, 34, ok"
    assert len(text) == 20
    assert changed_fraction(text, edits, allowed) == pytest.approx(share)


@given(st.text("ab", max_size=12), st.text("ab", max_size=12))
def test_common_ends_are_counted(a: str, b: str) -> None:
    head, tail = common_prefix(a, b), common_suffix(a, b)
    assert a[:head] == b[:head]
    assert a[head : head + 1] != b[head : head + 1] or head in {len(a), len(b)}
    assert a[len(a) - tail :] == b[len(b) - tail :]
    assert a[-tail - 1 : -tail or None][:1] != b[-tail - 1 : -tail or None][:1] or tail in {len(a), len(b)}


@given(st.text(max_size=60), st.text(max_size=60))
def test_a_diff_turns_one_text_into_the_other(a: str, b: str) -> None:
    edits = diff_edits(a, b, target="name", step="drop")
    assert apply_edits(a, edits) == b
    assert edits == check_edits(edits, len(a))


@given(st.lists(st.sampled_from(["Zofia", "lives", "in", "Leeds,", "患者。"]), max_size=40), st.data())
def test_a_diff_of_near_texts_stays_small(tokens: list[str], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(tokens)))
    before, after = " ".join(tokens), " ".join([*tokens[:at], "QQ", *tokens[at + 1 :]])
    edits = diff_edits(before, after, target="t", step="s")
    assert apply_edits(before, edits) == after
    assert sum(len(e.replacement) for e in edits) <= 20


def test_a_diff_is_made_of_whole_words() -> None:
    before = "Zofia Brandt moved to Leeds on 3 March 2024."
    after = "A resident moved to a northern city in early March."
    edits = diff_edits(before, after, target="t", step="s")
    assert [(before[e.start : e.end], e.replacement) for e in edits] == [
        ("Zofia Brandt", "A resident"),
        ("Leeds on 3", "a northern city in early"),
        (" 2024", ""),
    ]


def test_a_diff_of_long_near_texts_finds_the_change() -> None:
    words = [f"w{n}" for n in range(20_000)]
    before = " ".join(words)
    words[5_000], words[15_000] = "CHANGED", "ALSO"
    edits = diff_edits(before, " ".join(words), target="t", step="s")
    assert [e.replacement for e in edits] == ["CHANGED", "ALSO"]


def test_a_diff_without_anything_in_common_is_one_edit() -> None:
    before, after = "a " * 3_000, "b\t" * 3_000
    edits = diff_edits(before, after, target="t", step="s")
    assert apply_edits(before, edits) == after
