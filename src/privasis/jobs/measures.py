"""The work behind ``privasis analyze``: sources are read, texts drawn and embedded, tables made."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from privasis.analysis.categories import categories_table
from privasis.analysis.corpus import Figure, corpus_table, record_figures, triplet_figures
from privasis.analysis.diversity import (
    WINDOW,
    Drawn,
    Method,
    TextSet,
    diversity_table,
    draw_by_label,
    stacked,
)
from privasis.analysis.profiles import distributions, ethnicities, reality_checks
from privasis.analysis.table import Table
from privasis.diversity.rows import Floats
from privasis.errors import ConfigError, InputError
from privasis.llm.embeddings import DIMENSION, Encoder, open_encoder
from privasis.stage import ENCODER_WINDOWS
from privasis.store.people import (
    holds_triplets,
    read_people,
    read_plain_records,
    read_triplets,
    seed_options_of,
)
from privasis.store.texts import Document, read_documents
from privasis.synthesis.seeds import SeedOptions

_STORED = 2 * DIMENSION  # bytes of an embedding in a record of ours


@dataclass(frozen=True, slots=True)
class Measure:
    """What is measured, and how."""

    sources: tuple[Path, ...]
    sample: int = 500  # texts of each set; Table 9 has as many records
    seed: int = 0
    window: int = WINDOW
    column: str | None = None  # holds the texts
    by: str | None = None  # a row of the table for each value
    embed: bool = True

    @property
    def method(self) -> Method:
        """How, for the table's notes."""
        return Method(self.sample, self.seed, self.window, ENCODER_WINDOWS if self.embed else None)


def measure_diversity(job: Measure) -> Table:
    """Return Table 2 of some sources; of each source's groups where a label is asked for.

    Raises:
        InputError: If a source cannot be read.
        RunFolderError: If a run folder holds no texts.
    """
    return diversity_table(_sets(job), job.method, "Table 2: diversity")


def measure_models(job: Measure) -> Table:
    """Return Table 8: the same of each model's share.

    Raises:
        InputError: If a source cannot be read.
        RunFolderError: If a run folder holds no texts.
    """
    return diversity_table(_sets(job), job.method, "Table 8: diversity by model", "Model")


def _sets(job: Measure) -> Iterator[TextSet]:
    encoder = open_encoder(threads=1, windows=ENCODER_WINDOWS) if job.embed else None
    names = labels_of(job.sources)
    for source, name in zip(job.sources, names, strict=True):
        documents = read_documents(source, job.column, job.by)
        groups = draw_by_label(documents, job.sample, job.seed) or {"": Drawn(0, ())}
        for label, drawn in groups.items():
            texts = tuple(document.text for document in drawn.documents)
            vectors = embed(drawn.documents, encoder) if encoder else None
            yield TextSet(_title(name, label, len(names)), drawn.size, texts, vectors)


def _title(source: str, label: str, sources: int) -> str:
    if not label:
        return source
    return label if sources == 1 else f"{source}: {label}"


def labels_of(paths: Sequence[Path]) -> list[str]:
    """Return the shortest ends of paths that tell them apart: names, or with their folders."""
    parts = [path.resolve().parts for path in paths]
    for length in range(1, max(map(len, parts), default=0) + 1):
        names = ["/".join(part[-length:]) for part in parts]
        if len(set(names)) == len(set(parts)):
            return names
    return [str(path) for path in paths]


def embed(documents: Sequence[Document], encoder: Encoder) -> Floats:
    """Return the documents' embeddings, shape (n, 384); stored ones are taken where all have one.

    The two differ by the rounding to float16 alone: runs store embeddings of the same encoder and windows.
    """
    if documents and all(len(document.embedding) == _STORED for document in documents):
        return stacked([document.embedding for document in documents])
    texts = [document.text for document in documents]
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:  # the network lets the interpreter go
        vectors = list(pool.map(lambda text: encoder.embed([text])[0], texts))
    return np.stack(vectors) if vectors else np.empty((0, DIMENSION), np.float32)


def measure_profiles(source: Path, names: Path | None = None, seed: int = 0) -> tuple[Table, ...]:
    """Return the distributions of a source's profiles (Figure 3), and whether they could be real.

    Args:
        source: Records of ours.
        names: A file of well-known people's full names, one a line.
        seed: Of the tests.

    Raises:
        InputError: If the source holds no profiles, or the names cannot be read.
        RunFolderError: If a run folder holds something else.
    """
    people = list(read_people(source))
    if not people:
        raise InputError(f"{source} holds no profile yet.")
    known = _lines(names) if names else ()
    drawn = SeedOptions(**seed_options_of(source))
    return (distributions(people, drawn, seed), ethnicities(people, seed=seed), reality_checks(people, known))


def _lines(path: Path) -> tuple[str, ...]:
    try:
        return tuple(path.read_text(encoding="utf-8-sig").splitlines())
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise InputError(f"{path} is not UTF-8 text.") from None


def measure_categories(source: Path, top: int) -> Table:
    """Return the domains of a source's records (Table 1).

    Raises:
        InputError: If the source holds no records of ours.
        RunFolderError: If a run folder holds something else.
    """
    return categories_table((person.profile.event for person in read_people(source)), top)


def measure_corpus(sources: Sequence[Path]) -> Table:
    """Return the figures of records (§2.2) or of triplets (§3.2), sources side by side.

    Raises:
        ConfigError: If some sources hold records and others triplets.
        InputError: If a source cannot be read.
        RunFolderError: If a run folder holds neither.
    """
    kinds = {source: holds_triplets(source) for source in sources}
    if len(set(kinds.values())) > 1:
        raise ConfigError("some sources hold records and others triplets: give them one kind at a time.")
    triplets = all(kinds.values())
    figures: dict[str, tuple[Figure, ...]] = {}
    for source, name in zip(sources, labels_of(sources), strict=True):
        figures[name] = (
            triplet_figures(read_triplets(source)) if triplets else record_figures(read_plain_records(source))
        )
    return corpus_table(figures, triplets=triplets)
