"""Fingerprints by which near-duplicate texts are found without comparing each with each."""

from __future__ import annotations

from typing import Final
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from privasis.text.words import share_unspaced, words

BANDS: Final = 8
ROWS: Final = (
    8  # a band agrees with probability J^8: half of the pairs with a Jaccard index of 0.77 are found
)
_WORD_SHINGLE: Final = 5
_CHARACTER_SHINGLE: Final = 10  # for scripts without spaces between words
_MOSTLY: Final = 0.5
_BLOCK: Final = 4096  # shingles at once, so that memory stays flat on long texts

Hashes = NDArray[np.uint64]


def fingerprint(text: str) -> tuple[int, ...]:
    """Summarise a text in ``BANDS`` signed 64-bit integers: MinHash of its 5-word shingles, in bands.

    Case, punctuation and spacing do not count. Scripts without spaces use shingles of 10 characters. The same
    text has the same fingerprint in every process.
    """
    hashes = _shingles(text)
    smallest = np.full(BANDS * ROWS, np.iinfo(np.uint64).max, np.uint64)
    for start in range(0, len(hashes), _BLOCK):
        block = hashes[start : start + _BLOCK]
        permuted = _mixed(block[:, None] * _FACTORS + _TERMS)  # (shingles, BANDS * ROWS)
        np.minimum(smallest, permuted.min(axis=0), out=smallest)
    bands = _rolled(smallest.reshape(BANDS, ROWS).T, ROWS)[0]
    return tuple(_mixed(bands).view(np.int64).tolist())


def is_near_duplicate(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
    """Tell whether two fingerprints agree in a band, as those of near-duplicates most probably do."""
    return any(x == y for x, y in zip(a, b, strict=True))


def _shingles(text: str) -> Hashes:
    found = words(text.casefold())
    width = _WORD_SHINGLE
    if share_unspaced(text) > _MOSTLY:
        codes = np.frombuffer("".join(found).encode("utf-32-le", "surrogatepass"), np.uint32)
        tokens, width = codes.astype(np.uint64), _CHARACTER_SHINGLE
    else:
        tokens = np.fromiter(map(_word_hash, found), np.uint64, len(found))
    return _mixed(_rolled(_mixed(tokens), min(width, len(tokens)))) if len(tokens) else tokens


def _word_hash(word: str) -> int:
    coded = word.encode("utf-8", "surrogatepass")
    return crc32(coded) << 32 | crc32(coded, 0x5BD1E995)


def _rolled(tokens: Hashes, width: int) -> Hashes:
    """Combine each run of ``width`` rows into one, order kept: shape ``(len(tokens) - width + 1, ...)``."""
    count = len(tokens) - width + 1
    rolled = np.zeros((count, *tokens.shape[1:]), np.uint64)
    for offset in range(width):
        rolled = rolled * _BASE + tokens[offset : offset + count]
    return rolled


def _mixed(values: Hashes) -> Hashes:
    """Scatter 64-bit values (the finaliser of SplitMix64)."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


# Fixed for ever, since fingerprints are stored with the records: no library's generator is asked.
_BASE: Final = np.uint64(0x9E3779B97F4A7C15)
_FACTORS: Final = _mixed(np.arange(1, BANDS * ROWS + 1, dtype=np.uint64) * _BASE) | np.uint64(1)
_TERMS: Final = _mixed(np.arange(1001, BANDS * ROWS + 1001, dtype=np.uint64) * _BASE)
