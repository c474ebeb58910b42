"""What becomes a triplet, what is kept apart, and what is no merge at all."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privasis.errors import Reject
from privasis.sanitization.instruct import Instructions
from privasis.sanitization.merge import Draft, advance, begin, verify
from privasis.sanitization.rewrite import Version
from privasis.sanitization.select import defect, make_triplet, select
from privasis.text.edits import apply_edits
from privasis.types import Edit, Fact, Triplet
from support.sanitizing import record_of, target

TEXT = 'Ann Lee lives in Graz. The Annual fee is 40 euros: {"city": "Graz"}'
BRACE = TEXT.index("{")
FACTS = {"full_name": "Ann Lee", "city": "Graz", "fee": "40 euros"}


def triplet(*edits: Edit, keeps: tuple[Fact, ...] = ()) -> Triplet:
    """A triplet of TEXT whose target is Ann Lee."""
    record = record_of(TEXT, FACTS, {"all": list(FACTS)})
    draft = advance(begin(TEXT), edits)
    version = Version(0, (target("drop", {"full_name": "Ann Lee"}),), draft)
    return make_triplet(record, version, keeps, Instructions("base", "user"), (), "a model")


def test_a_triplet_that_is_right() -> None:
    made = triplet(Edit(0, 7, "Someone", "t1", "span"), keeps=(Fact("fee", "40 euros"),))
    assert defect(made) is None
    assert made.id == "r-0.0"
    assert made.person == "Maren"
    assert made.sanitized.startswith("Someone lives in Graz. The Annual fee")


@pytest.mark.parametrize(
    ("edits", "keeps", "reason"),
    [
        ((), (), "unchanged"),
        ((Edit(8, 13, "dwells", "t1", "span"),), (), "direct_leak"),
        ((Edit(0, 7, "Lee, Ann", "t1", "span"),), (), "direct_leak"),
        ((Edit(0, 7, "She", "t1", "span"), Edit(38, 46, "low", "t1", "span")), ("40 euros",), "keep_lost"),
        ((Edit(0, 7, "She", "t1", "span"), Edit(BRACE, BRACE + 1, "", "t1", "span")), (), "form_broken"),
    ],
)
def test_a_triplet_that_cannot_be_used(edits: tuple[Edit, ...], keeps: tuple[str, ...], reason: str) -> None:
    made = triplet(*edits, keeps=tuple(Fact("fee", value) for value in keeps))
    chosen = select(record_of(TEXT, FACTS), [made, triplet(Edit(0, 7, "She", "t1", "span"))])
    assert [failure.reason for failure in chosen.failures] == [reason]
    assert len(chosen.triplets) == 1
    assert json.loads(chosen.failures[0].detail)["sanitized"] == made.sanitized


def test_edits_that_cannot_be_merged_end_the_item() -> None:
    with pytest.raises(Reject, match=r"sanitize\.merge: overlap"):
        advance(begin("abcdef"), [Edit(0, 3, "x", "t1", "span"), Edit(2, 4, "y", "t1", "span")])
    with pytest.raises(Reject, match=r"sanitize\.merge: not_lossless"):
        verify(Draft("abc", (Edit(0, 1, "x", "t1", "span"),), "ybc"))


@st.composite
def _rounds(draw: st.DrawFn) -> tuple[str, list[list[Edit]]]:
    text = draw(st.text("ab \n", min_size=1, max_size=40))
    length, rounds = len(text), []
    for number in range(draw(st.integers(1, 4))):
        cuts = sorted(draw(st.lists(st.integers(0, length), max_size=6, unique=True)))
        edits = [
            Edit(start, end, draw(st.text("xyz", max_size=4)), f"t{number}", "span")
            for start, end in zip(cuts[::2], cuts[1::2], strict=False)
        ]
        length += sum(len(edit.replacement) - (edit.end - edit.start) for edit in edits)
        rounds.append(edits)
    return text, rounds


@given(_rounds())
@settings(max_examples=200, deadline=None)
def test_whatever_is_changed_in_rounds_is_one_list_of_edits(case: tuple[str, list[list[Edit]]]) -> None:
    text, rounds = case
    draft, plain = begin(text), text
    for edits in rounds:
        draft = advance(draft, edits)
        plain = apply_edits(plain, edits)
    assert verify(draft).text == plain == apply_edits(text, draft.edits)
