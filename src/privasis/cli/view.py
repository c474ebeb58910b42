"""``privasis view``: records, triplets and the Cleaner in the browser."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated

import typer

from privasis.cli.console import err
from privasis.errors import ConfigError, MissingExtraError


def view(
    runs: Annotated[list[Path], typer.Argument(help="Run folders of generate and sanitize.")],
    port: Annotated[int, typer.Option(min=0, max=65535, help="On the loopback address.")] = 8765,
) -> None:
    """Browse and search runs in the browser, also while they are in progress; for this machine only."""
    try:
        from privasis.web.app import create_app, serve
    except ImportError:
        raise MissingExtraError("the viewer needs an extra: pip install 'privasis[serve]'") from None
    from privasis.web.index import update

    folders = [run.resolve() for run in runs]
    if len({run.name for run in folders}) < len(folders):
        raise ConfigError("two of the folders have one name: the viewer could not tell them apart.")
    with tempfile.TemporaryDirectory(prefix="privasis-view-") as folder:
        index = Path(folder) / "index.sqlite"
        count = update(index, folders)
        err.print(f"{count} entries at http://127.0.0.1:{port}/ (Ctrl-C ends)")
        serve(create_app(index, folders), port)
