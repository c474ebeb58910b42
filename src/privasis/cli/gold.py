"""``privasis gold`` and ``privasis predict``: our own test set, and the Cleaner's answers to any."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from privasis.cli.console import err
from privasis.cli.split import print_splits
from privasis.jobs.gold import write_gold
from privasis.jobs.predict import write_predictions


def gold(
    folder: Annotated[Path, typer.Option("--out", help="Where the four Parquet files go.")],
) -> None:
    """Write the gold corpus, records and triplets made by hand: train, validation and the two test sets."""
    print_splits(write_gold(folder))


def predict(
    bench: Annotated[Path, typer.Argument(help="A corpus folder, or a Parquet or JSONL file of a test set.")],
    target: Annotated[Path, typer.Option("--out", help="The JSONL file of predictions.")],
) -> None:
    """Let the Cleaner answer a test set from its instructions alone; score it by evaluate --predictions."""
    made = write_predictions(bench, target)
    err.print(f"{made.texts} texts cleaned, {made.withheld} of them withheld as not clean: {target}")
