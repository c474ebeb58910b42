"""The run folder: one configuration, its outcomes, and what they came from.

RUN/config.json       what was asked for; its fingerprint decides whether the folder may be resumed
RUN/provenance.json   versions, machine and sessions
RUN/shards/           committed outcomes: the only truth about progress
RUN/cache/            the models' answers, so that nothing is paid for twice
RUN/records.parquet, rejects.parquet, summary.json    written from the shards whenever a session ends
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import platform
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from privasis.errors import RunFolderError
from privasis.store.files import disk_errors, write_text

_PACKAGES = ("privasis", "pyarrow", "pydantic", "numpy", "aiohttp", "onnxruntime", "xllamacpp")


@dataclass(frozen=True, slots=True)
class RunFolder:
    """An opened run folder. ``name`` is short and goes into the ids of what the run makes."""

    path: Path
    kind: str
    name: str

    @property
    def shards(self) -> Path:
        """The folder of committed shards."""
        return self.path / "shards"

    @property
    def cache(self) -> Path:
        """The folder of the response cache."""
        return self.path / "cache"


def fingerprint_of(kind: str, config: Mapping[str, Any]) -> str:
    """Return 12 hex digits that change when anything changes that results depend on."""
    text = json.dumps({"kind": kind, "config": config}, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


@contextmanager
def open_run(path: Path, kind: str, config: Mapping[str, Any]) -> Iterator[RunFolder]:
    """Create a run folder or resume it, and hold it until the block ends.

    Args:
        path: The folder; made if it is not there.
        kind: What the run makes, such as ``records``.
        config: Everything that the results depend on, as JSON values.

    Raises:
        RunFolderError: If the folder holds something else, another configuration, or is in use.
        DiskError: If it cannot be written.
    """
    with disk_errors(path):
        if path.is_file():
            raise RunFolderError(f"{path} is a file: --out names a folder.")
        path.mkdir(parents=True, exist_ok=True)
        with _lock(path):
            _check_or_create(path, kind, config)
            yield RunFolder(path, kind, fingerprint_of(kind, config)[:6])


def read_config(path: Path, kind: str | None = None) -> dict[str, Any]:
    """Return what config.json of a run folder holds.

    Raises:
        RunFolderError: If the folder is no run folder, or of another kind.
    """
    file = path / "config.json"
    try:
        stored: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        found = stored["kind"]
    except FileNotFoundError:
        raise RunFolderError(f"{path} is no run folder: it has no config.json.") from None
    except (ValueError, KeyError, TypeError):
        raise RunFolderError(f"{file} is broken: restore it, or use another folder.") from None
    if kind is not None and found != kind:
        raise RunFolderError(f"{path} holds {found}, not {kind}: name another folder.")
    return stored


def stored_config(path: Path) -> dict[str, Any]:
    """Return the configuration of a run folder; empty where there is none yet.

    Raises:
        RunFolderError: If config.json is broken.
    """
    if not (path / "config.json").exists():
        return {}
    config: dict[str, Any] = read_config(path)["config"]
    return config


def _check_or_create(path: Path, kind: str, config: Mapping[str, Any]) -> None:
    fresh: dict[str, Any] = {
        "kind": kind,
        "fingerprint": fingerprint_of(kind, config),
        "config": dict(config),
    }
    if not (path / "config.json").exists():
        strangers = [entry.name for entry in path.iterdir() if not entry.name.startswith(".")]
        if strangers:
            raise RunFolderError(f"{path} is not empty and no run folder: name another folder with --out.")
        write_text(path / "config.json", json.dumps(fresh, indent=2, ensure_ascii=False) + "\n")
        return
    stored = read_config(path, kind)
    if stored["fingerprint"] != fresh["fingerprint"]:
        changed = ", ".join(sorted(_differences(stored["config"], fresh["config"]))) or "its version"
        raise RunFolderError(
            f"{path} holds another run (different: {changed}). "
            "Give the same options again to resume it, or name another folder with --out."
        )


def _differences(old: Mapping[str, Any], new: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    for key in old.keys() | new.keys():
        before, after = old.get(key), new.get(key)
        if isinstance(before, dict) and isinstance(after, dict):
            yield from _differences(before, after, f"{prefix}{key}.")
        elif json.loads(json.dumps(after)) != before:
            yield f"{prefix}{key}"


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    handle = os.open(path / ".lock", os.O_RDWR | os.O_CREAT, 0o644)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise RunFolderError(f"{path} is in use by another process: wait for it, or stop it.") from None
        yield
    finally:
        os.close(handle)  # gives the lock back; a killed process gives it back too


def note_session(run: RunFolder, session: Mapping[str, Any]) -> None:
    """Add a session (its command's options, start, seconds, calls, tokens, cost) to provenance.json."""
    file = run.path / "provenance.json"
    try:
        provenance = json.loads(file.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        provenance = {"sessions": []}
    provenance["versions"] = {name: version(name) for name in _PACKAGES}
    provenance["python"] = platform.python_version()
    provenance["system"] = f"{platform.system()} {platform.machine()}"
    provenance["sessions"].append({"ended": datetime.now(UTC).isoformat(timespec="seconds"), **session})
    write_text(file, json.dumps(provenance, indent=2, ensure_ascii=False) + "\n")
