"""Words and sentences in every script, as far as counting and chunking need them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from privasis.text.scripts import UNSPACED

_KANA: Final = "\u3041-\u309f\u30a1-\u30ff\uff66-\uff9f"
_HAN: Final = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_MARK: Final = (
    "\u0300-\u036f\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0900-\u0903\u093a-\u094f\u0962\u0963\u200c\u200d"
)

_WORD: Final = re.compile(
    rf"[{_HAN}]++|[{_KANA}]++|[{UNSPACED}]++"
    rf"|(?:[^\W{UNSPACED}]|[{_MARK}])++(?:['’.@\-‐‑](?:[^\W{UNSPACED}]|[{_MARK}])++)*+"
)

# Mean length of a word in characters, by what segmenters count on running text: about 1.6 for Chinese
# characters, 2.5 for kana between them, 4 for Thai, Lao, Khmer, Myanmar and Tibetan. Good to a fifth.
_HAN_LENGTH: Final = 1.6
_KANA_LENGTH: Final = 2.5
_OTHER_UNSPACED_LENGTH: Final = 4.0
_IS_HAN: Final = re.compile(f"[{_HAN}]")
_IS_KANA: Final = re.compile(f"[{_KANA}]")
_IS_UNSPACED: Final = re.compile(f"[{UNSPACED}]")


def words(text: str) -> list[str]:
    """List the words of a text in order; a run of a script without spaces is one item."""
    return _WORD.findall(text)


def count_words(text: str) -> int:
    """Count the words of a text in any language.

    In scripts with spaces a word is a run of letters, digits and marks, with apostrophes, hyphens, dots
    and at signs inside it ("don't", "3.5", "a@b.org" are one each). Where a script has no spaces the number
    is estimated from the mean length of its words.
    """
    found = words(text)
    if not _IS_UNSPACED.search(text):
        return len(found)
    spaced, estimate = 0, 0.0
    for word in found:
        if not _IS_UNSPACED.match(word):
            spaced += 1
        elif _IS_HAN.match(word):
            estimate += len(word) / _HAN_LENGTH
        elif _IS_KANA.match(word):
            estimate += len(word) / _KANA_LENGTH
        else:
            estimate += len(word) / _OTHER_UNSPACED_LENGTH
    return spaced + round(estimate)


def share_unspaced(text: str) -> float:
    """Tell which share of a text's letters and digits belongs to scripts without spaces."""
    found = words(text)
    total = sum(map(len, found))
    return sum(len(word) for word in found if _IS_UNSPACED.match(word)) / total if total else 0.0


_END: Final = re.compile(
    r"(?P<wide>[。！？｡‼⁇⁈⁉]++[」』）”’\"'〉》】]*+\s*+)"
    r"|[.!?…؟۔।॥։]++[\"'’”»)\]]*+\s++"
)
# After one of these a full stop ends no sentence. Lower case, without the stop.
_ABBREVIATIONS: Final = frozenset(
    re.findall(
        r"\S+",
        """
        mr mrs ms mx dr prof st sr jr rev hon gen col capt lt sgt no nos nr vol fig al inc ltd co corp dept
        est e.g i.e eg ie cf vs etc approx ca art sec ch pp p.o ph.d m.d u.s z.b bzw bspw usw str hr fr abs
        mme mlle m sra dra av jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri sat sun
        """,
    )
)
_LAST_WORD: Final = re.compile(r"[\w.]++\Z")
_LONGEST_ABBREVIATION: Final = 8
_DEEPEST_ITEM: Final = 8  # by how many blanks a list's item may be indented


def sentence_ends(text: str, start: int, end: int) -> Iterator[int]:
    """Yield the offsets within ``text[start:end]`` at which a new sentence begins.

    A full stop after an abbreviation ("Dr."), an initial ("Z. Brandt") or before a lower-case word ends
    nothing.
    """
    for found in _END.finditer(text, start, end):
        if found["wide"] is None and not _ends_sentence(text, found):
            continue
        yield found.end()


def _ends_sentence(text: str, found: re.Match[str]) -> bool:
    if not found[0].startswith("."):
        return True
    if text[found.end() : found.end() + 1].islower():
        return False
    word = _LAST_WORD.search(text[max(0, found.start() - _LONGEST_ABBREVIATION - 1) : found.start()])
    if word is None:
        return True
    single = len(word[0]) == 1 and word[0].isupper()
    return not (single or _is_ordinal(text, found, word[0]) or word[0].lower() in _ABBREVIATIONS)


_MONTH: Final = re.compile(
    r"(?:jan|feb|mar|mär|apr|ma[iy]|jun|jul|aug|sep|o[ck]t|nov|de[cz])\w*+", re.IGNORECASE
)


def _is_ordinal(text: str, found: re.Match[str], word: str) -> bool:
    """Tell whether a number with a stop is a day ("3. March") or the number of a list's item."""
    if not word.isdecimal() or len(word) > 3:
        return False
    start = found.start() - len(word)
    before = text[max(0, start - _DEEPEST_ITEM) : start]
    starts_line = ("\n" in before or start == len(before)) and not before.rpartition("\n")[2].strip()
    return starts_line or _MONTH.match(text, found.end()) is not None
