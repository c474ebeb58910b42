"""ROUGE-L between short values (Lin, 2004): the longest common subsequence of their words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from privasis.text.scripts import UNSPACED
from privasis.text.words import words

_IS_UNSPACED = re.compile(f"[{UNSPACED}]")


def rouge_l(one: str, other: str) -> float:
    """Return the F1 of the longest common subsequence of words, 0 to 1; case does not count.

    Where a script has no spaces, its characters are taken for words.
    """
    a, b = _units(one), _units(other)
    common = _common(a, b)
    return 2 * common / (len(a) + len(b)) if common else 0.0


def _units(text: str) -> list[str]:
    found = words(text.casefold())
    return [unit for word in found for unit in (word if _IS_UNSPACED.match(word) else (word,))]


def _common(a: Sequence[str], b: Sequence[str]) -> int:
    row = [0] * (len(b) + 1)
    for word in a:
        diagonal = 0
        for place, other in enumerate(b, start=1):
            above = row[place]
            row[place] = diagonal + 1 if word == other else max(above, row[place - 1])
            diagonal = above
    return row[-1]
