"""Options that several commands share, each with its words for --help."""

from __future__ import annotations

from typing import Annotated

import typer

from privasis.llm.messages import ClientOptions

Models = Annotated[
    list[str] | None,
    typer.Option(
        "--model", help="NAME, or NAME=SHARE several times for a mixture. [default: the embedded model]"
    ),
]
BaseUrls = Annotated[
    list[str] | None,
    typer.Option("--base-url", help="OpenAI-compatible endpoint: one for all models, or one for each."),
]
KeyEnv = Annotated[str, typer.Option(help="Environment variable that holds the endpoint's key.")]
Concurrency = Annotated[int, typer.Option(help="Records in work at once. [default: 16; embedded: 4]")]
MaxCost = Annotated[float | None, typer.Option(help="Stop cleanly when this much money is spent.")]
PriceIn = Annotated[float, typer.Option(help="Money per million prompt tokens.")]
PriceCached = Annotated[float, typer.Option(help="Money per million cached prompt tokens.")]
PriceOut = Annotated[float, typer.Option(help="Money per million completion tokens.")]
RequestsPerMinute = Annotated[float | None, typer.Option(help="Rate limit of an endpoint. [default: none]")]
Timeout = Annotated[float, typer.Option(help="Seconds that one answer may take.")]


def in_work(concurrency: int, base_urls: list[str] | None) -> int:
    """Return how many records are in work at once: what was asked for, else what the endpoint can take."""
    return concurrency or (16 if base_urls else 4)


def client_options(
    concurrency: int, requests_per_minute: float | None, timeout: float, max_cost: float | None
) -> ClientOptions:
    """Return the client's options as the command line gives them."""
    return ClientOptions(
        concurrency=concurrency,
        requests_per_minute=requests_per_minute,
        timeout_s=timeout,
        max_cost=max_cost,
    )
