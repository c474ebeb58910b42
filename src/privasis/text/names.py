"""The parts of a person's name."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from privasis.text.fold import bare, fold
from privasis.text.name_tables import (
    COMMON_WORDS,
    COMPOUND_FAMILIES,
    NICKNAMES,
    PARTICLES,
    SUFFIXES,
    TITLES,
)
from privasis.text.scripts import script_of

Role = Literal["given", "family", "nickname"]

_SHORT: Final = 2  # letters: so short a part is treated like a common word
_LONG: Final = 4
_UMLAUTS: Final = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe"})


@dataclass(frozen=True, slots=True)
class PersonName:
    """A name in pieces, folded and without accents; a piece is a run of letters.

    Attributes:
        given: Pieces of first and middle names.
        family: Pieces of the family name, without particles ("van", "d'").
        nicknames: Short forms: those in the value, and the usual ones of the given names.
        particles: Words that go with the family name ("van", "de la", "o").
    """

    given: tuple[str, ...]
    family: tuple[str, ...]
    nicknames: tuple[str, ...]
    particles: tuple[str, ...]

    def roles(self) -> dict[str, Role]:
        """Map every piece to its role; what is both counts as family."""
        roles: dict[str, Role] = dict.fromkeys(self.nicknames, "nickname")
        roles |= dict.fromkeys(self.given, "given")
        roles |= dict.fromkeys(self.family, "family")
        if self.particles and len(self.joined_family) >= _LONG:
            roles[self.joined_family] = "family"  # "ONEIL", "Vangogh"
        return roles

    @property
    def joined_family(self) -> str:
        """The family name with its particles in one word."""
        return "".join((*self.particles, *self.family[:1]))


def parse_name(value: str) -> PersonName:
    """Part a name into pieces: titles and suffixes left out, "Last, First" turned, nicknames kept apart."""
    plain = bare(value)
    nicknames = tuple(re.findall(r"[\"'(]([^\W\d_]{2,})[\"')]", plain))
    plain = re.sub(r"\s[\"'(][^\W\d_]{2,}[\"')]", "", plain)
    before, comma, after = plain.partition(",")
    first_word = after.split()[:1]
    if comma and first_word and first_word[0].strip(".") not in SUFFIXES:
        given, family = _pieces(after), _pieces(before)
    else:
        given, family = _split(before)
    usual = tuple(name for piece in given for name in _usual_nicknames(piece))
    return PersonName(
        given=_with_umlauts(given, value),
        family=_with_umlauts(family, value),
        nicknames=tuple(dict.fromkeys((*nicknames, *usual))),
        particles=tuple(word for word in re.findall(r"[^\W\d_]+", before) if word in PARTICLES),
    )


def is_common(piece: str) -> bool:
    """Tell whether a part of a name is a word of its own or too short to tell."""
    return not piece or piece in COMMON_WORDS or (len(piece) <= _SHORT and script_of(piece[0]) == "spaced")


def _split(plain: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    words = [word for word in re.split(r"[\s・=]+", plain) if word.strip(".") not in TITLES | SUFFIXES]
    words = words or plain.split()
    if len(words) == 1:
        return _split_unspaced(words[0])
    at = next((n for n, word in enumerate(words) if n > 0 and word in PARTICLES), len(words) - 1)
    return _pieces(" ".join(words[:at])), _pieces(" ".join(words[at:])) or _pieces(words[-1])


def _split_unspaced(word: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Part a Chinese, Japanese or Korean name; a single word of another script has no known role."""
    if not word or script_of(word[0]) not in {"unspaced", "hangul"} or not 2 <= len(word) <= 4:
        return (), _pieces(word)
    if script_of(word[0]) == "hangul":
        return (word[1:],), (word[:1],)
    if not re.fullmatch(r"[\u3400-\u9fff]+", word):
        return (), (word,)
    width = 2 if word[:2] in COMPOUND_FAMILIES or len(word) == 4 else 1
    return (word[width:],), (word[:width],)


def _pieces(text: str) -> tuple[str, ...]:
    found = re.findall(r"(?:[^\W\d_]|[\u0300-\u036f\u0900-\u0dff\u0e31-\u0e4e])+", text)
    full = tuple(piece for piece in found if piece not in PARTICLES and len(piece) > 1)
    return tuple(piece for piece in full if piece not in TITLES | SUFFIXES) or full


def _usual_nicknames(piece: str) -> tuple[str, ...]:
    return next((names for stem, names in NICKNAMES.items() if piece.startswith(stem)), ())


def _with_umlauts(pieces: tuple[str, ...], value: str) -> tuple[str, ...]:
    """Add the spellings that mark an umlaut by a second vowel ("Mueller")."""
    written = fold(value).text
    if written.translate(_UMLAUTS) == written:
        return pieces
    spelled = {bare(word): bare(word.translate(_UMLAUTS)) for word in re.findall(r"[^\W\d_]+", written)}
    return tuple(dict.fromkeys((*pieces, *(spelled.get(piece, piece) for piece in pieces))))
