"""``privasis estimate``: what a large run will take, from what a small one took."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from privasis.analysis.estimate import Estimate, Measured, Tokens
from privasis.analysis.estimate import estimate as scale
from privasis.cli.console import out
from privasis.jobs.estimates import measure, read_rates

_Runs = Annotated[
    list[Path],
    typer.Argument(metavar="RUN...", help="Small finished runs: of records, of triplets, or both."),
]
_Wanted = Annotated[int, typer.Option("--number", "-n", min=1, help="N: records, or triplets, wanted.")]
_Prices = Annotated[
    Path | None, typer.Option(help="Price list in TOML (docs/estimate.md). [default: the packaged one]")
]
_As = Annotated[
    str | None, typer.Option("--as", help="Price all tokens by this entry. [default: by the models measured]")
]
_Cached = Annotated[
    float | None, typer.Option(min=0, max=1, help="Share of cached prompt tokens. [default: as measured]")
]
_Concurrency = Annotated[int, typer.Option(min=1, help="Items in work at once, for the wall time.")]
_Gpus = Annotated[int, typer.Option(min=1, help="GPUs, for the wall time where a throughput is known.")]

_UNITS = ("B", "kB", "MB", "GB", "TB")


def estimate(
    runs: _Runs,
    number: _Wanted,
    prices: _Prices = None,
    priced_as: _As = None,
    cached_share: _Cached = None,
    concurrency: _Concurrency = 256,
    gpus: _Gpus = 1,
) -> None:
    """Estimate tokens, money, GPU hours, disk and wall time of N records or triplets from small runs."""
    rates = read_rates(prices)
    for folder in runs:
        measured = measure(folder)
        expected = scale(
            measured,
            number,
            rates,
            concurrency=concurrency,
            gpus=gpus,
            priced_as=priced_as,
            cached_share=cached_share,
        )
        print_estimate(expected, measured, priced_as)


def print_estimate(expected: Estimate, measured: Measured, priced_as: str | None) -> None:
    """Print an estimate, and what it rests on."""
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    table.add_row(expected.kind, f"[bold]{expected.wanted:,}[/]")
    table.add_row(
        "from", f"{measured.made} of {measured.tried} items tried ({measured.passed_share:.2f} each)"
    )
    table.add_row("to be tried", f"{expected.tried:,.0f}")
    for step, tokens in expected.by_step.items():
        table.add_row("", f"[dim]{step}: {_counts(tokens)}[/]")
    table.add_row("tokens", _counts(expected.tokens))
    table.add_row("money", _money(expected, measured, priced_as))
    table.add_row("GPU hours", _or_unknown(expected.gpu_hours, "no throughput in the price list"))
    table.add_row("disk", f"{_size(expected.bytes)}, and {_size(expected.cache_bytes)} of cached answers")
    table.add_row("wall time", _duration(expected.wall_seconds))
    out.print(table)


def _counts(tokens: Tokens) -> str:
    share = tokens.cached / tokens.prompt if tokens.prompt else 0.0
    return f"{tokens.prompt:,.0f} in ({share:.0%} cached), {tokens.completion:,.0f} out"


def _money(expected: Estimate, measured: Measured, priced_as: str | None) -> str:
    if expected.money is None:
        return f"unknown: no price for {', '.join(measured.by_model)} (--prices, --as)"
    each = expected.money / expected.wanted
    return f"{expected.money:,.2f} ({each:.4f} each){f' as {priced_as}' if priced_as else ''}"


def _or_unknown(value: float | None, why: str) -> str:
    return f"unknown: {why}" if value is None else f"{value:,.1f}"


def _size(count: float) -> str:
    for unit in _UNITS:
        if count < 1000 or unit == _UNITS[-1]:
            return f"{count:.0f} {unit}" if count >= 10 or unit == "B" else f"{count:.1f} {unit}"
        count /= 1000
    raise AssertionError("the last unit takes every size")


def _duration(seconds: float) -> str:
    hours = seconds / 3600
    if hours < 1:
        return f"{seconds / 60:.0f} min"
    return f"{hours:.1f} h" if hours < 48 else f"{hours / 24:.1f} days"
