"""Take a stretch out of a text and mend what grammar needs around it (§3.1, item 3: drop)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from privasis.types import Span

_NEAR: Final = 60  # characters on either side that are looked at; never beyond the line

_TITLE: Final = re.compile(
    r"(?<![^\W_])(?:Mr|Mrs|Ms|Miss|Mx|Dr|Prof|Professor|Sir|Dame|Rev|Herrn?|Frau|Mme|Mlle|Monsieur|Madame|Sr|Sra|Srta"
    r"|Señora?|Signora?|MR|MRS|MS|DR)\.?[ \u00a0]$"
)
_POSSESSIVE: Final = re.compile(r"(?:['’ʼ＇][sS]|[sS]?['’ʼ＇](?=[ \u00a0]))(?![^\W_])")
_BLANK: Final = r"[ \t\u00a0]"
_CONJUNCTION: Final = r"(?:and|or|&|und|oder|et|ou|y|e|o|en|og|och|и|i)"
_LEADING_CONJUNCTION: Final = re.compile(rf"{_BLANK}{_CONJUNCTION}{_BLANK}")
_CONJUNCTION_BEFORE: Final = re.compile(rf"(?P<comma>,?){_BLANK}{_CONJUNCTION}{_BLANK}$")
_PREPOSITION: Final = r"(?:by|from|with|of|to|at|in|on|for|near|von|mit|bei|aus|de|par|avec)"
_PREPOSITION_BEFORE: Final = re.compile(rf"(?<=[^\W\d_]){_BLANK}{_PREPOSITION}(?:{_BLANK}the)?{_BLANK}?$")
_CLOSES: Final = re.compile(rf"{_BLANK}?(?:[.!?;,。！？]|$)")
# After one of these a preposition has nothing left to govern.
_PREPOSITION_AFTER: Final = (
    r"(?:by|from|with|to|at|in|on|for|near|about|after|before|during|since|until|and|but)"
)
_ENDS_PHRASE: Final = re.compile(rf"[.!?,](?:\s|['\"’”)]|$)|\)|{_BLANK}{_PREPOSITION_AFTER}(?![^\W_])")
_COMMA_BEFORE: Final = re.compile(rf",{_BLANK}$")
_OPENS_CLAUSE: Final = re.compile(rf"(?:^|[.!?;:\[{{>\"“„«|–—]|(?<![^\W_])\(){_BLANK}*$")
_ARTICLE: Final = re.compile(r"(?<![^\W_])(?P<a>[Aa])(?P<n>n?)(?P<blank> )$")
_PAIRS: Final = {"(": ")", "“": "”", "„": "“", "«": "»", "‘": "’", '"': '"'}
_EMPHASIS: Final = ("***", "**", "*", "~~", "__", "_", "`")
_CODE: Final = re.compile(r"[{}=<>\\]|\"\s*[:,\]]|[:,\[]\s*\"")


@dataclass(frozen=True, slots=True)
class Dropped:
    """What to replace so that a stretch is gone: usually a little more than the stretch, by nothing."""

    span: Span
    replacement: str


@dataclass(frozen=True, slots=True)
class _Gap:
    """The line around the stretch: what stays before and after it, and what stands in its place."""

    before: str
    after: str
    put: str = ""


def drop(text: str, span: Span) -> Dropped:
    """Take a stretch out and mend its direct neighbourhood, on the same line.

    What goes along: a title left over ("Mr"), a possessive ending, an empty pair of brackets, quotes or
    emphasis marks, a comma or conjunction that joined it, a preposition before the end of a phrase, one of
    two blanks, a blank before punctuation. "An" becomes "a" where the next word asks for it. A label keeps
    its colon; brackets, quotes and commas of JSON, code, tables and markup stay.

    Args:
        text: The text.
        span: The stretch, not empty.

    Returns:
        A span that contains ``span``, and what takes its place.
    """
    before = text[max(0, span.start - _NEAR) : span.start].rpartition("\n")[2]
    after = re.split(r"[\r\n]", text[span.end : span.end + _NEAR], maxsplit=1)[0]
    gap = _Gap(before, after)
    for mend in (_title_and_ending, _empty_pair, _joints, _preposition, _blanks, _article):
        gap = mend(gap)
    start = span.start - (len(before) - len(gap.before))
    end = span.end + (len(after) - len(gap.after))
    return Dropped(Span(start, end), gap.put)


def _title_and_ending(gap: _Gap) -> _Gap:
    title = _TITLE.search(gap.before)
    ending = _POSSESSIVE.match(gap.after)
    before = gap.before[: title.start()] if title else gap.before
    return _Gap(before, gap.after[ending.end() :] if ending else gap.after)


def _empty_pair(gap: _Gap) -> _Gap:
    """Close up brackets, quotes and emphasis that enclose nothing any more, if they are prose."""
    for mark in _EMPHASIS:
        if gap.before.endswith(mark) and gap.after.startswith(mark):
            return _Gap(gap.before[: -len(mark)], gap.after[len(mark) :])
    closer = _PAIRS.get(gap.before[-1:])
    if closer is None or not gap.after.startswith(closer) or gap.before[-2:-1].isalnum():
        return gap
    if gap.before[-1] == '"' and (_CODE.search(gap.before) or _CODE.search(gap.after[1:])):
        return gap
    if gap.before[-2:-1] in {"]", "\\"}:  # the address of a Markdown link, an escape
        return gap
    return _Gap(gap.before[:-1], gap.after[1:])


def _joints(gap: _Gap) -> _Gap:
    """Remove the comma or conjunction that joined the stretch to its neighbours."""
    opens = _OPENS_CLAUSE.search(gap.before) is not None
    conjunction = _CONJUNCTION_BEFORE.search(gap.before)
    following = _LEADING_CONJUNCTION.match(gap.after)
    if conjunction and (following or _CLOSES.match(gap.after) or _is_list(gap.before[: conjunction.start()])):
        return _Gap(gap.before[: conjunction.start()], gap.after)
    if following and opens:
        return _Gap(gap.before, gap.after[following.end() :])
    if following and _COMMA_BEFORE.search(gap.before):
        return _Gap(gap.before[:-2], gap.after)
    if opens and re.match(rf",{_BLANK}", gap.after) and not _CODE.search(gap.before):
        return _Gap(gap.before, gap.after[2:])
    if _COMMA_BEFORE.search(gap.before) and re.match(r"[,;.!?)]", gap.after):
        return _Gap(gap.before[:-2], gap.after)
    return gap


def _is_list(before: str) -> bool:
    """Tell whether what stands before a conjunction is an item like the stretch, not a clause: a name."""
    word = re.search(r"[^\W_]+$", before)
    return word is not None and word[0][0].isupper()


def _preposition(gap: _Gap) -> _Gap:
    found = _PREPOSITION_BEFORE.search(gap.before)
    if found and _ENDS_PHRASE.match(gap.after):
        return _Gap(gap.before[: found.start()], gap.after)
    return gap


def _blanks(gap: _Gap) -> _Gap:
    """Leave one blank of two, and none before punctuation or at the end of the line, except of a label."""
    after_blank = re.match(_BLANK, gap.after) is not None
    if after_blank and (re.search(rf"{_BLANK}$", gap.before) or not gap.before.strip()):
        return _Gap(gap.before, gap.after[1:])
    in_prose = re.search(rf"[^\W_]['\"’”»)]?[.!?,;]?{_BLANK}+$", gap.before) is not None
    if in_prose and re.match(r"[,.;:!?)。，、](?![^\W_])|$", gap.after):
        return _Gap(gap.before.rstrip(" \t\u00a0"), gap.after)
    return gap


def _article(gap: _Gap) -> _Gap:
    """Let the article agree with the word that now follows: "an Ipswich nurse", "a nurse"."""
    article = _ARTICLE.search(gap.before)
    if article is None or not gap.after[:1].isalpha():
        return gap
    vowel = gap.after[0] in "aeioAEIO"
    if vowel == bool(article["n"]) or gap.after[0] in "uUhH":
        return gap
    return _Gap(gap.before[: article.start()], gap.after, article["a"] + ("n " if vowel else " "))
