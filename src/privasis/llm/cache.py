"""Answers on disk by content, so that a resumed run never pays twice.

One SQLite file in WAL mode: safe for several processes on one machine, never half-written after a kill.
Answers are written by a thread of their own about every 50 ms; an answer is durable (against a kill of the
process) at the latest then, and readable by its own process at once.
"""

from __future__ import annotations

import queue
import sqlite3
import threading
from pathlib import Path
from typing import Self

from privasis.errors import DiskError, PrivasisError, RunFolderError

Row = tuple[bytes, bytes, float]  # key, answer, cost

FILE = "answers.sqlite"
BATCH_S = 0.05
ROWS_A_STATEMENT = 200  # SQLite takes 999 values at least
BUSY_S = 30.0  # how long one process waits for another's commit
BROKEN = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR})
SCHEMA = """
CREATE TABLE IF NOT EXISTS answers (key BLOB NOT NULL UNIQUE, answer BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS money (one INTEGER PRIMARY KEY CHECK (one = 1), paid REAL NOT NULL);
INSERT OR IGNORE INTO money VALUES (1, 0.0);
"""


class ResponseCache:
    """Raw answers by the hash of what was asked; ``paid`` is what they had cost when it was opened.

    Args:
        folder: Made when it is not there; holds nothing but the cache and may be deleted as a whole.

    Raises:
        RunFolderError: The file there is broken.
        DiskError: The folder cannot be written.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE
        self._pending: dict[bytes, bytes] = {}  # put, but not committed yet
        self._queue: queue.SimpleQueue[Row | threading.Event | None] = queue.SimpleQueue()
        self._failure: PrivasisError | None = None
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._reader = self._connect()
            self._reader.executescript(SCHEMA)
            self.paid: float = self._reader.execute("SELECT paid FROM money").fetchone()[0]
            writing = self._connect()
        except (sqlite3.Error, OSError) as error:
            raise self._explained(error) from None
        self._writer = threading.Thread(
            target=self._write_all, args=(writing,), name="response-cache", daemon=True
        )
        self._writer.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def get(self, key: bytes) -> bytes | None:
        """The answer kept under a key, or None.

        Raises:
            RunFolderError: The file is broken.
        """
        waiting = self._pending.get(key)
        if waiting is not None:
            return waiting
        try:
            row = self._reader.execute("SELECT answer FROM answers WHERE key = ?", (key,)).fetchone()
        except sqlite3.Error as error:
            raise self._explained(error) from None
        return row[0] if row else None

    def put(self, key: bytes, answer: bytes, cost: float) -> None:
        """Keep an answer, with what was paid for it.

        Raises:
            DiskError: An earlier answer could not be written.
        """
        if self._failure:
            raise self._failure
        self._pending[key] = answer
        self._queue.put((key, answer, cost))

    def flush(self) -> None:
        """Return when everything that was put before is durable.

        Raises:
            DiskError: It could not be written.
        """
        done = threading.Event()
        self._queue.put(done)
        done.wait()
        if self._failure:
            raise self._failure

    def close(self) -> None:
        """Write what waits and close the file.

        Raises:
            DiskError: It could not be written.
        """
        self._queue.put(None)
        self._writer.join()
        self._reader.close()
        if self._failure:
            raise self._failure

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self._path, timeout=BUSY_S, isolation_level=None, check_same_thread=False
        )
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        return connection

    def _write_all(self, connection: sqlite3.Connection) -> None:
        """The writer thread: one transaction for all that gathered in a while."""
        open_ = True
        while open_:
            batch, waiters, open_ = self._gather()
            if batch and not self._failure:
                try:
                    _commit(connection, batch)
                except sqlite3.Error as error:
                    self._failure = self._explained(error)
            for key, _, _ in batch:
                self._pending.pop(key, None)
            for waiter in waiters:
                waiter.set()
        connection.close()

    def _gather(self) -> tuple[list[Row], list[threading.Event], bool]:
        batch: list[Row] = []
        waiters: list[threading.Event] = []
        item = self._queue.get()
        if not isinstance(item, threading.Event | None):
            threading.Event().wait(BATCH_S)
        while True:
            if item is None:
                return batch, waiters, False
            if isinstance(item, threading.Event):
                waiters.append(item)
            else:
                batch.append(item)
            try:
                item = self._queue.get_nowait()
            except queue.Empty:
                return batch, waiters, True

    def _explained(self, error: sqlite3.Error | OSError) -> PrivasisError:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF in BROKEN:  # without the extended part
            return RunFolderError(
                f"the response cache {self._path} is broken. "
                f"Delete {self._path.parent} to go on; answers will be paid for again."
            )
        return DiskError(
            f"the response cache {self._path} cannot be written ({error}). "
            "Free space or mend its rights, then give the same command again: nothing made so far is lost."
        )


def _commit(connection: sqlite3.Connection, batch: list[Row]) -> None:
    """Write a batch in one transaction.

    Many rows go into one statement, since a thread gives up the interpreter's lock for each statement and
    must win it back from the event loop: with one row each, both threads would wait for each other.
    """
    connection.execute("BEGIN IMMEDIATE")
    for first in range(0, len(batch), ROWS_A_STATEMENT):
        rows = batch[first : first + ROWS_A_STATEMENT]
        values = ", ".join(["(?, ?)"] * len(rows))
        flat = [part for key, answer, _ in rows for part in (key, answer)]
        connection.execute(f"INSERT OR IGNORE INTO answers VALUES {values}", flat)
    connection.execute("UPDATE money SET paid = paid + ?", (sum(cost for _, _, cost in batch),))
    connection.execute("COMMIT")
