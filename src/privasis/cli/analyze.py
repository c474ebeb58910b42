"""``privasis analyze``: tables and figures of §2.2, §3.2 and Appendix A.1, from what was made."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from privasis.analysis.diversity import WINDOW
from privasis.analysis.table import Table, transposed
from privasis.cli.tables import Format, draw_table, show_tables
from privasis.errors import ConfigError
from privasis.jobs.measures import (
    Measure,
    measure_categories,
    measure_corpus,
    measure_diversity,
    measure_models,
    measure_profiles,
)

app = typer.Typer(
    help="Say what was made: how varied, about whom, of what kinds.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

_Sources = Annotated[
    list[Path],
    typer.Argument(
        help="Run folders, Parquet or JSONL files, or folders of texts that people wrote.",
        metavar="SOURCE...",
    ),
]
_Format = Annotated[
    Format | None,
    typer.Option("--format", help="[default: terminal, or by the suffix of --out]", show_default=False),
]
_Out = Annotated[Path | None, typer.Option("--out", help="Write to this file instead of the terminal.")]
_Sample = Annotated[int, typer.Option(min=2, help="Texts drawn of each set at most.")]
_Seed = Annotated[int, typer.Option(help="Of what is drawn at random.")]
_Window = Annotated[int, typer.Option(min=1, help="Words in a window of MATTR.")]
_Column = Annotated[
    str | None, typer.Option(help="The column that holds the texts. [default: found by name]")
]
_Lexical = Annotated[bool, typer.Option("--lexical-only", help="Embed nothing: no cosine, no Vendi score.")]


@app.command("diversity")
def diversity(
    sources: _Sources,
    by: Annotated[
        str | None, typer.Option(help="A row for each value: category, record_type, or a column's name.")
    ] = None,
    sample: _Sample = 500,
    window: _Window = WINDOW,
    column: _Column = None,
    lexical_only: _Lexical = False,
    seed: _Seed = 0,
    format: _Format = None,
    out_file: _Out = None,
) -> None:
    """Table 2: how varied texts are, ours and those that people wrote side by side."""
    job = Measure(tuple(sources), sample, seed, window, column, by, not lexical_only)
    _show(measure_diversity(job), format, out_file)


@app.command("models")
def models(
    sources: _Sources,
    sample: _Sample = 500,
    window: _Window = WINDOW,
    lexical_only: _Lexical = False,
    seed: _Seed = 0,
    format: _Format = None,
    out_file: _Out = None,
) -> None:
    """Table 8: the same of each model's share of the records."""
    job = Measure(tuple(sources), sample, seed, window, by="model", embed=not lexical_only)
    _show(measure_models(job), format, out_file)


@app.command("profiles")
def profiles(
    source: Annotated[Path, typer.Argument(help="A run folder, Parquet or JSONL file of records.")],
    names: Annotated[
        Path | None, typer.Option(help="A file of well-known people's full names, one a line.")
    ] = None,
    seed: _Seed = 0,
    format: _Format = None,
    out_file: _Out = None,
) -> None:
    """Figure 3: whom the profiles describe, against what was meant, and whether they could be real."""
    if format is Format.CSV or (format is None and out_file is not None and out_file.suffix == ".csv"):
        raise ConfigError("these are three tables of different columns: CSV cannot hold them. Use Markdown.")
    tables = measure_profiles(source, names, seed)
    show_tables({table.title: table for table in tables}, format, out_file)


@app.command("categories")
def categories(
    source: Annotated[Path, typer.Argument(help="A run folder, Parquet or JSONL file of records.")],
    top: Annotated[int, typer.Option(min=0, max=20, help="Subcategories named in a row.")] = 3,
    format: _Format = None,
    out_file: _Out = None,
) -> None:
    """Table 1 and Figure 4: domains of records, by the life event that each was made from."""
    show_tables({"all": measure_categories(source, top)}, format, out_file, set_column=False)


@app.command("corpus")
def corpus(sources: _Sources, format: _Format = None, out_file: _Out = None) -> None:
    """§3.2: triplets, words, targets, instructions and spans, beside the paper; of records, §2.2."""
    show_tables({"all": measure_corpus(sources)}, format, out_file, set_column=False)


def _show(table: Table, format: Format | None, out_file: Path | None) -> None:
    """Print a table of measures, on a terminal with a column for each set, or write it to a file."""
    show_tables(
        {"all": table}, format, out_file, set_column=False, draw=lambda one: draw_table(transposed(one))
    )
