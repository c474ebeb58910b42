"""Corpus -> train, validation, and the vanilla and hard test sets (§4.2)."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from privasis.errors import ConfigError
from privasis.store.shards import Shards
from privasis.store.summary import TableFile
from privasis.text.spans import find_verbatim
from privasis.types import Triplet, TripletSet

SPLITS = ("train", "validation", "test_vanilla", "test_hard")


def write_splits(
    corpus: Path,
    out: Path,
    *,
    validation: float,
    test: float,
    is_perfect: Callable[[Triplet], bool],
) -> dict[str, int]:
    """Write the four files, with all triplets of one person in one split.

    Args:
        corpus: The folder of a corpus run.
        out: The folder of the files; made if it is not there.
        validation: Share of persons for validation.
        test: Share of persons for the two test sets.
        is_perfect: Tells whether the pipeline's own result is a full success: such a test triplet is
            vanilla, any other one hard.

    Returns:
        The number of triplets in each split.

    Raises:
        ConfigError: If the shares cannot be.
    """
    if validation < 0 or test < 0 or validation + test >= 1:
        raise ConfigError(f"--validation {validation} and --test {test} must leave something to train on.")
    out.mkdir(parents=True, exist_ok=True)
    counts = Counter(dict.fromkeys(SPLITS, 0))
    files = {name: TableFile(out / f"{name}.parquet", Triplet) for name in SPLITS}
    try:
        for outcome in Shards(corpus / "shards", TripletSet):
            for triplet in outcome.result.triplets if outcome.result else ():
                name = split_of(triplet.person, validation, test)
                if name == "test":
                    name = "test_vanilla" if is_perfect(triplet) else "test_hard"
                files[name].add(triplet)
                counts[name] += 1
    except BaseException:
        for file in files.values():
            file.abandon()
        raise
    for file in files.values():
        file.finish()
    return dict(counts)


def split_of(person: str, validation: float, test: float) -> str:
    """Return train, validation or test for a person: by a hash of the name, so the same in every corpus."""
    digest = hashlib.blake2b(" ".join(person.casefold().split()).encode(), digest_size=8).digest()
    place = int.from_bytes(digest, "little") / 2**64
    if place < test:
        return "test"
    return "validation" if place < test + validation else "train"


def perfect_by_code(triplet: Triplet) -> bool:
    """Tell whether code finds no direct leak and every keep: all that can be said without an evaluator.

    Groups and targets with several forms count as hard, as §4.2 describes the difference between the sets,
    until scores of an evaluator are given.
    """
    leaks = any(
        find_verbatim(triplet.sanitized, fact.value)
        for target in triplet.targets
        for fact in target.attributes
    )
    kept = all(find_verbatim(triplet.sanitized, keep.value) for keep in triplet.keeps)
    return not leaks and kept and not any(target.grouped for target in triplet.targets)
