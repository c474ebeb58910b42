"""The job behind ``privasis sanitize``: triplets of every record of a source, in a corpus folder."""

from __future__ import annotations

import asyncio
import dataclasses
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from privasis.errors import ConfigError, Stop
from privasis.jobs.running import run_stage
from privasis.llm.messages import ClientOptions, Model
from privasis.pipelines import TRIPLETS
from privasis.prompts.registry import load, steps
from privasis.sanitization.options import SanitizeOptions
from privasis.stage import Progress, Settings
from privasis.store.inputs import RecordSource, open_records
from privasis.store.run import RunFolder, note_session, open_run, stored_config
from privasis.store.shards import Shards
from privasis.store.triplets import TripletSink, TripletsSummary, write_triplets
from privasis.types import TripletSet

_OWN_STEPS = ("sanitize.",)


@dataclass(frozen=True, slots=True)
class TripletsJob:
    """What is asked for: triplets of all records that a source holds."""

    source: Path  # a run folder, a Parquet or a JSONL file of records
    out: Path
    models: tuple[Model, ...]
    seed: int = 0
    concurrency: int = 16  # records in work at once
    shard_size: int | None = None  # records committed together; None: by default_shard_size
    skip_bad: bool = False  # go on without the rows of the source that are at fault
    options: SanitizeOptions = field(default_factory=SanitizeOptions)
    client: ClientOptions = field(default_factory=ClientOptions)
    cluster: str | None = None  # address of a Ray cluster; None: this process


def default_shard_size(records: int) -> int:
    """Return a sixteenth of the records, 1 to 64: little work is lost by a kill, and files stay few."""
    return min(max(records // 16, 1), 64)


def open_source(job: TripletsJob) -> RecordSource:
    """Check the job and every row of its source.

    Raises:
        ConfigError: If an option cannot be used.
        InputError: If a row is at fault, or none can be used.
        RunFolderError: If a folder is no record run.
    """
    options = job.options
    for name, value, least in (
        ("targets", options.targets, 1),
        ("chunk-size", options.chunk_size, 16),
        ("keeps", options.keeps, 0),
        ("levels", options.levels, 1),
        ("concurrency", job.concurrency, 1),
    ):
        if value < least:
            raise ConfigError(f"--{name} {value}: at least {least} is needed.")
    for name, share in (
        ("group-share", options.group_share),
        ("drop-share", options.drop_share),
        ("label-only-share", options.label_only_share),
    ):
        if not 0 <= share <= 1:
            raise ConfigError(f"--{name} {share:g}: a share between 0 and 1 is needed.")
    if options.llm_only and options.levels > 1:
        raise ConfigError("--levels needs the way by code: leave --llm-only out.")
    source = open_records(job.source, skip_bad=job.skip_bad)
    stored = stored_config(job.out).get("shard_size")
    source.size = job.shard_size or stored or default_shard_size(len(source.good))
    return source


def run_triplets(job: TripletsJob, source: RecordSource, progress: Progress) -> TripletsSummary:
    """Run or resume the job, and write its files.

    Raises:
        RunFolderError: If the folder holds something else.
        EndpointError: If the endpoint cannot serve the run.
        Stop: If the run ended early and can be resumed; its files are written all the same.
    """
    with open_run(job.out, "triplets", _config(job, source)) as run:
        started = time.monotonic()
        try:
            asyncio.run(_drive(job, source, run, progress))
        except Stop:
            write_triplets(run, len(source.good), source.bad)
            raise
        finally:
            note_session(run, _session(job, time.monotonic() - started))
        return write_triplets(run, len(source.good), source.bad)


async def _drive(job: TripletsJob, source: RecordSource, run: RunFolder, progress: Progress) -> None:
    sink = TripletSink(Shards(run.shards, TripletSet), source.shards)
    settings = Settings(run.name, job.seed, job.options, job.models, job.client, run.cache)
    await run_stage(TRIPLETS, source, sink, settings, job.concurrency, job.cluster, progress)


def _config(job: TripletsJob, source: RecordSource) -> dict[str, Any]:
    """Everything that the results depend on."""
    return {
        "seed": job.seed,
        "models": [{"name": model.name, "share": model.share} for model in job.models],
        "options": dataclasses.asdict(job.options),
        "prompts": {step: load(step).hash for step in steps() if step.startswith(_OWN_STEPS)},
        "shard_size": source.size,
        "records": {"count": len(source.good), "digest": source.digest},
    }


def _session(job: TripletsJob, seconds: float) -> dict[str, Any]:
    return {
        "source": str(job.source),
        "concurrency": job.concurrency,
        "endpoints": sorted({model.base_url for model in job.models}),
        "seconds": round(seconds, 3),
    }
