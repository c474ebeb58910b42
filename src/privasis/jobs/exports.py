"""The job behind ``privasis export``: a dataset folder in the layout of the Hugging Face hub."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from privasis import __version__
from privasis.errors import ConfigError
from privasis.store.card import Card, render_card
from privasis.store.export import Counts, DatasetShards
from privasis.store.files import write_text
from privasis.store.rows import Rows, open_rows
from privasis.store.run import open_run
from privasis.synthesis.languages import language_code

KIND = "export"
_PROVENANCE = "source-provenance.json"
_PRIVATE = ("endpoints", "source")  # addresses and paths of whoever made it are not published


@dataclass(frozen=True, slots=True)
class ExportJob:
    """What is asked for: the rows of a source as shards, with a card."""

    source: Path
    out: Path
    title: str
    license: str = "cc-by-nc-4.0"
    shard_size: int = 10_000  # rows
    without: tuple[str, ...] = ()  # columns that are left out


def run_export(job: ExportJob, progress: Callable[[int], None]) -> Counts:
    """Write the shards that are not there yet, and then the card; the card's place says that all is there.

    Args:
        job: What is asked for.
        progress: Told the rows that are there, after each shard.

    Raises:
        ConfigError: If an option cannot be used.
        InputError: If the source cannot be read.
        RunFolderError: If the folder holds another export, or a shard is broken.
        DiskError: If the disk is full or refuses.
    """
    rows = open_rows(job.source)
    columns = _columns(job, rows)
    with open_run(job.out, KIND, _config(job, rows, columns)):
        for left_by_a_kill in (job.out / "data").glob(".*.tmp"):
            left_by_a_kill.unlink()
        shards = DatasetShards(job.out, rows, columns, job.shard_size)
        counts = Counts()
        for index in range(shards.count):
            counts.add(shards.commit(index))
            progress(counts.rows)
        write_text(job.out / "statistics.json", json.dumps(asdict(counts), indent=2) + "\n")
        _copy_provenance(job)
        write_text(job.out / "README.md", render_card(_card(job, rows, columns, counts)))
    return counts


def _columns(job: ExportJob, rows: Rows) -> tuple[str, ...]:
    if job.shard_size < 1:
        raise ConfigError(f"--shard-size {job.shard_size}: at least 1 is needed.")
    if not rows.count:
        raise ConfigError(f"{job.source} has no rows: there is nothing to export.")
    for name in job.without:
        if name not in rows.schema.names or name in ("id", "text"):
            raise ConfigError(f"--without {name}: can be one of {', '.join(sorted(rows.schema.names))}.")
    return tuple(name for name in rows.schema.names if name not in job.without)


def _config(job: ExportJob, rows: Rows, columns: tuple[str, ...]) -> dict[str, Any]:
    return {
        "rows": rows.count,
        "digest": rows.digest,
        "columns": list(columns),
        "shard_size": job.shard_size,
        "version": __version__,
    }


def _copy_provenance(job: ExportJob) -> None:
    found = job.source / "provenance.json"
    if not found.is_file():
        return
    provenance = json.loads(found.read_text(encoding="utf-8"))
    for session in provenance.get("sessions", []):
        for private in _PRIVATE:
            session.pop(private, None)
    write_text(job.out / _PROVENANCE, json.dumps(provenance, indent=2, ensure_ascii=False) + "\n")


def _card(job: ExportJob, rows: Rows, columns: tuple[str, ...], counts: Counts) -> Card:
    codes = {language_code(name) for name in counts.languages}
    return Card(
        title=job.title,
        noun=rows.noun,
        license=job.license,
        counts=counts,
        columns=columns,
        language_codes=tuple(sorted(code for code in codes if code)) or ("en",),
        provenance=tuple(_provenance(job, rows, columns)),
        version=__version__,
    )


def _provenance(job: ExportJob, rows: Rows, columns: tuple[str, ...]) -> Iterator[str]:
    yield f"Exported from {rows.count:,} rows with the digest `{rows.digest}`."
    if (job.out / _PROVENANCE).exists():
        yield f"Versions, machine and sessions of the run: `{_PROVENANCE}`."
    if "calls" in columns:
        yield "Each row's `calls` name the step, the prompt's hash, the model and the tokens of every call."
