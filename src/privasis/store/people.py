"""The people and the triplets of a source, as far as analysis needs them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from privasis.errors import InputError
from privasis.store.run import stored_config
from privasis.store.schema import from_row
from privasis.store.texts import walk_source
from privasis.types import Profile, Record, Seed, Triplet


@dataclass(frozen=True, slots=True)
class Person:
    """A sampled profile: what code drew, and what the model made of it."""

    id: str
    seed: Seed
    profile: Profile

    def fact(self, name: str) -> str:
        """Return a fact of the profile, empty where it has none of the name."""
        return next((fact.value for fact in self.profile.facts if fact.name == name), "")


def read_people(path: Path) -> Iterator[Person]:
    """Walk the profiles of a source of records.

    Raises:
        InputError: If a row has no profile, or is of another version; names file, row and field.
        RunFolderError: If a run folder holds something else.
    """
    for row in walk_source(path, ["id", "seed", "profile"]):
        missing = [name for name in ("id", "seed", "profile") if row.values.get(name) is None]
        if missing:
            raise InputError(
                f"{row.where}: no {missing[0]}: profiles are counted in records of privasis only."
            )
        yield from_row(Person, {name: row.values[name] for name in Person.__slots__}, row.where)


def seed_options_of(path: Path) -> Mapping[str, Any]:
    """Return how a run drew its seeds; empty for anything but a run folder of records."""
    if not path.is_dir():
        return {}
    seeds: Mapping[str, Any] = stored_config(path).get("options", {}).get("seeds", {})
    return seeds


_TRIPLET = [name for name in Triplet.__slots__ if name != "calls"]
_RECORD = [
    name for name in Record.__slots__ if name not in {"draft", "refinement", "embedding", "fingerprint"}
]


def read_triplets(path: Path) -> Iterator[Triplet]:
    """Walk the triplets of a source, without their calls.

    Raises:
        InputError: If a row is no triplet; names file, row and field.
    """
    for row in walk_source(path, _TRIPLET):
        yield from_row(Triplet, {**row.values, "calls": ()}, row.where)


def read_plain_records(path: Path) -> Iterator[Record]:
    """Walk the records of a source, without drafts, histories and embeddings.

    Raises:
        InputError: If a row is no record; names file, row and field.
    """
    left_out = {"draft": "", "refinement": (), "embedding": b"", "fingerprint": ()}
    for row in walk_source(path, _RECORD):
        yield from_row(Record, {**row.values, **left_out}, row.where)


def holds_triplets(path: Path) -> bool:
    """Tell whether a source's first row is a triplet; False for an empty one.

    Raises:
        InputError: If it cannot be read.
    """
    row = next(walk_source(path, ["sanitized", "id"]), None)
    return row is not None and "sanitized" in row.values
