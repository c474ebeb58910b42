"""DOCX and XLSX: every XML part of the package is cleaned; what is no XML is refused with the whole file."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from typing import Any, Final, NamedTuple
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile

from privasis.cleaner.formats.form import Form, Piece, put_changed
from privasis.cleaner.formats.office_parts import fixed_leaves, pieces_of
from privasis.cleaner.formats.sheets import book_of
from privasis.errors import InputError, MissingExtraError

_MOST: Final = 300_000_000  # octets unpacked: a small file can claim to hold any amount
_LEFT_OUT: Final = (
    "docProps/thumbnail",
    "xl/printerSettings/",
)  # previews, traces of machines
_MACROS: Final = ("vbaProject", "vbaData")
_ENCRYPTED: Final = 1
_XML: Final = (".xml", ".rels", ".vml")


class _Part(NamedTuple):
    name: str
    data: bytes
    root: Any


def open_office(data: bytes, name: str) -> Form[bytes]:
    """Take a word-processor file or a spreadsheet apart.

    Raises:
        InputError: It is none, or holds what cannot be read: macros, pictures, embedded files.
        MissingExtraError: lxml is not installed.
    """
    parts = _parts(data, name)
    pieces = _pieces(parts)
    leaves = tuple(leaf for piece in pieces for leaf in piece.leaves)
    fixed = tuple(leaf for part in parts for leaf in fixed_leaves(part.root, part.name))

    def write(texts: Sequence[str]) -> bytes:
        fresh = _parts(data, name)
        put_changed(_pieces(fresh), texts)
        return _packed(fresh)

    return Form(leaves, write, fixed)


def _pieces(parts: Sequence[_Part]) -> list[Piece]:
    book = book_of({part.name: part.root for part in parts})
    return [piece for part in parts for piece in pieces_of(part.root, part.name, book)]


def _parts(data: bytes, name: str) -> list[_Part]:
    try:
        with ZipFile(BytesIO(data)) as package:
            if sum(entry.file_size for entry in package.infolist()) > _MOST:
                raise InputError(f"{name} unpacks to more than {_MOST // 1_000_000} MB: it is refused.")
            if any(entry.flag_bits & _ENCRYPTED for entry in package.infolist()):
                raise InputError(f"{name} is encrypted: it cannot be read and so not cleaned.")
            names = [entry.filename for entry in package.infolist() if not entry.is_dir()]
            read = [(n, package.read(n)) for n in dict.fromkeys(names) if not n.startswith(_LEFT_OUT)]
    except (BadZipFile, NotImplementedError, EOFError):
        raise InputError(f"{name} is no DOCX or XLSX file: it is no ZIP archive.") from None
    if "[Content_Types].xml" not in names:
        raise InputError(f"{name} is no DOCX or XLSX file: it has no list of content types.")
    return [_Part(n, content, _root(content, n, name)) for n, content in read]


def _root(content: bytes, part: str, name: str) -> Any:
    if any(word in part for word in _MACROS):
        raise InputError(f"{name} has macros ({part}), which cannot be cleaned. Save it without them.")
    if not part.endswith(_XML):
        raise InputError(f"{name}, {part}: a picture or an embedded file cannot be read. Take it out.")
    etree = _lxml()
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root = etree.fromstring(content, parser)
    except etree.XMLSyntaxError:
        raise InputError(f"{name}, {part}: it is no well-formed XML and cannot be read.") from None
    if root.getroottree().docinfo.doctype:
        raise InputError(f"{name}, {part}: it declares entities, which hide text. It is refused.")
    _forget_left_out(root)
    return root


def _lxml() -> Any:
    try:
        from lxml import etree
    except ImportError:
        raise MissingExtraError(
            "DOCX and XLSX need the extra docs. Run: pip install 'privasis[docs]'"
        ) from None
    return etree


def _forget_left_out(root: Any) -> None:
    """Remove the relationships of parts that are left out, and what points to them."""
    for relation in root.findall("{*}Relationship"):
        if relation.get("Type", "").endswith(("/thumbnail", "/printerSettings")):
            root.remove(relation)
    for setup in root.iter("{*}pageSetup"):
        for key in [key for key in setup.attrib if key.endswith("}id")]:
            del setup.attrib[key]


def _packed(parts: Sequence[_Part]) -> bytes:
    etree = _lxml()
    out = BytesIO()
    with ZipFile(out, "w", ZIP_DEFLATED) as package:
        for part in parts:
            package.writestr(
                part.name, etree.tostring(part.root, xml_declaration=True, encoding="UTF-8", standalone=True)
            )
    return out.getvalue()
