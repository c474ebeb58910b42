"""What a report holds, as plain data: sections of tables, bars and passages. No markup here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from privasis.analysis.cases import LeakCase
from privasis.analysis.table import Table
from privasis.types import Edit, Record, Triplet

LONGEST = 20_000  # characters of a text that are shown: a page has to open in a browser
COLOURS = 8  # kinds of marks that the page's style tells apart
CUT, PUT = "cut", "put"  # the two sides of an edit


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a text, marked or not.

    Attributes:
        text: As it stands.
        kind: '' for plain text, 'g0' to 'g7' for a group's colour, CUT or PUT for an edit.
        title: What the mark means.
    """

    text: str
    kind: str = ""
    title: str = ""


@dataclass(frozen=True, slots=True)
class Column:
    """A text under a heading."""

    head: str
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Passage:
    """A record, a triplet or a leak: facts about it, and its texts side by side."""

    title: str
    facts: tuple[tuple[str, str], ...]
    columns: tuple[Column, ...]


@dataclass(frozen=True, slots=True)
class Bars:
    """A picture: a bar for each value."""

    title: str
    values: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class Section:
    """What is told of one run."""

    title: str
    notes: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    bars: tuple[Bars, ...] = ()
    passages: tuple[Passage, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """A whole report."""

    title: str
    made: str  # the day, and by what
    sections: tuple[Section, ...]


@dataclass(frozen=True, slots=True, order=True)
class Mark:
    """A half-open range of a text, with what it is."""

    start: int
    end: int
    kind: str
    title: str


def cut_up(text: str, marks: Iterable[Mark], longest: int = LONGEST) -> tuple[Piece, ...]:
    """Cut a text at its marks; of marks that overlap the first stays, the longest of those that start alike.

    Joined, the pieces are the text, or its beginning where it is longer than ``longest``.
    """
    pieces: list[Piece] = []
    shown, done = text[:longest], 0
    for mark in sorted(marks, key=lambda one: (one.start, -one.end)):
        if mark.start < done or mark.end <= mark.start or mark.start >= len(shown):
            continue
        pieces += [
            Piece(shown[done : mark.start]),
            Piece(shown[mark.start : mark.end], mark.kind, mark.title),
        ]
        done = min(mark.end, len(shown))
    pieces.append(Piece(shown[done:]))
    if len(text) > longest:
        pieces.append(Piece(f" … ({len(text) - longest} more characters)", "rest"))
    return tuple(piece for piece in pieces if piece.text)


def record_passage(record: Record) -> Passage:
    """Return a record with its attributes in their groups' colours."""
    group_of = {
        name: (f"g{place % COLOURS}", group.label)
        for place, group in reversed(list(enumerate(record.groups)))
        for name in group.attributes
    }
    marks = []
    for attribute in record.attributes:
        kind, label = group_of.get(attribute.name, (f"g{COLOURS - 1}", "no group"))
        title = f"{attribute.name} ({label})"
        marks += [Mark(span.start, span.end, kind, title) for span in attribute.spans]
    facts = (
        ("Record", record.id),
        ("Model", record.model),
        ("Language", record.language),
        ("Attributes", str(len(record.attributes))),
        ("Groups", ", ".join(group.label for group in record.groups)),
    )
    return Passage(
        record.controls.record_type or record.id, facts, (Column("Text", cut_up(record.text, marks)),)
    )


def triplet_passage(triplet: Triplet) -> Passage:
    """Return a triplet: instruction and targets, the original and the sanitized text with their edits."""
    targets = ", ".join(f"{target.label} ({target.action})" for target in triplet.targets)
    facts = (
        ("Triplet", triplet.id),
        ("Instruction", triplet.instruction),
        ("Targets", targets),
        ("Keep", ", ".join(keep.name for keep in triplet.keeps)),
    )
    removed = [Mark(edit.start, edit.end, CUT, edit.step) for edit in triplet.edits]
    columns = (
        Column("Original", cut_up(triplet.text, removed)),
        Column("Sanitized", cut_up(triplet.sanitized, _placed(triplet.edits))),
    )
    return Passage(triplet.record_type or triplet.id, facts, columns)


def _placed(edits: Sequence[Edit]) -> list[Mark]:
    """Where the replacements stand in the sanitized text."""
    marks, moved = [], 0
    for edit in edits:
        start = edit.start + moved
        marks.append(Mark(start, start + len(edit.replacement), PUT, edit.step))
        moved += len(edit.replacement) - (edit.end - edit.start)
    return marks


def leak_passage(case: LeakCase) -> Passage:
    """Return a leak with its place in the sanitized text."""
    facts = [("System", case.system), ("Attribute", case.attribute), ("True value", case.value)]
    if case.guess:
        facts.append(("Guess from the sanitized text", case.guess))
    if case.original_guess:
        facts.append(("Guess from the original", case.original_guess))
    marks = [Mark(place.start, place.end, CUT, case.attribute) for place in case.places]
    return Passage(
        f"{case.kind.capitalize()} leak in {case.id}",
        tuple(facts),
        (Column("Sanitized text", cut_up(case.text, marks)),),
    )
