"""Inputs that broke other sanitizers: each is cleaned from its natural instruction alone."""

from __future__ import annotations

import json
import unicodedata
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

from privasis.cleaner.cleaning import clean
from privasis.text.edits import apply_edits

CASES = [json.loads(line) for line in (Path(__file__).parent / "cases.jsonl").read_text("utf-8").splitlines()]
NOT_REACHED = {
    "san-033": "a time told by an event and an interval needs a model that understands the sentence",
    "san-108": "putting values back is the gateway's work, not the Cleaner's",
}


def seen(text: str) -> str:
    """Return what a reader sees: compatibility forms, ignorable characters and apostrophes folded."""
    plain = "".join(
        c
        for c in unicodedata.normalize("NFKC", text)
        if unicodedata.category(c) != "Cf" and c not in "\u034f\u115f\u1160\u17b4\u17b5\u3164"
    )
    for apostrophe in "\u2018\u2019\u02bc\u02b9\uff07":
        plain = plain.replace(apostrophe, "'")
    return plain.casefold()


def still_parses(before: str, after: str) -> bool:
    for parse in (json.loads, ET.fromstring):
        try:
            parse(before)
        except (ValueError, ET.ParseError):
            continue
        parse(after)
    return not before.startswith("BEGIN:V") or after.rstrip().endswith(before.rstrip().splitlines()[-1])


@pytest.mark.parametrize(
    "case", [case for case in CASES if case["id"] not in NOT_REACHED], ids=lambda c: c["id"]
)
def test_case(case: dict[str, Any]) -> None:
    cleaned = clean(case["text"], case["instruction"])
    leaks = [m for m in case["must_not_contain"] if seen(m) in seen(cleaned.text)]
    leaks += [m for m in case["must_not_contain"] if m.casefold() in cleaned.text.casefold()]
    assert (leaks, [m for m in case["must_contain"] if m not in cleaned.text]) == ([], [])
    assert cleaned.is_clean
    assert still_parses(case["text"], cleaned.text)
    assert apply_edits(case["text"], cleaned.edits) == cleaned.text


def test_most_cases_are_reached() -> None:
    assert len(CASES) == 81
    assert len(CASES) - len(NOT_REACHED) >= 74
