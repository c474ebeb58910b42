"""``privasis export`` and ``privasis dedupe``: many rows, in flat memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from privasis.cli.console import err, out
from privasis.jobs.dedupe import DedupeJob, run_dedupe
from privasis.jobs.exports import ExportJob, run_export
from privasis.store.rows import open_rows

_Source = Annotated[
    Path, typer.Argument(metavar="SOURCE", help="A run, corpus or deduplicated folder, or a Parquet file.")
]
_Without = Annotated[list[str] | None, typer.Option(help="Leave out a column, such as calls; repeatable.")]
_Threshold = Annotated[
    float, typer.Option(help="Jaccard index of 5-word shingles from which rows are near-duplicates.")
]


def export(
    source: _Source,
    out_folder: Annotated[Path, typer.Option("--out", help="The dataset folder: made, or resumed.")],
    title: Annotated[str, typer.Option(help="What the dataset card calls it.")] = "A Privasis dataset",
    license: Annotated[str, typer.Option(help="The card's license, by its hub name.")] = "cc-by-nc-4.0",
    shard_size: Annotated[int, typer.Option(help="Rows of a Parquet file.")] = 10_000,
    without: _Without = None,
) -> None:
    """Write records or triplets as Parquet shards with a dataset card, in the Hugging Face hub's layout."""
    job = ExportJob(source, out_folder, title, license, shard_size, tuple(without or ()))
    with _progress("rows", open_rows(source).count) as note:
        counts = run_export(job, note)
    out.print(f"{counts.rows} rows: {out_folder}", markup=False)


def dedupe(
    source: _Source,
    out_folder: Annotated[Path, typer.Option("--out", help="The folder of kept rows: made, or resumed.")],
    threshold: _Threshold = 0.8,
    exact_only: Annotated[bool, typer.Option("--exact-only", help="Drop equal texts alone.")] = False,
) -> None:
    """Drop rows whose text repeats an earlier one, exactly or nearly; duplicates.parquet lists them."""
    job = DedupeJob(source, out_folder, threshold, exact_only)
    with _progress("rows", open_rows(source).count) as note:
        summary = run_dedupe(job, note)
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    table.add_row("kept", f"[bold]{summary.kept}[/] of {summary.rows} rows")
    table.add_row("exact duplicates", str(summary.exact))
    table.add_row("near-duplicates", str(summary.near))
    table.add_row("folder", str(out_folder))
    out.print(table)


@contextmanager
def _progress(what: str, total: int) -> Iterator[Callable[[int], None]]:
    if not err.is_terminal:
        yield lambda _: None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=err) as bars:
        task = bars.add_task(what, total=total)
        yield lambda done: bars.update(task, completed=done)
