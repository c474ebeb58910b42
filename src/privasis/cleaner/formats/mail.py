"""E-mail: headers and parts are decoded, cleaned, and written back in their own encoding.

RFC 5322, 2045 to 2047; what cannot be decoded (pictures, encrypted parts) is refused with the whole message.
"""

from __future__ import annotations

import binascii
import quopri
from collections.abc import Callable, Iterator, Sequence
from email.generator import BytesGenerator
from email.message import Message
from email.parser import BytesParser
from email.policy import compat32
from io import BytesIO
from typing import Final

from privasis.cleaner.formats.form import Form, Leaf, Piece, inside, one, put_changed
from privasis.cleaner.formats.headers import header_pieces
from privasis.cleaner.formats.plain import open_plain
from privasis.errors import InputError

Attached = Callable[[bytes, str, str, str], Form[bytes]]
"""Opens what is attached: from its bytes, a name for messages, its type and its file's name."""

_POLICY: Final = compat32.clone(max_line_length=None)
_ENCODINGS: Final = frozenset({"", "7bit", "8bit", "binary", "quoted-printable", "base64"})
_AS_TEXT: Final = frozenset(
    {"text/plain", "text/html", "text/markdown", "text/enriched", "text/rfc822-headers"}
)
_OPAQUE: Final = frozenset({"multipart/encrypted", "multipart/signed"})


def open_mail(data: bytes, name: str, attached: Attached) -> Form[bytes]:
    """Take a message apart: headers, text parts, attached messages and files.

    Args:
        data: The message.
        name: For messages.
        attached: Opens a part that is no mere text.

    Raises:
        InputError: It is no message, or a part of it cannot be decoded.
    """
    pieces = [*_pieces(_parsed(data, name), name, attached)]
    leaves = tuple(leaf for piece in pieces for leaf in piece.leaves)

    def write(texts: Sequence[str]) -> bytes:
        message = _parsed(data, name)
        put_changed(_pieces(message, name, attached), texts)
        return _serialised(message, "\r\n" if b"\r\n" in data else "\n")

    return Form(leaves, lambda texts: data if [*texts] == [leaf.text for leaf in leaves] else write(texts))


def _parsed(data: bytes, name: str) -> Message[str, str]:
    message = BytesParser(policy=_POLICY).parsebytes(data)
    if not message.keys():
        raise InputError(f"{name} is no e-mail: it has no headers.")
    for number, part in enumerate(message.walk()):
        if part.defects:
            fault = type(part.defects[0]).__name__
            raise InputError(
                f"{name} part {number} is broken ({fault}): it cannot be read and so not cleaned."
            )
    return message


def _serialised(message: Message[str, str], end_of_line: str) -> bytes:
    out = BytesIO()
    generator = BytesGenerator(out, mangle_from_=False, policy=_POLICY.clone(linesep=end_of_line))
    generator.flatten(message, unixfrom=bool(message.get_unixfrom()))
    return out.getvalue()


def _pieces(message: Message[str, str], name: str, attached: Attached) -> Iterator[Piece]:
    for number, part in enumerate(message.walk()):
        where = f"part {number}" if number else "message"
        if part.get_content_type() in _OPAQUE:
            raise InputError(
                f"{name} {where} is {part.get_content_type()}: it cannot be read or would no longer be valid."
            )
        yield from header_pieces(part, where, name)
        if part.is_multipart():
            yield from _around(part, where)
        else:
            yield _body(part, where, name, attached)


def _around(part: Message[str, str], where: str) -> Iterator[Piece]:
    """Yield what stands before the first part and behind the last one."""
    if part.preamble and part.preamble.strip():
        yield one(Leaf(f"{where}, preamble", part.preamble), lambda text: setattr(part, "preamble", text))
    if part.epilogue and part.epilogue.strip():
        yield one(Leaf(f"{where}, epilogue", part.epilogue), lambda text: setattr(part, "epilogue", text))


def _body(part: Message[str, str], where: str, name: str, attached: Attached) -> Piece:
    content_type = part.get_content_type()
    payload = _decoded(part, where, name)
    file_name = part.get_filename() or ""
    if content_type in _AS_TEXT and not file_name:
        return _text_body(part, payload, where, name)
    try:
        opened = attached(payload, f"{name} {where}", content_type, file_name)
    except InputError as error:
        raise InputError(f"{error} ({content_type})") from None
    return Piece(inside(where, opened.leaves), lambda texts: _put(part, opened.write(texts)))


def _text_body(part: Message[str, str], payload: bytes, where: str, name: str) -> Piece:
    charset = part.get_content_charset() or "us-ascii"
    try:
        text = payload.decode("utf-8" if charset == "us-ascii" else charset)
    except (UnicodeDecodeError, LookupError):
        raise InputError(f"{name} {where} cannot be decoded by its charset: it is refused.") from None
    opened = open_plain(text, f"{name} {where}")

    def put(texts: Sequence[str]) -> None:
        new = opened.write(texts)
        try:
            data = new.encode(charset)
        except UnicodeEncodeError:
            data = new.encode("utf-8")
            part.set_param("charset", "utf-8")
        _put(part, data)

    return Piece(inside(where, opened.leaves), put)


def _decoded(part: Message[str, str], where: str, name: str) -> bytes:
    """Return the bytes of a part; what its encoding does not allow is refused."""
    encoding = _encoding(part)
    payload = part.get_payload(decode=True)
    if encoding not in _ENCODINGS or not isinstance(payload, bytes):
        raise InputError(f"{name} {where} has an unknown transfer encoding: it cannot be read.")
    if encoding != "base64":
        return payload
    try:
        return binascii.a2b_base64("".join(str(part.get_payload()).split()), strict_mode=True)
    except (binascii.Error, ValueError):
        raise InputError(f"{name} {where} is no valid base64: it cannot be read.") from None


def _encoding(part: Message[str, str]) -> str:
    return str(part.get("content-transfer-encoding", "")).strip().lower()


def _put(part: Message[str, str], data: bytes) -> None:
    """Give a part new bytes, in its transfer encoding as long as that can carry them."""
    encoding = _encoding(part)
    if encoding == "base64":
        part.set_payload(_base64_lines(data))
        return
    if encoding in {"", "7bit"} and not data.isascii():
        del part["content-transfer-encoding"]
        part["Content-Transfer-Encoding"] = encoding = "quoted-printable"
    if encoding == "quoted-printable":
        data = quopri.encodestring(data.replace(b"\r\n", b"\n"))
    part.set_payload(data.decode("ascii", "surrogateescape"))


def _base64_lines(data: bytes) -> str:
    """Return bytes as base64 in lines of 76 characters."""
    written = binascii.b2a_base64(data, newline=False).decode("ascii")
    return "\n".join(written[n : n + 76] for n in range(0, len(written), 76)) + "\n"
