"""How alike the texts of a set are on average (Tables 2, 8 and 9)."""

from __future__ import annotations

from math import nan

import numpy as np

from privasis.diversity.rows import Floats, unit_rows

_BLOCK = 65_536  # rows at once: 200 MB of float64 for 384 dimensions, however long the array


def mean_cosine_similarity(embeddings: Floats) -> float:
    """Average the cosine over all pairs of different texts, in time linear in their number.

    The cosines of all ordered pairs, a text with itself included, add up to |Σ x|² for unit
    rows x; the n ones of the diagonal are taken off.

    Args:
        embeddings: Shape (n, d), any floating type, also a memory-mapped array. Rows are
            scaled to length one first.

    Returns:
        A number in [-1, 1]; nan for fewer than two texts.

    Raises:
        ValueError: The array is not two-dimensional, or a row is zero or not finite.
    """
    size = len(embeddings)
    total = np.zeros(embeddings.shape[-1])
    for start in range(0, size, _BLOCK):
        total += unit_rows(embeddings[start : start + _BLOCK], first=start).sum(axis=0)
    if size < 2:
        return nan
    return float(total @ total - size) / (size * (size - 1))
