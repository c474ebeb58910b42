"""The two forms of an answer: the whole text, or a short list of changes."""

from __future__ import annotations

import json
from collections.abc import Sequence

from privasis.text.edits import apply_edits
from privasis.types import Edit


def rewrite_answer(text: str, edits: Sequence[Edit]) -> str:
    """Return the whole text with its edits applied."""
    return apply_edits(text, edits)


def edits_answer(text: str, edits: Sequence[Edit]) -> str:
    """Return the edits as JSON: each ``find`` stands in the text and is replaced wherever it stands.

    A find that also stands where nothing changes takes in the words beside it until it no longer does.
    """
    pairs: dict[str, str] = {}
    for edit in edits:
        start, end = _widened(text, edit, edits)
        inside = [e for e in edits if start <= e.start and e.end <= end]
        local = [Edit(e.start - start, e.end - start, e.replacement, e.target, e.step) for e in inside]
        pairs[text[start:end]] = apply_edits(text[start:end], local)
    listed = [{"find": find, "replace": new} for find, new in pairs.items() if find != new]
    return json.dumps({"edits": listed}, ensure_ascii=False)


def _widened(text: str, edit: Edit, edits: Sequence[Edit]) -> tuple[int, int]:
    start, end = edit.start, edit.end
    while start > 0 or end < len(text):
        if start < end and _changes_everywhere(text, start, end, edits):
            break
        start, end = _word_before(text, start), _word_after(text, end)
        for other in edits:  # never half of another edit
            if other.start < end and other.end > start:
                start, end = min(start, other.start), max(end, other.end)
    return start, end


def _changes_everywhere(text: str, start: int, end: int, edits: Sequence[Edit]) -> bool:
    wanted = [
        (e.start - start, e.end - start, e.replacement) for e in edits if start <= e.start and e.end <= end
    ]
    find = text[start:end]
    place = text.find(find)
    while place >= 0:
        last = place + len(find)
        here = [
            (e.start - place, e.end - place, e.replacement) for e in edits if e.end > place and e.start < last
        ]
        if here != wanted:
            return False
        place = text.find(find, place + 1)
    return True


def _word_before(text: str, place: int) -> int:
    while place > 0 and text[place - 1].isspace():
        place -= 1
    while place > 0 and not text[place - 1].isspace():
        place -= 1
    return place


def _word_after(text: str, place: int) -> int:
    while place < len(text) and text[place].isspace():
        place += 1
    while place < len(text) and not text[place].isspace():
        place += 1
    return place
