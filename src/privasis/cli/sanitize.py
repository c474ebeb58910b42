"""``privasis sanitize``: build the sanitization corpus from records (§3)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from privasis.cli.console import Tally, add_usage, err, out, progress
from privasis.cli.options import (
    Address,
    BaseUrls,
    Concurrency,
    KeyEnv,
    MaxCost,
    Models,
    PriceCached,
    PriceIn,
    PriceOut,
    RequestsPerMinute,
    Runner,
    Timeout,
    client_options,
    cluster_of,
    in_work,
)
from privasis.cli.serving import Prices, served
from privasis.jobs.triplets import TripletsJob, open_source, run_triplets
from privasis.sanitization.options import SanitizeOptions
from privasis.store.triplets import TripletsSummary

NO_TRIPLET = 3

ShardSize = Annotated[int | None, typer.Option(min=1, help="Records committed together. [default: 1 to 64]")]
LabelOnlyShare = Annotated[float, typer.Option(help="Share of groups that instructions name by label only.")]
LlmOnly = Annotated[
    bool, typer.Option("--llm-only", help="Algorithm 1 to the letter: the model decides everything.")
]
_SHOWN = 20  # bad rows that are printed; summary.json has them all


def sanitize(
    source: Annotated[Path, typer.Argument(metavar="RUN", help="A run folder, .parquet or .jsonl file.")],
    out_folder: Annotated[Path, typer.Option("--out", help="The corpus folder: made, or resumed.")],
    targets: Annotated[int, typer.Option(help="n: targets of a record (§3.1).")] = 3,
    chunk_size: Annotated[int, typer.Option(help="Characters of a chunk at most (§3.1).")] = 512,
    group_share: Annotated[float, typer.Option(help="Share of targets that are groups.")] = 0.5,
    drop_share: Annotated[float, typer.Option(help="Share of targets that are dropped.")] = 0.5,
    keeps: Annotated[int, typer.Option(help="Retention targets of a record at most (§3.1).")] = 3,
    label_only_share: LabelOnlyShare = 0.5,
    levels: Annotated[int, typer.Option(help="Degrees of abstraction: each gives a triplet of its own.")] = 1,
    llm_only: LlmOnly = False,
    skip_bad: Annotated[bool, typer.Option("--skip-bad", help="List bad rows, go on without.")] = False,
    model: Models = None,
    base_url: BaseUrls = None,
    key_env: KeyEnv = "OPENAI_API_KEY",
    seed: Annotated[int, typer.Option(help="Run seed: the same seed draws the same targets.")] = 0,
    concurrency: Concurrency = 0,
    shard_size: ShardSize = None,
    max_cost: MaxCost = None,
    price_in: PriceIn = 0.0,
    price_cached: PriceCached = 0.0,
    price_out: PriceOut = 0.0,
    requests_per_minute: RequestsPerMinute = None,
    timeout: Timeout = 120.0,
    runner: Runner = "local",
    address: Address = None,
) -> int:
    """Turn records into triplets of record, instruction and sanitized record. Exit code 3: there is none."""
    cluster, parallel = cluster_of(runner, address, base_url or [], max_cost), in_work(concurrency, base_url)
    job = TripletsJob(
        source=source,
        out=out_folder,
        models=(),
        seed=seed,
        concurrency=parallel,
        shard_size=shard_size,
        skip_bad=skip_bad,
        options=SanitizeOptions(
            targets=targets,
            chunk_size=chunk_size,
            group_share=group_share,
            drop_share=drop_share,
            keeps=keeps,
            label_only_share=label_only_share,
            levels=levels,
            llm_only=llm_only,
        ),
        client=client_options(parallel, requests_per_minute, timeout, max_cost),
        cluster=cluster,
    )
    records = open_source(job)  # bad rows are told before a model is started
    _print_bad(records.bad)
    prices = Prices(price_in, price_cached, price_out)
    with (
        served(model or [], base_url or [], key_env, prices, parallel) as models,
        progress("records", len(records.good)) as (tally, note),
    ):
        summary = run_triplets(replace(job, models=models), records, note)
    print_summary(summary, tally, out_folder)
    return 0 if summary.triplets else NO_TRIPLET


def _print_bad(bad: tuple[str, ...]) -> None:
    for line in bad[:_SHOWN]:
        err.print(f"skipped: {line}", markup=False, soft_wrap=True)
    if len(bad) > _SHOWN:
        err.print(f"skipped: {len(bad) - _SHOWN} more, listed in summary.json")


def print_summary(summary: TripletsSummary, tally: Tally, folder: Path) -> None:
    """Print what a sanitization run has made."""
    each = max(summary.triplets, 1)
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    table.add_row("triplets", f"[bold]{summary.triplets}[/] of {summary.sanitized} records")
    table.add_row("records", f"{summary.tried} ({summary.rejected} rejected, {summary.failed} not selected)")
    reasons = {**summary.rejected_by_reason, **summary.failures_by_reason}
    for reason, count in sorted(reasons.items(), key=lambda item: -item[1]):
        table.add_row("", f"{count} {reason}")
    table.add_row("a triplet", f"{summary.targets / each:.1f} targets, {summary.edits / each:.1f} edits, "
                  f"{summary.instruction_words / each:.0f} words of instruction")  # fmt: skip
    steps = ", ".join(f"{count} {step}" for step, count in sorted(summary.edits_by_step.items()))
    table.add_row("edits", steps or "none")
    add_usage(table, summary.total())
    table.add_row("time", f"{tally.seconds:.0f} s in this session")
    table.add_row("folder", str(folder))
    out.print(table)
