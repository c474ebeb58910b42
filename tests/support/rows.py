"""Synthetic rows in any number: texts of random words, some of them repeated on purpose."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

WORDS = np.array([f"word{number}" for number in range(5000)])
BATCH = 1000
FACT = pa.struct([("name", pa.string()), ("value", pa.string())])
SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("number", pa.int64()),
        ("text", pa.string()),
        ("language", pa.string()),
        ("model", pa.string()),
        ("attributes", pa.list_(FACT)),
    ]
)


def write_rows(path: Path, count: int, words: int = 120) -> dict[str, str]:
    """Write rows; return the planted repetitions, id -> kind.

    Of every 100 rows the last repeats the first, and the one before has three of the second's words changed.
    """
    planted = {}
    with pq.ParquetWriter(path, SCHEMA, compression="zstd") as writer:
        for start in range(0, count, BATCH):
            size = min(BATCH, count - start)
            drawn = np.random.default_rng(start).integers(len(WORDS), size=(size, words))
            for first in range(0, size - 99, 100):
                drawn[first + 99] = drawn[first]
                drawn[first + 98] = drawn[first + 1]
                drawn[first + 98, -3:] = 0
                planted[f"r{start + first + 99}"] = "exact"
                planted[f"r{start + first + 98}"] = "near"
            writer.write_table(_table(start, drawn))
    return planted


def _table(start: int, drawn: np.ndarray) -> pa.Table:
    numbers = range(start, start + len(drawn))
    texts = [" ".join(row) for row in WORDS[drawn]]
    return pa.table(
        {
            "id": [f"r{number}" for number in numbers],
            "number": list(numbers),
            "text": texts,
            "language": ["English"] * len(drawn),
            "model": ["scripted" if number % 3 else "other" for number in numbers],
            "attributes": [[{"name": "word", "value": text.split(" ", 1)[0]}] for text in texts],
        },
        SCHEMA,
    )
