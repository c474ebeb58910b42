"""``privasis tab``: the Text Anonymization Benchmark's own measures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from privasis.analysis.benchmarks import tab_table
from privasis.cli.tables import Format, show_tables
from privasis.errors import InputError
from privasis.evaluation.score import COPY, DELETE
from privasis.evaluation.tab import (
    TabDocument,
    TabScore,
    document_of,
    masked_by_diff,
    masked_by_edits,
    tab_score,
)
from privasis.store.benchmark import named, repeated
from privasis.store.datasets import walk_rows
from privasis.store.predictions import read_edited
from privasis.text.edits import EditError, apply_edits
from privasis.types import Edit, Span


def tab(
    bench: Annotated[Path, typer.Argument(help="A JSON file of the benchmark.", metavar="BENCH")],
    predictions: Annotated[
        list[Path],
        typer.Option(help="JSONL or Parquet of {id, sanitized_text}, perhaps with edits. May be repeated."),
    ],
    split: Annotated[str | None, typer.Option(help="Only documents of this split: train, dev, test.")] = None,
    seed: Annotated[int, typer.Option(help="Of the bootstrap resamples.")] = 0,
    format: Annotated[
        Format | None,
        typer.Option("--format", help="[default: terminal, or by the suffix of --out]", show_default=False),
    ] = None,
    out_file: Annotated[
        Path | None, typer.Option("--out", help="Write to this file instead of the terminal.")
    ] = None,
) -> None:
    """Entity-level recall on direct and quasi identifiers, token-level precision, a row a system."""
    documents = read_documents(bench, split)
    scores: dict[str, TabScore] = {}
    for path in predictions:
        name = path.stem if path.stem not in scores else str(path)
        scores[name] = _scored(documents, _masks(path, documents), seed)
    whole = [(Span(0, len(document.text)),) for document in documents]
    scores[COPY] = _scored(documents, [()] * len(documents), seed)
    scores[DELETE] = _scored(documents, whole, seed)
    show_tables({split or "all": tab_table(scores)}, format, out_file)


def read_documents(path: Path, split: str | None) -> list[TabDocument]:
    """Return the documents of a file of the benchmark, in order.

    Raises:
        InputError: If it cannot be read, has an id twice, or no document of the split.
    """
    documents = [document_of(row.values, row.where) for row in walk_rows(path)]
    twice = repeated(document.id for document in documents)
    if twice:
        raise InputError(f"{path}: twice the same doc_id: {named(twice)}.")
    chosen = [document for document in documents if split in (None, document.split)]
    if not chosen:
        there = ", ".join(sorted({document.split for document in documents})) or "none"
        raise InputError(f"{path} has no document of the split {split!r}. There are: {there}.")
    return chosen


def _scored(documents: list[TabDocument], masks: Sequence[Sequence[Span]], seed: int) -> TabScore:
    return tab_score(zip(documents, masks, strict=True), np.random.default_rng(seed))


def _masks(path: Path, documents: list[TabDocument]) -> list[tuple[Span, ...]]:
    ids = [document.id for document in documents]
    texts = read_edited(path, ids, ids)
    return [_mask(path, document, *texts[document.id]) for document in documents]


def _mask(path: Path, document: TabDocument, text: str, edits: tuple[Edit, ...] | None) -> tuple[Span, ...]:
    if edits is None:
        return masked_by_diff(document.text, text)
    try:
        made = apply_edits(document.text, edits)
    except EditError as error:
        raise InputError(f"{path}: {document.id}: {error}.") from None
    if made != text:
        raise InputError(f"{path}: {document.id}: the edits do not make sanitized_text out of the original.")
    return masked_by_edits(document.text, edits)
