"""Which rows repeat earlier ones: from signatures to the rows that are dropped, in flat memory.

Rows are compared by MinHash signatures in bands (locality-sensitive hashing): rows that agree in a whole
band are candidates, and the share of equal places in their signatures estimates the Jaccard index.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

_REACH: Final = 32  # within a band's group a row is compared with so many before it, and with the first
_BLOCK: Final = 1 << 15  # pairs whose signatures are in memory at once
_GOLDEN: Final = np.uint64(0x9E3779B97F4A7C15)
_MULTIPLIER: Final = np.uint64(0xBF58476D1CE4E5B9)

Rows = NDArray[np.int64]


class Duplicate(NamedTuple):
    """A row that is dropped."""

    row: int
    like: int  # the earlier row that is kept
    similarity: float  # estimated Jaccard index; 1.0 where the texts are equal


class Pairs(NamedTuple):
    """Rows that resemble each other, sorted by the later one."""

    earlier: Rows  # (m,)
    later: Rows  # (m,)
    similarity: NDArray[np.float32]  # (m,)


def exact_pairs(digests: NDArray[np.uint32]) -> Pairs:
    """Pair each row with the first of the same digest.

    Args:
        digests: Of the texts, shape (n, 4): 128 bits.
    """
    keys = np.ascontiguousarray(digests).view(np.dtype((np.void, digests.shape[1] * 4))).ravel()
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    earlier = first[inverse]
    later = np.flatnonzero(earlier != np.arange(len(keys)))
    return Pairs(earlier[later], later, np.ones(len(later), np.float32))


def near_pairs(signatures: NDArray[np.uint32], bands: int, rows: int, threshold: float) -> Pairs:
    """Pair the rows whose signatures agree in a band and, over all places, in ``threshold`` at least.

    Args:
        signatures: Shape (n, p), p >= bands * rows; may lie on disk.
        bands: Bands of a signature.
        rows: Places of a band.
        threshold: Least share of equal places, 0 to 1.
    """
    found: dict[int, float] = {}
    for band in range(bands):
        keys = _band_keys(signatures[:, band * rows : (band + 1) * rows])
        for earlier, later in _candidates(keys):
            for start in range(0, len(later), _BLOCK):
                block = slice(start, start + _BLOCK)
                equal = (signatures[earlier[block]] == signatures[later[block]]).mean(axis=1)
                passed = np.flatnonzero(equal >= threshold)
                pairs = earlier[block][passed] << 32 | later[block][passed]
                found.update(zip(pairs.tolist(), equal[passed].tolist(), strict=True))
    return _sorted(found)


def _band_keys(places: NDArray[np.uint32]) -> NDArray[np.uint64]:
    keys = np.zeros(len(places), np.uint64)
    for place in range(places.shape[1]):
        keys = (keys ^ places[:, place].astype(np.uint64)) * _MULTIPLIER + _GOLDEN
        keys ^= keys >> np.uint64(31)
    return keys


def _candidates(keys: NDArray[np.uint64]) -> Iterator[tuple[Rows, Rows]]:
    """Walk the pairs of rows with equal keys, the earlier first; a large group gives each row a few."""
    order = np.argsort(keys, kind="stable")  # rows ascend within a group
    ordered = keys[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    first = np.repeat(starts, np.diff(np.r_[starts, len(ordered)]))
    far = np.flatnonzero(np.arange(len(ordered)) - first > _REACH)
    yield order[first[far]], order[far]
    for distance in range(1, _REACH + 1):
        met = np.flatnonzero(ordered[distance:] == ordered[:-distance])
        if not len(met):
            return
        yield order[met], order[met + distance]


def _sorted(found: dict[int, float]) -> Pairs:
    codes = np.fromiter(found.keys(), np.int64, len(found))
    similarity = np.fromiter(found.values(), np.float32, len(found))
    earlier, later = codes >> 32, codes & 0xFFFFFFFF
    order = np.lexsort((earlier, later))
    return Pairs(earlier[order], later[order], similarity[order])


def repeats(
    pairs: Pairs, owners: NDArray[np.int64], dropped: frozenset[int] = frozenset()
) -> list[Duplicate]:
    """Go over the rows in their order: one that resembles an earlier kept row of another owner is dropped.

    Args:
        pairs: As of :func:`exact_pairs` or :func:`near_pairs`.
        owners: Shape (n,): rows of one owner (the triplets of one record) never count as repeats.
        dropped: Rows that are dropped already, so that nothing is dropped for their sake.
    """
    gone = set(dropped)
    made = []
    apart = np.flatnonzero(owners[pairs.earlier] != owners[pairs.later])
    for place in apart.tolist():
        earlier, later = int(pairs.earlier[place]), int(pairs.later[place])
        if later in gone or earlier in gone:
            continue
        gone.add(later)
        made.append(Duplicate(later, earlier, float(pairs.similarity[place])))
    return made
