"""The Text Anonymization Benchmark's measures, by hand, on a document of our own in its format."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st

from privasis.cli.tab import tab
from privasis.errors import InputError
from privasis.evaluation.tab import (
    TabDocument,
    document_of,
    is_masked,
    masked_by_diff,
    masked_by_edits,
    tab_score,
)
from privasis.types import Edit, Span

TEXT = "Mr Ivo Brandt, a baker from Lund, sued on 4 May 1999. Mr Brandt lost in Lund."


def mention(words: str, entity: str, kind: str, nth: int = 0, type: str = "PERSON") -> dict[str, Any]:
    start = -1
    for _ in range(nth + 1):
        start = TEXT.index(words, start + 1)
    return {
        "entity_type": type,
        "entity_mention_id": f"{entity}-{start}",
        "start_offset": start,
        "end_offset": start + len(words),
        "span_text": words,
        "edit_type": "check",
        "identifier_type": kind,
        "entity_id": entity,
        "confidential_status": "NOT_CONFIDENTIAL",
    }


def published(**changes: Any) -> dict[str, Any]:
    return {
        "doc_id": "d1",
        "text": TEXT,
        "dataset_type": "test",
        "meta": {"year": 1999},
        "quality_checked": True,
        "task": "Task: mask Ivo Brandt",
        "annotations": {
            "annotator1": {
                "entity_mentions": [
                    mention("Mr Ivo Brandt", "e1", "DIRECT"),
                    mention("Mr Brandt", "e1", "DIRECT"),
                    mention("baker", "e2", "QUASI", type="DEM"),
                    mention("Lund", "e3", "QUASI", 0, type="LOC"),
                    mention("Lund", "e3", "QUASI", 1, type="LOC"),
                    mention("4 May 1999", "e4", "NO_MASK", type="DATETIME"),
                ]
            },
            "annotator2": {
                "entity_mentions": [
                    mention("Ivo Brandt", "f1", "DIRECT"),
                    mention("Brandt", "f1", "DIRECT", 1),
                    mention("4 May 1999", "f2", "QUASI", type="DATETIME"),
                    mention("Lund", "f3", "QUASI", 0, type="LOC"),
                    mention("Lund", "f3", "NO_MASK", 1, type="LOC"),
                ]
            },
        },
        **changes,
    }


DOCUMENT = document_of(published(), "here")
RNG = np.random.default_rng(0)


def test_the_published_format_is_read() -> None:
    first, second = DOCUMENT.annotators
    assert (DOCUMENT.id, DOCUMENT.split) == ("d1", "test")
    assert [(e.id, e.entity_type, e.direct, len(e.mentions)) for e in first] == [
        ("e1", "PERSON", True, 2),
        ("e2", "DEM", False, 1),
        ("e3", "LOC", False, 2),
    ]
    assert [(e.id, e.direct, len(e.mentions)) for e in second] == [
        ("f1", True, 2),
        ("f2", False, 1),
        ("f3", False, 1),
    ]


def test_recall_and_precision_by_hand() -> None:
    # Masked are: both names, the first Lund, "sued"
    sanitized = "Mr X, a baker from Y, Z on 4 May 1999. Mr X lost in Lund."
    score = tab_score([(DOCUMENT, masked_by_diff(TEXT, sanitized))], RNG)
    # "Mr" may stay; each annotator's person is masked whole
    assert score.counts[0] == (2, 2)
    # baker no, e3 no (its second Lund stands), the date no, f3 yes (its second mention needs no mask)
    assert score.counts[1] == (1, 4)
    assert score.counts[2] == (3, 6)
    # Masked tokens: Ivo, Brandt, Lund, sued, Brandt: 4 of 5 are wanted by each of the two annotators
    assert score.counts[3] == (8, 10)
    assert score.direct == (1.0, 1.0, 1.0)
    assert score.quasi is not None
    assert score.quasi.value == 0.25
    assert score.precision is not None
    assert score.precision.value == 0.8


def test_one_mention_that_stands_lets_its_entity_stand() -> None:
    sanitized = TEXT.replace("Ivo Brandt", "X", 1)  # the second Brandt is still there
    score = tab_score([(DOCUMENT, masked_by_diff(TEXT, sanitized))], RNG)
    assert score.counts[0] == (0, 2)


def test_a_copy_masks_nothing_and_a_blank_masks_all() -> None:
    copied = tab_score([(DOCUMENT, masked_by_diff(TEXT, TEXT))], RNG)
    assert copied.counts == ((0, 2), (0, 4), (0, 6), (0, 0))
    assert copied.precision is None
    blank = tab_score([(DOCUMENT, masked_by_diff(TEXT, ""))], RNG)
    assert [hit for hit, _ in blank.counts[:3]] == [2, 4, 6]
    assert blank.precision is not None
    assert blank.precision.value < 0.6


def test_without_documents_nothing_is_known() -> None:
    assert tab_score([], RNG)[:5] == (0, None, None, None, None)


def test_intervals_come_from_the_documents() -> None:
    half = [(DOCUMENT, masked_by_diff(TEXT, text)) for text in [TEXT] * 10 + [""] * 10]
    score = tab_score(half, np.random.default_rng(1))
    assert score.direct is not None
    assert score.direct.value == 0.5
    assert 0.2 < score.direct.low < 0.4
    assert 0.6 < score.direct.high < 0.8


@pytest.mark.parametrize(
    ("mention", "kept", "masked"),
    [
        ("Mr Ivo Brandt", "Mr ", True),  # a title may stay
        ("the town of Lund", "the  of ", True),
        ("Lund's", "'s", True),
        ("born in Lund", "born ", False),
        ("4 May 1999", " May ", False),
        ("Forsberg", "for", False),  # "for" may stay only as a word
    ],
)
def test_titles_articles_and_punctuation_may_stay(mention: str, kept: str, masked: bool) -> None:
    mask = bytearray(b"\x01" * len(mention))
    place = 0
    for letter in kept:
        place = mention.lower().index(letter.lower(), place)
        mask[place] = 0
        place += 1
    assert is_masked(mention, Span(0, len(mention)), mask) is masked


def test_words_that_are_put_back_are_not_masked() -> None:
    edit = Edit(0, 23, "In Lund, Ivo worked", "", "")
    text = "Ivo Brandt made in Lund."
    taken = [text[span.start : span.end] for span in masked_by_edits(text, [edit])]
    assert "".join(taken).split() == ["Brandt", "made"]
    # As often as they are put back, not more
    twice = masked_by_edits("Lund and Lund", [Edit(0, 13, "Lund", "", "")])
    assert ["Lund and Lund"[s.start : s.end] for s in twice] == [" and Lund"]


@given(st.text("ab c.", max_size=30), st.text("ab c.", max_size=30))
def test_masks_are_sorted_disjoint_and_inside(original: str, sanitized: str) -> None:
    spans = masked_by_diff(original, sanitized)
    ends = [edge for span in spans for edge in (span.start, span.end)]
    assert ends == sorted(ends)
    assert all(span.start < span.end <= len(original) for span in spans)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"doc_id": None}, "here: field 'doc_id': Input should be a valid string"),
        (
            {
                "annotations": {
                    "a": {"entity_mentions": [{**mention("Lund", "e", "QUASI"), "end_offset": 999}]}
                }
            },
            "here: field 'annotations.a.entity_mentions.0': its offsets 28-999 lie outside the text.",
        ),
        (
            {"annotations": {"a": {"entity_mentions": [mention("Lund", "e", "MAYBE")]}}},
            "here: field 'annotations.a.entity_mentions.0.identifier_type': "
            "Input should be 'DIRECT', 'QUASI' or 'NO_MASK'",
        ),
    ],
)
def test_a_broken_document_is_told_by_its_field(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as raised:
        document_of(published(**changes), "here")
    assert str(raised.value) == message
    assert isinstance(DOCUMENT, TabDocument)


def run(*arguments: object) -> None:
    app = typer.Typer()
    app.command()(tab)
    app([str(argument) for argument in arguments], standalone_mode=False)


@pytest.fixture
def bench(tmp_path: Path) -> Path:
    path = tmp_path / "bench.json"
    path.write_text(json.dumps([published(), published(doc_id="d2", dataset_type="dev")]))
    return path


def test_the_command_prints_a_row_a_system(bench: Path, tmp_path: Path) -> None:
    edits = [{"start": 3, "end": 13, "replacement": "X"}]
    rows = [{"id": "d1", "sanitized_text": TEXT.replace("Ivo Brandt", "X"), "edits": edits}]
    mine = tmp_path / "mine.jsonl"
    mine.write_text("".join(json.dumps(row) + "\n" for row in rows))
    run(bench, "--predictions", mine, "--split", "test", "--out", tmp_path / "t.csv")
    with (tmp_path / "t.csv").open(newline="") as file:
        found = {row["System"]: row for row in csv.DictReader(file)}
    assert list(found) == ["mine", "copy the input", "delete everything"]
    assert found["mine"]["Recall, direct %"] == "0.0000"
    assert found["delete everything"]["Recall, direct %"] == "100.0000"
    assert found["mine"]["Token precision %"] == "100.0000"
    assert found["mine"]["Documents"] == "1"


def cut(start: int, end: int) -> list[dict[str, Any]]:
    return [{"start": start, "end": end, "replacement": ""}]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"id": "d9", "sanitized_text": "x"}, "an id that the test set does not have"),
        ({"id": "d1", "sanitized_text": "x", "edits": cut(0, 1)}, "do not make"),
        ({"id": "d1", "sanitized_text": "x", "edits": cut(5, 999)}, "outside"),
        ({"id": "d1", "sanitized_text": "x", "edits": "all"}, "field 'edits' is no list"),
    ],
)
def test_wrong_predictions_are_told(bench: Path, tmp_path: Path, row: dict[str, Any], message: str) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text(json.dumps(row) + "\n")
    with pytest.raises(InputError, match=message):
        run(bench, "--predictions", path, "--split", "test")


def test_an_unknown_split_lists_the_known(bench: Path) -> None:
    with pytest.raises(InputError, match=r"no document of the split 'exam'\. There are: dev, test\."):
        run(bench, "--predictions", bench, "--split", "exam")
