"""The job behind ``privasis nap2``: every rewrite judged, in a run folder."""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from privasis.errors import ConfigError, InputError
from privasis.evaluation.nap2 import NAP2, NapItem, NapOptions, NapScore
from privasis.llm.messages import ClientOptions, Model
from privasis.prompts.registry import load, steps
from privasis.runners.local import LocalRunner
from privasis.stage import Progress, Settings, open_context
from privasis.store.benchmark import named, repeated
from privasis.store.nap2 import NapRow
from privasis.store.run import RunFolder, note_session, open_run, read_config
from privasis.store.schema import to_row
from privasis.store.scores import WholeSink
from privasis.store.shards import Shards

KIND = "nap2"
_OWN_STEPS = ("nap2.", "evaluate.")  # a sanitizer is asked in a layout of the evaluation
_SHARD = 16  # rewrites committed together: each costs one or two calls


@dataclass(frozen=True, slots=True)
class NapJob:
    """What is asked for: the leak ratio of one system's rewrites."""

    out: Path
    items: tuple[NapItem, ...]
    options: NapOptions
    seed: int = 0
    concurrency: int = 16  # rewrites in work at once
    client: ClientOptions = field(default_factory=ClientOptions)


def nap_items(
    rows: Iterable[NapRow], predictions: Mapping[str, str] | None, *, asked: bool
) -> tuple[NapItem, ...]:
    """Return what is to be judged: the predictions, a system's own rewrites, or those of the file.

    Args:
        rows: Of the file.
        predictions: Rewritten text by id; None: there are none.
        asked: A system will be asked for each rewrite.

    Raises:
        InputError: Two rows have one id, or there is no rewrite of a row.
    """
    given = list(rows)
    twice = repeated(row.id for row in given)
    if twice:
        raise InputError(f"twice the same id: {named(twice)}.")
    if predictions is not None:
        return tuple(_item(row, row.number, row.id, predictions[row.id], "") for row in given)
    if asked:
        return tuple(_item(row, row.number, row.id, None, "") for row in given)
    bare = [row.id for row in given if not row.rewrites]
    if bare:
        raise InputError(
            f"rows without a rewrite: {named(bare)}. Name its column by --rewrite-column, or give "
            "--predictions or --model."
        )
    items = [
        (row, f"{row.id}/{strategy}" if strategy else row.id, text, strategy)
        for row in given
        for strategy, text in row.rewrites
    ]
    return tuple(
        _item(row, number, id, text, strategy) for number, (row, id, text, strategy) in enumerate(items)
    )


def _item(row: NapRow, number: int, id: str, text: str | None, strategy: str) -> NapItem:
    return NapItem(id, number, row.original, row.persona, text, strategy)


@dataclass(frozen=True, slots=True)
class _Rewrites:
    """Items, cut into shards of equal size."""

    items: tuple[NapItem, ...]

    @property
    def shards(self) -> int:
        """The number of shards."""
        return -(-len(self.items) // _SHARD)

    def shard(self, index: int) -> Sequence[NapItem]:
        """Return the items of one shard."""
        return self.items[index * _SHARD : (index + 1) * _SHARD]

    def sizes(self) -> list[int]:
        """Return how many items each shard has."""
        return [len(self.shard(index)) for index in range(self.shards)]


def run_nap2(job: NapJob, progress: Progress) -> tuple[NapScore, ...]:
    """Run or resume the job, and return the scores in order.

    Raises:
        ConfigError: If there is nothing to judge, or a number cannot be used.
        RunFolderError: If the folder holds something else.
        EndpointError: If an endpoint cannot serve the run.
        Stop: If the run ended early and can be resumed.
    """
    if not job.items:
        raise ConfigError("there is no rewrite to judge.")
    if job.concurrency < 1:
        raise ConfigError(f"--concurrency {job.concurrency}: at least 1 is needed.")
    with open_run(job.out, KIND, _config(job)) as run:
        started = time.monotonic()
        try:
            asyncio.run(_drive(job, run, progress))
        finally:
            note_session(run, _session(job, time.monotonic() - started))
        return tuple(read_nap2_scores(job.out))


async def _drive(job: NapJob, run: RunFolder, progress: Progress) -> None:
    source = _Rewrites(job.items)
    sink = WholeSink(Shards(run.shards, NapScore), source.sizes())
    settings = Settings(run.name, job.seed, job.options, _models(job), job.client, run.cache)
    await LocalRunner(job.concurrency)(NAP2, source, sink, partial(open_context, settings), progress)


def _models(job: NapJob) -> tuple[Model, ...]:
    return tuple(model for model in (job.options.sanitizer, job.options.evaluator) if model is not None)


def _config(job: NapJob) -> dict[str, Any]:
    """Everything that the results depend on."""
    digest = hashlib.sha256()
    for item in job.items:
        digest.update(json.dumps(to_row(item), sort_keys=True).encode())
    options = job.options
    return {
        "seed": job.seed,
        "items": digest.hexdigest()[:16],
        "system": options.system,
        "sanitizer": None if options.sanitizer is None else options.sanitizer.name,
        "evaluator": options.evaluator.name,
        "layout": options.layout,
        "prompts": {step: load(step).hash for step in steps() if step.startswith(_OWN_STEPS)},
        "shard_size": _SHARD,
    }


def _session(job: NapJob, seconds: float) -> dict[str, Any]:
    return {
        "items": len(job.items),
        "concurrency": job.concurrency,
        "endpoints": sorted({model.base_url for model in _models(job)}),
        "seconds": round(seconds, 3),
    }


def read_nap2_scores(folder: Path) -> Iterator[NapScore]:
    """Walk the scores of a folder in the order of their items.

    Raises:
        RunFolderError: If it is no folder of NaP² scores.
    """
    read_config(folder, KIND)
    for outcome in Shards(folder / "shards", NapScore):
        if outcome.result is not None:
            yield outcome.result
