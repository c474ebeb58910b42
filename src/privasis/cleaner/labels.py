"""Find values by the words before them: "SSN 078-05-1120", ``PASSWORD=...``, ``"pan": "5555-..."``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from privasis.cleaner.vocabulary import as_pattern, words_of
from privasis.text.reading import Reading
from privasis.types import Span

# Kinds whose values have a digit in them: a label and a blank are enough.
_NUMBERED_TABLE: Final = """
ssn passport licence plate account id card iban phone postcode ip number birth_date date age room bic
time amount
"""
_NUMBERED: Final = frozenset(_NUMBERED_TABLE.split())
# Kinds whose values may be any word: only a sign or a verb between label and value tells.
_WORDY_TABLE: Final = """
password secret handle host city country organization bic plate licence passport id account
"""
_WORDY: Final = frozenset(_WORDY_TABLE.split())
_FILLER: Final = (
    r"(?:[\s_\-]?(?:numbers?|numero|nummer|no|nr|num|n[°º]|card|code|id|name"
    r"|value|address|key|of birth)(?![a-z])\.?){0,2}"
)
_SIGN: Final = r"[\"'*_)\]]{0,4}\s?(?:[:=#：]|(?:is|was|lautet|ist|est|es|e|jest|=>|->)(?=\s)|は|是|为|:)\s?"
_OPENS: Final = r"(?:\{\s?\"[\w\-]{1,30}\"\s?:\s?)?[\"'*_`\[]{0,3}"
_NUMBER_VALUE: Final = (
    r"(?P<value>[a-z]{0,4}[\-/ .]?(?:\+|\()?\d[\w()]*+(?:[\-/. ]{1,2}\(?\d[\w)]*+|[\-/.]\w++){0,7})"
)
_QUOTED_VALUE: Final = (
    r"(?P<value>(?<=\")[^\"\n]{1,200}(?=\")|[^\s\"'<>{}\[\],;|][^\"'<>{}\[\],;"
    r"|\n]{0,80}?)(?=\s{2}|[\"'<>{}\[\],;|\n]|\.(?:\s|$)|\s(?:and|und|et|y"
    r"|e)\s|$)"
)
_WORD_VALUE: Final = r"(?P<value>[^\s\"'<>{}\[\],;|]{1,120})"
_SECRETS: Final = frozenset({"password", "secret", "handle", "host"})


def labelled(reading: Reading, kind: str) -> Iterator[Span]:
    """Yield the values that stand behind a label of their kind.

    Args:
        reading: The text.
        kind: A kind of the vocabulary.
    """
    layer = reading.bare
    for pattern in _patterns(kind):
        for found in pattern.finditer(layer.text):
            value = found["value"].rstrip(" .,;:!?-/")
            if value:
                start = found.start("value")
                yield layer.span(start, start + len(value))


@cache
def _patterns(kind: str) -> tuple[re.Pattern[str], ...]:
    label = rf"(?:{as_pattern(words_of(kind)).pattern})"
    patterns = []
    if kind in _NUMBERED:
        patterns.append(rf"{label}{_FILLER}(?:{_SIGN}|\s|[：:])\s?{_OPENS}{_NUMBER_VALUE}")
    if kind in _SECRETS:
        patterns.append(rf"{label}{_FILLER}{_SIGN}{_OPENS}{_WORD_VALUE}")
    elif kind in _WORDY:
        patterns.append(rf"{label}{_FILLER}{_SIGN}{_OPENS}{_QUOTED_VALUE}")
    return tuple(map(re.compile, patterns))
