"""iCalendar and vCard: folded lines, escapes, parameters; lines that nothing changes in stay as they are."""

from __future__ import annotations

import quopri
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from privasis.cleaner.formats.form import Form, Leaf
from privasis.errors import InputError

_LINE: Final = re.compile(r"[^\r\n]*(?:\r?\n[ \t][^\r\n]*)*")
_FOLD: Final = re.compile(r"\r?\n[ \t]")
_BARE_LINE: Final = re.compile(r"[^\r\n]*")
_SOFT_BREAK: Final = re.compile(r"=\r?\n")
_PRINTABLE: Final = re.compile(r"[^:\r\n]{0,200}QUOTED-PRINTABLE", re.IGNORECASE)
_PROPERTY: Final = re.compile(
    r'(?P<group>[\w-]+\.)?(?P<name>[\w-]+)(?P<parameters>(?:;(?:[^":;]|"[^"]*")*)*):(?P<value>.*)', re.DOTALL
)
_PARAMETER: Final = re.compile(r';(?P<name>[\w-]+)=(?P<value>(?:[^";:]|"[^"]*")*)')
_STRUCTURED: Final = frozenset({"N", "ADR", "ORG", "GENDER", "REQUEST-STATUS"})
_BINARY: Final = re.compile(r";(?:ENCODING=)?(?:BASE64|B)(?=[;]|$)|;VALUE=BINARY", re.IGNORECASE)
_DATA: Final = re.compile(r"\s*data:(?!text/plain[;,](?!.*base64))", re.IGNORECASE)
_FORM: Final = frozenset({"BEGIN", "END", "VERSION", "CALSCALE", "METHOD", "PRODID"})
_FORM_PARAMETERS: Final = frozenset({"VALUE", "ENCODING", "CHARSET", "TYPE", "PREF", "TZID", "LANGUAGE"})
_TYPED: Final = re.compile(
    r"DTSTART|DTEND|DTSTAMP|DUE|CREATED|LAST-MODIFIED|COMPLETED|RECURRENCE-ID|RRULE|EXDATE|RDATE|TRIGGER"
    r"|DURATION|SEQUENCE|PRIORITY|REV|TZOFFSETFROM|TZOFFSETTO|PERCENT-COMPLETE|REPEAT|FREEBUSY"
)
_ESCAPES: Final = {"n": "\n", "N": "\n"}
_LABELS: Final = {
    "FN": "Name",
    "N": "Name",
    "CN": "Name",
    "TEL": "Phone",
    "ADR": "Address",
    "BDAY": "Date of birth",
    "ORG": "Organization",
    "ATTENDEE": "E-mail",
    "ORGANIZER": "E-mail",
    "EMAIL": "E-mail",
    "LOCATION": "Location",
}
_FOLD_AT: Final = 75  # octets a line (RFC 5545, §3.1)


@dataclass(slots=True)
class _Property:
    """A content line: where it stands, and what of it can be changed."""

    start: int
    end: int
    number: int
    line: str  # unfolded
    spots: list[_Spot] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Spot:
    """A stretch of an unfolded line that says something."""

    start: int
    end: int
    leaf: Leaf
    written: Literal["text", "raw", "quoted", "printable"]
    charset: str = "utf-8"  # of quoted-printable text


def open_lines(text: str, name: str) -> Form[str]:
    """Take a calendar or address cards apart.

    Raises:
        InputError: A line is none of that format, or holds a picture or another file.
    """
    properties = [*_properties(text, name)]
    leaves = tuple(spot.leaf for one in properties for spot in one.spots)
    end_of_line = "\r\n" if "\r\n" in text else "\n"

    def write(texts: Sequence[str]) -> str:
        news = iter(texts)
        written: list[str] = []
        place = 0
        for one in properties:
            mine = [next(news) for _ in one.spots]
            if any(new != spot.leaf.text for new, spot in zip(mine, one.spots, strict=True)):
                written += (text[place : one.start], _folded(one, _changed(one, mine), end_of_line))
                place = one.end
        return "".join((*written, text[place:]))

    return Form(leaves, write)


def _properties(text: str, name: str) -> Iterator[_Property]:
    place = line = 0
    while place < len(text):
        end, said = _unfolded(text, place)
        raw = text[place:end]
        if raw.strip():
            one = _Property(place, end, line + 1, said)
            one.spots = [*_spots(one, name)]
            yield one
        line += raw.count("\n") + 1
        place = end + (2 if text[end : end + 2] == "\r\n" else 1)


def _unfolded(text: str, start: int) -> tuple[int, str]:
    """Return where the content line that starts somewhere ends, and what it says in one line."""
    if not _PRINTABLE.match(text, start):
        found = _LINE.match(text, start)
        end = found.end() if found else start
        return end, _FOLD.sub("", text[start:end])
    end = start  # vCard 2.1: lines go on behind "="
    while (found := _BARE_LINE.match(text, end)) and found[0].endswith("=") and found.end() < len(text):
        end = found.end() + (2 if text[found.end()] == "\r" else 1)
    end = found.end() if found else end
    return end, _SOFT_BREAK.sub("", text[start:end])


def _spots(one: _Property, name: str) -> Iterator[_Spot]:
    found = _PROPERTY.fullmatch(one.line)
    if found is None:
        raise InputError(f"{name} line {one.number} is no line of a calendar or an address card.")
    kind, parameters = found["name"].upper(), found["parameters"]
    if _BINARY.search(parameters) or _DATA.match(found["value"]):
        raise InputError(
            f"{name} line {one.number} holds a file, which cannot be read and so not cleaned. Take it out."
        )
    if kind in _FORM:
        return
    for parameter in _PARAMETER.finditer(parameters):
        if parameter["name"].upper() not in _FORM_PARAMETERS:
            shift = found.start("parameters")
            start, end = (shift + place for place in parameter.span("value"))
            label = _LABELS.get(parameter["name"].upper(), "")
            said = parameter["value"].replace('"', "")
            yield _Spot(start, end, Leaf(f"line {one.number}", said, label), "quoted")
    yield from _values(one, found, kind, name)


def _values(one: _Property, found: re.Match[str], kind: str, name: str) -> Iterator[_Spot]:
    start, end = found.span("value")
    label, where = _LABELS.get(kind, ""), f"line {one.number}"
    if "QUOTED-PRINTABLE" in found["parameters"].upper():
        charset = _charset(found["parameters"])
        text = _from_printable(found["value"], charset, f"{name} {where}")
        yield _Spot(start, end, Leaf(where, text, label), "printable", charset)
    elif _TYPED.fullmatch(kind):
        original = found["value"]
        yield _Spot(start, end, Leaf(where, original, "", original.__eq__), "raw")
    elif kind in _STRUCTURED:
        for component in re.finditer(r"(?:[^\\;]|\\.)+", found["value"], re.DOTALL):
            first, last = (start + place for place in component.span())
            yield _Spot(first, last, Leaf(where, _unescaped(component[0]), label), "text")
    else:
        yield _Spot(start, end, Leaf(where, _unescaped(found["value"]), label), "text")


def _unescaped(value: str) -> str:
    return re.sub(r"\\(.)", lambda mark: _ESCAPES.get(mark[1], mark[1]), value, flags=re.DOTALL)


def _escaped(text: str, spot: _Spot, line: str) -> str:
    """Write a text as its spot wants it; commas and semicolons bare where they were."""
    if spot.written == "raw":
        return text
    if spot.written == "printable":
        data = quopri.encodestring(text.encode(spot.charset, "xmlcharrefreplace"))
        return data.decode("ascii").replace("=\n", "").replace("\n", "=0A")
    if spot.written == "quoted":
        said = re.sub(r'["\r\n]', " ", text)
        return f'"{said}"' if re.search(r"[,;:]", said) or line[spot.start : spot.end][:1] == '"' else said
    was = line[spot.start : spot.end]
    special = "\\" + "".join(mark for mark in ";," if not re.search(rf"(?<!\\){mark}", was))
    text = re.sub(rf"[{re.escape(special)}]", lambda mark: "\\" + mark[0], text)
    return re.sub(r"\r?\n", r"\\n", text)


def _charset(parameters: str) -> str:
    found = re.search(r";CHARSET=([\w-]+)", parameters, re.IGNORECASE)
    return found[1] if found else "utf-8"


def _from_printable(value: str, charset: str, where: str) -> str:
    try:
        return quopri.decodestring(value.encode("ascii")).decode(charset)
    except (UnicodeError, LookupError):
        raise InputError(f"{where}: it cannot be decoded and so not cleaned.") from None


def _changed(one: _Property, news: Sequence[str]) -> str:
    written: list[str] = []
    place = 0
    for spot, new in zip(one.spots, news, strict=True):
        if new != spot.leaf.text:
            written += (one.line[place : spot.start], _escaped(new, spot, one.line))
            place = spot.end
    return "".join((*written, one.line[place:]))


def _folded(one: _Property, line: str, end_of_line: str) -> str:
    """Fold a line at 75 octets, never inside a letter; quoted-printable has folds of its own."""
    if any(spot.written == "printable" for spot in one.spots):
        return line
    parts: list[str] = []
    part, size = "", 0
    for letter in line:
        octets = len(letter.encode("utf-8"))
        if size + octets > _FOLD_AT:
            parts.append(part)
            part, size = "", 1
        part, size = part + letter, size + octets
    return (end_of_line + " ").join([*parts, part])
