"""Postal addresses and organisations in shorter or other forms."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from privasis.text.fold import bare
from privasis.text.reading import Reading
from privasis.text.spans import Match, find_verbatim

# Street words and their abbreviations, bare.
_STREET_WORDS: Final = """
street st
road rd
avenue ave av
boulevard blvd
lane ln
drive dr
court ct
place pl
square sq
terrace ter
highway hwy
parkway pkwy
apartment apt
suite ste
building bldg
floor fl
north n
south s
east e
west w
strasse str
"""
_SYNONYMS: Final = tuple(tuple(line.split()) for line in _STREET_WORDS.strip().splitlines())

_LEGAL_FORMS: Final = (
    r"inc|ltd|limited|llc|llp|lp|plc|corp|corporation|co|company|gmbh|ag|kg|ug|e\.v|s\.?a|s\.?r\.?l|b\.?v|n\.?v"
    r"|oy|ab|as|a/s|pty|pte|sp\. z o\.o"
)
_LEGAL_FORM: Final = re.compile(rf",?\s(?:{_LEGAL_FORMS})\.?$")
_GENERIC: Final = """
hospital clinic university college school institute foundation group bank church association society
department office agency services service center centre trust partners associates practice ministries
international company library museum hotel restaurant cafe laboratory laboratories pharmacy council
"""
_GENERIC_WORDS: Final = frozenset(_GENERIC.split())
_SMALL_WORDS: Final = frozenset(
    ("of", "the", "and", "for", "de", "la", "le", "der", "die", "das", "und", "&")
)
_SHORTEST_ACRONYM: Final = 3
_SHORTEST_JOINED: Final = 6


def find_address(reading: Reading, value: str) -> Iterator[Match]:
    """Find the parts of an address that have a number in them, with street words short or in full."""
    parts = [part.strip() for part in re.split(r"[,;\n]", value)]
    numbered = [part for part in parts if re.search(r"\d", part) and re.search(r"[^\W\d_]", part)]
    for part in dict.fromkeys((value, *numbered)):
        for spelling in _spellings(bare(part)):
            for match in find_verbatim(reading.bare, spelling):
                yield Match(match.span, match.core, "address_part")


def _spellings(part: str) -> Iterator[str]:
    yield part
    for synonyms in _SYNONYMS:
        for word in synonyms:
            found = re.search(rf"(?<![^\W_]){word}\.?(?![^\W_])", part)
            if found is None:
                continue
            for other in synonyms:
                if other != word:
                    yield part[: found.start()] + other + part[found.end() :]


def find_organization(reading: Reading, value: str) -> Iterator[Match]:
    """Find an organisation without its legal form or its kind, by its initials, and joined in a domain."""
    name = _LEGAL_FORM.sub("", bare(value))
    words = [word for word in re.findall(r"[^\W_]+", name) if word not in _SMALL_WORDS]
    for short in _short_names(name):
        for match in find_verbatim(reading.bare, short):
            yield Match(match.span, match.core, "short_name")
    acronym = "".join(word[0] for word in words)
    if len(acronym) >= _SHORTEST_ACRONYM:
        yield from _acronyms(reading, acronym)
    joined = {"".join(words), "".join(word for word in words if word not in _GENERIC_WORDS), acronym}
    joined = {word for word in joined if len(word) >= _SHORTEST_ACRONYM}
    for token in reading.tokens:
        if token.kind != "identifier" and _holds(token.pieces, joined):
            yield Match(token.span, token.span, token.kind)


def _holds(pieces: tuple[str, ...], joined: set[str]) -> bool:
    if not joined.isdisjoint(pieces):
        return True
    whole = "".join(pieces)
    return any(len(word) >= _SHORTEST_JOINED and word in whole for word in joined)


def _short_names(name: str) -> Iterator[str]:
    """Yield the name without its legal form, and without its kind where two words are left."""
    yield name
    words = name.split()
    while len(words) > 2 and words[-1] in _GENERIC_WORDS:
        words.pop()
        yield " ".join(words)


def _acronyms(reading: Reading, acronym: str) -> Iterator[Match]:
    for needle in (acronym, ".".join(acronym)):
        for match in find_verbatim(reading.bare, needle):
            if reading.bare.original[match.core.start : match.core.end].isupper():
                yield Match(match.span, match.core, "acronym")
