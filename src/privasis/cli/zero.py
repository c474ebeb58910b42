"""``privasis zero``: between our corpus and the authors' release, the dataset nvidia/Privasis-Zero."""

from __future__ import annotations

import json
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from privasis.cli.console import out
from privasis.errors import ConfigError
from privasis.jobs.zero import item_of_row, row_of_triplet, triplet_of_row
from privasis.store.benchmark import bench_files, read_rows
from privasis.store.files import write_whole
from privasis.store.schema import from_row, to_row
from privasis.store.zero import ZeroRow, read_zero, write_zero
from privasis.types import Triplet

app = typer.Typer(
    help="Import and export the authors' release, nvidia/Privasis-Zero.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


class Shape(StrEnum):
    """What an imported row becomes."""

    ITEMS = "items"
    TRIPLETS = "triplets"


class Instruction(StrEnum):
    """Which of a row's instructions a sanitizer is given."""

    SMOOTHED = "smoothed"
    BASE = "base"


@app.command("export")
def export(
    corpus: Annotated[Path, typer.Argument(help="A corpus folder, or a file of its triplets.")],
    out_file: Annotated[Path, typer.Option("--out", help="The file to write: .parquet or .jsonl.")],
) -> None:
    """Write the triplets of a corpus in the format of the release."""
    rows = (row_of_triplet(triplet) for triplet in _triplets(corpus))
    out.print(f"{write_zero(out_file, rows)} rows: {out_file}", markup=False)


@app.command("import")
def import_(
    path: Annotated[Path, typer.Argument(help="A Parquet, JSONL or Arrow file, or a folder of them.")],
    out_file: Annotated[Path, typer.Option("--out", help="The JSONL file to write.")],
    shape: Annotated[
        Shape, typer.Option("--as", help="Items to evaluate with, or triplets to train on.")
    ] = Shape.ITEMS,
    instruction: Annotated[
        Instruction, typer.Option(help="An item's instruction: as a user says it, or the assembled one.")
    ] = Instruction.SMOOTHED,
    set_name: Annotated[str, typer.Option("--set", help="The name of the test set: vanilla or hard.")] = "",
) -> None:
    """Write rows of the release in our own format."""
    if out_file.suffix != ".jsonl":
        raise ConfigError(f"--out {out_file}: imported rows are written as .jsonl.")
    rows = enumerate(read_zero(path))
    made = (_made(row, number, shape, set_name, instruction) for number, row in rows)
    counts: list[int] = []
    write_whole(out_file, lambda beside: counts.append(_write(beside, made)))
    out.print(f"{counts[0]} {shape}: {out_file}", markup=False)


def _made(row: ZeroRow, number: int, shape: Shape, set_name: str, instruction: Instruction) -> dict[str, Any]:
    if shape is Shape.TRIPLETS:
        return to_row(triplet_of_row(row, number))
    return to_row(item_of_row(row, number, set_name, instruction.value))


def _write(path: Path, rows: Iterator[dict[str, Any]]) -> int:
    count = 0
    with path.open("w", encoding="utf-8") as file:
        for row in rows:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
            count += 1
    return count


def _triplets(path: Path) -> Iterator[Triplet]:
    for file in bench_files(path):
        for row in read_rows(file.path):
            yield from_row(Triplet, row.values, row.where)
