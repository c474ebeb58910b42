"""Headers of a message: unfolded and decoded; what changes is encoded and folded again (RFC 2047, 2231)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from email.errors import HeaderParseError
from email.header import Header, decode_header, make_header
from email.message import Message
from email.utils import collapse_rfc2231_value
from functools import partial
from typing import Final

from privasis.cleaner.formats.form import Leaf, Piece, one
from privasis.errors import InputError

_FORM: Final = frozenset({"mime-version", "content-transfer-encoding", "content-type", "content-disposition"})
_FILE_NAMES: Final = (("content-type", "name"), ("content-disposition", "filename"))
_FOLD: Final = re.compile(r"\r?\n(?=[ \t])")
_BROKEN: Final = re.compile(r"=\?[^?\s]*\?[^?\s]*\?[^?\s]*\?=")
_NOT_ASCII: Final = re.compile(r"[^\s\x00-\x7f]|[\x00-\x08\x0b-\x1f]")
_ADDRESS: Final = frozenset({"from", "to", "cc", "bcc", "reply-to", "sender"})
_WORD: Final = re.compile(r'"[^"]*"[^\s"]*|\S+')
_LINE: Final = 76


def header_pieces(part: Message[str, str], where: str, name: str) -> Iterator[Piece]:
    """Yield the headers of a message or part that say something, and the names of files.

    Raises:
        InputError: A header cannot be decoded.
    """
    for number, (header, raw) in enumerate([*part.raw_items()]):
        if header.lower() in _FORM:
            continue
        text = _decoded(str(raw), f"{name} {where}, header {number + 1}")
        leaf = Leaf(f"{where}, header {number + 1}", text, _label(header))
        yield one(leaf, partial(_put_header, part, number, str(raw), text))
    for header, parameter in _FILE_NAMES:
        value = part.get_param(parameter, header=header)
        if value:
            said = _decoded(collapse_rfc2231_value(value), f"{name} {where}, name of a file")
            leaf = Leaf(f"{where}, name of a file", said)
            yield one(leaf, _put_parameter(part, parameter, header))


def _label(header: str) -> str:
    return header if header.lower() in {*_ADDRESS, "subject", "date"} else ""


def _decoded(raw: str, where: str) -> str:
    value = _FOLD.sub("", raw)
    try:
        value = value.encode("utf-8", "surrogateescape").decode("utf-8")
        if "=?" not in value:
            return value
        decoded = str(make_header(decode_header(value)))
    except (UnicodeError, LookupError, HeaderParseError, ValueError):
        raise InputError(f"{where}: it cannot be decoded and so not cleaned.") from None
    if _BROKEN.search(decoded):
        raise InputError(f"{where}: an encoded word in it cannot be decoded.")
    return decoded


def _put_header(part: Message[str, str], number: int, raw: str, old: str, new: str) -> None:
    items = [*part.raw_items()]
    items[number] = items[number][0], _encoded(items[number][0], new)
    for header in {*part.keys()}:
        del part[header]
    for header, value in items:
        part.set_raw(header, value)


def _put_parameter(part: Message[str, str], parameter: str, header: str) -> Callable[[str], None]:
    def put(new: str) -> None:
        said = re.sub(r"[\r\n\"\\]", " ", new).strip()
        part.set_param(parameter, said, header=header, charset="" if said.isascii() else "utf-8")

    return put


def _encoded(header: str, text: str) -> str:
    """Write a header's text: words that are not ASCII as encoded words, folded at blanks."""
    words: list[str] = []
    foreign: list[str] = []
    for word in _WORD.findall(text):
        if _NOT_ASCII.search(word):
            foreign.append(word.strip('"'))  # a quoted string may hold no encoded word
            continue
        words += [*_encoded_words(foreign, header), word]
        foreign = []
    words += _encoded_words(foreign, header)
    lines = [""]
    for word in words:
        taken = len(lines[-1]) + (len(header) + 2 if len(lines) == 1 else 1)
        if lines[-1] and taken + len(word) > _LINE:
            lines.append("")
        lines[-1] += f" {word}"
    return "\n".join(lines).lstrip(" ")


def _encoded_words(words: list[str], header: str) -> list[str]:
    """Encode words together with the blanks between them."""
    return Header(" ".join(words), "utf-8", _LINE, header).encode(linesep="\n").split() if words else []
