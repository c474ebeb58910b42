"""Corpus -> train, validation, and the vanilla and hard test sets (§4.2).

A test triplet is vanilla where the pipeline's own result is a full success, hard where it is not. So hard
holds what the pipeline itself could not do: the triplets that it did not select because a target leaks or a
keep is lost. Their ``sanitized`` is a failed result, kept to be looked at, and no reference.
"""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
import pyarrow.parquet as pq

from privasis.errors import ConfigError, InputError, RunFolderError
from privasis.store.files import disk_errors
from privasis.store.schema import from_row
from privasis.store.shards import Shards
from privasis.store.summary import TableFile, write_json
from privasis.text.leaks import contains_direct
from privasis.text.words import count_words
from privasis.types import Rejection, Triplet, TripletSet

SPLITS = ("train", "validation", "test_vanilla", "test_hard")
MANIFEST = "splits.json"
_SCORES = "scores.parquet"
_BATCH = 256  # rows of a file of scores that are held in memory
_FAILED = frozenset({"direct_leak", "keep_lost", "unchanged"})  # reasons that make a full success impossible

Side = Literal["train", "validation", "test"]
IsPerfect = Callable[[Triplet], bool | None]  # None: it could not be judged


@dataclass(slots=True)
class CorpusShape:
    """How many triplets there are and what they are like, with the paper's figures (§3.2, §4.2) beside."""

    triplets: int = 0  # 37K for training, 1,042 vanilla, 1,149 hard
    words: int = 0  # of the records; 527 a triplet, 569.3 vanilla, 619.6 hard
    instruction_words: int = 0  # 69.4 a triplet, 57.2 vanilla, 94 hard
    targets: int = 0  # 2.9 a triplet
    grouped: int = 0  # triplets with a grouped target; 60% of vanilla, 87% of hard

    def add(self, triplet: Triplet) -> None:
        """Count one triplet."""
        self.triplets += 1
        self.words += count_words(triplet.text)
        self.instruction_words += count_words(triplet.instruction)
        self.targets += len(triplet.targets)
        self.grouped += any(target.grouped for target in triplet.targets)

    def mean(self, total: int) -> float:
        """Return a total for each triplet; 0 where there is none."""
        return total / max(self.triplets, 1)


def corpus_shape(triplets: Iterable[Triplet]) -> CorpusShape:
    """Return what triplets are like, in one pass and flat memory."""
    shape = CorpusShape()
    for triplet in triplets:
        shape.add(triplet)
    return shape


@dataclass(slots=True)
class Splits:
    """What was written: the shape of each split, and what stands in none."""

    shapes: dict[str, CorpusShape] = field(default_factory=lambda: {name: CorpusShape() for name in SPLITS})
    unscored: int = 0  # test triplets that could not be judged
    unused: int = 0  # triplets of the pipeline that failed and are no test


def write_splits(
    corpus: Path, out: Path, *, validation: float, test: float, is_perfect: IsPerfect, judged_by: str
) -> Splits:
    """Write the four files, with all triplets of one person in one split, and splits.json at the end.

    Args:
        corpus: The folder of a corpus run.
        out: The folder of the files; made if it is not there.
        validation: Share of persons for validation.
        test: Share of persons for the two test sets.
        is_perfect: Tells whether the pipeline's own result is a full success.
        judged_by: What stands behind ``is_perfect``, for splits.json.

    Raises:
        ConfigError: If the shares cannot be.
        RunFolderError: If the corpus is broken, or ``out`` is a file.
        DiskError: If the disk is full or refuses.
    """
    if not (0 <= validation < 1 and 0 <= test < 1 and validation + test < 1):
        raise ConfigError(f"--validation {validation} and --test {test} must leave something to train on.")
    if out.is_file():
        raise RunFolderError(f"{out} is a file: --out names a folder.")
    made = Splits()
    with disk_errors(out), ExitStack() as stack:
        out.mkdir(parents=True, exist_ok=True)
        (out / MANIFEST).unlink(missing_ok=True)  # without it the four files are not of one piece
        files = {name: stack.enter_context(TableFile(out / f"{name}.parquet", Triplet)) for name in SPLITS}
        for triplet, failed in _walk(corpus):
            side = split_of(triplet.person or triplet.record_id, validation, test)
            name = _place(triplet, failed, side, is_perfect, made)
            if name:
                files[name].add(triplet)
                made.shapes[name].add(triplet)
    shares = {"validation": validation, "test": test, "vanilla_and_hard_by": judged_by}
    write_json(out / MANIFEST, shares | {"corpus": corpus.name} | asdict(made))
    return made


def _place(
    triplet: Triplet, failed: str | None, side: Side, is_perfect: IsPerfect, made: Splits
) -> str | None:
    """Return the split of a triplet; None, counted, where it has none."""
    if failed is not None:
        if side == "test" and failed in _FAILED:
            return "test_hard"
        made.unused += 1
        return None
    if side != "test":
        return side
    verdict = is_perfect(triplet)
    if verdict is None:
        made.unscored += 1
        return None
    return "test_vanilla" if verdict else "test_hard"


def _walk(corpus: Path) -> Iterator[tuple[Triplet, str | None]]:
    """Walk all triplets of a corpus; those that were not selected come with the reason."""
    for outcome in Shards(corpus / "shards", TripletSet):
        if outcome.result is None:
            continue
        for triplet in outcome.result.triplets:
            yield triplet, None
        for failure in outcome.result.failures:
            yield _triplet_of(failure, f"{corpus} record number {outcome.number}"), failure.reason


def _triplet_of(failure: Rejection, where: str) -> Triplet:
    try:
        row: dict[str, Any] = json.loads(failure.detail)
    except ValueError:
        raise RunFolderError(f"{where}: a triplet that was not selected cannot be read.") from None
    return from_row(Triplet, row, where)


def split_of(person: str, validation: float, test: float) -> Side:
    """Return train, validation or test for a person: by a hash of the name, so the same in every corpus."""
    name = " ".join(unicodedata.normalize("NFKC", person).casefold().split())
    digest = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    place = int.from_bytes(digest, "little") / 2**64
    if place < test:
        return "test"
    return "validation" if place < test + validation else "train"


def perfect_by_code(triplet: Triplet) -> bool:
    """Tell whether no target leaks directly and every keep is there: §4.2's exact string matching alone.

    Inference and proximity leaks, which only an evaluator finds, are not in it: vanilla by code is too large,
    and hard too small.
    """
    values = [fact.value for target in triplet.targets for fact in target.attributes]
    leaks = any(contains_direct(triplet.sanitized, value) for value in values)
    return not leaks and all(keep.value in triplet.sanitized for keep in triplet.keeps)


def perfect_by_scores(path: Path) -> IsPerfect:
    """Read the verdicts of an evaluator on the corpus's own results.

    A score counts where the text that was judged is the triplet's own result, letter by letter: so those of
    baselines and of other systems in the same table are passed over.

    Args:
        path: The folder of an evaluation, or its scores.parquet: ``id``, ``sanitized``, and the verdicts of
            ``targets`` and ``keeps``.

    Returns:
        A judge of triplets; None for those that are unscored or of which the file has no score.

    Raises:
        InputError: If the file is not there or holds no scores.
    """
    file = path / _SCORES if path.is_dir() else path
    verdicts: dict[bytes, bool | None] = {}
    try:
        with pq.ParquetFile(file) as table:
            for batch in table.iter_batches(_BATCH, columns=["id", "sanitized", "targets", "keeps"]):
                for row in batch.to_pylist():
                    key, verdict = _result_key(row["id"], row["sanitized"]), _full_success(row)
                    verdicts[key] = _worse(verdict, verdicts.get(key, verdict))
    except FileNotFoundError:
        raise InputError(f"{file} is not there: name the folder of an evaluation.") from None
    except (pa.ArrowException, OSError, KeyError, TypeError) as error:
        raise InputError(f"{file} holds no scores ({type(error).__name__}): name an evaluation's.") from None
    return lambda triplet: verdicts.get(_result_key(triplet.id, triplet.sanitized))


def _result_key(id: str, sanitized: str) -> bytes:
    """Return 16 bytes in place of a whole text, so that a million scores fit into memory."""
    text = f"{id}\x1f{sanitized}".encode("utf-8", "surrogatepass")
    return hashlib.blake2b(text, digest_size=16).digest()


def _full_success(row: dict[str, Any]) -> bool | None:
    leaks = [target["verdict"] for target in row["targets"]]
    kept = [keep["verdict"] for keep in row["keeps"]]
    if any(leak not in {"safe", "unscored"} for leak in leaks) or "lost" in kept:
        return False
    return None if "unscored" in leaks + kept else True


def _worse(one: bool | None, other: bool | None) -> bool | None:
    if one is False or other is False:
        return False
    return None if one is None or other is None else True


def read_split(folder: Path, name: str) -> Iterator[Triplet]:
    """Walk the triplets of one split.

    Args:
        folder: What ``write_splits`` has written.
        name: One of SPLITS.

    Raises:
        InputError: If the folder holds no whole split, or the file cannot be read.
    """
    if not (folder / MANIFEST).is_file():
        raise InputError(f"{folder} holds no splits. Make some: `privasis split CORPUS --out {folder}`.")
    file = folder / f"{name}.parquet"
    try:
        with pq.ParquetFile(file) as table:
            for batch in table.iter_batches(_BATCH):
                for number, row in enumerate(batch.to_pylist(), 1):
                    yield from_row(Triplet, row, f"{file} row {number}")
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"{file} cannot be read ({type(error).__name__}). Split the corpus again.") from None
