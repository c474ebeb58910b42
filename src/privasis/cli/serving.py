"""From --model and --base-url to models that answer: the user's, or the embedded one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from privasis.errors import ConfigError
from privasis.llm.engine import embedded_engine
from privasis.llm.messages import Model
from privasis.llm.weights import DEFAULT, find


@dataclass(frozen=True, slots=True)
class Prices:
    """Money per million tokens."""

    prompt: float = 0.0
    cached: float = 0.0
    completion: float = 0.0


@contextmanager
def served(
    names: Sequence[str], base_urls: Sequence[str], key_env: str, prices: Prices, parallel: int
) -> Iterator[tuple[Model, ...]]:
    """Yield the models that the user named, or the embedded one for as long as the block lasts.

    Args:
        names: ``NAME`` or ``NAME=SHARE``; several make a mixture.
        base_urls: One address for all models, or one for each in the same order; of one model, several.
        key_env: The name of the environment variable that holds the key.
        prices: Of tokens, for --max-cost and the summary.
        parallel: Requests that the embedded engine answers at once.

    Raises:
        ConfigError: If shares or addresses do not fit the names.
        ModelFileError: If the embedded weights are not there.
    """
    if not base_urls:
        with _embedded(names, parallel) as model:
            yield (model,)
        return
    yield tuple(_remote(names or [""], base_urls, key_env, prices))


def _remote(names: Sequence[str], base_urls: Sequence[str], key_env: str, prices: Prices) -> Iterator[Model]:
    if len(names) > 1 and len(base_urls) not in (1, len(names)):
        raise ConfigError(
            f"{len(base_urls)} times --base-url for {len(names)} models: give one for all, or one for each."
        )
    for place, entry in enumerate(names):
        name, share = split_share(entry)
        url = base_urls[place if len(base_urls) > 1 else 0]
        yield Model(
            name=name,
            base_url=url,
            share=share,
            replicas=tuple(base_urls[1:]) if len(names) == 1 else (),
            key_env=key_env,
            price_in=prices.prompt,
            price_cached=prices.cached,
            price_out=prices.completion,
        )


def split_share(entry: str) -> tuple[str, float]:
    """Split ``NAME=SHARE``; a name without a share has the share 1.

    Raises:
        ConfigError: If the share is no positive number.
    """
    name, separator, share = entry.rpartition("=")
    if not separator:
        return entry, 1.0
    try:
        value = float(share)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise ConfigError(f"--model {entry}: the share after = must be a positive number.")
    return name, value


@contextmanager
def _embedded(names: Sequence[str], parallel: int) -> Iterator[Model]:
    if len(names) > 1:
        raise ConfigError("several models need an endpoint: name it with --base-url.")
    weights = find(names[0] if names else DEFAULT)
    with embedded_engine(weights.path, parallel=parallel) as engine:
        yield engine.model
