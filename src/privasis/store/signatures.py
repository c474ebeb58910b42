"""Signatures of rows on disk: computed shard by shard, each written whole, and read as one array."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from privasis.store.files import write_whole
from privasis.store.rows import Rows

SHARD = 4096  # rows

Signature = Callable[[str, str], NDArray[np.uint32]]  # (text, owner) -> one row


@dataclass(frozen=True, slots=True)
class Signatures:
    """The shards of one folder."""

    folder: Path
    rows: Rows
    width: int  # numbers of a row

    @property
    def count(self) -> int:
        """The number of shards."""
        return -(-self.rows.count // SHARD)

    def commit(self, index: int, sign: Signature) -> int:
        """Write a shard whole if it is not there; return the number of rows up to its end.

        Raises:
            DiskError: If the disk is full or refuses.
            InputError: If the source cannot be read.
        """
        path = self._path(index)
        if not path.exists():
            self.folder.mkdir(parents=True, exist_ok=True)
            array = self._signed(index, sign)
            write_whole(path, lambda beside: _save(beside, array))
        return min((index + 1) * SHARD, self.rows.count)

    def _signed(self, index: int, sign: Signature) -> NDArray[np.uint32]:
        owner = "record_id" if self.rows.noun == "triplets" else "id"
        signed = []
        for batch in self.rows.batches(index * SHARD, (index + 1) * SHARD, ["text", owner]):
            texts, owners = batch.column("text").to_pylist(), batch.column(owner).to_pylist()
            signed += [sign(text, whose) for text, whose in zip(texts, owners, strict=True)]
        return np.array(signed, np.uint32).reshape(len(signed), self.width)

    def joined(self) -> NDArray[np.uint32]:
        """Return all rows as one array that lies on disk, shape (n, width)."""
        shape = (self.rows.count, self.width)
        whole = np.lib.format.open_memmap(self.folder / "joined.npy", mode="w+", dtype=np.uint32, shape=shape)
        for index in range(self.count):
            whole[index * SHARD : (index + 1) * SHARD] = np.load(self._path(index))
        return np.asarray(whole)

    def _path(self, index: int) -> Path:
        return self.folder / f"signatures-{index:06d}.npy"


def _save(path: Path, array: NDArray[np.uint32]) -> None:
    with path.open("wb") as file:
        np.save(file, array)
