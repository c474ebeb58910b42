"""Put edits on an edited text back onto the original: a chain of steps becomes one list of edits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from privasis.text.edits import check_edits
from privasis.types import Edit

_ANY_LENGTH: Final = 1 << 62  # the texts themselves are not needed, so neither are their lengths


@dataclass(frozen=True, slots=True)
class _Laid:
    """An edit with its range in the middle text: what the first edits made, the second ones are made on."""

    start: int
    end: int
    edit: Edit
    later: bool


def compose(first: Sequence[Edit], second: Sequence[Edit]) -> tuple[Edit, ...]:
    """Express edits made on an already edited text as edits on the original.

    ``apply_edits(text, compose(a, b)) == apply_edits(apply_edits(text, a), b)`` for every text. Edits that do
    not meet stay apart, with their target and step; where they do, the later one names the result.

    Args:
        first: Edits on the original.
        second: Edits on what the first ones made of it.

    Raises:
        EditError: The edits of one of the two overlap among themselves.
    """
    laid = [*_lay(first), *(_Laid(e.start, e.end, e, True) for e in check_edits(second, _ANY_LENGTH))]
    laid.sort(key=lambda item: (item.start, item.end, item.later))
    composed: list[Edit] = []
    gain = 0  # by how much the first edits so far have lengthened the text
    for group in _groups(laid):
        start = group[0].start - gain
        gain += sum(_gain(item.edit) for item in group if not item.later)
        end = max(item.end for item in group) - gain
        edit = replace(_named_by(group), start=start, end=end, replacement=_final_text(group))
        if composed and composed[-1].start == composed[-1].end == start == end:
            edit = replace(edit, replacement=composed.pop().replacement + edit.replacement)
        composed.append(edit)
    return tuple(composed)


def _lay(edits: Sequence[Edit]) -> Iterator[_Laid]:
    gain = 0
    for edit in check_edits(edits, _ANY_LENGTH):
        start = edit.start + gain
        yield _Laid(start, start + len(edit.replacement), edit, False)
        gain += _gain(edit)


def _gain(edit: Edit) -> int:
    return len(edit.replacement) - (edit.end - edit.start)


def _groups(laid: list[_Laid]) -> Iterator[list[_Laid]]:
    """Part the edits into runs that overlap in the middle text."""
    group: list[_Laid] = []
    end = 0
    for item in laid:
        if group and item.start >= end:
            yield group
            group = []
        end = max(end, item.end) if group else item.end
        group.append(item)
    if group:
        yield group


def _named_by(group: list[_Laid]) -> Edit:
    later = [item.edit for item in group if item.later]
    return later[-1] if later else group[0].edit


def _final_text(group: list[_Laid]) -> str:
    """Replay the second edits of a group on the replacements of its first ones.

    What lies between two first edits of one group is covered by a second one, or they would not meet.
    """
    parts: list[str] = []
    place = group[0].start
    for item in group:
        if item.later:
            parts += (_middle_text(group, place, item.start), item.edit.replacement)
            place = item.end
    parts.append(_middle_text(group, place, max(item.end for item in group)))
    return "".join(parts)


def _middle_text(group: list[_Laid], start: int, end: int) -> str:
    return "".join(
        item.edit.replacement[max(0, start - item.start) : max(0, end - item.start)]
        for item in group
        if not item.later
    )
