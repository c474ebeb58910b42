"""Train the span finder, save it, and measure what is saved."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from tokenizers import Tokenizer

from privasis.cleaner.finder import Finder
from privasis.llm.network import MODEL, SUMS, TOKENIZER
from privasis.store.files import disk_errors, write_text
from privasis.training.finder_examples import FinderExample, Row, rows_of
from privasis.training.fit import Note, Rows, Trained, fit
from privasis.training.presets import FinderPreset
from privasis.types import Span


class FinderRows(NamedTuple):
    """Windows with phrases, to learn from and to validate on."""

    train: list[Row]
    validation: list[Row]


def finder_rows(
    parts: Sequence[Sequence[FinderExample]], preset: FinderPreset, tokenizer: Tokenizer, seed: int
) -> FinderRows:
    """Encode both parts of a corpus."""
    train, validation = (
        [row for example in part for row in rows_of(example, preset, tokenizer, seed)] for part in parts
    )
    return FinderRows(train, validation)


def packaged_tokenizer() -> Tokenizer:
    """Open the encoder's tokenizer."""
    return Tokenizer.from_buffer((files("privasis") / "data" / "minilm" / TOKENIZER).read_bytes())


def train_finder(
    preset: FinderPreset, rows: FinderRows, *, checkpoints: Path, seed: int, note: Note
) -> Trained:
    """Train all weights of the packaged encoder, and the projections.

    Args:
        preset: The numbers.
        rows: Windows; those to learn from are not empty.
        checkpoints: Their folder; the training goes on from the last whole one.
        seed: Of the order, and of the projections' first weights.
        note: Called after each step.
    """
    from transformers import set_seed

    from privasis.training.finder_network import collate, new_network

    set_seed(seed)
    fed = Rows(_as_rows(rows.train), _as_rows(rows.validation), collate)
    return fit(new_network(), preset, fed, checkpoints=checkpoints, seed=seed, note=note)


def _as_rows(rows: Iterable[Row]) -> list[dict[str, Any]]:
    return [row._asdict() for row in rows]


def save_finder(network: Any, folder: Path) -> None:
    """Write model.onnx, tokenizer.json and their sums: a folder that ``open_finder`` opens.

    Raises:
        DiskError: The disk is full or refuses.
    """
    from privasis.training.finder_network import export_network

    tokenizer = (files("privasis") / "data" / "minilm" / TOKENIZER).read_bytes()
    contents = {MODEL: export_network(network), TOKENIZER: tokenizer}
    with disk_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in contents.items():
            (folder / name).write_bytes(content)
    sums = [f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in contents.items()]
    write_text(folder / SUMS, "".join(sums))


def measure(finder: Finder, examples: Iterable[FinderExample]) -> dict[str, float]:
    """Ask a finder everything that a text has and has not, in the names' own words.

    Returns:
        Precision and recall by characters, the share of values found whole, and the share of absent things
        for which nothing was found; nothing where there are no examples.
    """
    right = wanted = found = whole = values = quiet = absent = 0
    for example in examples:
        answers = finder.find(example.text, [ask.phrase for ask in example.asks])
        for ask, answer in zip(example.asks, answers, strict=True):
            asked, given = _characters(ask.spans), _characters(answer)
            right, wanted, found = right + len(asked & given), wanted + len(asked), found + len(given)
            values += len(ask.spans)
            whole += sum(_characters([span]) <= given for span in ask.spans)
            absent += not ask.spans
            quiet += not ask.spans and not answer
    if not values:
        return {}
    return {
        "precision by characters": right / max(found, 1),
        "recall by characters": right / max(wanted, 1),
        "values found whole": whole / values,
        "absent things not found": quiet / max(absent, 1),
    }


def _characters(spans: Iterable[Span]) -> set[int]:
    return {place for span in spans for place in range(span.start, span.end)}
