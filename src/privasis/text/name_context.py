"""Whether a part of a name that stands alone means the person, by what stands around it."""

from __future__ import annotations

import re
from typing import Final

from privasis.text.layers import FoldedText
from privasis.text.name_tables import CAPITALISED_WORDS, OPENERS, TITLES
from privasis.text.names import PersonName, Role, is_common
from privasis.types import Span

_TITLE_BEFORE: Final = re.compile(rf"(?<![^\W_])(?:{'|'.join(map(re.escape, sorted(TITLES)))})\.?\s$")
_LONGEST_TITLE: Final = 16
_WORD: Final = re.compile(r"[^\W\d_]++")
_NEXT_WORD: Final = re.compile(r"[ \u00a0](?P<word>[^\W\d_]++)(?P<dot>\.?)")
_LAST_WORD: Final = re.compile(r"(?P<word>[^\W\d_]++)[ \u00a0]$")
_OPENS_SENTENCE: Final = re.compile(r"(?:^|[.!?…;\n\r\"“”«»•]|[.!?]['’)])\s*$")
_LINE_ENDS: Final = re.compile(r"[ \t.,!]*(?:[\n\r:]|\Z)")
_NEAR: Final = 40


def stands_for_the_person(layer: FoldedText, span: Span, role: Role, name: PersonName) -> bool:
    """Tell whether a lone part of a name is one.

    A title before it always says so. A part that is also an ordinary word ("Will", "Rose") counts only with a
    capital, not where every word has one, not beside another capitalised word, and not at the start of a
    sentence if it is a word that sentences start with; months and the like not at all. A first name followed
    by somebody else's family name is somebody else.

    Args:
        layer: The text, folded and without accents.
        span: Where the part stands in ``layer.text``.
        role: Which part it is.
        name: The whole name.
    """
    if _TITLE_BEFORE.search(layer.text[max(0, span.start - _LONGEST_TITLE) : span.start]):
        return True
    word = _WORD.match(layer.text, span.start)
    part = word[0] if word else ""
    stands = layer.span(span.start, span.end)
    before = layer.original[max(0, stands.start - _NEAR) : stands.start]
    after = layer.original[stands.end : stands.end + _NEAR]
    if part in CAPITALISED_WORDS:
        return False
    if is_common(part):
        return _is_used_as_name(part, layer.original[stands.start : stands.end], before, after)
    return not (role in {"given", "nickname"} and name.family and _is_somebody_else(before, after))


def _is_used_as_name(part: str, written: str, before: str, after: str) -> bool:
    if len(written) > 1 and written.isupper():
        return False
    opens = _OPENS_SENTENCE.search(before) is not None
    alone = before.rpartition("\n")[2].strip(" \t>*-–—~") == "" and re.match(
        r"[ \t.,!]*(?:[\n\r:]|\Z)", after
    )
    if opens and part in OPENERS and not alone:
        return False
    following = _NEXT_WORD.match(after)
    if following and following["word"][0].isupper():
        return False
    preceding = _LAST_WORD.search(before)
    if preceding is None or not preceding["word"][0].isupper():
        return True
    return (
        _OPENS_SENTENCE.search(before[: preceding.start()]) is not None and preceding["word"].lower() != "the"
    )


def _is_somebody_else(before: str, after: str) -> bool:
    following = _NEXT_WORD.match(after)
    if following is None:
        return False
    word = following["word"]
    if word.lower() in CAPITALISED_WORDS | TITLES or word == "I":
        return False
    if len(word) == 1:
        return word.isupper() and following["dot"] == "."
    return word[0].isupper() and not word.isupper() and _has_small_letters(before + after[following.end() :])


def _has_small_letters(around: str) -> bool:
    """Tell whether the surroundings use capitals for names only, unlike a heading."""
    words = re.findall(r"[^\W\d_]{4,}", around)
    return any(word.islower() for word in words) or not words
