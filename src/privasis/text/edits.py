"""Edits on a text: apply, check, measure. A sanitized text is its original plus a list of edits (§3.1)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise, takewhile

from privasis.types import Edit, Span


class EditError(ValueError):
    """Edits that cannot be applied: overlapping, or outside the text. Names offsets, never text."""


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """Apply edits to the text on which their offsets lie; their order does not matter.

    Raises:
        EditError: An edit lies outside the text, or two overlap (see ``check_edits``).
    """
    ordered = check_edits(edits, len(text))
    parts: list[str] = []
    done = 0
    for edit in ordered:
        parts += (text[done : edit.start], edit.replacement)
        done = edit.end
    parts.append(text[done:])
    return "".join(parts)


def check_edits(edits: Iterable[Edit], length: int) -> tuple[Edit, ...]:
    """Put edits in order and make sure that applying them has one meaning only.

    Edits may touch. An insertion (``start == end``) may stand at the border of another edit: before it if
    at its start, else after it. Two insertions at one place have no order and are refused.

    Args:
        edits: Edits on one text.
        length: The length of that text.

    Raises:
        EditError: An edit lies outside ``0..length``, ends before it starts, or overlaps another.
    """
    ordered = tuple(sorted(edits, key=_place))
    for edit in ordered:
        if not 0 <= edit.start <= edit.end <= length:
            raise EditError(f"edit {edit.start}-{edit.end} lies outside a text of {length} characters")
    for before, after in pairwise(ordered):
        if _overlap(before, after):
            raise EditError(f"edits {before.start}-{before.end} and {after.start}-{after.end} overlap")
    return ordered


def resolve_overlaps(edits: Iterable[Edit]) -> tuple[Edit, ...]:
    """Make edits disjoint so that all that any of them removes is still removed.

    Edits that overlap become one over the whole of their ranges, with the replacement, target and step of the
    longest among them (of equal ones, the first). The result is in order.
    """
    resolved: list[Edit] = []
    longest = 0
    for edit in sorted(edits, key=_place):
        length = edit.end - edit.start
        if not resolved or not _overlap(resolved[-1], edit):
            resolved.append(edit)
            longest = length
            continue
        last = resolved[-1]
        end = max(last.end, edit.end)
        if length > longest:
            resolved[-1] = replace(edit, start=last.start, end=end)
            longest = length
        else:
            resolved[-1] = replace(last, end=end)
    return tuple(resolved)


def shift(edits: Iterable[Edit], by: int) -> tuple[Edit, ...]:
    """Move edits by a number of characters: from a chunk's offsets to the text's."""
    return tuple(replace(edit, start=edit.start + by, end=edit.end + by) for edit in edits)


def changed_fraction(original: str, edits: Iterable[Edit], allowed: Iterable[Span]) -> float:
    """Measure how much of a text was changed outside the spans that may change: the over-edit rate.

    Characters replaced outside the allowed spans (removed or inserted, whichever is more; what is inserted
    beside an allowed span is free) over all characters outside. What an edit leaves as it was, at its start
    or end, does not count. Between 0 and 1.

    Raises:
        EditError: The edits overlap or lie outside the text.
    """
    spans = _united(allowed)
    starts = [span.start for span in spans]
    outside = len(original) - sum(span.end - span.start for span in spans)
    changed = 0
    for edit in check_edits(edits, len(original)):
        trimmed = trim(original, edit)
        near = _touching(spans, starts, trimmed)
        removed = trimmed.end - trimmed.start - sum(_common(trimmed, span) for span in near)
        changed += removed if near else max(removed, len(trimmed.replacement))
    return min(1.0, changed / outside) if outside > 0 else 0.0


def trim(original: str, edit: Edit) -> Edit:
    """Make an edit as small as it can be: what its range and its replacement begin and end with in common."""
    removed = original[edit.start : edit.end]
    head = common_prefix(removed, edit.replacement)
    tail = common_suffix(removed[head:], edit.replacement[head:])
    kept = edit.replacement[head : len(edit.replacement) - tail]
    return replace(edit, start=edit.start + head, end=edit.end - tail, replacement=kept)


def common_prefix(a: str, b: str) -> int:
    """Count the characters with which two texts begin alike. Linear, by halving."""
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def common_suffix(a: str, b: str) -> int:
    """Count the characters with which two texts end alike. Linear, by halving."""
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        if a[len(a) - middle : len(a) - low] == b[len(b) - middle : len(b) - low]:
            low = middle
        else:
            high = middle - 1
    return low


def _place(edit: Edit) -> tuple[int, int]:
    return edit.start, edit.end


def _overlap(before: Edit, after: Edit) -> bool:
    """Tell whether two edits in order cannot stand side by side."""
    return after.start < before.end or _place(before) == _place(after)


def _united(spans: Iterable[Span]) -> list[Span]:
    united: list[Span] = []
    for span in sorted(spans):
        if united and span.start <= united[-1].end:
            united[-1] = Span(united[-1].start, max(united[-1].end, span.end))
        else:
            united.append(span)
    return united


def _touching(spans: list[Span], starts: list[int], edit: Edit) -> list[Span]:
    first = max(0, bisect_right(starts, edit.start) - 1)
    near = takewhile(lambda span: span.start <= edit.end, spans[first:])
    return [span for span in near if span.end >= edit.start]


def _common(edit: Edit, span: Span) -> int:
    return max(0, min(edit.end, span.end) - max(edit.start, span.start))
