"""Write the gold corpus as the splits that training and evaluation read."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path

from privasis.gold.parts import part_of
from privasis.gold.source import packaged_gold
from privasis.gold.triplets import triplets_of
from privasis.store.files import disk_errors
from privasis.store.splits import MANIFEST, SPLITS, CorpusShape, Splits
from privasis.store.summary import TableFile, write_json
from privasis.types import Triplet


def write_gold(out: Path) -> Splits:
    """Write train, validation, test_vanilla and test_hard as Parquet files; return what they are like.

    Args:
        out: The folder; made if it is not there.

    Raises:
        InputError: A record of the package is broken.
        DiskError: The disk is full or refuses.
    """
    shapes = {name: CorpusShape() for name in SPLITS}
    with disk_errors(out), ExitStack() as stack:
        out.mkdir(parents=True, exist_ok=True)
        (out / MANIFEST).unlink(missing_ok=True)  # without it the four files are not of one piece
        files = {name: stack.enter_context(TableFile(out / f"{name}.parquet", Triplet)) for name in SPLITS}
        for record in packaged_gold():
            part = part_of(record)
            for written, triplet in zip(record.triplets, triplets_of(record), strict=True):
                name = part if part != "test" else "test_hard" if written.hard else "test_vanilla"
                files[name].add(triplet)
                shapes[name].add(triplet)
    made = Splits(shapes)
    write_json(out / MANIFEST, {"corpus": "gold", "vanilla_and_hard_by": "the author"} | asdict(made))
    return made
