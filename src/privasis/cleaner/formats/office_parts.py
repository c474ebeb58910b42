"""The texts of one XML part: paragraphs over their runs, cells, properties, attributes that say something."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

from privasis.cleaner.formats.form import Leaf, Piece, anything, one
from privasis.cleaner.formats.joining import Joined, own_edits
from privasis.cleaner.formats.sheets import Book
from privasis.text.diff import diff_edits
from privasis.text.edits import apply_edits
from privasis.types import Edit, Span

_HOLDERS: Final = frozenset({"p", "si", "is", "text"})  # what a reader sees as one stretch
_APART: Final = frozenset({"delText", "instrText"})  # deleted words and field codes are texts of their own
_BREAKS: Final = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_FIXED: Final = frozenset({"f", "definedName", "created", "modified", "formula1", "formula2"})
# What the program that wrote the file says of itself, and names that the format gives: nobody wrote them.
_PROGRAM: Final = frozenset({"Application", "AppVersion", "DocSecurity", "TotalTime"})
_PROPERTIES: Final = {
    "creator": "Name",
    "lastModifiedBy": "Name",
    "Manager": "Name",
    "Company": "Organization",
}
_FORM_PARTS: Final = re.compile(
    r"\[Content_Types\]\.xml|.*/(?:theme/.*|fontTable\.xml|stylesWithEffects\.xml)"
)
_FORM_VALUE: Final = re.compile(r"https?://schemas\.|application/|urn:|[a-zA-Z]+/[\w/]+\.xml$")
_SAYING: Final = frozenset(
    {"author", "initials", "title", "descr", "alt", "tooltip", "display", "displayName", "prompt"}
    | {"promptTitle", "error", "errorTitle", "userId", "lastEdited"}
)
_NAMED: Final = frozenset({"docPr", "cNvPr", "sheet", "tableColumn", "xmlColumnPr"})
_VALUED: Final = frozenset({"alias", "tag", "docVar", "s", "hyperlink"})
# Headers and footers of sheets write "left" and "bold" before the words: "&LZofia", "&BZofia".
_MARGINS: Final = re.compile(r"(?:odd|even|first)(?:Header|Footer)")
_MARGIN_CODE: Final = re.compile(r'&(?:"[^"]*"|\d{1,3}|K[0-9A-Fa-f]{6}|[A-Za-z&])')
_SPACED_CODE: Final = re.compile(rf"({_MARGIN_CODE.pattern}) ")
_SPACE: Final = "{http://www.w3.org/XML/1998/namespace}space"
_NOT_IN_XML: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_NOT_IN_SHEET_NAME: Final = re.compile(r"[\[\]:*?/\\]")
_LONGEST_SHEET_NAME: Final = 31
_DIGITS: Final = re.compile(r"\d{5,}")


class _Stretch(NamedTuple):
    """Texts that are read as one, and where each stands in it."""

    text: str
    nodes: tuple[Any, ...]
    places: tuple[Span, ...]


def pieces_of(root: Any, part: str, book: Book) -> Iterator[Piece]:
    """Yield what of a part may be changed."""
    for number, stretch in enumerate(_stretches(root), 1):
        label = book.label_of(stretch.nodes[0], part)
        if part.startswith("docProps/"):
            label = _PROPERTIES.get(_local(stretch.nodes[0]), "")
        yield one(Leaf(f"{part}, text {number}", stretch.text, label), partial(_put, stretch))
    for number, cell in enumerate(root.iter("{*}c"), 1):
        value = cell.find("{*}v")
        if value is not None and value.text and cell.get("t", "n") in {"n", "str"}:
            label = book.label_of(value, part)
            leaf = Leaf(f"{part}, cell {number}", book.shown(cell, value.text), label)
            yield one(leaf, partial(_put_cell, cell, value))
    for number, margin in enumerate(filter(_is_margin, _elements(root)), 1):
        said = _MARGIN_CODE.sub(r"\g<0> ", margin.text or "")
        yield one(Leaf(f"{part}, margin {number}", said), partial(_put_margin, margin))
    for number, (element, key) in enumerate(_attributes(root, True), 1):
        leaf = Leaf(f"{part}, attribute {number}", element.get(key), "", _fits(element))
        yield one(leaf, partial(_put_attribute, element, key))


def fixed_leaves(root: Any, part: str) -> Iterator[Leaf]:
    """Yield what is only searched: formulas, times, names of styles, all other attributes."""
    if _FORM_PARTS.fullmatch(part):
        return
    said = dict.fromkeys(element.get(key) for element, key in _attributes(root, False))
    said |= dict.fromkeys(e.text for e in _elements(root) if _local(e) in _FIXED and e.text)
    for text in said:
        if not _FORM_VALUE.match(text) and _says(text):
            yield Leaf(f"{part}, what is part of the form", text)
    for paragraph in root.iter("{*}p"):  # as it was before tracked changes
        if paragraph.find(".//{*}delText") is not None:
            before = [n for n in paragraph.iter("{*}t", "{*}delText") if not _is_inserted(n)]
            yield Leaf(f"{part}, a tracked change", "".join(node.text or "" for node in before))


def _elements(root: Any) -> Iterator[Any]:
    return (element for element in root.iter() if isinstance(element.tag, str))


def _local(element: Any) -> str:
    return str(element.tag).rpartition("}")[2]


def _is_inserted(node: Any) -> bool:
    return any(_local(above) == "ins" for above in node.iterancestors())


def _stretches(root: Any) -> list[_Stretch]:
    """Put texts together that a reader sees as one; breaks and tabs between them are no part of any."""
    groups: dict[tuple[Any, str], list[tuple[Any, str]]] = {}
    for element in _elements(root):
        local = _local(element)
        if (
            local in _FIXED | _PROGRAM
            or _is_margin(element)
            or (local == "v" and _local(element.getparent()) == "c")
        ):
            continue
        holder = next((a for a in element.iterancestors() if _local(a) in _HOLDERS), None)
        if holder is not None and local in _BREAKS:
            groups.setdefault((holder, ""), []).append((None, _BREAKS[local]))
        elif element.text and len(element) == 0 and (holder is not None or _says(element.text)):
            apart = local if local in _APART or holder is None else ""
            key = (element if holder is None else holder, apart)
            groups.setdefault(key, []).append((element, element.text))
        elif element.text and element.text.strip() and len(element):
            groups.setdefault((element, "mixed"), []).append((element, element.text))
    return [stretch for pieces in groups.values() if (stretch := _stretch(pieces)).text.strip()]


def _stretch(pieces: Sequence[tuple[Any, str]]) -> _Stretch:
    nodes: list[Any] = []
    places: list[Span] = []
    length = 0
    for node, text in pieces:
        if node is not None:
            nodes.append(node)
            places.append(Span(length, length + len(text)))
        length += len(text)
    text = "".join(text for _, text in pieces) if nodes else ""
    return _Stretch(text, tuple(nodes), tuple(places))


def _says(text: str) -> bool:
    return any(map(str.isalpha, text)) or _DIGITS.search(text) is not None


def _put(stretch: _Stretch, new: str) -> None:
    """Change the runs of a stretch, each where its own words change: formats stay."""
    joined = Joined(stretch.text, tuple(range(len(stretch.nodes))), stretch.places)
    mine: dict[int, list[Edit]] = {}
    for number, edit in own_edits(diff_edits(stretch.text, new, target="", step=""), joined):
        mine.setdefault(number, []).append(edit)
    for number, edits in mine.items():
        node = stretch.nodes[number]
        node.text = _NOT_IN_XML.sub("", apply_edits(node.text, edits))
        if node.text != node.text.strip():
            node.set(_SPACE, "preserve")


def _is_margin(element: Any) -> bool:
    return _MARGINS.fullmatch(_local(element)) is not None


def _put_margin(margin: Any, new: str) -> None:
    margin.text = _NOT_IN_XML.sub("", _SPACED_CODE.sub(r"\1", new))


def _put_cell(cell: Any, value: Any, new: str) -> None:
    """Put a text where a number was; a formula whose result changes goes with it."""
    for child in [*cell]:
        cell.remove(child)
    space = value.tag.rpartition("}")[0] + "}"
    if not new.strip():
        cell.attrib.pop("t", None)
        return
    cell.set("t", "inlineStr")
    inline = cell.makeelement(f"{space}is")
    cell.append(inline)
    text = inline.makeelement(f"{space}t")
    inline.append(text)
    text.text = _NOT_IN_XML.sub("", new)


def _attributes(root: Any, saying: bool) -> Iterator[tuple[Any, str]]:
    for element in _elements(root):
        for key, value in element.attrib.items():
            if value.strip() and _can_change(element, key.rpartition("}")[2]) is saying:
                yield element, key


def _can_change(element: Any, key: str) -> bool:
    local = _local(element)
    if local == "Relationship":
        return key == "Target" and element.get("TargetMode") == "External"
    if key == "name":
        return local in _NAMED
    if key in {"val", "v", "location"}:
        return local in _VALUED
    return key in _SAYING


def _fits(element: Any) -> Callable[[str], bool]:
    """Names of sheets may not be empty; formulas that use a changed one are found in what is fixed."""
    if _local(element) != "sheet":
        return anything
    return lambda new: bool(_NOT_IN_SHEET_NAME.sub("", new).strip())


def _put_attribute(element: Any, key: str, new: str) -> None:
    if _local(element) == "sheet":
        new = _NOT_IN_SHEET_NAME.sub("", new).strip()[:_LONGEST_SHEET_NAME]
    element.set(key, _NOT_IN_XML.sub("", new))
