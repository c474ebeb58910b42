"""Let the Cleaner answer a test set, as predictions for the evaluation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final, NamedTuple

from privasis.cleaner.cleaning import clean
from privasis.evaluation.benchmark import BenchItem
from privasis.jobs.benches import read_bench
from privasis.store.files import disk_errors

WITHHELD: Final = "[withheld: something that was to go is left]"


class Predicted(NamedTuple):
    """How many texts were answered."""

    texts: int
    withheld: int  # of these, as not clean


def write_predictions(bench: Path, out: Path) -> Predicted:
    """Clean every text of a test set by its instruction alone, and write one line of JSON for each.

    What is not clean is withheld, as a user would get nothing either.

    Args:
        bench: A folder or file of a test set.
        out: The JSONL file.

    Raises:
        InputError: The test set cannot be read.
        DiskError: The disk is full or refuses.
    """
    items = read_bench(bench, skip_bad=True).items
    withheld = 0
    beside = out.with_name(out.name + ".part")
    with disk_errors(out):
        with beside.open("w", encoding="utf-8") as file:
            for item in items:
                text, edits = _prediction(item)
                withheld += text == WITHHELD
                row = {"id": item.id, "sanitized_text": text, "edits": edits}
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
        beside.replace(out)
    return Predicted(len(items), withheld)


def _prediction(item: BenchItem) -> tuple[str, list[dict[str, object]] | None]:
    cleaned = clean(item.original, item.instruction)
    if not cleaned.is_clean:
        return WITHHELD, None
    edits = [{"start": e.start, "end": e.end, "replacement": e.replacement} for e in cleaned.edits]
    return cleaned.text or " ", edits
