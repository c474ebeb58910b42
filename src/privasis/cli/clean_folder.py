"""``privasis clean`` of a folder: its files are cleaned together, each is written only when it is clean."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple

from privasis.cleaner.formats.documents import (
    CleanedDocument,
    Cleaner,
    Document,
    clean_documents,
    joined_text,
)
from privasis.cleaner.formats.form import Form, Leaf
from privasis.cleaner.formats.opening import open_document
from privasis.cleaner.results import Wish
from privasis.cli.clean_report import CLEAN, NOT_CLEAN, NOTHING_TO_DO, as_json, code_of, in_numbers
from privasis.cli.console import err, visible
from privasis.errors import ConfigError, InputError

_REFUSED: Final = InputError.exit_code
_WORST_FIRST: Final = (NOT_CLEAN, _REFUSED, NOTHING_TO_DO, CLEAN)
_NO_NAME: Final = re.compile(r"[/\\\x00-\x1f]")


class Refused(NamedTuple):
    """A file of a folder that cannot be read."""

    name: str
    reason: str


class Written(NamedTuple):
    """A file of a folder, what became of it, and under which name it is written."""

    document: Document
    cleaned: CleanedDocument
    name: PurePosixPath
    code: int


class Folder(NamedTuple):
    """The files of a folder, those that can be read and those that are refused."""

    documents: tuple[Document, ...]
    refused: tuple[Refused, ...]


class Work(NamedTuple):
    """What is to be done with a folder.

    Attributes:
        wishes_of: Reads what is wanted, with what all files say.
        cleaner: Cleans their text.
        as_json: Print a line of JSON for each file.
        report: Where what was done is written, in numbers.
    """

    wishes_of: Callable[[str], tuple[Wish, ...]]
    cleaner: Cleaner
    as_json: bool
    report: Path | None


def clean_folder(source: Path, target: Path | None, form: str, work: Work) -> int:
    """Clean the files of a folder, with the same codes in all of them, and say a line for each.

    Returns:
        The worst exit code: 3, 2, 4, 0.

    Raises:
        ConfigError: There is no new folder to write to.
    """
    if target is None:
        raise ConfigError(f"{source} is a folder: say by --out FOLDER where the clean files go.")
    folder = read_folder(source, target, form)
    written = _cleaned(folder.documents, work)
    for one in written:
        if one.code == CLEAN and one.cleaned.data is not None:
            write_under(target, one.name, one.cleaned.data)
        _say(one)
        if work.as_json:
            line = {
                "file": one.document.name,
                "written": one.name.as_posix(),
                **as_json(one.cleaned, one.document.encoding),
            }
            sys.stdout.write(json.dumps(line, ensure_ascii=False) + "\n")
    for refused in folder.refused:
        err.print(visible(f"{refused.name}: refused. {refused.reason}"), markup=False, soft_wrap=True)
    codes = {*(one.code for one in written), *(_REFUSED for _ in folder.refused)}
    numbers = [{"file": number + 1, **in_numbers(one.cleaned)} for number, one in enumerate(written)]
    if work.report is not None:
        report = {"files": numbers, "refused": len(folder.refused)}
        work.report.write_text(json.dumps(report, indent=1) + "\n", "utf-8")
    return next((code for code in _WORST_FIRST if code in codes), CLEAN)


def _cleaned(documents: Sequence[Document], work: Work) -> tuple[Written, ...]:
    everything = [_names_document(documents), *documents]
    name_list, *cleaned = clean_documents(everything, work.wishes_of(joined_text(everything)), work.cleaner)
    names = _new_names(documents, name_list)
    if names is None:  # nobody can tell which name holds what is left
        return tuple(
            Written(d, c, PurePosixPath(), NOT_CLEAN) for d, c in zip(documents, cleaned, strict=True)
        )
    nothing = all(code_of(one) == NOTHING_TO_DO for one in (name_list, *cleaned))
    return tuple(
        Written(document, one, name, NOT_CLEAN if one.data is None else NOTHING_TO_DO if nothing else CLEAN)
        for document, one, name in zip(documents, cleaned, names, strict=True)
    )


def _say(one: Written) -> None:
    edits = sum(len(leaf.edits) for leaf in one.cleaned.leaves)
    said = f"clean, {edits} changes" if edits else "nothing to change"
    if one.code == NOT_CLEAN:
        places = ", ".join(sorted({risk.where for risk in one.cleaned.risks})) or "the name of a file"
        said = f"not clean, not written ({places})"
    err.print(visible(f"{one.document.name}: {said}"), markup=False, soft_wrap=True)


def read_folder(source: Path, target: Path, form: str) -> Folder:
    """Read all files of a folder; those that cannot be read are listed, not passed over.

    Raises:
        ConfigError: The folder to write to is not a new one.
    """
    if target.resolve().is_relative_to(source.resolve()):
        raise ConfigError("--out lies in the folder that is cleaned. Name another one.")
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise ConfigError(f"{target} exists and is no empty folder: what is in it would pass for clean.")
    documents: list[Document] = []
    refused: list[Refused] = []
    for path in _files(source):
        name = path.relative_to(source).as_posix()
        try:
            documents.append(_read(path, name, form))
        except InputError as error:
            refused.append(Refused(name, str(error)))
    return Folder(tuple(documents), tuple(refused))


def _files(source: Path) -> Iterator[Path]:
    yield from sorted(path for path in source.rglob("*") if path.is_symlink() or not path.is_dir())


def _read(path: Path, name: str, form: str) -> Document:
    if path.is_symlink() or not path.is_file():
        raise InputError(f"{name} is a link or no file.")
    try:
        return open_document(path.read_bytes(), name, form)
    except OSError as error:
        raise InputError(f"{name} cannot be read: {error.strerror}.") from None


def _names_document(documents: Sequence[Document]) -> Document:
    """Return the names of files as a document, so that what they tell is cleaned with the files."""
    leaves = tuple(
        Leaf(f"name {number}", part)
        for number, document in enumerate(documents)
        for part in PurePosixPath(document.name).parts
    )

    def read(data: bytes) -> Form[bytes]:
        parts = data.decode("utf-8", "surrogateescape").split("\x00")
        return Form(tuple(Leaf("name", part) for part in parts), write)

    def write(texts: Sequence[str]) -> bytes:
        return "\x00".join(texts).encode("utf-8", "surrogateescape")

    return Document("names", Form(leaves, write), read)


def _new_names(documents: Sequence[Document], cleaned: CleanedDocument) -> tuple[PurePosixPath, ...] | None:
    """Return the names under which cleaned files are written, no two the same; None while a value is left."""
    if cleaned.data is None:
        return None
    parts = iter(cleaned.data.decode("utf-8", "surrogateescape").split("\x00"))
    taken: set[str] = set()
    names: list[PurePosixPath] = []
    for document in documents:
        path = PurePosixPath(document.name)
        mine = [_NO_NAME.sub("-", next(parts)).strip() for _ in path.parts]
        if not mine[-1].removesuffix(path.suffix).strip("._- "):
            mine[-1] = f"file{path.suffix}"
        mine = [part if part.strip(". ") else "folder" for part in mine]
        names.append(_free(PurePosixPath(*mine), taken))
        taken.add(names[-1].as_posix().casefold())
    return tuple(names)


def _free(path: PurePosixPath, taken: set[str]) -> PurePosixPath:
    number, free = 1, path
    while free.as_posix().casefold() in taken:
        number += 1
        free = path.with_name(f"{path.stem}-{number}{path.suffix}")
    return free


def write_under(target: Path, name: PurePosixPath, data: bytes) -> None:
    """Write a file of a folder."""
    path = target / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
