"""Table 2's metrics against the libraries that people use for them: agreement on real text, and time.

    python benchmarks/bench_analysis.py            # the project's own documentation as real text
    python benchmarks/bench_analysis.py FILE       # or the texts of any source

10,000 documents of 500 words, cut from the real text's words in order and then drawn again and again, and
an embedding for each (the packaged encoder's of the real documents, mixed so that no two are alike). Each
metric is computed by both sides on the same tokens and vectors, one after the other, once; times are of the
CPU, since a shared machine says little by the clock.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # both sides are slower and erratic with more

import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from math import log2
from pathlib import Path
from statistics import fmean

import numpy as np
from lexicalrichness import LexicalRichness
from sklearn.metrics.pairwise import cosine_similarity
from vendi_score.vendi import score_X

from privasis.diversity import lexical_diversity, mean_cosine_similarity, tokenise, vendi
from privasis.llm.embeddings import open_encoder
from privasis.store.texts import read_documents

DOCUMENTS, WORDS, WINDOW, AGREE = 10_000, 500, 50, 1e-6


def real_text(source: Path | None) -> list[str]:
    if source is not None:
        return [document.text for document in read_documents(source)]
    root = Path(__file__).parent.parent
    return [path.read_text(encoding="utf-8") for path in sorted(root.glob("docs/**/*.md"))]


def documents_of(words: list[str], rng: np.random.Generator) -> list[list[str]]:
    """Stretches of running text, each from another place, so that repetition is that of real text."""
    starts = rng.integers(0, max(len(words) - WORDS, 1), size=DOCUMENTS)
    return [words[start : start + WORDS] for start in starts.tolist()]


def embeddings_of(texts: list[str], rng: np.random.Generator) -> np.ndarray:
    encoder = open_encoder(threads=1, windows=1)
    real = encoder.embed([text[:2000] for text in texts[:200]])
    picked = real[rng.integers(0, len(real), size=DOCUMENTS)]
    return picked + rng.normal(scale=0.01, size=picked.shape)


def compare(name: str, theirs: Callable[[], float], ours: Callable[[], float]) -> bool:
    begun = time.process_time()
    expected = theirs()
    between = time.process_time()
    value = ours()
    ended = time.process_time()
    slow, quick = between - begun, ended - between
    apart = abs(value - expected)
    print(
        f"{name:34} {slow:8.2f} s {quick:8.3f} s {slow / quick:7.1f} x  {value:.6f}  differs by {apart:.0e}",
        flush=True,
    )
    return apart < AGREE * max(1.0, abs(expected))


def mattr_by_package(documents: list[list[str]]) -> float:
    return fmean(
        LexicalRichness(tokens, preprocessor=None, tokenizer=None).mattr(WINDOW) for tokens in documents
    )


def three_by_package(documents: list[list[str]]) -> float:
    """MATTR by the package, bigrams and entropy in plain Python for want of one."""
    for tokens in documents:
        _ = len(set(pairwise(tokens))) / (len(tokens) - 1)
        _ = -sum(count / len(tokens) * log2(count / len(tokens)) for count in Counter(tokens).values())
    return mattr_by_package(documents)


def cosine_by_package(rows: np.ndarray) -> float:
    size = len(rows)
    return float((cosine_similarity(rows).sum() - size) / (size * (size - 1)))


def linear(rows: np.ndarray) -> None:
    for part in (1_000, 10_000, 100_000):
        many = np.tile(rows, (part // len(rows) + 1, 1))[:part]
        begun = time.process_time()
        mean_cosine_similarity(many)
        print(f"  mean cosine of {part:7} embeddings {1e3 * (time.process_time() - begun):9.2f} ms")


def main() -> int:
    warnings.simplefilter("ignore", DeprecationWarning)  # of a scipy name inside vendi-score
    texts = real_text(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
    rng = np.random.default_rng(1)
    documents = documents_of([word for text in texts for word in tokenise(text)], rng)
    rows = embeddings_of(texts, rng)
    print(f"{'':34} {'theirs':>10} {'ours':>10} {'faster':>9}")
    agreed = [
        compare("MATTR, bigrams, entropy of tokens", lambda: three_by_package(documents),
                lambda: lexical_diversity(documents, WINDOW).mattr),
        compare("MATTR of tokens; ours all three", lambda: mattr_by_package(documents),
                lambda: lexical_diversity(documents, WINDOW).mattr),
        compare("mean cosine (scikit-learn)", lambda: cosine_by_package(rows),
                lambda: mean_cosine_similarity(rows)),
        compare("Vendi of 2,000 (vendi-score)", lambda: float(score_X(rows[:2000])),
                lambda: vendi(rows[:2000])),
    ]  # fmt: skip
    written = [" ".join(tokens) for tokens in documents]
    compare("MATTR, bigrams, entropy of text",  # each side splits words in its own way
            lambda: three_by_package([LexicalRichness(text).wordlist for text in written]),
            lambda: lexical_diversity(map(tokenise, written), WINDOW).mattr)  # fmt: skip
    linear(rows)
    return 0 if all(agreed) else 1


if __name__ == "__main__":
    sys.exit(main())
