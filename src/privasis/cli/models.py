"""``privasis models``: the model files on this machine."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn
from rich.table import Table

from privasis.cli.console import err, out
from privasis.llm.weights import DEFAULT, Phase, Weights, find, installed, pull, remove

app = typer.Typer(help="List, pull and remove model files.", no_args_is_help=False, add_completion=False)

WORDS: dict[Phase, str] = {"fetch": "fetching", "unpack": "unpacking", "check": "checking"}


@app.callback(invoke_without_command=True)
def _list_by_default(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        list_models()


@app.command("list")
def list_models() -> None:
    """List the model files that are here."""
    found = installed()
    if not found:
        out.print(f"No models yet. Get the default one: privasis models pull (or pull {DEFAULT}).")
        return
    table = Table("name", "file", "MB", box=None, padding=(0, 2, 0, 0))
    for weights in found:
        table.add_row(weights.name, str(weights.path), f"{weights.path.stat().st_size / 1e6:.0f}")
    out.print(table)


@app.command("pull")
def pull_model(
    source: Annotated[
        str, typer.Argument(help="A known name, a GGUF file, or hf:owner/name/file.gguf.")
    ] = DEFAULT,
) -> None:
    """Fetch a model once; it is checked by its hash and usable offline afterwards."""
    weights = pull_with_progress(source)
    out.print(f"{weights.name}: {weights.path}", soft_wrap=True)


@app.command("remove")
def remove_model(name: Annotated[str, typer.Argument(help="A name of `privasis models list`.")]) -> None:
    """Remove a model from this machine."""
    out.print(f"removed {remove(name).name}")


def pull_with_progress(source: str) -> Weights:
    """Pull a model with a progress bar.

    Raises:
        ModelFileError: If it cannot be had, with what to do.
    """
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn())
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as bars:
        task = bars.add_task(source, total=None)

        def tell(phase: Phase, done: int, total: int) -> None:
            bars.update(task, description=f"{WORDS[phase]} {source}", completed=done, total=total or None)

        return pull(source, progress=tell)


def find_or_pull(name: str = DEFAULT) -> Weights:
    """Return a model that is here, or fetch it.

    Raises:
        ModelFileError: If it cannot be had.
    """
    if any(weights.name == name for weights in installed()):
        return find(name)
    return pull_with_progress(name)
