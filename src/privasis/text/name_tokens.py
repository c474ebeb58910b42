"""Names inside e-mail addresses, handles, URLs, paths and identifiers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from privasis.text.layers import FoldedText
from privasis.text.name_tables import CAPITALISED_WORDS
from privasis.text.names import PersonName, is_common
from privasis.text.reading import Reading
from privasis.text.scripts import is_border
from privasis.text.spans import Match, occurrences
from privasis.text.tokens import Token, TokenKind

_SHORTEST: Final = 3  # letters of a part that may stand alone
_SHORTEST_WORD: Final = 5  # letters of a user name among other words
_SHORTEST_INSIDE: Final = 6  # letters of a part that is looked for in the middle of a run of letters
_SHORTEST_CUT: Final = 5  # letters that are left of a family name cut off for a user name ("brandz")
_HOSTS: Final[frozenset[TokenKind]] = frozenset({"email", "handle", "url"})

# What people put before and behind their names in user names.
_AFFIX: Final = re.compile(
    r"(?:dr|mr|mrs|ms|prof|the|real|its|im|iam|my|hey|team|ask|mail|x)?(?P<core>[^\W\d_]+?)"
    r"(?:cv|resume|jr|sr|md|phd|esq|official|family|home|work|mail|art|photos?|dev|online|hq|xo|x|s)?"
)


def find_in_tokens(reading: Reading, name: PersonName) -> Iterator[Match]:
    """Find the machine-made words that hold a name: a part, parts joined, an initial with a part, cut off."""
    strong = frozenset(part for part in name.roles() if len(part) >= _SHORTEST and not _is_word(part))
    weak = frozenset(name.roles()) - strong
    joined = _joined(name)
    for token in reading.tokens:
        if _holds(token, strong, weak, joined):
            yield Match(token.span, token.span, token.kind)
    for word in joined:
        if len(word) >= _SHORTEST_WORD:
            yield from _as_word(reading.bare, word, name)


def _as_word(layer: FoldedText, word: str, name: PersonName) -> Iterator[Match]:
    """Find a user name that looks like any other word: "login: zbrandt".

    With a capital it may be somebody else's name ("Nicola" is not A. Nicolaides), unless nothing was cut off.
    """
    first, last = "".join(name.given), "".join(name.family)
    uncut = word in {first, last, first + last, last + first}
    for start in occurrences(layer.text, word):
        if not (is_border(layer.text, start) and is_border(layer.text, start + len(word))):
            continue
        if uncut or not layer.is_capital(start):
            span = layer.span(start, start + len(word))
            yield Match(span, span, "handle")


def _is_word(part: str) -> bool:
    return is_common(part) or part in CAPITALISED_WORDS


def _joined(name: PersonName) -> frozenset[str]:
    """Write a name in all the ways of user names: zofiabrandt, zbrandt, brandtz, zofiab, zmbrandt, brandz."""
    family = (*name.family, "".join(name.family), *([name.joined_family] if name.particles else []))
    given = (*name.given, *name.nicknames, "".join(name.given))
    initials = {part[0] for part in given if part} | {"".join(part[0] for part in name.given)}
    found: set[str] = {whole for whole in (family[-1], given[-1]) if whole and not _is_word(whole)}
    for last in filter(None, family):
        found |= {first + last for first in given if first} | {last + first for first in given if first}
        found |= {first + last[0] for first in given if len(first) >= _SHORTEST}
        if len(last) >= _SHORTEST:
            found |= {start + last for start in initials} | {last + start for start in initials}
        for length in range(_SHORTEST_CUT, len(last)):
            found |= {start + last[:length] for start in initials}
            found |= {last[:length] + start for start in initials}
    return frozenset(found) - set(name.roles())


def _holds(token: Token, strong: frozenset[str], weak: frozenset[str], joined: frozenset[str]) -> bool:
    if not strong.isdisjoint(token.pieces) or not joined.isdisjoint(token.pieces):
        return True
    if len(weak.intersection(token.pieces)) > 1:  # "will_rose"
        return True
    if token.kind == "email" and token.pieces and token.pieces[0] in weak:  # "will@"
        return True
    whole = strong | joined
    for piece in set(token.pieces):
        core = _AFFIX.fullmatch(piece)
        if core and core["core"] in whole:
            return True
        if token.kind in _HOSTS and any(len(part) >= _SHORTEST_INSIDE and part in piece for part in strong):
            return True
    return False
