"""The job behind ``privasis evaluate``: every item of a test set scored, in a run folder."""

from __future__ import annotations

import asyncio
import dataclasses
import hashlib
import json
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from privasis.errors import ConfigError, Stop
from privasis.evaluation.benchmark import BenchItem
from privasis.evaluation.score import SCORES, Case, EvaluateOptions, baselines
from privasis.evaluation.scores import ItemScore
from privasis.evaluation.summary import Table4Counter, Table4Row
from privasis.jobs.running import run_stage
from privasis.llm.messages import ClientOptions, Model
from privasis.prompts.registry import load, steps
from privasis.stage import Progress, Settings
from privasis.store.files import write_text
from privasis.store.run import RunFolder, note_session, open_run, read_config
from privasis.store.schema import to_row
from privasis.store.scores import WholeSink, read_table
from privasis.store.shards import Shards
from privasis.store.summary import TableFile, Usage

KIND = "scores"
TABLE = "scores.parquet"
_OWN_STEPS = ("evaluate.",)
_SHARD = 8  # items committed together: each costs dozens of calls


@dataclass(frozen=True, slots=True)
class ScoresJob:
    """What is asked for: the scores of one system on one test set."""

    out: Path
    items: tuple[BenchItem, ...]  # the whole test set
    options: EvaluateOptions
    predictions: Mapping[str, str] | None = None  # sanitized text by id; None: the sanitizer is asked
    limit: int | None = None  # the first so many items; None: all
    seed: int = 0
    concurrency: int = 16  # items in work at once
    client: ClientOptions = field(default_factory=ClientOptions)
    cluster: str | None = None  # address of a Ray cluster; None: this process
    cache: Path | None = None  # None: in the run folder; one for several runs shares the evaluator's answers

    @property
    def chosen(self) -> tuple[BenchItem, ...]:
        """The items that are scored."""
        return self.items[: self.limit]


@dataclass(slots=True)
class ScoresSummary:
    """What was found out about one system; in ``rows`` the two baselines stand beside it."""

    items: int
    scored: int = 0
    rows: list[tuple[str, Table4Row]] = field(default_factory=list)  # name of the set, row of Table 4
    leaks: dict[str, int] = field(default_factory=dict)  # by kind (Table 5)
    unscored_by_reason: dict[str, int] = field(default_factory=dict)  # attributes and retention targets
    failures: dict[str, int] = field(default_factory=dict)  # why the system gave no text
    by_step: dict[str, Usage] = field(default_factory=dict)
    by_model: dict[str, Usage] = field(default_factory=dict)

    def add(self, score: ItemScore) -> None:
        """Count one record of the system."""
        self.scored += 1
        reasons = [target.reason for target in score.targets] + [keep.reason for keep in score.keeps]
        for reason in filter(None, reasons):
            self.unscored_by_reason[reason] = self.unscored_by_reason.get(reason, 0) + 1
        for target in score.targets:
            if target.verdict not in ("safe", "unscored"):
                self.leaks[target.verdict] = self.leaks.get(target.verdict, 0) + 1
        if score.failure:
            self.failures[score.failure] = self.failures.get(score.failure, 0) + 1
        for call in score.calls:
            self.by_step.setdefault(call.step, Usage()).add(call)
            self.by_model.setdefault(call.model, Usage()).add(call)


@dataclass(frozen=True, slots=True)
class Cases:
    """Items with their predictions, cut into shards of equal size."""

    items: tuple[BenchItem, ...]
    predictions: Mapping[str, str] | None

    @property
    def shards(self) -> int:
        """The number of shards."""
        return -(-len(self.items) // _SHARD)

    def shard(self, index: int) -> Sequence[Case]:
        """Return the cases of one shard."""
        items = self.items[index * _SHARD : (index + 1) * _SHARD]
        return [Case(item, None if self.predictions is None else self.predictions[item.id]) for item in items]

    def sizes(self) -> list[int]:
        """Return how many cases each shard has."""
        return [len(self.items[start : start + _SHARD]) for start in range(0, len(self.items), _SHARD)]


def run_scores(job: ScoresJob, progress: Progress) -> ScoresSummary:
    """Run or resume the job, and write its table and summary.

    Raises:
        ConfigError: If a number cannot be used.
        RunFolderError: If the folder holds something else.
        EndpointError: If an endpoint cannot serve the run.
        Stop: If the run ended early and can be resumed; its summary is written all the same.
    """
    if job.limit is not None and job.limit < 1:
        raise ConfigError(f"--limit {job.limit}: at least 1 is needed.")
    if job.concurrency < 1:
        raise ConfigError(f"--concurrency {job.concurrency}: at least 1 is needed.")
    with open_run(job.out, KIND, _config(job)) as run:
        started = time.monotonic()
        try:
            asyncio.run(_drive(job, run, progress))
        except Stop:
            write_scores(job, run)
            raise
        finally:
            note_session(run, _session(job, time.monotonic() - started))
        return write_scores(job, run)


async def _drive(job: ScoresJob, run: RunFolder, progress: Progress) -> None:
    source = Cases(job.chosen, job.predictions)
    sink = WholeSink(Shards(run.shards, ItemScore), source.sizes())
    settings = Settings(run.name, job.seed, job.options, _models(job), job.client, job.cache or run.cache)
    await run_stage(SCORES, source, sink, settings, job.concurrency, job.cluster, progress)


def _models(job: ScoresJob) -> tuple[Model, ...]:
    return tuple(model for model in (job.options.sanitizer, job.options.evaluator) if model is not None)


def _config(job: ScoresJob) -> dict[str, Any]:
    """Everything that the results depend on. The limit is not in it, so a run can be extended."""
    options = job.options
    return {
        "seed": job.seed,
        "bench": _digest(to_row(item) for item in job.items),
        "predictions": None if job.predictions is None else _digest(job.predictions.items()),
        "system": options.system,
        "sanitizer": None if options.sanitizer is None else options.sanitizer.name,
        "evaluator": options.evaluator_name,
        "layout": options.layout,
        "chunk_size": options.chunk_size,
        "prompts": {step: load(step).hash for step in steps() if step.startswith(_OWN_STEPS)},
        "shard_size": _SHARD,
    }


def _digest(rows: Iterable[Any]) -> str:
    digest = hashlib.sha256()
    for row in rows:
        digest.update(json.dumps(row, sort_keys=True).encode())
    return digest.hexdigest()[:16]


def _session(job: ScoresJob, seconds: float) -> dict[str, Any]:
    return {
        "items": len(job.chosen),
        "concurrency": job.concurrency,
        "endpoints": sorted({model.base_url for model in _models(job)}),
        "seconds": round(seconds, 3),
    }


def write_scores(job: ScoresJob, run: RunFolder) -> ScoresSummary:
    """Fold the shards into the table of scores and the summary; the baselines stand beside the system.

    Raises:
        DiskError: If the disk is full or refuses.
        RunFolderError: If a shard is broken.
    """
    summary = ScoresSummary(len(job.chosen))
    tables: dict[tuple[str, str], Table4Counter] = {}  # by set and system, systems in their order
    wanted = {item.id: item for item in job.chosen}
    scored: list[str] = []

    def note(score: ItemScore) -> None:
        table.add(score)
        tables.setdefault((score.set_name, score.system), Table4Counter()).add(score)

    with TableFile(run.path / TABLE, ItemScore) as table:
        for outcome in Shards(run.shards, ItemScore):
            if outcome.result is None or outcome.id not in wanted:
                continue  # scored under a larger --limit
            scored.append(outcome.id)
            summary.add(outcome.result)
            note(outcome.result)
        for place in range(2):
            for id in scored:
                note(baselines(wanted[id])[place])
    for set_name in sorted({set_name for set_name, _ in tables}):
        of_set = [counter for (name, _), counter in tables.items() if name == set_name]
        summary.rows += [(set_name, counter.row(np.random.default_rng(job.seed))) for counter in of_set]
    write_text(run.path / "summary.json", json.dumps(dataclasses.asdict(summary), indent=2) + "\n")
    return summary


def read_scores(folder: Path) -> Iterator[ItemScore]:
    """Walk the scores of a folder: those of its system, and those of the two baselines.

    Raises:
        RunFolderError: If it is no folder of scores, or has none yet.
        InputError: If the table is broken.
    """
    read_config(folder, KIND)
    return read_table(folder / TABLE, ItemScore)
