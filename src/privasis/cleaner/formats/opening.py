"""Read a file by its format: the suffix of its name, or what the user says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import PurePath
from typing import Final

from privasis.cleaner.files import Decoded, decode
from privasis.cleaner.formats.delimited import open_delimited
from privasis.cleaner.formats.documents import Document
from privasis.cleaner.formats.form import Form
from privasis.cleaner.formats.lines import open_lines
from privasis.cleaner.formats.mail import open_mail
from privasis.cleaner.formats.office import open_office
from privasis.cleaner.formats.plain import open_plain
from privasis.cleaner.formats.structured import open_json
from privasis.errors import ConfigError, InputError

ReadText = Callable[[str, str], Form[str]]
ReadBytes = Callable[[bytes, str], Form[bytes]]

_TEXTS: Final[dict[str, ReadText]] = {
    "text": open_plain,
    "csv": open_delimited,
    "json": open_json,
    "ics": open_lines,
}
_SUFFIXES: Final = {
    ".csv": "csv",
    ".tsv": "csv",
    ".json": "json",
    ".jsonl": "json",
    ".ndjson": "json",
    ".ics": "ics",
    ".vcf": "ics",
    ".eml": "eml",
    ".mht": "eml",
    ".mhtml": "eml",
    ".docx": "docx",
    ".docm": "docx",
    ".dotx": "docx",
    ".xlsx": "xlsx",
    ".xlsm": "xlsx",
    ".xltx": "xlsx",
}
# Texts whose words stand in encodings of their own: read as plain text, they would pass values on.
_UNREADABLE: Final = {
    ".mbox": "Split it into .eml files.",
    ".rtf": "Save it as .docx.",
    ".ipynb": "Save it as .md or .py, without its outputs.",
}
_TYPES: Final = {
    "text/csv": "csv",
    "text/tab-separated-values": "csv",
    "application/json": "json",
    "text/calendar": "ics",
    "text/vcard": "ics",
    "text/x-vcard": "ics",
    "message/rfc822": "eml",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
}
_BYTES: Final = ("eml", "docx", "xlsx")
FORMATS: Final = (*_TEXTS, *_BYTES)


def format_of(name: str) -> str:
    """Return the format of a file by its suffix; ``text`` where it says nothing."""
    return _SUFFIXES.get(PurePath(name).suffix.lower(), "text")


def open_document(data: bytes, name: str, form: str = "") -> Document:
    """Take a file apart.

    Args:
        data: Its bytes.
        name: For the format and for messages.
        form: One of ``FORMATS``; empty: by the suffix.

    Raises:
        ConfigError: There is no such format.
        InputError: It is not of that format, or a part of it cannot be read.
    """
    kind = form or format_of(name)
    hint = _UNREADABLE.get(PurePath(name).suffix.lower())
    if hint and not form:
        raise InputError(f"{name}: there is no reader for this format. {hint}")
    if kind not in FORMATS:
        raise ConfigError(f"there is no format {kind}: use one of {', '.join(FORMATS)}.")
    read = partial(_read, kind=kind, name=name)
    if kind not in _TEXTS:
        return Document(name, read(data), read)
    decoded = decode(data, name)
    return Document(name, read(data), read, decoded.encoding, decoded.assumed)


def _read(data: bytes, *, kind: str, name: str) -> Form[bytes]:
    if kind == "eml":
        return open_mail(data, name, _attached)
    if kind in _BYTES:
        return open_office(data, name)
    decoded = decode(data, name)
    return _encoded(_TEXTS[kind](decoded.text, name), decoded)


def _attached(data: bytes, name: str, content_type: str, file_name: str) -> Form[bytes]:
    """Take what is attached to a mail apart, by its type, else by its file name."""
    kind = _TYPES.get(content_type) or format_of(file_name)
    return _read(data, kind=kind, name=name)


def _encoded(form: Form[str], decoded: Decoded) -> Form[bytes]:
    def write(texts: Sequence[str]) -> bytes:
        return form.write(texts).encode(decoded.encoding, "xmlcharrefreplace")

    return Form(form.leaves, write, form.fixed)
