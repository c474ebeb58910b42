"""Triplets -> pieces of text with the edits that lie in them: what one example is about."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from privasis.text.chunks import split
from privasis.types import Edit, Span, Triplet


@dataclass(frozen=True, slots=True)
class Piece:
    """A chunk of a record, or all of it; offsets of its edits lie on ``text``."""

    id: str  # the triplet's, with the place in it
    instruction: str
    text: str
    edits: tuple[Edit, ...]  # sorted and disjoint


def pieces(triplet: Triplet, size: int) -> Iterator[Piece]:
    """Cut a triplet into the chunks in which a Cleaner sees it (§3.1, item 1).

    An edit over a border is divided: its replacement stands in the first chunk, the rest of it is removed in
    the next. So the answers of all chunks, put together, are the sanitized record.

    Args:
        triplet: Any triplet.
        size: The largest length of a chunk in characters; 0 takes the whole record.
    """
    spans = split(triplet.text, size) if size else (Span(0, len(triplet.text)),)
    for span in spans:
        yield Piece(
            id=f"{triplet.id}:{span.start}",
            instruction=triplet.instruction,
            text=triplet.text[span.start : span.end],
            edits=tuple(_inside(triplet.edits, span)),
        )


def _inside(edits: tuple[Edit, ...], span: Span) -> Iterator[Edit]:
    for edit in edits:
        if edit.start == edit.end:  # an insertion belongs to the chunk before which it stands
            inside = span.start <= edit.start < span.end
        else:
            inside = edit.start < span.end and edit.end > span.start
        if inside:
            begins_here = edit.start >= span.start
            yield replace(
                edit,
                start=max(edit.start, span.start) - span.start,
                end=min(edit.end, span.end) - span.start,
                replacement=edit.replacement if begins_here else "",
            )
