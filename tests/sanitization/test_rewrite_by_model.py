"""Chunks that the model rewrites: what passes the checks, and what does not."""

from __future__ import annotations

import json

import pytest

from privasis.sanitization.apply import fault
from privasis.sanitization.options import SanitizeOptions
from privasis.text.edits import apply_edits
from privasis.types import Span
from support.sanitizing import Told, record_of, sanitize, target

BEFORE = (
    "The flat of Lena Roth was cold all winter, which her neighbours on the floor below can confirm.\n"
    "- The heating: repaired twice by a man from the city, without success, and for good money.\n"
)
ROTH = target("drop", {"full_name": "Lena Roth"})


@pytest.mark.parametrize(
    ("after", "complaint"),
    [
        (BEFORE.replace("Lena Roth", "the tenant"), None),
        (BEFORE.replace("The flat of Lena Roth was", "Her flat was"), None),
        (BEFORE, "still there"),
        (BEFORE.replace("Lena Roth", "LENA\nROTH"), "still there"),
        (BEFORE.replace("Lena Roth", "her").replace("- The", "The"), "form of the passage"),
        (BEFORE.replace("Lena Roth", "her").replace("good money", "little money"), "far from those"),
    ],
)
def test_an_edited_chunk_is_checked(after: str, complaint: str | None) -> None:
    place = BEFORE.index("Lena Roth")
    found = fault(BEFORE, after, [Span(place, place + 9)], ROTH, ["Lena Roth"])
    assert (found is None) if complaint is None else (complaint in (found or ""))


DATA = {"names": ["Lena", "Roth"], "room": 4}
TEXT = f"Export:\n\n{json.dumps(DATA)}\n\nEnd."
ACROSS = {"full_name": 'Lena", "Roth'}  # a value that runs across the structure


async def test_a_value_across_structure_is_put_to_the_model() -> None:
    asked: list[str] = []

    def edits(ask: object) -> dict[str, str]:
        asked.append("asked")
        wrong = "Export: nobody" if len(asked) == 1 else TEXT.replace('Lena", "Roth', "a tenant")
        return {"passage": wrong}

    (version,) = await sanitize(record_of(TEXT, {}), [target("drop", ACROSS)], Told(passage=edits))
    assert len(asked) == 2  # the first answer was refused, with the reason
    assert json.loads(version.draft.text.split("\n\n")[1]) == {"names": ["a tenant"], "room": 4}
    assert {edit.step for edit in version.draft.edits} == {"rewrite"}
    assert apply_edits(TEXT, version.draft.edits) == version.draft.text


async def test_what_no_answer_mends_stays_for_selection_to_find() -> None:
    told = Told(passage={"passage": "Everything is different now."})
    (version,) = await sanitize(record_of(TEXT, {}), [target("drop", ACROSS)], told)
    assert version.draft.text == TEXT
    assert told.kinds().count("passage") == 3  # asked again twice


async def test_the_way_of_the_paper_asks_for_every_step() -> None:
    text = "Lena Roth came.\n\nNobody else did, as far as anyone knows today.\n\nThe key is with Lena Roth."
    told = Told(
        numbers={"numbers": [1, 3, 99]},
        quotes={"quotes": ["Lena Roth", "not there"]},
        instruction={"instruction": "Call her the tenant."},
        passage=lambda ask: {
            "passage": ask.user.rpartition("Passage:\n```\n")[2][:-4].replace("Lena Roth", "the tenant")
        },
    )
    options = SanitizeOptions(chunk_size=64, llm_only=True)
    chosen = target("abstract", {"full_name": "Lena Roth"})
    (version,) = await sanitize(record_of(text, {}), [chosen], told, options)
    assert version.draft.text == text.replace("Lena Roth", "the tenant")
    assert version.targets[0].instruction == "Call her the tenant."
    kinds = told.kinds()
    assert kinds[0] == "numbers"
    assert kinds.count("quotes") == kinds.count("passage") == 2


async def test_a_model_that_answers_nonsense_is_no_obstacle() -> None:
    text = "Lena Roth paid. " + "Word after word. " * 50 + "She paid again."
    told = Told(quotes="no JSON at all", replacements="{{{")
    (version,) = await sanitize(record_of(text, {}), [target("abstract", {"full_name": "Lena Roth"})], told)
    assert version.draft.text == text.replace("Lena Roth", "The person")
    assert set(told.kinds()) == {"quotes", "replacements"}
