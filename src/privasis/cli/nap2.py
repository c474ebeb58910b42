"""``privasis nap2``: the leak ratio of rewrites on NaP² (§4.4, Table 7)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from privasis.analysis.benchmarks import table_7
from privasis.analysis.systems import BASELINES
from privasis.cli.console import out, progress
from privasis.cli.evaluate import SMALL_JUDGE
from privasis.cli.serving import Prices, served
from privasis.cli.tables import Format, show_tables
from privasis.errors import ConfigError
from privasis.evaluation.layouts import PLAIN, layout
from privasis.evaluation.nap2 import NapItem, NapOptions
from privasis.evaluation.score import NONE
from privasis.evaluation.summary import Interval, table4
from privasis.jobs.nap2 import NapJob, nap_items, run_nap2
from privasis.jobs.scores import read_scores
from privasis.llm.messages import ClientOptions, Model
from privasis.store.benchmark import read_predictions
from privasis.store.nap2 import NapColumns, NapRow, read_nap2

_File = Annotated[
    Path, typer.Argument(help="A file of NaP² (CSV, Arrow, Parquet, JSONL) or a folder of them.")
]
_Out = Annotated[Path, typer.Option("--out", help="The folder of the scores: made, or resumed.")]
_Evaluator = Annotated[
    str | None, typer.Option(help="The LLM that judges. [default: the embedded model]", show_default=False)
]
_Predictions = Annotated[
    Path | None, typer.Option(help="Judge these rewrites: JSONL or Parquet of {id, sanitized_text}.")
]
_Sanitizer = Annotated[str | None, typer.Option(help="Ask this sanitizer for the rewrites.")]
_Layout = Annotated[str, typer.Option("--layout", help="The prompt layout that the sanitizer knows.")]
_Name = Annotated[
    str | None, typer.Option(help="What the table calls the system. [default: the model's or file's name]")
]
_Scores = Annotated[
    Path | None, typer.Option(help="The system's scores on Privasis: their Full Successful Record beside it.")
]
_Column = Annotated[str | None, typer.Option(help="The column's name, where it is no well-known one.")]
_Limit = Annotated[int | None, typer.Option(min=1, help="Judge the first so many rows. [default: all]")]
_Seed = Annotated[int, typer.Option(help="Of the order in which wordings are shown.")]
_Concurrency = Annotated[
    int, typer.Option(help="Rewrites in work at once. [default: 16; embedded: 4]", show_default=False)
]
_Url = Annotated[str | None, typer.Option(help="Its OpenAI-compatible endpoint.")]
_KeyEnv = Annotated[str, typer.Option(help="Environment variable that holds its endpoint's key.")]
_MaxCost = Annotated[float | None, typer.Option(help="Stop cleanly when this much money is spent.")]
_Price = Annotated[float, typer.Option(help="Money per million of such tokens, for both models.")]
_Format = Annotated[
    Format | None, typer.Option("--format", help="How the table is printed. [default: terminal]")
]


def nap2(
    file: _File,
    out_folder: _Out,
    evaluator: _Evaluator = None,
    evaluator_url: _Url = None,
    evaluator_key_env: _KeyEnv = "OPENAI_API_KEY",
    predictions: _Predictions = None,
    model: _Sanitizer = None,
    base_url: _Url = None,
    key_env: _KeyEnv = "OPENAI_API_KEY",
    layout_name: _Layout = PLAIN,
    name: _Name = None,
    scores: _Scores = None,
    original_column: _Column = None,
    persona_column: _Column = None,
    rewrite_column: _Column = None,
    limit: _Limit = None,
    seed: _Seed = 0,
    concurrency: _Concurrency = 0,
    max_cost: _MaxCost = None,
    price_in: _Price = 0.0,
    price_cached: _Price = 0.0,
    price_out: _Price = 0.0,
    format: _Format = None,
) -> None:
    """Judge rewrites against private facts, and print the leak ratio (Table 7)."""
    asked = model is not None or base_url is not None
    if predictions is not None and asked:
        raise ConfigError("--predictions are judged as they are: leave out --model and --base-url.")
    if evaluator == NONE:
        raise ConfigError("--evaluator none: NaP² leaks are an evaluator's judgement, there is no other way.")
    layout(layout_name)  # an unknown one is told before anything starts
    full = None if scores is None else _full(scores, seed)
    columns = NapColumns(original_column, persona_column, rewrite_column)
    items = _items(list(read_nap2(file, columns)), predictions, limit, asked=asked)
    in_work = concurrency or (16 if evaluator_url and (base_url or not asked) else 4)
    prices = Prices(price_in, price_cached, price_out)
    client = ClientOptions(concurrency=in_work, max_cost=max_cost)
    with ExitStack() as stack:
        judge = stack.enter_context(_opened(evaluator, evaluator_url, evaluator_key_env, prices, in_work))
        sanitizer = None
        if asked:
            sanitizer = stack.enter_context(_opened(model, base_url, key_env, prices, in_work))
        system = name or (sanitizer.name if sanitizer else (predictions or file).stem)
        options = NapOptions(system, judge, sanitizer, layout_name)
        _, note = stack.enter_context(progress("rewrites", len(items)))
        found = run_nap2(NapJob(out_folder, items, options, seed, in_work, client), note)
    show_tables({"all": table_7(found, full)}, format, None)
    if evaluator_url is None:
        out.print(SMALL_JUDGE)


def _items(
    rows: list[NapRow], predictions: Path | None, limit: int | None, *, asked: bool
) -> tuple[NapItem, ...]:
    wanted = rows[:limit]
    texts = None
    if predictions is not None:
        texts = read_predictions(predictions, {row.id for row in rows}, [row.id for row in wanted])
    return nap_items(wanted, texts, asked=asked)


def _full(folder: Path, seed: int) -> Interval | None:
    """Return the Full Successful Record of a folder's own system, over all its test sets."""
    own = [score for score in read_scores(folder) if score.system not in BASELINES]
    return table4(own, np.random.default_rng(seed)).full


@contextmanager
def _opened(
    name: str | None, url: str | None, key_env: str, prices: Prices, parallel: int
) -> Iterator[Model]:
    with served([name] if name else [], [url] if url else [], key_env, prices, parallel) as models:
        yield models[0]
