"""Embeddings as this room wants them: two-dimensional, float64, every row of length one."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.floating]
Doubles: TypeAlias = NDArray[np.float64]


def unit_rows(embeddings: Floats, first: int = 0) -> Doubles:
    """Return embeddings as float64 with rows scaled to length one.

    Rows that were normalised once and stored as float16 have lengths of 1 ± 0.001; the
    scores assume 1 exactly, so the lengths are put right here.

    Args:
        embeddings: Shape (n, d), any floating type; n may be 0.
        first: The number of the first row, when they are a part of a longer array.

    Raises:
        ValueError: The array is not two-dimensional, or a row is zero or not finite.
    """
    if embeddings.ndim != 2:
        raise ValueError(f"embeddings must have shape (n, d), not {embeddings.shape}")
    rows = embeddings.astype(np.float64)
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    usable = np.isfinite(lengths) & (lengths > 0)
    if not usable.all():
        raise ValueError(f"row {first + int(np.argmin(usable))} of the embeddings is zero or not finite")
    rows /= lengths[:, np.newaxis]
    return rows
