"""``privasis train``: train a Cleaner on triplets (§4.1, Appendix C)."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.table import Table

from privasis.cli.console import LOG_EVERY_S, err, out
from privasis.errors import ConfigError
from privasis.jobs.training import TrainingJob, run_training
from privasis.training.presets import as_preset, load_preset
from privasis.training.report import TrainingReport

Form = Literal["edits", "rewrite"]


def train(
    corpus: Annotated[
        Path, typer.Argument(help="A folder of `privasis split`, a corpus folder, or a file of triplets.")
    ],
    folder: Annotated[Path, typer.Option("--out", help="The model's folder: made, or resumed.")],
    preset: Annotated[
        str,
        typer.Option(help="tiny, finder, qwen3-4b, qwen3-1.7b, qwen3-0.6b, llama-3.2-3b, or a .toml file."),
    ] = "tiny",
    base: Annotated[
        str | None,
        typer.Option(help="Of the store, a folder, a GGUF file or a hub name. [default: preset's]"),
    ] = None,
    form: Annotated[
        Form | None, typer.Option("--format", help="The form of an answer. [default: preset's]")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the order of examples and of first weights.")] = 0,
) -> int:
    """Train a Cleaner on triplets; the same command goes on from the last checkpoint."""
    content = load_preset(preset)
    if content.get("kind") == "finder" and (base or form):
        raise ConfigError("--base and --format are for chat models; the span finder has neither.")
    if base is not None:
        content["base"] = base
    if form is not None:
        content["prompt"] = form
    job = TrainingJob(corpus, folder, as_preset(preset, content), seed)
    report = run_training(job, _log(job.preset.steps))
    _print(report, folder)
    return 0


def _log(steps: int) -> Callable[[int, float], None]:
    last = 0.0

    def note(step: int, loss: float) -> None:
        nonlocal last
        if step == steps or time.monotonic() - last >= LOG_EVERY_S:
            last = time.monotonic()
            err.print(f"steps: {step}/{steps}, loss {loss:.3f}")

    return note


def _print(report: TrainingReport, folder: Path) -> None:
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    table.add_row("examples", f"{report.train_examples:,} and {report.validation_examples:,} to validate")
    if report.too_long:
        table.add_row("", f"{report.too_long:,} left out: longer than max_tokens")
    table.add_row("loss", f"{report.first_loss:.3f} at first, [bold]{report.last_loss:.3f}[/] at last")
    if report.validation:
        table.add_row("validation", f"{report.validation[-1].loss:.3f}")
    for name, value in report.measures.items():
        table.add_row("", f"{name}: {value:.1%}")
    table.add_row("speed", f"{report.tokens_per_second:.0f} tokens/s, {report.session_seconds:.0f} s in all")
    table.add_row("folder", str(folder))
    out.print(table)
