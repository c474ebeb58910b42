"""``privasis split``: train, validation, vanilla and hard test sets (§4.2)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from privasis.cli.console import out
from privasis.store.run import read_config
from privasis.store.splits import Splits, perfect_by_code, perfect_by_scores, write_splits

_BY_CODE = (
    "Vanilla: no direct leak, and every keep in place, by strings alone. Hard: all others. Leaks that only "
    "an evaluator finds are not in it: give its scores of this corpus by --scores. The results in hard are "
    "the pipeline's failures, and no reference."
)
_BY_SCORES = (
    "Vanilla: a full success by the evaluator's scores. Hard: all others; the results in it are the "
    "pipeline's failures, and no reference."
)
_PAPER = (  # §3.2 and §4.2: triplets, words, words of instruction, targets, with a group
    ("the paper: train", "37,000", "527", "69.4", "2.9", ""),
    ("the paper: vanilla", "1,042", "569.3", "57.2", "", "60%"),
    ("the paper: hard", "1,149", "619.6", "94", "", "87%"),
)


def split(
    corpus: Annotated[Path, typer.Argument(help="A corpus folder.")],
    folder: Annotated[Path, typer.Option("--out", help="Where the four Parquet files go.")],
    validation: Annotated[float, typer.Option(help="Share of persons for validation.")] = 0.05,
    test: Annotated[float, typer.Option(help="Share of persons for the test sets.")] = 0.1,
    scores: Annotated[
        Path | None,
        typer.Option(help="An evaluation of the corpus's own results. [default: strings alone decide]"),
    ] = None,
) -> None:
    """Split a corpus by person: train, validation, and the vanilla and hard test sets of §4.2."""
    read_config(corpus, "triplets")
    is_perfect = perfect_by_code if scores is None else perfect_by_scores(scores)
    judged_by = "code" if scores is None else "scores"
    made = write_splits(
        corpus, folder, validation=validation, test=test, is_perfect=is_perfect, judged_by=judged_by
    )
    print_splits(made)
    out.print(f"[dim]{_BY_CODE if scores is None else _BY_SCORES}[/]", soft_wrap=True)


def print_splits(made: Splits) -> None:
    """Print what each split is like, beside the paper's."""
    table = Table("split", "triplets", "words", "of instruction", "targets", "with a group", box=None)
    for name, shape in made.shapes.items():
        if not shape.triplets:
            table.add_row(name, "0")
            continue
        table.add_row(
            name,
            f"{shape.triplets:,}",
            f"{shape.mean(shape.words):.1f}",
            f"{shape.mean(shape.instruction_words):.1f}",
            f"{shape.mean(shape.targets):.1f}",
            f"{shape.mean(shape.grouped):.0%}",
        )
    for row in _PAPER:
        table.add_row(*row, style="dim")
    out.print(table)
    if made.unscored:
        out.print(
            f"{made.unscored} test triplets stand in no split: the scores have no verdict on their results"
        )
    if made.unused:
        out.print(f"{made.unused} triplets that were not selected stand in no split")
