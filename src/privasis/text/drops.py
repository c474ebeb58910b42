"""Take many stretches out of a text, each with an eye on what the others have left."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from privasis.text.compose import compose
from privasis.text.edits import apply_edits, shift
from privasis.text.grammar import drop
from privasis.types import Edit, Span

_NEAR: Final = 60  # characters: stretches farther apart do not see each other
_MOST: Final = 32  # stretches that are taken out together, so that time stays linear


def drop_all(text: str, spans: Iterable[Span], *, target: str, step: str) -> tuple[Edit, ...]:
    """Take stretches out one after the other, mending the grammar between neighbours too.

    "Write to A or B." without A and B is "Write.", which two independent drops would not make of it.

    Args:
        text: The text.
        spans: Disjoint stretches.
        target: The target that every edit is to name.
        step: The step that every edit is to name.

    Returns:
        Edits in order, disjoint, that together cover every stretch.
    """
    edits: list[Edit] = []
    for cluster in _clusters(sorted(spans)):
        floor = edits[-1].end if edits else 0
        start = max(floor, cluster[0].start - _NEAR)
        local = text[start : cluster[-1].end + _NEAR]
        edits += shift(_drop_in_turn(local, [_moved(span, -start) for span in cluster], target, step), start)
    return tuple(edits)


def _clusters(spans: list[Span]) -> Iterator[list[Span]]:
    cluster: list[Span] = []
    for span in spans:
        if cluster and (span.start - cluster[-1].end > _NEAR or len(cluster) == _MOST):
            yield cluster
            cluster = []
        cluster.append(span)
    if cluster:
        yield cluster


def _drop_in_turn(local: str, spans: list[Span], target: str, step: str) -> tuple[Edit, ...]:
    edits: tuple[Edit, ...] = ()
    for span in spans:
        done = max((edit.end for edit in edits), default=0)
        gain = sum(len(edit.replacement) - (edit.end - edit.start) for edit in edits)
        if span.end <= done:
            continue
        here = Span(max(span.start, done) + gain, span.end + gain)
        dropped = drop(apply_edits(local, edits), here)
        new = Edit(dropped.span.start, dropped.span.end, dropped.replacement, target, step)
        edits = compose(edits, (new,))
    return edits


def _moved(span: Span, by: int) -> Span:
    return Span(span.start + by, span.end + by)
