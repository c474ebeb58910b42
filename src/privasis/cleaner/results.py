"""The nouns of the Cleaner: what is wished, what was found, what became of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from privasis.types import Edit, Span

WishAction = Literal["drop", "abstract", "code", "keep"]
RiskReason = Literal["left", "structure", "undecodable"]


@dataclass(frozen=True, slots=True)
class Wish:
    """One thing that a user wants done (the paper's target z with its label, or a retention target).

    Attributes:
        what: The user's own words for it, such as ``the patient's phone number``.
        action: ``drop`` and ``abstract`` as in §3.1; ``code`` puts a placeholder; ``keep`` protects.
        values: Values that the user wrote out; empty where only a kind of value is named.
        whose: Whose value it is: a role ("patient") or a name; empty for anybody's.
        code: For ``code``: a template with ``{n}`` (a number for each entity), ``{kind}`` or ``{last2}``.
    """

    what: str
    action: WishAction
    values: tuple[str, ...] = ()
    whose: str = ""
    code: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """A place of the original text that a wish is about."""

    span: Span
    wish: int  # its place among the wishes
    kind: str


@dataclass(frozen=True, slots=True)
class Risk:
    """What could not be cleaned, by its place in the ORIGINAL text; never the value itself."""

    reason: RiskReason
    wish: int
    where: str  # for a person: "line 3", "part word/comments.xml"


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A cleaned text and all that was done; ``apply_edits(original, edits) == text``, exactly.

    Attributes:
        text: The new text. Not to be used as a clean one while ``risks`` is not empty.
        edits: Sorted and disjoint, on the original; the text outside them is the same to the last character.
        findings: What was found, on the original.
        risks: What is left in ``text`` all the same.
        unfound: Places in ``wishes`` of those of which nothing was found.
        wishes: What the instruction was read as.
    """

    text: str
    edits: tuple[Edit, ...]
    findings: tuple[Finding, ...]
    risks: tuple[Risk, ...]
    unfound: tuple[int, ...]
    wishes: tuple[Wish, ...]

    @property
    def is_clean(self) -> bool:
        """Tell whether nothing that was to go is left."""
        return not self.risks
