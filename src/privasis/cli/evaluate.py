"""``privasis evaluate``: leaks in three depths and retention, by a system on a test set (§4.2)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from privasis.cli import tables
from privasis.cli.console import out, progress
from privasis.cli.options import Address, Runner, cluster_of
from privasis.cli.serving import Prices, served
from privasis.errors import ConfigError
from privasis.evaluation import layouts
from privasis.evaluation.score import NONE, EvaluateOptions
from privasis.jobs.benches import Bench, read_bench
from privasis.jobs.scores import ScoresJob, ScoresSummary, run_scores
from privasis.llm.messages import ClientOptions, Model
from privasis.llm.probe import probe
from privasis.store.benchmark import named, read_predictions

SMALL_JUDGE = (
    "The evaluator is the embedded model: a smoke test, not a judge. Its inference, proximity and retention "
    "verdicts mean little; name a large one by --evaluator and --evaluator-url."
)

_Bench = Annotated[
    Path, typer.Argument(help="A corpus folder, or a Parquet or JSONL file of a test set.", metavar="BENCH")
]
_Out = Annotated[Path, typer.Option("--out", help="The folder of the scores: made, or resumed.")]
_Sanitizer = Annotated[
    str | None, typer.Option(help="The sanitizer to ask. [default: the embedded model]", show_default=False)
]
_Url = Annotated[str | None, typer.Option(help="Its OpenAI-compatible endpoint.")]
_Predictions = Annotated[
    Path | None, typer.Option(help="Score these texts instead: JSONL or Parquet of {id, sanitized_text}.")
]
_Evaluator = Annotated[
    str | None,
    typer.Option(help="The LLM that judges, or 'none'. [default: the embedded model]", show_default=False),
]
_Name = Annotated[
    str | None, typer.Option(help="What the tables call the system. [default: the model's or file's name]")
]
_Layout = Annotated[str, typer.Option(help="The prompt layout that the sanitizer knows.")]
_Limit = Annotated[int | None, typer.Option(help="Score the first so many items. [default: all]")]
_SkipBad = Annotated[
    bool, typer.Option("--skip-bad", help="Leave out items whose targets are not in their text.")
]
_Seed = Annotated[int, typer.Option(help="Of the order in which guesses are shown, and of resamples.")]
_Concurrency = Annotated[
    int, typer.Option(help="Items in work at once. [default: 16; embedded: 4]", show_default=False)
]
_Cache = Annotated[
    Path | None, typer.Option(help="Share answers between evaluations. [default: in the folder of scores]")
]
_KeyEnv = Annotated[str, typer.Option(help="Environment variable that holds its endpoint's key.")]
_MaxCost = Annotated[float | None, typer.Option(help="Stop cleanly when this much money is spent.")]
_Price = Annotated[float, typer.Option(help="Money per million of such tokens, for both models.")]
_Rate = Annotated[float | None, typer.Option(help="Rate limit of an endpoint. [default: none]")]
_Timeout = Annotated[float, typer.Option(help="Seconds that one answer may take.")]
_ChunkSize = Annotated[
    int | None,
    typer.Option(min=16, help="Characters that the sanitizer is given at once (Figure 5). [default: all]"),
]


def evaluate(
    bench: _Bench,
    out_folder: _Out,
    model: _Sanitizer = None,
    base_url: _Url = None,
    key_env: _KeyEnv = "OPENAI_API_KEY",
    predictions: _Predictions = None,
    evaluator: _Evaluator = None,
    evaluator_url: _Url = None,
    evaluator_key_env: _KeyEnv = "OPENAI_API_KEY",
    name: _Name = None,
    layout: _Layout = layouts.PLAIN,
    chunk_size: _ChunkSize = None,
    limit: _Limit = None,
    skip_bad: _SkipBad = False,
    seed: _Seed = 0,
    concurrency: _Concurrency = 0,
    cache: _Cache = None,
    max_cost: _MaxCost = None,
    price_in: _Price = 0.0,
    price_cached: _Price = 0.0,
    price_out: _Price = 0.0,
    requests_per_minute: _Rate = None,
    timeout: _Timeout = 120.0,
    runner: Runner = "local",
    address: Address = None,
) -> None:
    """Score a sanitizer, or its predictions, on a test set, and print Table 4."""
    if predictions is not None and (model is not None or base_url is not None):
        raise ConfigError("--predictions are scored as they are: leave out --model and --base-url.")
    if predictions is not None and chunk_size is not None:
        raise ConfigError("--predictions are scored as they are: leave out --chunk-size.")
    layouts.layout(layout)  # an unknown one is told before anything starts
    items = read_bench(bench, skip_bad=skip_bad)
    texts = None if predictions is None else _texts(predictions, items, limit)
    sanitizing = None if predictions else Asked(model, base_url, key_env)
    judging = None if evaluator == NONE else Asked(evaluator, evaluator_url, evaluator_key_env)
    asked_urls = [asked.url for asked in (sanitizing, judging) if asked is not None]
    cluster = cluster_of(runner, address, asked_urls, max_cost)
    embedded = any(asked is not None and asked.url is None for asked in (sanitizing, judging))
    in_work = concurrency or (4 if embedded else 16)
    client = ClientOptions(
        concurrency=in_work,
        requests_per_minute=requests_per_minute,
        timeout_s=timeout,
        retries=1 if embedded else 2,  # what the small model cannot say it rarely says when asked again
        max_cost=max_cost,
    )
    prices = Prices(price_in, price_cached, price_out)
    with _opened(sanitizing, judging, prices, in_work) as (sanitizer, judge):
        system = name or (sanitizer.name if sanitizer else predictions.stem if predictions else "")
        options = EvaluateOptions(system, sanitizer, judge, layout, chunk_size)
        job = ScoresJob(out_folder, items.items, options, texts, limit, seed, in_work, client, cluster, cache)
        with progress("items", len(job.chosen)) as (_, note):
            summary = run_scores(job, note)
    print_scores(summary, items, out_folder)
    if judging is not None and judging.url is None:
        out.print(SMALL_JUDGE)


def _texts(predictions: Path, bench: Bench, limit: int | None) -> dict[str, str]:
    known = {item.id for item in bench.items} | set(bench.skipped)
    return read_predictions(predictions, known, [item.id for item in bench.items[:limit]])


@dataclass(frozen=True, slots=True)
class Asked:
    """A model as it was named on the command line; without an address it is an embedded one."""

    name: str | None
    url: str | None
    key_env: str


@contextmanager
def _opened(
    sanitizer: Asked | None, evaluator: Asked | None, prices: Prices, parallel: int
) -> Iterator[tuple[Model | None, Model | None]]:
    """Yield the two models; one engine serves both where both are the same embedded one."""
    with ExitStack() as stack:
        opened: dict[Asked, Model] = {}
        for asked in (sanitizer, evaluator):
            if asked is not None and _key(asked) not in opened:
                opened[_key(asked)] = _named(stack.enter_context(_served(asked, prices, parallel)))
        yield (
            None if sanitizer is None else opened[_key(sanitizer)],
            None if evaluator is None else opened[_key(evaluator)],
        )


def _key(asked: Asked) -> Asked:
    return asked if asked.url is not None else Asked(asked.name, None, "")


@contextmanager
def _served(asked: Asked, prices: Prices, parallel: int) -> Iterator[Model]:
    urls = [] if asked.url is None else [asked.url]
    with served([asked.name] if asked.name else [], urls, asked.key_env, prices, parallel) as models:
        yield models[0]


def _named(model: Model) -> Model:
    """Return the model with the name that its endpoint gives it: tables have to name it."""
    if model.name:
        return model
    return replace(model, name=asyncio.run(probe(model, ClientOptions())).model)


def print_scores(summary: ScoresSummary, bench: Bench, folder: Path) -> None:
    """Print Table 4 for each test set, what stands beside it, and what could not be judged."""
    tables.four([folder])
    facts = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    facts.add_row("items", f"{summary.scored} of {summary.items} scored")
    if bench.skipped:
        facts.add_row("left out", f"{named(list(bench.skipped))}: targets that are not in their text")
    for reason, count in sorted(summary.failures.items()):
        facts.add_row("no text", f"{count} {reason}")
    for reason, count in sorted(summary.unscored_by_reason.items()):
        facts.add_row("not judged", f"{count} {reason}")
    facts.add_row("leaks", ", ".join(f"{count} {kind}" for kind, count in summary.leaks.items()) or "none")
    facts.add_row("cost", f"{sum(usage.cost for usage in summary.by_model.values()):.4f}")
    facts.add_row("folder", str(folder))
    out.print(facts)
