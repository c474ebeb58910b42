"""``privasis demo``: the whole chain on the embedded model, with the commands that it stands for."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from privasis.cli.compare import triplet
from privasis.cli.console import out
from privasis.cli.evaluate import evaluate
from privasis.cli.generate import generate
from privasis.cli.models import find_or_pull
from privasis.cli.report import report
from privasis.cli.sanitize import sanitize
from privasis.cli.show import show

RECORDS = 2
CANDIDATES = 8
JUDGED = 2  # triplets of the corpus


def demo(
    folder: Annotated[Path, typer.Option("--out", help="The run folder of the demo.")] = Path("demo-run"),
    seed: Annotated[int, typer.Option(help="Run seed.")] = 7,
) -> int:
    """Show the whole chain on the embedded model: nothing leaves this machine."""
    _say("privasis models pull", "the embedded model: fetched once, 98 MB, offline afterwards")
    find_or_pull()
    command = (
        f"privasis generate --out {folder} --records {RECORDS} --max-candidates {CANDIDATES} "
        f"--seed {seed} --refinement-steps 1"
    )
    _say(command, "synthesise records: people, events, documents, annotations (about two minutes)")
    code = generate(folder, RECORDS, max_candidates=CANDIDATES, seed=seed, refinement_steps=1)
    if code:
        return code
    _say(f"privasis show {folder}", "one record, with its attributes highlighted")
    show(folder)
    corpus = folder.with_name(f"{folder.name}-corpus")
    _say(
        f"privasis sanitize {folder} --out {corpus} --seed {seed}",
        "choose what is sensitive, drop or abstract it, and write the instruction that asks for it",
    )
    if sanitize(folder, corpus, seed=seed):
        return 0  # the small model gave no usable triplet: its reasons were printed
    _say(f"privasis triplet {corpus}", "instruction, original and sanitized text, edits coloured")
    triplet(corpus)
    scores = folder.with_name(f"{folder.name}-scores")
    _say(
        f"privasis evaluate {corpus} --out {scores} --limit {JUDGED}",
        "let the same small model sanitize and judge, beside copying the input and deleting everything",
    )
    evaluate(corpus, scores, limit=JUDGED)
    page = folder.with_name(f"{folder.name}-report.html")
    _say(f"privasis report {folder} {corpus} {scores} --out {page}", "all of it as one page")
    report([folder, corpus, scores], page)
    _say_next(folder)
    return 0


def _say(command: str, why: str) -> None:
    out.print(f"\n[bold green]$ {command}[/]\n[dim]{why}[/]\n", soft_wrap=True)


def _say_next(folder: Path) -> None:
    out.print(
        f"\n[bold]What you have[/]: {folder}/records.parquet, and where it came from beside it.\n"
        "[bold]What you saw[/]: a model of 135 million parameters. It shows the chain and writes poorly.\n"
        "[bold]Next[/]: a stronger model, and more records:\n"
        "    privasis generate --out run --records 100 --model NAME --base-url http://HOST:PORT/v1\n",
        soft_wrap=True,
    )
