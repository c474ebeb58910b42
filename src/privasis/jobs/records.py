"""The job behind ``privasis generate``: N accepted records in a run folder."""

from __future__ import annotations

import asyncio
import dataclasses
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from privasis.errors import ConfigError, Stop
from privasis.jobs.running import run_stage
from privasis.llm.messages import ClientOptions, Model
from privasis.pipelines import RECORDS
from privasis.prompts.registry import load, steps
from privasis.stage import Progress, Settings
from privasis.store.records import RecordSink
from privasis.store.run import RunFolder, note_session, open_run, stored_config
from privasis.store.shards import Shards
from privasis.store.summary import RecordsSummary, write_summary
from privasis.synthesis.options import SynthesisOptions
from privasis.types import Record

_OWN_STEPS = ("profile.", "record.", "annotate.")


@dataclass(frozen=True, slots=True)
class RecordsJob:
    """What is asked for: N accepted records out of at most K candidates."""

    out: Path
    records: int  # N
    models: tuple[Model, ...]
    max_candidates: int | None = None  # K; None: 2N
    seed: int = 0
    concurrency: int = 16  # items in work at once
    shard_size: int | None = None  # candidates committed together; None: by default_shard_size
    pool_lag: int | None = None  # None: by default_pool_lag
    options: SynthesisOptions = field(default_factory=SynthesisOptions)
    client: ClientOptions = field(default_factory=ClientOptions)
    cluster: str | None = None  # address of a Ray cluster; None: this process


def default_pool_lag(records: int) -> int:
    """Return how many candidates behind its own a record's pool ends: a quarter of N, 2 to 512.

    Up to this many items and a shard can be in work at once without waiting for each other.
    """
    return min(max(records // 4, 2), 512)


def default_shard_size(pool_lag: int) -> int:
    """Return a quarter of the lag, 1 to 64: small enough to lose little work, large enough for few files."""
    return min(max(pool_lag // 4, 1), 64)


@dataclass(frozen=True, slots=True)
class Candidates:
    """The numbers 0 to K-1, cut into shards of equal size."""

    count: int
    size: int

    @property
    def shards(self) -> int:
        """The number of shards."""
        return -(-self.count // self.size)

    def shard(self, index: int) -> Sequence[int]:
        """Return the numbers of one shard."""
        return range(index * self.size, min((index + 1) * self.size, self.count))

    def sizes(self) -> list[int]:
        """Return how many numbers each shard has."""
        return [len(self.shard(index)) for index in range(self.shards)]


def run_records(job: RecordsJob, progress: Progress) -> RecordsSummary:
    """Run or resume the job, and write its summary.

    Raises:
        ConfigError: If N or K cannot be used.
        RunFolderError: If the folder holds something else.
        EndpointError: If the endpoint cannot serve the run.
        Stop: If the run ended early and can be resumed; its summary is written all the same.
    """
    job = _resolved(job)
    with open_run(job.out, "records", _config(job)) as run:
        started = time.monotonic()
        try:
            asyncio.run(_drive(job, run, progress))
        except Stop:
            write_summary(run, job.records)
            raise
        finally:
            note_session(run, _session(job, time.monotonic() - started))
        return write_summary(run, job.records)


async def _drive(job: RecordsJob, run: RunFolder, progress: Progress) -> None:
    assert job.max_candidates is not None
    assert job.shard_size is not None
    assert job.pool_lag is not None
    source = Candidates(job.max_candidates, job.shard_size)
    sink = RecordSink(
        Shards(run.shards, Record),
        wanted=job.records,
        seed=job.seed,
        shard_sizes=source.sizes(),
        pool_lag=job.pool_lag,
    )
    settings = Settings(run.name, job.seed, job.options, job.models, job.client, run.cache)
    await run_stage(RECORDS, source, sink, settings, job.concurrency, job.cluster, progress)


def _resolved(job: RecordsJob) -> RecordsJob:
    if job.records < 1:
        raise ConfigError(f"--records {job.records}: at least 1 is needed.")
    most = job.max_candidates if job.max_candidates is not None else 2 * job.records
    if most < job.records:
        raise ConfigError(f"--max-candidates {most} is less than --records {job.records}.")
    if job.concurrency < 1:
        raise ConfigError(f"--concurrency {job.concurrency}: at least 1 is needed.")
    stored = stored_config(job.out)
    lag = job.pool_lag or stored.get("pool_lag") or default_pool_lag(job.records)
    size = job.shard_size or stored.get("shard_size") or default_shard_size(lag)
    return dataclasses.replace(job, max_candidates=most, pool_lag=lag, shard_size=size)


def _config(job: RecordsJob) -> dict[str, Any]:
    """Everything that the results depend on. N and K are not in it, so a run can be extended."""
    return {
        "seed": job.seed,
        "models": [{"name": model.name, "share": model.share} for model in job.models],
        "options": dataclasses.asdict(job.options),
        "prompts": {step: load(step).hash for step in steps() if step.startswith(_OWN_STEPS)},
        "shard_size": job.shard_size,
        "pool_lag": job.pool_lag,
    }


def _session(job: RecordsJob, seconds: float) -> dict[str, Any]:
    return {
        "records": job.records,
        "max_candidates": job.max_candidates,
        "concurrency": job.concurrency,
        "endpoints": sorted({model.base_url for model in job.models}),
        "seconds": round(seconds, 3),
    }
