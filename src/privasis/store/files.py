"""Write beside, flush, rename: a file is there whole, or not there."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from privasis.errors import DiskError

_REFUSALS = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.ENAMETOOLONG)


@contextmanager
def disk_errors(path: Path) -> Iterator[None]:
    """Turn a full or refusing disk into one clear line.

    Raises:
        DiskError: In place of an OSError about space, quota or permission.
    """
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise DiskError(
                f"the disk is full: {path} could not be written. What was committed before is kept; "
                "free some space and give the same command again."
            ) from None
        if error.errno in _REFUSALS:
            raise DiskError(f"{path} cannot be written: {error.strerror}. Choose another folder.") from None
        raise


def write_whole(path: Path, write: Callable[[Path], None]) -> None:
    """Let ``write`` fill a file beside ``path``, then rename it into place.

    Raises:
        DiskError: If the disk is full or refuses.
    """
    beside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    with disk_errors(path):
        try:
            write(beside)
            _flush(beside)
            os.replace(beside, path)
            _flush(path.parent)
        finally:
            beside.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write a text file whole."""
    write_whole(path, lambda beside: _write(beside, text))


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def _flush(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
