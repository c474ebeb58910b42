from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privasis.text.drops import drop_all
from privasis.text.edits import apply_edits, check_edits
from privasis.text.grammar import drop
from privasis.types import Span


def without(marked: str) -> str:
    """Drop what stands between ⟦ and ⟧."""
    start, end = marked.index("⟦"), marked.index("⟧") - 1
    text = marked.replace("⟦", "").replace("⟧", "")
    dropped = drop(text, Span(start, end))
    assert dropped.span.start <= start < end <= dropped.span.end
    return text[: dropped.span.start] + dropped.replacement + text[dropped.span.end :]


@pytest.mark.parametrize(
    ("marked", "left"),
    [
        ("Mr ⟦Brandt⟧ slept.", "slept."),
        ("Then Mrs. ⟦Brandt⟧ slept.", "Then slept."),
        ("I saw ⟦Zofia⟧'s coat.", "I saw coat."),
        ("the ⟦Oldroyd⟧s’ shop", "the shop"),
        ("the form (⟦Zofia⟧) is here", "the form is here"),
        ("“⟦Zofia⟧” it said", "it said"),
        ('the so-called "⟦Zofia⟧" club', "the so-called club"),
        ("(34, ⟦Zofia⟧)", "(34)"),
        ("(⟦Zofia⟧, 34)", "(34)"),
        ("Ravi, ⟦Zofia⟧ and Boris met", "Ravi and Boris met"),
        ("⟦Zofia⟧, Ravi and Boris met", "Ravi and Boris met"),
        ("Ravi, Boris and ⟦Zofia⟧ met", "Ravi, Boris met"),
        ("Ravi and ⟦Zofia⟧ met.", "Ravi met."),
        ("⟦Zofia⟧ and Ravi met", "Ravi met"),
        ("Ravi and ⟦Zofia⟧ and Boris met", "Ravi and Boris met"),
        ("She lives in ⟦Leeds⟧, he in York", "She lives, he in York"),
        ("It rained and ⟦Zofia⟧ left.", "It rained and left."),
        ("Thanks, ⟦Zofia⟧.", "Thanks."),
        ("Dear ⟦Zofia⟧,", "Dear,"),
        ("aged ⟦34⟧, of Leeds", "aged, of Leeds"),
        ("I met with ⟦Zofia⟧.", "I met."),
        ("paid to ⟦Zofia⟧ on Monday", "paid on Monday"),
        ("(seen by ⟦Zofia⟧)", "(seen)"),
        ("an ⟦Ipswich⟧ nurse", "a nurse"),
        ("a ⟦young⟧ umpire", "a umpire"),  # left alone: u may sound either way
        ("a ⟦big⟧ apple", "an apple"),
        ("He left ⟦today⟧", "He left"),
        ("  ⟦Zofia⟧ lives here", "  lives here"),
        ("x\n⟦Zofia⟧ lives here", "x\nlives here"),
        ("x ⟦Zofia⟧\ny", "x\ny"),
        ("患者は⟦王小明⟧です。", "患者はです。"),
        ("⟦all⟧", ""),
    ],
)
def test_what_grammar_needs_is_mended(marked: str, left: str) -> None:
    assert without(marked) == left


@pytest.mark.parametrize(
    ("marked", "left"),
    [
        ("Phone: ⟦123⟧", "Phone: "),
        ("Phone: ⟦123⟧\nFax: 1", "Phone: \nFax: 1"),
        ("| ⟦Zofia⟧ | 2 |", "| | 2 |"),
        ("|⟦Zofia⟧|2|", "||2|"),
        ("Zofia,⟦Brandt⟧,34", "Zofia,,34"),
        ("[⟦Zofia⟧](https://x.org)", "[](https://x.org)"),
        ("print(⟦Zofia⟧)", "print()"),
        ("f(⟦Zofia⟧, 34)", "f(, 34)"),
        ("From: ⟦Zofia Brandt⟧ <z@x.org>", "From: <z@x.org>"),
        ('<p title="⟦Zofia⟧">x</p>', '<p title="">x</p>'),
        ("<b>⟦Zofia⟧</b>", "<b></b>"),
        ("- ⟦Zofia⟧: x", "- : x"),
        ("# ⟦Zofia⟧", "# "),
        ("user=⟦ken⟧ host=x", "user= host=x"),
        ("⟦Zofia⟧: hi", ": hi"),
    ],
)
def test_labels_tables_and_markup_stay(marked: str, left: str) -> None:
    assert without(marked) == left


@pytest.mark.parametrize(
    "marked",
    [
        '{"a": "⟦Zofia⟧", "b": ["x", "y"]}',
        '{"a": "x", "b": ["⟦Zofia⟧", "y"]}',
        '{"a": "by ⟦Zofia⟧.", "n": 3}',
        '{"a": "said \\"⟦Zofia⟧\\" twice"}',
        '{"a":"⟦Zofia⟧","b":1}',
        '["⟦Zofia⟧"]',
        '["x", "⟦Zofia⟧"]',
    ],
)
def test_json_stays_json(marked: str) -> None:
    assert "Zofia" not in json.dumps(json.loads(without(marked)))


@given(
    before=st.text(st.sampled_from("ab ,.;:()[]{}<>|\"'*_“”\n&MrDn"), max_size=14),
    inside=st.text("xyz ", min_size=1, max_size=4),
    after=st.text(st.sampled_from("ab ,.;:()[]{}<>|\"'*_“”\ns&n"), max_size=14),
)
def test_only_the_direct_neighbourhood_is_touched(before: str, inside: str, after: str) -> None:
    text = before + inside + after
    dropped = drop(text, Span(len(before), len(before) + len(inside)))
    start, end = dropped.span.start, dropped.span.end
    taken = text[start : len(before)] + text[len(before) + len(inside) : end]
    assert not set(taken) & set("[]{}<>|\n;:")
    assert len(taken) <= 12
    assert dropped.replacement.strip() in {"", "a", "an", "A", "An"}


def without_all(marked: str) -> str:
    text = marked.replace("⟦", "").replace("⟧", "")
    spans = [
        Span(found.start() - 2 * n, found.end() - 2 * n - 2)
        for n, found in enumerate(re.finditer("⟦.*?⟧", marked))
    ]
    edits = drop_all(text, spans, target="t", step="drop")
    assert edits == check_edits(edits, len(text))
    covered = {place for e in edits for place in range(e.start, e.end)}
    assert all(place in covered for span in spans for place in range(span.start, span.end))
    return apply_edits(text, edits)


@pytest.mark.parametrize(
    ("marked", "left"),
    [
        ("Write to ⟦A⟧ or ⟦B⟧.", "Write."),
        ("Write ⟦A⟧ or ⟦B⟧ or ⟦C⟧. Port 443", "Write. Port 443"),
        ("Mail ⟦a@b.org⟧ and ⟦Zofia⟧. Seat 7", "Mail. Seat 7"),
        ("⟦Ann⟧, ⟦Bob⟧ and Cy met", "Cy met"),
        ("Call ⟦Zofia⟧ ⟦Brandt⟧ now", "Call now"),
        ("⟦A⟧⟦B⟧ x", "x"),
        ("a ⟦x⟧ b\nc ⟦y⟧ d", "a b\nc d"),
        ("none", "none"),
    ],
)
def test_neighbours_are_taken_out_together(marked: str, left: str) -> None:
    assert without_all(marked) == left


@given(
    st.lists(
        st.sampled_from(["⟦xyz⟧", "⟦Q⟧", "a", " ", ", ", " and ", ". ", "\n", "(", ")", "'s", "|", '"']),
        max_size=120,
    )
)
def test_dropping_all_covers_all(pieces: list[str]) -> None:
    left = without_all("".join(pieces))
    assert not set(left) & set("xyzQ")
    assert left.count("|") == pieces.count("|")
    assert left.count("\n") == pieces.count("\n")
