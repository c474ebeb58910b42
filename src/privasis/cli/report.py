"""``privasis report``: one page of runs, to read, to print and to send."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from privasis.cli.console import out
from privasis.errors import ConfigError
from privasis.jobs.reports import make_report
from privasis.report.page import to_html, to_markdown_page
from privasis.store.files import write_text

_WRITERS = {".html": to_html, ".htm": to_html, ".md": to_markdown_page, ".markdown": to_markdown_page}


def report(
    runs: Annotated[
        list[Path], typer.Argument(help="Run folders of records, triplets or scores.", metavar="RUN...")
    ],
    out_file: Annotated[Path, typer.Option("--out", help="The page: .html, or .md.")] = Path("report.html"),
    samples: Annotated[
        int, typer.Option(min=0, max=100, help="Records, triplets and leaks of each kind that are shown.")
    ] = 3,
    title: Annotated[str, typer.Option(help="Of the page.")] = "Privasis report",
) -> None:
    """Write runs as one page: summary, tables, pictures, samples, leaks, provenance and cost."""
    write = _WRITERS.get(out_file.suffix.casefold())
    if write is None:
        raise ConfigError(f"--out {out_file}: a report is written as .html or .md.")
    write_text(out_file, write(make_report(runs, samples, title)))
    out.print(f"written: {out_file}", markup=False)
