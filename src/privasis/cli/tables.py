"""``privasis table``: tables and figures of §4 and Appendix B and E, from folders of scores."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.box import SIMPLE
from rich.table import Table as Drawn
from rich.text import Text

from privasis.analysis.agreement import agreement_table
from privasis.analysis.cases import cases_table
from privasis.analysis.human import export_human_check, human_precision, precision_table
from privasis.analysis.results import figure_5, figure_5_points, table_4, table_5, table_6, table_10
from privasis.analysis.systems import ScoreSet, System, systems_by_set
from privasis.analysis.table import (
    Cell,
    Share,
    Table,
    merged,
    spelled,
    to_csv,
    to_markdown,
    transposed,
)
from privasis.cli.console import out
from privasis.errors import ConfigError, InputError
from privasis.jobs.scores import KIND, read_scores
from privasis.store.files import write_text
from privasis.store.run import read_config

app = typer.Typer(
    help="Print a table or figure of the paper from one or many folders of scores.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

WIDE = 9  # a table of more columns is drawn with rows and columns exchanged
ALL = "all"  # the name of the test set where it has none


class Format(StrEnum):
    """How a table is written."""

    TERMINAL = "terminal"
    MARKDOWN = "markdown"
    CSV = "csv"


_BY_SUFFIX = {".md": Format.MARKDOWN, ".markdown": Format.MARKDOWN, ".csv": Format.CSV}

_Scores = Annotated[
    list[Path], typer.Argument(help="Folders that privasis evaluate has made.", metavar="SCORES...")
]
_Format = Annotated[
    Format | None,
    typer.Option("--format", help="[default: terminal, or by the suffix of --out]", show_default=False),
]
_Out = Annotated[Path | None, typer.Option("--out", help="Write to this file instead of the terminal.")]
_Set = Annotated[str | None, typer.Option("--set", help="Only this test set, such as vanilla or hard.")]
_Top = Annotated[int, typer.Option(min=1, help="How many are named for each system.")]
_Seed = Annotated[int, typer.Option(help="Of the bootstrap resamples.")]


@app.command("4")
def four(
    scores: _Scores, only: _Set = None, format: _Format = None, out_file: _Out = None, seed: _Seed = 0
) -> None:
    """Table 4: sanitization and retention, systems side by side."""
    show_tables(_by_set(scores, only, lambda systems: table_4(systems, seed)), format, out_file)


@app.command("5")
def five(scores: _Scores, only: _Set = None, format: _Format = None, out_file: _Out = None) -> None:
    """Table 5: the shares of direct, inference and proximity leaks."""
    show_tables(_by_set(scores, only, table_5), format, out_file)


@app.command("6")
def six(
    scores: _Scores, only: _Set = None, top: _Top = 8, format: _Format = None, out_file: _Out = None
) -> None:
    """Table 6: the categories of records that fail most often."""
    show_tables(_by_set(scores, only, lambda systems: table_6(systems, top)), format, out_file)


@app.command("10")
def ten(
    scores: _Scores, only: _Set = None, top: _Top = 8, format: _Format = None, out_file: _Out = None
) -> None:
    """Table 10: the attributes that leak most often."""
    show_tables(_by_set(scores, only, lambda systems: table_10(systems, top)), format, out_file)


@app.command("figure-5")
def figure_five(
    scores: Annotated[
        list[str],
        typer.Argument(help="Folders of scores: SIZE=FOLDER, or FOLDER whose config tells its chunk size."),
    ],
    format: _Format = None,
    out_file: _Out = None,
    seed: _Seed = 0,
) -> None:
    """Figure 5: score by chunk size, from the scores of a sweep."""
    table = figure_5(figure_5_points((_sized(entry) for entry in scores), seed))
    show_tables({ALL: table}, format, out_file)


@app.command("agreement")
def agreement(
    first: Annotated[Path, typer.Argument(help="Scores by one evaluator.")],
    second: Annotated[Path, typer.Argument(help="Scores of the same texts by another.")],
    only: _Set = None,
    format: _Format = None,
    out_file: _Out = None,
) -> None:
    """Agreement rate and Cohen's kappa of two evaluators on the same predictions."""
    mine, theirs = (_own(folder, only) for folder in (first, second))
    sets = [name for name in mine if name in theirs]
    if not sets:
        raise InputError(f"{first} and {second} have no test set in common.")
    show_tables({name or ALL: agreement_table(mine[name], theirs[name]) for name in sets}, format, out_file)


@app.command("human-check")
def human_check(
    scores: Annotated[
        list[Path] | None, typer.Argument(help="Folders of scores.", metavar="SCORES...")
    ] = None,
    filled: Annotated[
        Path | None, typer.Option(help="A file of cases with verdicts: print the evaluator's precision.")
    ] = None,
    only: _Set = None,
    format: _Format = None,
    out_file: _Out = None,
) -> None:
    """Write the proximity leaks for a person to judge, or tell the precision from a filled file."""
    if (filled is None) == (not scores):
        raise ConfigError("give folders of scores to write their cases, or --filled FILE to read verdicts.")
    if filled is not None:
        show_tables({ALL: _precision(filled)}, format, out_file)
        return
    grouped = systems_by_set(_read(scores or []), texts=True)
    systems = [system for name in _chosen(grouped, only) for system in grouped[name]]
    show_tables({ALL: export_human_check(systems)}, format, out_file, set_column=False)


@app.command("cases")
def cases(
    scores: _Scores,
    count: Annotated[int, typer.Option(min=1, help="Cases of each leak kind.")] = 1,
    only: _Set = None,
    format: _Format = None,
    out_file: _Out = None,
) -> None:
    """Case studies of each leak kind, with the place of the leak marked (Appendix E)."""
    grouped = systems_by_set(_read(scores), texts=True)
    systems = [system for name in _chosen(grouped, only) for system in grouped[name]]
    show_tables({ALL: cases_table(systems, count)}, format, out_file, set_column=False, draw=draw_rows)


def _by_set(
    folders: Sequence[Path], only: str | None, make: Callable[[tuple[System, ...]], Table]
) -> dict[str, Table]:
    grouped = systems_by_set(_read(folders))
    return {name or ALL: make(grouped[name]) for name in _chosen(grouped, only)}


def _chosen(grouped: Mapping[str, object], only: str | None) -> list[str]:
    if only is None:
        return list(grouped)
    if only not in grouped:
        there = ", ".join(name or "(without a name)" for name in grouped) or "none"
        raise ConfigError(f"--set {only}: the scores are of these test sets: {there}.")
    return [only]


def _read(folders: Sequence[Path]) -> Iterator[ScoreSet]:
    names = [folder.resolve().name for folder in folders]
    for folder, name in zip(folders, names, strict=True):
        # Two folders of one name are told apart by their whole paths
        yield _score_set(folder, name if names.count(name) == 1 else str(folder))


def _score_set(folder: Path, name: str) -> ScoreSet:
    return ScoreSet(name, read_config(folder, KIND)["config"], read_scores(folder))


def _sized(entry: str) -> ScoreSet:
    size, separator, folder = entry.partition("=")
    if not separator or not size.isdecimal():
        return _score_set(Path(entry), Path(entry).resolve().name)
    given = _score_set(Path(folder), Path(folder).resolve().name)
    return given._replace(config={**given.config, "chunk_size": int(size)})


def _own(folder: Path, only: str | None) -> dict[str, System]:
    """Return the folder's system on each of its test sets."""
    grouped = systems_by_set([_score_set(folder, folder.resolve().name)], texts=True)
    owned = {
        name: system for name in _chosen(grouped, only) for system in grouped[name] if not system.is_baseline
    }
    if not owned:
        raise InputError(f"{folder} has scores of the baselines only.")
    return owned


def _precision(path: Path) -> Table:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            return precision_table(human_precision(csv.DictReader(file)))
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from None
    except (UnicodeDecodeError, csv.Error):
        raise InputError(f"{path} is no CSV file in UTF-8.") from None
    except InputError as error:
        raise InputError(f"{path} {error}") from None


def show_tables(
    tables: Mapping[str, Table],
    format: Format | None,
    out_file: Path | None,
    *,
    set_column: bool = True,
    draw: Callable[[Table], None] | None = None,
) -> None:
    """Print tables, or write them to a file; by test set, which CSV tells in a first column."""
    if not tables:
        raise InputError("there are no scores to show.")
    chosen = format or (_BY_SUFFIX.get(out_file.suffix.casefold()) if out_file else None)
    if out_file is None and chosen in (None, Format.TERMINAL):
        for table in tables.values():
            (draw or draw_table)(table)
        return
    if chosen is Format.CSV:
        text = to_csv(merged(tables, "Set") if set_column else next(iter(tables.values())))
    else:
        text = "\n".join(to_markdown(table) for table in tables.values())
    if out_file is None:
        typer.echo(text, nl=False)
        return
    write_text(out_file, text)
    out.print(f"written: {out_file}", markup=False)


def draw_table(table: Table) -> None:
    """Print a table on the terminal; a wide one with a column for each of its rows."""
    shown = transposed(table) if len(table.columns) > WIDE else table
    drawn = Drawn(title=Text(table.title), title_justify="left", box=SIMPLE, pad_edge=False)
    for place, column in enumerate(shown.columns):
        right = place > 0 and all(isinstance(row[place], int | float | Share) for row in shown.rows)
        drawn.add_column(
            Text(column),
            justify="right" if right else "left",
            overflow="fold",
            no_wrap=place == 0 and shown is not table,  # the paper's column heads stay whole,
            min_width=len(column) if place else None,  # and so do the systems' names
        )
    for row in shown.rows:
        drawn.add_row(*(Text(_drawn(cell)) for cell in row))
    out.print(drawn)
    for note in table.notes:
        out.print(Text(note, style="dim"))


def draw_rows(table: Table) -> None:
    """Print a table on the terminal row by row: for few rows with long texts."""
    out.print(Text(table.title, style="italic"))
    for row in table.rows:
        grid = Drawn.grid(padding=(0, 2))
        for column, cell in zip(table.columns, row, strict=True):
            if cell != "":
                grid.add_row(Text(column, style="bold"), Text(_drawn(cell)))
        out.print(grid)
        out.print()
    for note in table.notes:
        out.print(Text(note, style="dim"))


def _drawn(cell: Cell) -> str:
    return spelled(cell).replace("\x1b", "␛")  # a record must not command the terminal
