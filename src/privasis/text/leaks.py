"""The paper's direct leak: the value stands in the text, in any case (§4.2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

_ASCII: Final = bytes(range(128))
_BETWEEN: Final = "\x00"


def contains_direct(text: str, value: str) -> bool:
    """Tell whether a value leaks directly: a substring of the text, both case-folded."""
    return value.casefold() in text.casefold()


def direct_leaks(text: str, values: Sequence[str]) -> list[bool]:
    """Tell for each of many values whether it leaks directly; the same verdicts as ``contains_direct``.

    Case-folding is the costly part, so the text is folded once, and the values together. An Aho-Corasick
    automaton takes longer to build for one text's values than it saves.
    """
    folded = _folded(text)
    needles = _folded(_BETWEEN.join(values)).split(_BETWEEN)
    if len(needles) != len(values):  # a value holds the separator, or there is none
        needles = [_folded(value) for value in values]
    return [needle in folded for needle in needles]


def _folded(text: str) -> str:
    """``text.casefold()`` in UTF-8, each byte as a character of its own.

    Verdicts are the same, since no character's bytes begin inside another's, and bytes are quick to fold and
    search. Most texts hold dashes and accents but no capital beyond ASCII: those bytes stay as they are.
    """
    if text.isascii():
        return text.lower()
    raw = text.encode("utf-8", "surrogatepass")
    beyond = raw.translate(None, _ASCII).decode("utf-8", "surrogatepass")
    if beyond.casefold() == beyond:
        return raw.lower().decode("latin-1")
    return text.casefold().encode("utf-8", "surrogatepass").decode("latin-1")
