"""The Vendi score of a set of embeddings, and what one more text adds to it (§2.1, item 2).

The score is exp(H), H the Shannon entropy of the eigenvalues of K / n, K the n x n matrix of
cosine similarities (Friedman & Dieng, 2023; order q = 1). Two facts make it cheap here:

- X X^T (n x n) and X^T X (d x d) have the same eigenvalues other than zero, so the smaller
  one is decomposed.
- A text added to the set adds z z^T to A = X^T X. What that does to the sum of λ log λ needs no
  second decomposition: from log λ = ∫ (1/(1+s) - 1/(λ+s)) ds over s > 0 and the matrix
  determinant lemma,

      Σ λ' log λ' - Σ λ log λ = 1 + ∫ (1/(1+s) - log(1 + zᵀ (A + s)⁻¹ z)) ds,   |z| = 1.

  With s = exp(u) the integrand is analytic for |Im u| < π and decays like exp(-|u|) at both
  ends, so the trapezoidal rule of step h errs by O(exp(-2π²/h)) (Trefethen & Weideman, 2014,
  Theorem 5.1): below 1e-16 for h = 1/2.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, expm1, log

import numpy as np

from privasis.diversity.rows import Doubles, Floats, unit_rows

_STEP = 0.5  # h above
_TAIL = 36.0  # exp(-36) is 2e-16: where the integrand is left, below 1 and above the trace


@dataclass(frozen=True, slots=True, eq=False)
class PreparedPool:
    """A pool P decomposed once, so that each further candidate costs well below a millisecond.

    Attributes:
        size: The number n of texts in P.
        basis: Shape (d, r), orthonormal columns: the eigenvectors of X^T X, r = min(n, d).
        entropy_sum: Σ λ log λ over the eigenvalues of X^T X.
        nodes: Shape (m,): where the integral is sampled, s_j.
        weights: Shape (m,): the rule's weights, h s_j.
        resolvent: Shape (m, r): 1 / (λ_i + s_j).
    """

    size: int
    basis: Doubles
    entropy_sum: float
    nodes: Doubles
    weights: Doubles
    resolvent: Doubles


def vendi(embeddings: Floats) -> float:
    """Score how many distinct texts a set is worth: 1 if all are alike, n if all are orthogonal.

    Args:
        embeddings: Shape (n, d). Rows are scaled to length one first.

    Returns:
        The score, between 1 and min(n, d); 0 for an empty set.

    Raises:
        ValueError: The array is not two-dimensional, or a row is zero or not finite.
    """
    rows = unit_rows(embeddings)
    if len(rows) == 0:
        return 0.0
    return exp(_entropy(_smaller_gram(rows), len(rows)))


def delta_vendi(pool: Floats, current: Floats, candidate: Floats) -> float:
    """Score what replacing one draft by another adds: Vendi(P ∪ x'_t) - Vendi(P ∪ x_t), §2.1.

    Two decompositions of the smaller matrix, which both drafts share but for one row: 10 ms for
    a pool of 1000 x 384. For several candidates against one pool, ``prepare_pool`` (11 ms) and
    ``delta_vendi_in``.

    Args:
        pool: P, shape (n, d); n may be 0.
        current: x_t, shape (d,).
        candidate: x'_t, shape (d,).

    Raises:
        ValueError: Shapes do not fit, or a row is zero or not finite.
    """
    rows = unit_rows(pool)
    drafts = unit_rows(np.stack([current, candidate]))
    size = len(rows) + 1
    if len(rows) < rows.shape[1]:
        grams = [_smaller_gram(np.vstack([rows, draft])) for draft in drafts]
    else:
        gram = _smaller_gram(rows)
        grams = [gram + np.outer(draft, draft) for draft in drafts]
    before, after = (_entropy(gram, size) for gram in grams)
    return exp(before) * expm1(after - before)


def prepare_pool(pool: Floats) -> PreparedPool:
    """Decompose a pool for ``delta_vendi_in``.

    Args:
        pool: P, shape (n, d); n may be 0.

    Raises:
        ValueError: The array is not two-dimensional, or a row is zero or not finite.
    """
    rows = unit_rows(pool)
    size, dimension = rows.shape
    if size < dimension:
        # In coordinates of the span of the rows; QR keeps its basis orthonormal even when
        # texts are repeated, which eigenvectors of X X^T divided by √λ would not.
        span, triangle = np.linalg.qr(rows.T)
        eigenvalues, vectors = np.linalg.eigh(triangle @ triangle.T)
        basis = span @ vectors
    else:
        eigenvalues, basis = np.linalg.eigh(rows.T @ rows)
    eigenvalues = np.maximum(eigenvalues, 0.0)
    nodes = np.exp(np.arange(-_TAIL, log(size + 1) + _TAIL, _STEP))
    return PreparedPool(
        size=size,
        basis=basis,
        entropy_sum=_sum_of_x_log_x(eigenvalues),
        nodes=nodes,
        weights=_STEP * nodes,
        resolvent=1.0 / (eigenvalues + nodes[:, np.newaxis]),
    )


def delta_vendi_in(pool: PreparedPool, current: Floats, candidate: Floats) -> float:
    """Score ΔVendi as ``delta_vendi`` does, for a pool that is prepared: 0.2 ms at 1000 x 384.

    Args:
        pool: P, from ``prepare_pool``.
        current: x_t, shape (d,).
        candidate: x'_t, shape (d,).

    Raises:
        ValueError: Shapes do not fit, or a draft is zero or not finite.
    """
    drafts = unit_rows(np.stack([current, candidate]))
    inside = (drafts @ pool.basis) ** 2
    outside = np.maximum(1.0 - inside.sum(axis=1), 0.0)
    quadratic = pool.resolvent @ inside.T + outside / pool.nodes[:, np.newaxis]  # zᵀ(A + s)⁻¹z
    before, after = 1.0 + pool.weights @ (1.0 / (1.0 + pool.nodes[:, np.newaxis]) - np.log1p(quadratic))
    size = pool.size + 1
    entropy = log(size) - (pool.entropy_sum + before) / size
    return exp(entropy) * expm1((before - after) / size)


def _smaller_gram(rows: Doubles) -> Doubles:
    """Return X X^T or X^T X, whichever is smaller."""
    return rows @ rows.T if len(rows) < rows.shape[1] else rows.T @ rows


def _entropy(gram: Doubles, size: int) -> float:
    """Entropy (nats) of the eigenvalues of a Gram matrix of ``size`` unit rows, divided by size."""
    return log(size) - _sum_of_x_log_x(np.linalg.eigvalsh(gram)) / size


def _sum_of_x_log_x(eigenvalues: Floats) -> float:
    positive = eigenvalues[eigenvalues > 0]  # 0 log 0 = 0; rounding leaves tiny negative ones
    return float(positive @ np.log(positive))
