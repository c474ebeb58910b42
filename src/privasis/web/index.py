"""An index of records and triplets on disk, searched by words and facets; built from committed shards."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from privasis.errors import RunFolderError
from privasis.store.run import read_config
from privasis.store.schema import to_row
from privasis.store.shards import Shards
from privasis.text.words import count_words
from privasis.types import Record, TripletSet

FACETS: Final = ("run", "kind", "category", "model", "language", "length")
PAGE: Final = 30  # entries of a page of results
_MOST_FACETS: Final = 40
_ENTRY: Final = "SELECT id, run, kind, body FROM entries JOIN bodies USING (number) WHERE number = ?"
_LENGTHS: Final = ((150, "under 150 words"), (400, "150 to 400"), (800, "400 to 800"))
_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS entries (
    number INTEGER PRIMARY KEY, id TEXT, run TEXT, kind TEXT, category TEXT, model TEXT, language TEXT,
    length TEXT, title TEXT
);
CREATE TABLE IF NOT EXISTS bodies (number INTEGER PRIMARY KEY, body TEXT);
CREATE VIRTUAL TABLE IF NOT EXISTS words
    USING fts5(text, content='', tokenize='unicode61 remove_diacritics 2');
CREATE TABLE IF NOT EXISTS names (name TEXT, number INTEGER, PRIMARY KEY (name, number)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS shards (run TEXT, shard INTEGER, PRIMARY KEY (run, shard));
"""


@dataclass(frozen=True, slots=True)
class Found:
    """A page of results.

    Attributes:
        total: How many entries fit.
        entries: Number, id, kind and title of those on this page.
        facets: For each facet its values with how often they occur among all that fit.
    """

    total: int
    entries: tuple[dict[str, Any], ...]
    facets: Mapping[str, Sequence[tuple[str, int]]]


def update(path: Path, runs: Sequence[Path]) -> int:
    """Add what was committed since the last call; return the number of entries.

    Args:
        path: The index, an SQLite file; made if it is not there.
        runs: Folders of ``generate`` or ``sanitize``, also of runs in progress.

    Raises:
        RunFolderError: A folder is no such run, or a shard is broken.
    """
    with closing(sqlite3.connect(path)) as db, db:
        db.executescript(_SCHEMA)
        for run in runs:
            _add_run(db, run)
        count: int = db.execute("SELECT count(*) FROM entries").fetchone()[0]
    return count


def _add_run(db: sqlite3.Connection, run: Path) -> None:
    kind = _kind_of(run)
    shards: Shards[Any] = Shards(run / "shards", Record if kind == "records" else TripletSet)
    known = {row[0] for row in db.execute("SELECT shard FROM shards WHERE run = ?", (str(run),))}
    for shard in sorted(shards.done() - known):
        for outcome in shards.read(shard):
            if outcome.result is not None:
                for entry in _record(outcome.result) if kind == "records" else _triplets(outcome.result):
                    _insert(db, run.name, entry)
        db.execute("INSERT INTO shards VALUES (?, ?)", (str(run), shard))


def _kind_of(run: Path) -> str:
    try:
        read_config(run, "records")
    except RunFolderError:
        read_config(run, "triplets")
        return "triplets"
    return "records"


def _record(record: Record) -> Iterator[dict[str, Any]]:
    yield {
        "id": record.id,
        "kind": "record",
        "category": record.profile.event.category,
        "model": record.model,
        "language": record.language,
        "text": record.text,
        "title": record.controls.record_type,
        "names": [attribute.name for attribute in record.attributes],
        "body": {**to_row(record), "embedding": None, "fingerprint": None},
    }


def _triplets(made: TripletSet) -> Iterator[dict[str, Any]]:
    for triplet in made.triplets:
        yield {
            "id": triplet.id,
            "kind": "triplet",
            "category": triplet.category,
            "model": triplet.model,
            "language": triplet.language,
            "text": f"{triplet.instruction}\n{triplet.text}",
            "title": triplet.instruction,
            "names": [fact.name for target in triplet.targets for fact in target.attributes],
            "body": to_row(triplet),
        }


def _insert(db: sqlite3.Connection, run: str, entry: Mapping[str, Any]) -> None:
    words = count_words(entry["text"])
    length = next((name for limit, name in _LENGTHS if words < limit), "800 and more")
    kept = [entry[name] for name in ("id", "kind", "category", "model", "language")]
    row = (kept[0], run, *kept[1:], length, entry["title"])
    columns = "id, run, kind, category, model, language, length, title"
    number = db.execute(f"INSERT INTO entries ({columns}) VALUES ({', '.join('?' * 8)})", row).lastrowid
    db.execute("INSERT INTO bodies VALUES (?, ?)", (number, json.dumps(entry["body"], default=str)))
    db.execute("INSERT INTO words (rowid, text) VALUES (?, ?)", (number, entry["text"]))
    names = {(name, number) for name in entry["names"]}
    db.executemany("INSERT OR IGNORE INTO names VALUES (?, ?)", sorted(names))


def search(path: Path, query: str, chosen: Mapping[str, str], attribute: str = "", page: int = 0) -> Found:
    """Find entries that hold all words of a query and fit the chosen facets.

    Args:
        path: The index.
        query: Words; the last one may be a beginning. Empty: everything.
        chosen: Facet -> value.
        attribute: The name of an attribute that an entry must have.
        page: From 0.
    """
    where, values = _conditions(query, chosen, attribute)
    with closing(_read_only(path)) as db:
        rows = db.execute(
            f"SELECT number, id, run, kind, title, language, model FROM entries {where} "
            "ORDER BY number LIMIT ? OFFSET ?",
            (*values, PAGE, PAGE * page),
        ).fetchall()
        total, facets = _counts(db, where, values)
    names = ("number", "id", "run", "kind", "title", "language", "model")
    return Found(total, tuple(dict(zip(names, row, strict=True)) for row in rows), facets)


def read_entry(path: Path, number: int) -> dict[str, Any] | None:
    """Return an entry with its neighbours' numbers, or None."""
    with closing(_read_only(path)) as db:
        row = db.execute(_ENTRY, (number,)).fetchone()
    if row is None:
        return None
    return {"number": number, "id": row[0], "run": row[1], "kind": row[2], "body": json.loads(row[3])}


def _conditions(query: str, chosen: Mapping[str, str], attribute: str) -> tuple[str, tuple[str, ...]]:
    parts: list[str] = []
    values: list[str] = []
    words = re.findall(r"\w+", query)
    if words:
        parts.append("number IN (SELECT rowid FROM words WHERE words MATCH ?)")
        values.append(" ".join([*(f'"{word}"' for word in words[:-1]), f'"{words[-1]}"*']))
    for facet in FACETS:
        if chosen.get(facet):
            parts.append(f"{facet} = ?")
            values.append(chosen[facet])
    if attribute:
        parts.append("number IN (SELECT number FROM names WHERE name = ?)")
        values.append(attribute)
    return (f"WHERE {' AND '.join(parts)}" if parts else ""), tuple(values)


def _counts(
    db: sqlite3.Connection, where: str, values: tuple[str, ...]
) -> tuple[int, dict[str, list[tuple[str, int]]]]:
    """Count what fits by every facet, in one walk over it."""
    each = " UNION ALL ".join(f"SELECT '{f}', {f}, count(*) FROM fitting GROUP BY {f}" for f in FACETS)
    fitting = f"WITH fitting AS MATERIALIZED (SELECT {', '.join(FACETS)} FROM entries {where})"
    counts: dict[str, list[tuple[str, int]]] = {facet: [] for facet in FACETS}
    for facet, value, count in db.execute(f"{fitting} {each}", values):
        counts[facet].append((value, count))
    total = sum(count for _, count in counts["kind"])
    for facet, found in counts.items():
        named = [(value, count) for value, count in found if value]
        counts[facet] = sorted(named, key=lambda pair: -pair[1])[:_MOST_FACETS]
    return total, counts


def _read_only(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"file:{path}?mode=ro", uri=True)
