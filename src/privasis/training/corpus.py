"""Where training data comes from: the folder of ``privasis split``, a corpus run, or a file of triplets."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from privasis.errors import InputError
from privasis.store.benchmark import read_rows
from privasis.store.schema import from_row
from privasis.store.splits import MANIFEST, split_of
from privasis.types import Triplet

VALIDATION = 0.05  # share of persons, where the corpus has not been split


class Corpus(NamedTuple):
    """Triplets to learn from, and those on which the loss is measured; no person stands in both."""

    train: list[Triplet]
    validation: list[Triplet]


def read_corpus(path: Path) -> Corpus:
    """Read the triplets of a corpus.

    Of a folder of ``privasis split`` its train and validation files are read; of a corpus run, or a Parquet
    or JSONL file, all triplets, divided by person.

    Raises:
        InputError: There is nothing to train on, or a row is no triplet; names file and row.
    """
    if (path / MANIFEST).is_file():
        made = Corpus(list(_triplets(path / "train.parquet")), list(_triplets(path / "validation.parquet")))
    else:
        made = Corpus([], [])
        for triplet in _triplets(path / "triplets.parquet" if path.is_dir() else path):
            side = split_of(triplet.person or triplet.record_id, VALIDATION, 0.0)
            (made.validation if side == "validation" else made.train).append(triplet)
    if not made.train:
        raise InputError(f"{path} holds no triplet to train on.")
    return made


def _triplets(file: Path) -> Iterator[Triplet]:
    if not file.is_file():
        raise InputError(
            f"{file} is not there: name a folder of `privasis split`, a corpus folder that is complete, or a "
            ".parquet or .jsonl file of triplets."
        )
    for row in read_rows(file):
        yield from_row(Triplet, row.values, row.where)
