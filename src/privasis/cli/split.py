"""``privasis split``: train, validation, vanilla and hard test sets (§4.2)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from privasis.cli.console import out
from privasis.store.run import read_config
from privasis.store.splits import perfect_by_code, write_splits


def split(
    corpus: Annotated[Path, typer.Argument(help="A corpus folder.")],
    folder: Annotated[Path, typer.Option("--out", help="Where the four Parquet files go.")],
    validation: Annotated[float, typer.Option(help="Share of persons for validation.")] = 0.05,
    test: Annotated[float, typer.Option(help="Share of persons for the test sets.")] = 0.1,
) -> None:
    """Split a corpus by person. Vanilla and hard are told apart by code alone: no evaluator is asked."""
    read_config(corpus, "triplets")
    counts = write_splits(corpus, folder, validation=validation, test=test, is_perfect=perfect_by_code)
    for name, count in counts.items():
        out.print(f"{name:<14} {count:>8} triplets")
    out.print(
        "[dim]Vanilla: single attributes, no direct leak and every keep in place. Hard: all others. "
        "This is what code can tell; an evaluator's verdicts are not in it.[/]",
        soft_wrap=True,
    )
