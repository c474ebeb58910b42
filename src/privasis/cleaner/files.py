"""Read the text of a file whose encoding nobody says, and refuse what is no text."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from typing import Final

from privasis.errors import InputError

_BOMS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_FALLBACK: Final = "cp1252"
_CONTROL: Final = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_MOST_CONTROL: Final = 0.01  # share of control characters above which bytes are no text
_MAGIC: Final = (
    b"%PDF",
    b"{\\rtf",
    b"PK\x03\x04",
    b"\x89PNG",
    b"\xff\xd8\xff",
    b"GIF8",
    b"\x7fELF",
    b"\xd0\xcf\x11\xe0",
)


@dataclass(frozen=True, slots=True)
class Decoded:
    """A file's text, and the encoding by which it was read and is to be written."""

    text: str
    encoding: str
    assumed: bool  # nothing in the file says that it is this encoding


def decode(data: bytes, name: str) -> Decoded:
    """Decode a file: by its byte order mark, as UTF-8, else as Windows-1252, which is then said.

    Raises:
        InputError: The bytes are no text.
    """
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return Decoded(_strictly(data, encoding, name), encoding, False)
    if data.startswith(_MAGIC) or len(_CONTROL.findall(data)) > _MOST_CONTROL * len(data):
        raise InputError(f"{name} is no text: it is refused, since what cannot be read cannot be cleaned.")
    try:
        return Decoded(data.decode("utf-8"), "utf-8", False)
    except UnicodeDecodeError:
        return Decoded(_strictly(data, _FALLBACK, name), _FALLBACK, True)


def _strictly(data: bytes, encoding: str, name: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise InputError(
            f"{name} is neither UTF-8 nor {encoding} (byte {error.start}). Convert it to UTF-8."
        ) from None
