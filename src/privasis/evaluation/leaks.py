"""Direct leaks and exact retention: what strings alone can tell (§4.2, Appendix D).

Two readings stand beside each other. The paper's: the value, in any case, is a substring of the text. The
stricter one looks for a value in all its written forms (other date formats, name parts, regrouped digits)
and at word borders, so "12/03/2024" betrays "March 12, 2024" and "lawyers" does not betray "lawyer".
"""

from __future__ import annotations

from collections.abc import Sequence

from privasis.text.diff import diff_edits
from privasis.text.edits import changed_fraction
from privasis.text.forms import find_forms
from privasis.text.kinds import kind_of
from privasis.text.reading import Reading
from privasis.types import Span

_ASCII = bytes(range(128))
_BETWEEN = "\x00"


def contained(text: str, values: Sequence[str]) -> list[bool]:
    """Tell for each value whether it stands in the text, in any case (the paper's reading).

    The same as ``value.casefold() in text.casefold()`` for each; the text is folded once.
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


def strict_spans(text: str | Reading, name: str, values: Sequence[str]) -> tuple[Span, ...]:
    """Return every place of an attribute's values in all their forms, sorted (the stricter reading).

    Args:
        text: The text to search, or the text as read once where several attributes are sought.
        name: Of the attribute: it tells what kind of value is looked for.
        values: The attribute's values.
    """
    found = {match.span for value in values for match in find_forms(text, value, kind_of(name, value))}
    return tuple(sorted(found))


def over_edit(original: str, sanitized: str, targets: Sequence[Span]) -> float:
    """Return the share of the characters outside the targets that were changed, 0 to 1.

    The two texts are compared by a diff of their words; what stands in a target's place does not count, and
    an insertion elsewhere counts with its length. Deleting everything gives 1, copying the text 0.

    Args:
        original: The text before.
        sanitized: The text after.
        targets: Where the targets stand in the original; they may overlap.
    """
    if original == sanitized:
        return 0.0
    edits = diff_edits(original, sanitized, target="", step="diff")
    return changed_fraction(original, edits, targets)
