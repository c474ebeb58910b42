"""``privasis generate``: synthesise records (§2.1)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.table import Table

from privasis.cli.console import Tally, add_usage, out, progress
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
from privasis.jobs.records import RecordsJob, run_records
from privasis.store.summary import RecordsSummary
from privasis.synthesis.options import SynthesisOptions, for_small_model
from privasis.synthesis.seeds import SeedOptions

NOT_REACHED = 3

MaxCandidates = Annotated[
    int | None, typer.Option(help="K: candidates tried at most. [default: 2N]", show_default=False)
]
NameSampling = Annotated[
    Literal["uniform", "frequency"], typer.Option(help="Every name equally likely, or by its counts.")
]
Candidates = Annotated[
    int, typer.Option(min=1, max=8, help="Length of the lists of record types, contexts and formats.")
]
ShardSize = Annotated[
    int | None, typer.Option(min=1, help="Candidates committed together. [default: by N, 1 to 64]")
]
PoolLag = Annotated[
    int | None, typer.Option(min=1, help="Candidates by which a pool lags behind. [default: N/4, 2 to 512]")
]


def generate(
    out_folder: Annotated[Path, typer.Option("--out", help="The run folder: made, or resumed.")],
    records: Annotated[int, typer.Option("--records", help="N: accepted records wanted.")],
    max_candidates: MaxCandidates = None,
    model: Models = None,
    base_url: BaseUrls = None,
    key_env: KeyEnv = "OPENAI_API_KEY",
    seed: Annotated[int, typer.Option(help="Run seed: the same seed gives the same people.")] = 0,
    language: Annotated[str, typer.Option(help="Language of the records, by its English name.")] = "English",
    name_sampling: NameSampling = "uniform",
    concurrency: Concurrency = 0,
    refinement_steps: Annotated[int, typer.Option(min=0, help="Refinement steps at most (§2.1).")] = 3,
    candidates: Candidates = 3,
    alpha: Annotated[float, typer.Option(help="Weight of the judge in S (§2.1).")] = 0.5,
    beta: Annotated[float, typer.Option(help="Weight of the Vendi difference in S (§2.1).")] = 0.5,
    tau: Annotated[float, typer.Option(help="A revision is accepted if S > tau (§2.1).")] = 0.5,
    pool_size: Annotated[int, typer.Option(min=0, help="n_P: records drawn into the pool (§2.1).")] = 300,
    min_words: Annotated[int, typer.Option(min=1, help="Shorter records are rejected (§2.1).")] = 64,
    shard_size: ShardSize = None,
    pool_lag: PoolLag = None,
    max_cost: MaxCost = None,
    price_in: PriceIn = 0.0,
    price_cached: PriceCached = 0.0,
    price_out: PriceOut = 0.0,
    requests_per_minute: RequestsPerMinute = None,
    timeout: Timeout = 120.0,
    runner: Runner = "local",
    address: Address = None,
) -> int:
    """Synthesise N records into a run folder. Exit code 0: N were reached; 3: they were not."""
    cluster, parallel = cluster_of(runner, address, base_url or [], max_cost), in_work(concurrency, base_url)
    prices = Prices(price_in, price_cached, price_out)
    with served(model or [], base_url or [], key_env, prices, parallel) as models:
        job = RecordsJob(
            out=out_folder,
            records=records,
            models=models,
            max_candidates=max_candidates,
            seed=seed,
            concurrency=parallel,
            shard_size=shard_size,
            pool_lag=pool_lag,
            options=replace(
                _weighed(SynthesisOptions() if base_url else for_small_model(), alpha, beta, tau),
                seeds=SeedOptions(name_sampling=name_sampling),
                language=language,
                candidates=candidates,
                refinement_steps=refinement_steps,
                pool_size=pool_size,
                min_words=min_words,
            ),
            client=client_options(parallel, requests_per_minute, timeout, max_cost),
            cluster=cluster,
        )
        with progress("records", records) as (tally, note):
            summary = run_records(job, note)
    print_summary(summary, tally, out_folder)
    return 0 if summary.accepted >= records else NOT_REACHED


def _weighed(options: SynthesisOptions, alpha: float, beta: float, tau: float) -> SynthesisOptions:
    return replace(options, alpha=alpha, beta=beta, tau=tau)


def print_summary(summary: RecordsSummary, tally: Tally, folder: Path) -> None:
    """Print what a record run has made."""
    total = summary.total()
    per_record = max(summary.accepted, 1)
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    table.add_row("accepted", f"[bold]{summary.accepted}[/] of {summary.wanted} wanted")
    table.add_row("tried", f"{summary.tried} ({summary.rejected} rejected, {summary.surplus} beyond need)")
    for reason, count in sorted(summary.rejected_by_reason.items(), key=lambda item: -item[1]):
        table.add_row("", f"{count} {reason}")
    table.add_row("a record", f"{summary.words / per_record:.0f} words, "
                  f"{summary.attributes / per_record:.1f} attributes, "
                  f"{summary.groups / per_record:.1f} groups")  # fmt: skip
    add_usage(table, total)
    table.add_row("time", f"{tally.seconds:.0f} s in this session")
    table.add_row("folder", str(folder))
    out.print(table)
