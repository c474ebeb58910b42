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
