"""The sink of jobs that want every item, and the table that such a job leaves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Generic, TypeVar

from privasis.errors import RunFolderError
from privasis.stage import EMPTY_POOL, Pool
from privasis.store.benchmark import read_rows
from privasis.store.schema import from_row
from privasis.store.shards import Shards
from privasis.types import Outcome

Result = TypeVar("Result")
Noun = TypeVar("Noun")


class WholeSink(Generic[Result]):
    """Commits shards until all are there; items share nothing."""

    def __init__(self, shards: Shards[Result], shard_sizes: Sequence[int]) -> None:
        self._shards = shards
        self._sizes = shard_sizes
        # A shard of another length was written under a smaller --limit: it is made anew, from the cache.
        self._done = {
            index
            for index in shards.done()
            if index < len(shard_sizes) and shards.rows(index) == shard_sizes[index]
        }

    def done(self) -> frozenset[int]:
        """Return the indices of the committed shards."""
        return frozenset(self._done)

    def commit(self, shard: int, outcomes: Sequence[Outcome[Result]]) -> None:
        """Keep a shard whole.

        Raises:
            DiskError: If the disk is full or refuses.
        """
        self._shards.commit(shard, outcomes)
        self._done.add(shard)

    def pool(self, shard: int) -> Pool | None:
        """Return the empty pool."""
        return EMPTY_POOL

    def wanted(self, in_flight: int) -> bool:
        """Tell that every shard is wanted."""
        return True

    def complete(self) -> bool:
        """Tell whether every shard is committed."""
        return len(self._done) == len(self._sizes)


def read_table(path: Path, noun: type[Noun]) -> Iterator[Noun]:
    """Walk the rows of a table that a job has left in its run folder.

    Raises:
        RunFolderError: If it is not there.
        InputError: If it is broken or of another version.
    """
    if not path.is_file():
        raise RunFolderError(
            f"{path} is not there: give the command that makes it again, it will be resumed."
        )
    return (from_row(noun, row.values, row.where) for row in read_rows(path))
