"""The measures of the Text Anonymization Benchmark, for texts that were sanitized in any way.

Pilán et al. 2022, "The Text Anonymization Benchmark (TAB)", Computational Linguistics 48(4), and the release
v1.0 of its data: entity-level recall on direct and quasi identifiers, and token-level precision, both
micro-averaged over annotators. The benchmark knows masks on the original text; a sanitized text has the mask
of what its edits took away.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ValidationError

from privasis.errors import InputError
from privasis.evaluation.summary import Interval
from privasis.text.diff import diff_edits
from privasis.types import Edit, Span

RESAMPLES = 1000
_TOKEN = re.compile(r"\w+")

# The benchmark lets these stand: annotators differ on whether a span begins with them
_MAY_STAY = re.compile(
    r"\b(?:mrs?|ms|and|or|from|until|to|about|after|as|at|before|between|by|during|for|in|into|of|on|over|since"
    r"|with|the|an?|no|nr)\b|['’]s\b|[,.\-;:/&()\[\]–'\" ’“”]",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class TabEntity:
    """An entity that one annotator wants masked: masked only if each of its mentions is."""

    id: str
    entity_type: str
    direct: bool  # else a quasi identifier
    mentions: tuple[Span, ...]  # those that need masking, on the original text


@dataclass(frozen=True, slots=True)
class TabDocument:
    """A text with the entities that each annotator wants masked."""

    id: str
    text: str
    split: str  # 'train', 'dev' or 'test'
    annotators: tuple[tuple[TabEntity, ...], ...]


class TabScore(NamedTuple):
    """The measures over some documents, each with its bootstrap interval over documents; None if empty."""

    documents: int
    direct: Interval | None  # entity-level recall on direct identifiers
    quasi: Interval | None  # entity-level recall on quasi identifiers
    entities: Interval | None  # entity-level recall on both
    precision: Interval | None  # token-level, all tokens weighing the same
    counts: tuple[tuple[int, int], ...]  # numerator and denominator of the four, in this order


class _Mention(BaseModel):
    entity_id: str
    entity_type: str
    identifier_type: Literal["DIRECT", "QUASI", "NO_MASK"]
    start_offset: int
    end_offset: int


class _Annotation(BaseModel):
    entity_mentions: list[_Mention]


class _Published(BaseModel):
    doc_id: str
    text: str
    annotations: dict[str, _Annotation]
    dataset_type: str = ""


def document_of(values: Mapping[str, Any], where: str) -> TabDocument:
    """Return a document of the benchmark's published format.

    Args:
        values: An object of its JSON list.
        where: File and row, for messages.

    Raises:
        InputError: A field is missing or wrong, or offsets lie outside the text; names the field.
    """
    try:
        published = _Published.model_validate(values)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        field = ".".join(str(part) for part in first["loc"])
        raise InputError(f"{where}: field {field!r}: {first['msg']}") from None
    for name, annotation in published.annotations.items():
        for place, mention in enumerate(annotation.entity_mentions):
            if not 0 <= mention.start_offset < mention.end_offset <= len(published.text):
                raise InputError(
                    f"{where}: field 'annotations.{name}.entity_mentions.{place}': its offsets "
                    f"{mention.start_offset}-{mention.end_offset} lie outside the text."
                )
    return TabDocument(
        published.doc_id,
        published.text,
        published.dataset_type,
        tuple(
            tuple(_entities(annotation.entity_mentions))
            for annotation in published.annotations.values()
            if annotation.entity_mentions
        ),
    )


def _entities(mentions: Iterable[_Mention]) -> Iterator[TabEntity]:
    """Group an annotator's mentions. Where they differ, as in the release, the first says whether direct."""
    by_id: dict[str, list[_Mention]] = {}
    for mention in mentions:
        by_id.setdefault(mention.entity_id, []).append(mention)
    for id, group in by_id.items():
        spans = tuple(Span(m.start_offset, m.end_offset) for m in group if m.identifier_type != "NO_MASK")
        if spans:
            yield TabEntity(id, group[0].entity_type, group[0].identifier_type == "DIRECT", spans)


def masked_by_diff(original: str, sanitized: str) -> tuple[Span, ...]:
    """Return what a sanitized text took away from its original, by a diff of their words."""
    return masked_by_edits(original, diff_edits(original, sanitized, target="", step="diff"))


def masked_by_edits(original: str, edits: Sequence[Edit]) -> tuple[Span, ...]:
    """Return what edits took away, sorted and disjoint: their ranges, without words that they put back.

    A word of the range that stands in the replacement too (in any case, as often as there) is not masked: so
    a sentence put in another order hides nothing.

    Args:
        original: The text on which the edits lie.
        edits: Disjoint.
    """
    return tuple(
        span for edit in sorted(edits, key=lambda edit: edit.start) for span in _taken(original, edit)
    )


def _taken(original: str, edit: Edit) -> Iterator[Span]:
    put_back = Counter(token.casefold() for token in _TOKEN.findall(edit.replacement))
    start = edit.start
    for token in _TOKEN.finditer(original, edit.start, edit.end):
        word = token[0].casefold()
        if put_back[word]:
            put_back[word] -= 1
            if start < token.start():
                yield Span(start, token.start())
            start = token.end()
    if start < edit.end:
        yield Span(start, edit.end)


def tab_score(documents: Iterable[tuple[TabDocument, Sequence[Span]]], rng: np.random.Generator) -> TabScore:
    """Return the benchmark's measures.

    Args:
        documents: Each with the spans of its text that are masked, sorted and disjoint.
        rng: Draws the resamples of documents for the intervals.
    """
    rows = [_counted(document, masked) for document, masked in documents]
    counts = np.array(rows, np.float64).reshape(len(rows), 4, 2)
    sums = counts.sum(axis=0)
    drawn = _resampled(counts, rng)
    direct, quasi, entities, precision = (_interval(sums[k], drawn[:, k]) for k in range(4))
    totals = tuple((int(hit), int(of)) for hit, of in sums)
    return TabScore(len(rows), direct, quasi, entities, precision, totals)


def _counted(document: TabDocument, masked: Sequence[Span]) -> tuple[tuple[int, int], ...]:
    """Return numerator and denominator of the four measures for one document."""
    mask = bytearray(len(document.text))
    for span in masked:
        mask[span.start : span.end] = b"\x01" * (span.end - span.start)
    hits = {True: 0, False: 0}
    of = {True: 0, False: 0}
    for entity in (entity for entities in document.annotators for entity in entities):
        of[entity.direct] += 1
        hits[entity.direct] += all(is_masked(document.text, mention, mask) for mention in entity.mentions)
    both = (hits[True] + hits[False], of[True] + of[False])
    return (hits[True], of[True]), (hits[False], of[False]), both, _precision(document, masked)


def is_masked(text: str, mention: Span, mask: bytearray) -> bool:
    """Tell whether a mention is masked whole, but for what may stay: titles, articles, punctuation.

    Args:
        text: The original text.
        mention: The mention's place.
        mask: One byte a character of the text; 1 where it is masked.
    """
    if all(mask[mention.start : mention.end]):
        return True
    covered = bytearray(mask[mention.start : mention.end])
    for word in _MAY_STAY.finditer(text[mention.start : mention.end]):
        covered[word.start() : word.end()] = b"\x01" * (word.end() - word.start())
    return all(covered)


def _precision(document: TabDocument, masked: Sequence[Span]) -> tuple[int, int]:
    """Of the masked tokens, each once an annotator: how many the annotator has masked too."""
    tokens = [
        Span(token.start(), token.end())
        for span in masked
        for token in _TOKEN.finditer(document.text, span.start, span.end)
    ]
    hits = 0
    for entities in document.annotators:
        wanted = sorted(mention for entity in entities for mention in entity.mentions)
        hits += sum(_covers(wanted, token) for token in tokens)
    return hits, len(tokens) * len(document.annotators)


def _covers(wanted: Sequence[Span], token: Span) -> bool:
    """Tell whether one of the sorted spans holds a token whole."""
    reach = bisect_right(wanted, token.start, key=lambda span: span.start)
    return any(span.end >= token.end for span in wanted[:reach])


def _interval(sums: NDArray[np.float64], drawn: NDArray[np.float64]) -> Interval | None:
    if not sums[1]:
        return None
    counted = drawn[drawn[:, 1] > 0]
    low, high = np.percentile(counted[:, 0] / counted[:, 1], [2.5, 97.5])
    return Interval(float(sums[0] / sums[1]), float(low), float(high))


def _resampled(counts: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
    """Return the sums over resamples of documents with replacement.

    Args:
        counts: Shape (n, 4, 2).
        rng: Draws the resamples.

    Returns:
        Shape (RESAMPLES, 4, 2).
    """
    n = len(counts)
    if n == 0:
        return np.zeros((RESAMPLES, 4, 2))
    weights = rng.multinomial(n, np.full(n, 1 / n), size=RESAMPLES).astype(np.float64)
    return (weights @ counts.reshape(n, 8)).reshape(RESAMPLES, 4, 2)
