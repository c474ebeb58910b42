"""Words for kinds of values, in the languages that people write instructions and labels in."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

from privasis.text.fold import fold, strip_accents

NOT_BEFORE: Final = r"(?<![a-zà-ɏ\u0370-\u04ff])"  # Arabic and Hebrew write "and" onto the word
_NOT_AFTER: Final = r"(?![a-zà-ɏ\u0370-\u04ff])"
_ALPHABETIC: Final = re.compile(r"[a-zà-ɏ\u0370-\u04ff]")


@dataclass(frozen=True, slots=True)
class Named:
    """A kind of value named in a phrase; offsets are on the folded phrase."""

    start: int
    end: int
    kind: str


@cache
def words_of(kind: str) -> tuple[str, ...]:
    """Return the words for a kind, folded and without accents; a ``*`` at the end stands for any ending."""
    return _table()[kind]


def kinds_in(phrase: str) -> tuple[Named, ...]:
    """Find the kinds that a phrase names, in order; of overlapping ones the longest.

    Args:
        phrase: Folded and without accents (``plain``).
    """
    found = [
        Named(match.start(), match.end(), kind)
        for kind, pattern in _patterns()
        for match in pattern.finditer(phrase)
    ]
    found.sort(key=lambda named: (named.start - named.end, named.start))
    kept: list[Named] = []
    for named in found:
        if all(named.end <= other.start or named.start >= other.end for other in kept):
            kept.append(named)
    return tuple(sorted(kept, key=lambda named: named.start))


def plain(phrase: str) -> str:
    """Fold a phrase and strip its accents, blanks at its ends left alone."""
    return strip_accents(fold(phrase)).text


def as_pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    """Compile words to a pattern that finds the longest of them; ``*`` at the end is any ending."""
    return re.compile("|".join(map(_expression, sorted(words, key=len, reverse=True))))


def _expression(word: str) -> str:
    stem = word.removesuffix("*")
    escaped = re.escape(stem).replace(r"\ ", r"\s").replace(r"\?", ".").replace("'", "['’]?")
    left = NOT_BEFORE if _ALPHABETIC.match(stem[0]) else ""
    if word.endswith("*"):
        return f"{left}{escaped}[^\\W\\d_]*"
    return f"{left}{escaped}{_NOT_AFTER if _ALPHABETIC.match(stem[-1]) else ''}"


def _entries(listed: str) -> Iterator[str]:
    for entry in re.split(r"[,\n]", listed):
        if entry.strip():
            yield plain(entry.strip())


@cache
def _table() -> dict[str, tuple[str, ...]]:
    source = files("privasis.cleaner").joinpath("vocabulary.toml").read_text("utf-8")
    return {kind: tuple(dict.fromkeys(_entries(listed))) for kind, listed in tomllib.loads(source).items()}


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((kind, as_pattern(words)) for kind, words in _table().items())
