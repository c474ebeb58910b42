"""The paper's direct leak: the value stands in the text, in any case (§4.2)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

_ASCII: Final = bytes(range(128))


def contains_direct(text: str, value: str) -> bool:
    """Tell whether a value leaks directly: a substring of the text, both case-folded."""
    return value.casefold() in text.casefold()


def direct_leaks(text: str, values: Iterable[str]) -> list[bool]:
    """Tell for each of many values whether it leaks directly; the same verdicts as ``contains_direct``.

    Case-folding is the costly part, so the text is folded once, and bytewise where only its ASCII letters
    have case. An Aho-Corasick automaton takes longer to build for one text's values than it saves.
    """
    folded = _fold_narrow(text)
    return [(value if value.isascii() else _narrow(value)) in folded for value in map(str.casefold, values)]


def _fold_narrow(text: str) -> str:
    coded = text.encode("utf-8", "surrogatepass")
    other = coded.translate(None, _ASCII).decode("utf-8", "surrogatepass")
    return coded.lower().decode("latin-1") if other.casefold() == other else _narrow(text.casefold())


def _narrow(text: str) -> str:
    """Write each byte of a text's UTF-8 as one character: substrings stay the same, and are found faster."""
    return text.encode("utf-8", "surrogatepass").decode("latin-1")
