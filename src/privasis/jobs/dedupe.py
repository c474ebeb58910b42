"""The job behind ``privasis dedupe``: a table without rows that repeat earlier ones, by MinHash."""

from __future__ import annotations

import json
import shutil
import zlib
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from hashlib import blake2b
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from privasis.diversity.duplicates import Duplicate, exact_pairs, near_pairs, repeats
from privasis.errors import ConfigError, MissingExtraError
from privasis.store.files import write_text, write_whole
from privasis.store.rows import BATCH, Rows, open_rows
from privasis.store.run import open_run
from privasis.store.signatures import Signatures
from privasis.text.words import share_unspaced, words

KIND = "dedupe"
PERMUTATIONS = 128
_DIGEST, _OWNER = 4, 2  # numbers of 32 bits behind those of the signature
_WIDTH = PERMUTATIONS + _DIGEST + _OWNER
_SHINGLE, _UNSPACED_SHINGLE = 5, 10  # words; characters where words are not spaced
_SEED = 1

_DUPLICATES = pa.schema(
    [
        pa.field("id", pa.string(), nullable=False),
        pa.field("like", pa.string(), nullable=False),
        pa.field("kind", pa.string(), nullable=False),
        pa.field("similarity", pa.float64(), nullable=False),
    ]
)


@dataclass(frozen=True, slots=True)
class DedupeJob:
    """What is asked for: the rows of a source without repetitions."""

    source: Path
    out: Path
    threshold: float = 0.8  # estimated Jaccard index of 5-word shingles, from which rows are alike
    exact_only: bool = False


@dataclass(frozen=True, slots=True)
class DedupeSummary:
    """What became of the rows. kept + exact + near = rows."""

    rows: int
    kept: int
    exact: int
    near: int


def run_dedupe(job: DedupeJob, progress: Callable[[int], None]) -> DedupeSummary:
    """Sign the rows that are not signed yet, find repetitions, and write the table without them.

    Args:
        job: What is asked for.
        progress: Told the rows that are signed, after each shard.

    Raises:
        ConfigError: If an option cannot be used.
        MissingExtraError: If the extra ``scale`` is not installed.
        InputError: If the source cannot be read.
        RunFolderError: If the folder holds something else.
        DiskError: If the disk is full or refuses.
    """
    if not 0 < job.threshold <= 1:
        raise ConfigError(f"--threshold {job.threshold:g}: a share above 0, up to 1, is needed.")
    datasketch = _datasketch()
    rows = open_rows(job.source)
    config = {
        "rows": rows.count,
        "digest": rows.digest,
        "threshold": job.threshold,
        "exact_only": job.exact_only,
    }
    with open_run(job.out, KIND, config):
        if (finished := _finished(job.out)) is not None:
            return finished
        for left_by_a_kill in job.out.rglob(".*.tmp"):
            left_by_a_kill.unlink()
        signatures = Signatures(job.out / "signatures", rows, _WIDTH)
        sign = partial(_sign, None if job.exact_only else _empty(datasketch))
        for index in range(signatures.count):
            progress(signatures.commit(index, sign))
        found = _find(signatures.joined(), datasketch, job, rows) if rows.count else ([], [])
        summary = _write(job, rows, *found)
        shutil.rmtree(signatures.folder, ignore_errors=True)
        return summary


def _datasketch() -> ModuleType:
    try:
        import datasketch
    except ImportError:
        raise MissingExtraError("privasis dedupe needs an extra: pip install 'privasis[scale]'.") from None
    module: ModuleType = datasketch
    return module


def _empty(datasketch: ModuleType) -> Any:
    return datasketch.MinHash(PERMUTATIONS, seed=_SEED, hashfunc=zlib.crc32, scheme="affine32")


def _sign(empty: Any, text: str, owner: str) -> NDArray[np.uint32]:
    row = np.zeros(_WIDTH, np.uint32)
    if empty is not None:
        made = empty.copy()  # drawing the permutations anew would take half of the time
        made.update_batch(shingles(text))
        row[:PERMUTATIONS] = made.hashvalues
    row[PERMUTATIONS:-_OWNER] = _bits(text, _DIGEST)
    row[-_OWNER:] = _bits(owner, _OWNER)
    return row


def _bits(text: str, count: int) -> NDArray[np.uint32]:
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=4 * count).digest()
    return np.frombuffer(digest, "<u4")


def shingles(text: str) -> list[bytes]:
    """Return the runs of 5 words of a text, or of 10 characters where most are in a script without spaces.

    Case, punctuation and spacing do not count. A text shorter than a shingle is one.
    """
    found = words(text.casefold())
    if not text.isascii() and share_unspaced(text) > 0.5:
        whole = "".join(found)
        parts = [
            whole[at : at + _UNSPACED_SHINGLE] for at in range(max(1, len(whole) - _UNSPACED_SHINGLE + 1))
        ]
    else:
        parts = [" ".join(found[at : at + _SHINGLE]) for at in range(max(1, len(found) - _SHINGLE + 1))]
    return [part.encode("utf-8", "surrogatepass") for part in parts]


def _find(
    table: NDArray[np.uint32], datasketch: ModuleType, job: DedupeJob, rows: Rows
) -> tuple[list[Duplicate], list[Duplicate]]:
    """Return the exact duplicates, and the near ones among the rest."""
    owners = np.arange(len(table))
    if rows.noun == "triplets":
        owners = np.ascontiguousarray(table[:, -_OWNER:]).view(np.int64).ravel()
    exact = repeats(exact_pairs(table[:, PERMUTATIONS:-_OWNER]), owners)
    if job.exact_only:
        return exact, []
    bands = datasketch.MinHashLSH(threshold=job.threshold, num_perm=PERMUTATIONS)
    pairs = near_pairs(table[:, :PERMUTATIONS], bands.b, bands.r, job.threshold)
    return exact, repeats(pairs, owners, frozenset(one.row for one in exact))


def _write(job: DedupeJob, rows: Rows, exact: list[Duplicate], near: list[Duplicate]) -> DedupeSummary:
    """Write duplicates.parquet, the table, and last the summary: its place says that all is there."""
    gone = np.zeros(rows.count, bool)
    gone[[one.row for one in exact + near]] = True
    write_whole(job.out / "duplicates.parquet", lambda path: _write_duplicates(path, rows, exact, near))
    write_whole(job.out / f"{rows.noun}.parquet", lambda path: _write_kept(path, rows, ~gone))
    summary = DedupeSummary(rows.count, int((~gone).sum()), len(exact), len(near))
    write_text(job.out / "summary.json", json.dumps(asdict(summary), indent=2) + "\n")
    return summary


def _write_duplicates(path: Path, rows: Rows, exact: list[Duplicate], near: list[Duplicate]) -> None:
    kinds = [(one, "exact") for one in exact] + [(one, "near") for one in near]
    ids = _ids(rows, {place for one in exact + near for place in (one.row, one.like)})
    with pq.ParquetWriter(path, _DUPLICATES, compression="zstd") as writer:
        for start in range(0, len(kinds), BATCH):
            made: list[dict[str, Any]] = [
                {"id": ids[one.row], "like": ids[one.like], "kind": kind, "similarity": one.similarity}
                for one, kind in kinds[start : start + BATCH]
            ]
            writer.write_table(pa.Table.from_pylist(made, _DUPLICATES))


def _ids(rows: Rows, wanted: set[int]) -> dict[int, str]:
    ids, first = {}, 0
    for batch in rows.batches(0, rows.count, ["id"]):
        for place, id in enumerate(batch.column("id").to_pylist(), start=first):
            if place in wanted:
                ids[place] = id
        first += batch.num_rows
    return ids


def _write_kept(path: Path, rows: Rows, kept: NDArray[np.bool_]) -> None:
    first = 0
    with pq.ParquetWriter(path, rows.schema, compression="zstd") as writer:
        for batch in rows.batches(0, rows.count):
            mask = kept[first : first + batch.num_rows]
            first += batch.num_rows
            if mask.any():
                writer.write_batch(batch.filter(pa.array(mask)))


def _finished(folder: Path) -> DedupeSummary | None:
    path = folder / "summary.json"
    return DedupeSummary(**json.loads(path.read_text(encoding="utf-8"))) if path.exists() else None
