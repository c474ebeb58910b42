"""Tables 2 and 8: how varied sets of texts are, side by side (§2.2, Appendix A.1)."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isnan

import numpy as np

from privasis.analysis.table import Cell, Table
from privasis.diversity import lexical_diversity, mean_cosine_similarity, tokenise, vendi
from privasis.diversity.rows import Floats
from privasis.stage import derive_seed
from privasis.store.texts import Document

WINDOW = 50  # the paper names none; of those tried, the nearest to its figures on corpora that both have
FEW = 100  # below, a row is marked: one unusual text moves it

_HEADS = ("MATTR ↑", "Bigram diversity ↑", "Shannon entropy ↑", "Cosine similarity ↓", "Vendi score ↑")


@dataclass(frozen=True, slots=True)
class Method:
    """How texts were drawn and measured: written under every table."""

    sample: int  # texts drawn of each set at most
    seed: int
    window: int = WINDOW  # tokens in a window of MATTR
    encoder_windows: int | None = None  # of the sentence encoder; None: nothing was embedded


@dataclass(frozen=True, slots=True)
class TextSet:
    """Texts drawn of one set.

    Attributes:
        label: How the set is called in the table.
        size: The number of texts of which these were drawn.
        texts: The drawn ones.
        embeddings: Shape (n, d), rows in the order of the texts; None where nothing was embedded.
    """

    label: str
    size: int
    texts: Sequence[str]
    embeddings: Floats | None


@dataclass(frozen=True, slots=True)
class Drawn:
    """Documents drawn of one label, and how many there were."""

    size: int
    documents: tuple[Document, ...]


def draw_by_label(documents: Iterable[Document], sample: int, seed: int) -> dict[str, Drawn]:
    """Draw texts of every label, uniformly and without replacement, in one pass and flat memory.

    Kept are the texts with the smallest keyed hashes of their places (bottom-k sampling), so that the same
    file and seed give the same texts. They come in the order of the file.

    Args:
        documents: All of them.
        sample: Texts a label at most.
        seed: Another one draws other texts.

    Returns:
        By label, the largest first.
    """
    heaps: dict[str, list[tuple[int, int, Document]]] = {}
    sizes: dict[str, int] = {}
    for place, document in enumerate(documents):
        heap = heaps.setdefault(document.label, [])
        sizes[document.label] = sizes.get(document.label, 0) + 1
        entry = (-derive_seed(seed, str(place), "sample"), place, document)
        if len(heap) < sample:
            heapq.heappush(heap, entry)
        else:
            heapq.heappushpop(heap, entry)
    return {
        label: Drawn(sizes[label], tuple(entry[2] for entry in sorted(heaps[label], key=lambda e: e[1])))
        for label in sorted(sizes, key=lambda label: (-sizes[label], label))
    }


def diversity_table(sets: Iterable[TextSet], method: Method, title: str, head: str = "Dataset") -> Table:
    """Return the diversity of each set, one in memory at a time (Table 2; by model, Table 8).

    Args:
        sets: One a row; a set without texts has no figures.
        method: How they were drawn and are measured.
        title: Of the table.
        head: Of the first column.
    """
    rows = tuple(_row(one, method.window) for one in sets)
    columns = (head, *_HEADS, "Words", "Documents", "Drawn of")
    return Table(title, columns, rows, tuple(_notes(rows, method)))


def _row(one: TextSet, window: int) -> tuple[Cell, ...]:
    words = lexical_diversity(map(tokenise, one.texts), window)
    embedded = one.embeddings is not None and len(one.embeddings) > 0
    return (
        one.label,
        _known(words.mattr),
        _known(words.bigram_diversity),
        _known(words.shannon_entropy),
        _known(mean_cosine_similarity(one.embeddings)) if embedded and one.embeddings is not None else None,
        vendi(one.embeddings) if embedded and one.embeddings is not None else None,
        _known(words.words),
        len(one.texts),
        one.size,
    )


def _known(value: float) -> float | None:
    return None if isnan(value) else value


def _notes(rows: Sequence[tuple[Cell, ...]], method: Method) -> list[str]:
    drawn = [row[-2] for row in rows]
    notes = [
        f"At most {method.sample} texts drawn of each set, uniformly, seed {method.seed}.",
        f"MATTR with a window of {method.window} words; bigram diversity and entropy (bits) of each "
        "text; all three and the words averaged over texts. Words are runs of letters and digits.",
    ]
    if method.encoder_windows is not None:
        notes.append(
            "Cosine similarity (mean of all pairs) and Vendi score of all-MiniLM-L6-v2 vectors, at most "
            f"{method.encoder_windows} windows of 254 tokens a text: they depend on the encoder and can't be "
            "set beside figures of another one."
        )
    if method.encoder_windows is not None and len(set(drawn)) > 1:
        notes.append(
            "The Vendi score grows with the number of texts: compare it between rows of equal number only."
        )
    if any(isinstance(count, int) and 0 < count < FEW for count in drawn):
        notes.append(f"Rows of fewer than {FEW} texts say little: a few texts move them.")
    if any(count == 0 for count in drawn):
        notes.append("A set without texts has no figures.")
    return notes


def stacked(vectors: Sequence[bytes]) -> Floats:
    """Return stored embeddings (little-endian float16, all of one length) as an array of shape (n, d)."""
    return np.frombuffer(b"".join(vectors), dtype="<f2").reshape(len(vectors), -1)
