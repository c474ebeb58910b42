"""What every format is read into: leaves that may be changed, and the way back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Generic, NamedTuple, TypeVar

T = TypeVar("T", str, bytes)
WHOLE: Final = "text"  # where a leaf stands that is a whole file: its lines tell the place


def anything(_: str) -> bool:
    """Let any text stand in a leaf."""
    return True


@dataclass(frozen=True, slots=True)
class Leaf:
    """A stretch of text of a document, decoded, that may be changed without hurting the form.

    Attributes:
        where: Its place, for a person: "row 3, column 2". Never text of the document.
        text: What a reader sees: without escapes, folds and encodings.
        label: What the form calls it, such as its column's heading; finders read it, nobody changes it.
        fits: Tells whether a new text may stand there; one that may not is reported and never written.
    """

    where: str
    text: str
    label: str = ""
    fits: Callable[[str], bool] = anything


@dataclass(frozen=True, slots=True)
class Form(Generic[T]):
    """A document taken apart.

    Attributes:
        leaves: In the order in which a reader meets them.
        write: Puts the document together from a new text for each leaf; those that are the same leave all
            characters of the document around them the same.
        fixed: What is part of the form and never changed (keys, attributes), only searched for what is left.
    """

    leaves: tuple[Leaf, ...]
    write: Callable[[Sequence[str]], T]
    fixed: tuple[Leaf, ...] = ()


class Piece(NamedTuple):
    """Leaves of one part of a document, and what puts new texts for them back into it."""

    leaves: tuple[Leaf, ...]
    put: Callable[[Sequence[str]], None]


def one(leaf: Leaf, put: Callable[[str], None]) -> Piece:
    """Make a piece of a single leaf."""
    return Piece((leaf,), lambda texts: put(texts[0]))


def put_changed(pieces: Iterable[Piece], texts: Sequence[str]) -> None:
    """Hand every piece its new texts, unless they are the ones that it has."""
    start = 0
    for piece in pieces:
        new = texts[start : start + len(piece.leaves)]
        start += len(piece.leaves)
        if any(text != leaf.text for text, leaf in zip(new, piece.leaves, strict=True)):
            piece.put(new)


def inside(prefix: str, leaves: Iterable[Leaf]) -> tuple[Leaf, ...]:
    """Name the leaves of a document that stands in another one."""
    return tuple(replace(leaf, where=f"{prefix}, {leaf.where}") for leaf in leaves)
