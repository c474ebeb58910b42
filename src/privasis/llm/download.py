"""A large file over HTTP, taken up where it was left."""

from __future__ import annotations

import os
from collections.abc import Callable
from http.client import HTTPException
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from privasis.errors import ModelFileError

CHUNK = 1 << 20
TIMEOUT_S = 60.0
RANGE_NOT_SATISFIABLE = 416


def download(url: str, part: Path, tell: Callable[[int, int], None]) -> Path:
    """Fetch a file into ``part``, going on behind what is there of it.

    A token in ``$HF_TOKEN`` goes to the named host only, not to where that redirects.

    Args:
        url: The file's address.
        part: Grows until it is whole. What lies there must be of the same address; a note of the server's
            version stands beside it, and another version starts from nothing.
        tell: Told the bytes done and in all (0 = not known).

    Raises:
        ModelFileError: No network, no such file, or cut off; what has come stays for the next time.
        OSError: The disk refuses.
    """
    version = part.with_name(f"{part.name}.version")
    have = part.stat().st_size if part.exists() and version.exists() else 0
    request = Request(url)
    if have:
        request.add_header("Range", f"bytes={have}-")
        request.add_header("If-Range", version.read_text(encoding="ascii"))
    token = os.environ.get("HF_TOKEN", "").strip()
    if token:
        request.add_unredirected_header("Authorization", f"Bearer {token}")
    try:
        with urlopen(request, timeout=TIMEOUT_S) as reply:
            resumed = reply.status == 206
            have = have if resumed else 0
            length = reply.headers.get("Content-Length")
            total = have + int(length) if length else 0
            _note_version(version, reply.headers.get("ETag", ""))
            with part.open("ab" if resumed else "wb") as file:
                while chunk := reply.read(CHUNK):
                    file.write(chunk)
                    have += len(chunk)
                    tell(have, total)
                file.flush()
                os.fsync(file.fileno())
    except HTTPError as error:
        with error:
            if error.code == RANGE_NOT_SATISFIABLE and have:  # whole already, or of a file that shrank
                part.unlink()
                return download(url, part, tell)
            raise ModelFileError(_explained(url, error.code)) from None
    except (URLError, HTTPException, TimeoutError, ConnectionError):
        raise ModelFileError(f"{url} cannot be reached. Is there a network?") from None
    if total and have != total:
        raise ModelFileError(f"{url} was cut off at {have} of {total} bytes. Give the same command to go on.")
    version.unlink(missing_ok=True)
    return part


def _note_version(version: Path, etag: str) -> None:
    """Only a strong version can be taken up again (RFC 9110, section 13.1.5)."""
    if etag and not etag.startswith("W/"):
        version.write_text(etag, encoding="ascii")
    else:
        version.unlink(missing_ok=True)


def _explained(url: str, status: int) -> str:
    if status in {401, 403}:
        return f"{url} wants a token ({status}): accept the model's terms there and set HF_TOKEN."
    if status == 404:
        return f"there is no file {url}. Check owner, repository and file name."
    return f"{url} cannot be fetched ({status}). Try again later."
