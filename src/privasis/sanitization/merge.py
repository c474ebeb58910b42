"""Edits of every target, put onto the ORIGINAL text, and the proof that they give the sanitized one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from privasis.errors import Reject
from privasis.text.compose import compose
from privasis.text.edits import apply_edits
from privasis.types import Edit, Span

STEP = "sanitize.merge"


@dataclass(frozen=True, slots=True)
class Draft:
    """A record on its way: what was changed so far, on the original, and the text that this gives."""

    original: str
    edits: tuple[Edit, ...] = ()
    text: str = ""  # the current text


def begin(text: str) -> Draft:
    """Return the draft of a text that nothing was changed in yet."""
    return Draft(text, (), text)


def advance(draft: Draft, edits: Sequence[Edit]) -> Draft:
    """Return the draft after further edits, whose offsets are on its CURRENT text.

    Raises:
        Reject: If the edits overlap or leave the text.
    """
    if not edits:
        return draft
    ordered = sorted(edits, key=lambda edit: (edit.start, edit.end))
    try:
        return Draft(draft.original, compose(draft.edits, ordered), apply_edits(draft.text, ordered))
    except ValueError as error:
        raise Reject(STEP, "overlap", str(error)) from None


def verify(draft: Draft) -> Draft:
    """Return the draft when its edits are sorted, disjoint, and give its text from the original.

    Raises:
        Reject: If they are not, or do not.
    """
    if any(before.end > after.start for before, after in pairwise(draft.edits)):
        raise Reject(STEP, "overlap")
    if apply_edits(draft.original, draft.edits) != draft.text:
        raise Reject(STEP, "not_lossless")
    return draft


def touched(draft: Draft) -> tuple[Span, ...]:
    """Return the places of the original that are changed."""
    return tuple(Span(edit.start, edit.end) for edit in draft.edits)
