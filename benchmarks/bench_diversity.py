"""The metrics of Table 2 against the libraries that people use for them, in one run.

    python benchmarks/bench_diversity.py

10,000 documents of 500 words with word frequencies as in text (Zipf), and one embedding a
document. MATTR is lexicalrichness's on their side; bigrams and entropy are plain Python for want
of a library. From text, both sides tokenise in their own way. Ours measures all three metrics of
many documents at once in every row but the one that says otherwise. Medians of 3 rounds, which
measure both ways one after the other.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # both sides are slower and erratic with more

import time
import warnings
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from math import log2
from statistics import fmean, median

import numpy as np
from lexicalrichness import LexicalRichness
from sklearn.metrics.pairwise import cosine_similarity
from vendi_score.vendi import score_dual, score_X

from privasis.diversity import (
    lexical_diversity,
    mattr,
    mean_cosine_similarity,
    tokenise,
    vendi,
)

DOCUMENTS, WORDS, DIMENSION, WINDOW, ROUNDS = 10_000, 500, 384, 50, 3


def make_documents(rng: np.random.Generator) -> list[str]:
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    lengths = rng.integers(2, 12, size=20_000)
    vocabulary = np.array(["".join(rng.choice(letters, length)) for length in lengths])
    shares = 1 / np.arange(1, len(vocabulary) + 1)
    drawn = rng.choice(vocabulary, size=(DOCUMENTS, WORDS), p=shares / shares.sum())
    return [" ".join(row) for row in drawn]


def seconds(work: Callable[[], float]) -> tuple[float, float]:
    start = time.perf_counter()
    value = work()
    return time.perf_counter() - start, value


def report(name: str, theirs: list[float], expected: float, ours: list[float], value: float) -> None:
    slow, quick = median(theirs), median(ours)
    print(f"{name:49} {slow:8.3f} s {quick:8.4f} s {slow / quick:6.1f} x  {value:.6f} {expected:.6f}")


def compare(name: str, theirs: Callable[[], float], ours: Callable[[], float]) -> None:
    slow, quick = zip(*((seconds(theirs), seconds(ours)) for _ in range(ROUNDS)), strict=True)
    report(name, [t for t, _ in slow], slow[0][1], [t for t, _ in quick], quick[0][1])


def compare_tokens(
    name: str,
    texts: list[str],
    theirs: Callable[[list[list[str]]], list[float]],
    ours: Callable[[list[list[str]]], list[float]],
) -> None:
    """Time both sides on tokens that were made right before, a hundred documents at a time."""
    slow, quick = [], []
    for _ in range(ROUNDS):
        spent = [0.0, 0.0]
        values: tuple[list[float], list[float]] = [], []
        for start in range(0, len(texts), 100):
            for side, work in enumerate((theirs, ours)):
                documents = [tokenise(text) for text in texts[start : start + 100]]
                begun = time.perf_counter()
                values[side].extend(work(documents))
                spent[side] += time.perf_counter() - begun
        slow.append(spent[0])
        quick.append(spent[1])
    report(name, slow, fmean(values[0]), quick, fmean(values[1]))


def entropy_by_counter(tokens: list[str]) -> float:
    return -sum(count / len(tokens) * log2(count / len(tokens)) for count in Counter(tokens).values())


def bigrams_by_set(tokens: list[str]) -> float:
    return len(set(pairwise(tokens))) / (len(tokens) - 1)


def mattr_by_package(tokens: list[str]) -> float:
    return float(LexicalRichness(tokens, preprocessor=None, tokenizer=None).mattr(WINDOW))


def all_by_package(documents: list[list[str]]) -> list[float]:
    for tokens in documents:
        bigrams_by_set(tokens)
        entropy_by_counter(tokens)
    return [mattr_by_package(tokens) for tokens in documents]


def all_by_package_from_text(texts: list[str]) -> float:
    return fmean(all_by_package([LexicalRichness(text).wordlist for text in texts]))


def compare_words(texts: list[str]) -> None:
    def package(documents: list[list[str]]) -> list[float]:
        return [mattr_by_package(tokens) for tokens in documents]

    def alone(documents: list[list[str]]) -> list[float]:
        return [mattr(tokens) for tokens in documents]

    compare_tokens(
        "MATTR, bigrams, entropy of tokens", texts, all_by_package, lambda d: [lexical_diversity(d).mattr]
    )
    compare_tokens("MATTR of tokens", texts, package, lambda d: [lexical_diversity(d).mattr])
    compare_tokens("MATTR of tokens, one document a call", texts, package, alone)
    compare(
        "MATTR, bigrams, entropy of text",
        lambda: all_by_package_from_text(texts),
        lambda: lexical_diversity(map(tokenise, texts)).mattr,
    )


def compare_embeddings(rows: np.ndarray) -> None:
    size = len(rows)

    def cosine_of_all_pairs() -> float:
        return float((cosine_similarity(rows).sum() - size) / (size * (size - 1)))

    compare("mean cosine: scikit-learn", cosine_of_all_pairs, lambda: mean_cosine_similarity(rows))
    some = rows[:2000]
    compare("Vendi of 2,000: vendi-score, score_X", lambda: float(score_X(some)), lambda: vendi(some))
    compare("Vendi: vendi-score, score_dual", lambda: float(score_dual(rows)), lambda: vendi(rows))
    for part in (size // 4, size // 2, size):
        elapsed = median(seconds(lambda part=part: mean_cosine_similarity(rows[:part]))[0] for _ in range(9))
        print(f"  mean cosine of {part:6} embeddings {1e3 * elapsed:8.2f} ms")


def main() -> None:
    warnings.simplefilter("ignore", DeprecationWarning)  # of a scipy name inside vendi-score
    rng = np.random.default_rng(1)
    print(f"{'':49} {'theirs':>10} {'ours':>10} {'faster':>8}  ours     theirs")
    compare_words(make_documents(rng))
    compare_embeddings(rng.normal(size=(DOCUMENTS, DIMENSION)) + 0.7 * rng.normal(size=DIMENSION))


if __name__ == "__main__":
    main()
