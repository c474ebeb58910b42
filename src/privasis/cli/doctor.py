"""``privasis doctor``: is everything there that a run needs?"""

from __future__ import annotations

import asyncio
import platform
import shutil
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import typer

from privasis.cli.console import out
from privasis.cli.serving import Prices, served
from privasis.errors import PrivasisError
from privasis.llm.embeddings import open_encoder
from privasis.llm.messages import ClientOptions
from privasis.llm.probe import probe
from privasis.llm.weights import models_folder

PACKAGES = ("privasis", "xllamacpp", "onnxruntime", "pyarrow", "pydantic", "aiohttp")


def doctor(
    model: Annotated[list[str] | None, typer.Option(help="Model to probe.")] = None,
    base_url: Annotated[list[str] | None, typer.Option(help="Endpoint to probe.")] = None,
    key_env: Annotated[str, typer.Option(help="Environment variable with its key.")] = "OPENAI_API_KEY",
) -> int:
    """Tell what was found: versions, disk, encoder, model, endpoint, and a one-token answer."""
    out.print(f"python      {platform.python_version()} on {platform.system()} {platform.machine()}")
    out.print("packages    " + ", ".join(f"{name} {version(name)}" for name in PACKAGES))
    free = shutil.disk_usage(Path.cwd()).free
    out.print(f"disk        {free / 1e9:.1f} GB free here")
    checks: dict[str, Callable[[], str]] = {
        "encoder": _encoder,
        "model": lambda: _models(model or [], base_url or [], key_env),
    }
    return max([_report(name, check) for name, check in checks.items()])


def _report(name: str, check: Callable[[], str]) -> int:
    try:
        found = check()
    except PrivasisError as error:
        out.print(f"{name:<11} [red]no:[/] ", end="")
        out.print(str(error), markup=False, soft_wrap=True)
        return error.exit_code
    out.print(f"{name:<11} [green]ok:[/] ", end="")
    out.print(found, markup=False, soft_wrap=True)
    return 0


def _encoder() -> str:
    vectors = open_encoder(threads=1).embed(["a sentence"])
    return f"sentence vectors of {vectors.shape[1]} dimensions"


def _models(names: list[str], base_urls: list[str], key_env: str) -> str:
    with served(names, base_urls, key_env, Prices(), parallel=1) as models:
        found = [asyncio.run(probe(model, ClientOptions())) for model in models]
    where = [
        f"{result.model} at {result.endpoint}, first token after {result.latency_s:.2f} s" for result in found
    ]
    return "; ".join(where) + ("" if base_urls else f" (embedded; files in {models_folder()})")
