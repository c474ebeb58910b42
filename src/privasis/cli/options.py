"""Options that several commands share, each with its words for --help."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

import typer

from privasis.errors import ConfigError
from privasis.llm.messages import ClientOptions
from privasis.runners.ray import HERE

Models = Annotated[
    list[str] | None,
    typer.Option(
        "--model", help="NAME, or NAME=SHARE several times for a mixture. [default: the embedded model]"
    ),
]
BaseUrls = Annotated[
    list[str] | None,
    typer.Option(
        "--base-url", help="OpenAI-compatible endpoint: one for all models, one for each, or several of one."
    ),
]
KeyEnv = Annotated[str, typer.Option(help="Environment variable that holds the endpoint's key.")]
Concurrency = Annotated[int, typer.Option(help="Records in work at once. [default: 16; embedded: 4]")]
MaxCost = Annotated[float | None, typer.Option(help="Stop cleanly when this much money is spent.")]
PriceIn = Annotated[float, typer.Option(help="Money per million prompt tokens.")]
PriceCached = Annotated[float, typer.Option(help="Money per million cached prompt tokens.")]
PriceOut = Annotated[float, typer.Option(help="Money per million completion tokens.")]
RequestsPerMinute = Annotated[float | None, typer.Option(help="Rate limit of an endpoint. [default: none]")]
Timeout = Annotated[float, typer.Option(help="Seconds that one answer may take.")]

Runner = Annotated[
    Literal["local", "ray"], typer.Option(help="Work in this process, or on a Ray cluster (docs/cluster.md).")
]
Address = Annotated[
    str | None,
    typer.Option(help="The cluster: auto, or HOST:PORT. [default: this machine, as a cluster of its own]"),
]


def cluster_of(
    runner: Literal["local", "ray"],
    address: str | None,
    base_urls: Sequence[str | None],
    max_cost: float | None,
) -> str | None:
    """Return the address of the cluster to run on; None: this process.

    Raises:
        ConfigError: If an option does not go with the runner.
    """
    if runner == "local":
        if address is not None:
            raise ConfigError("--address needs --runner ray.")
        return None
    if not base_urls or None in base_urls:
        raise ConfigError(
            "--runner ray needs an endpoint that every machine can reach: name it by its URL. "
            "The embedded model serves this process alone."
        )
    if max_cost is not None:
        raise ConfigError(
            "--max-cost is watched by one process: with --runner ray, set the limit at the endpoint."
        )
    return address or HERE


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
