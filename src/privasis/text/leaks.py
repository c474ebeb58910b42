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
    folded = _fold(text)
    return [_encode(value.casefold()) in folded for value in values]


def _fold(text: str) -> bytes:
    """Case-fold a text into UTF-8, in which substrings are the same as among code points."""
    raw = _encode(text)
    other = raw.translate(None, _ASCII).decode("utf-8", "surrogatepass")
    return raw.lower() if other.casefold() == other else _encode(text.casefold())


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
