"""Predictions with their edits, where a system tells them."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from privasis.errors import InputError
from privasis.store.benchmark import read_predictions, read_rows
from privasis.store.schema import from_row
from privasis.types import Edit


def read_edited(
    path: Path, known: Collection[str], wanted: Collection[str]
) -> dict[str, tuple[str, tuple[Edit, ...] | None]]:
    """Return the sanitized text of each wanted item, and its edits if the file has a column of them.

    Args:
        path: A Parquet or JSONL file of ``{id, sanitized_text}``, perhaps with ``edits``: a list of
            ``{start, end, replacement}`` on the original text.
        known: The ids of the whole benchmark.
        wanted: Those that are to be scored.

    Raises:
        InputError: Ids that are unknown, missing or there twice, empty texts, or broken edits.
    """
    texts = read_predictions(path, known, wanted)
    edits: dict[str, tuple[Edit, ...]] = {}
    for row in read_rows(path):
        given = row.values.get("edits")
        if given is None:
            continue
        if not isinstance(given, list) or not all(isinstance(edit, dict) for edit in given):
            raise InputError(f"{row.where}: field 'edits' is no list of objects.")
        plain = {"target": "", "step": ""}
        edits[str(row.values["id"])] = tuple(from_row(Edit, {**plain, **edit}, row.where) for edit in given)
    return {id: (text, edits.get(id)) for id, text in texts.items()}
