"""A person's name in running text: whole, in parts, turned, with initials, with endings, abbreviated."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from privasis.text.borders import word_bounds
from privasis.text.fold import bare
from privasis.text.layers import FoldedText
from privasis.text.name_context import stands_for_the_person
from privasis.text.name_initials import find_initials
from privasis.text.name_misread import find_misread
from privasis.text.name_tables import HONORIFICS, PARTICLES
from privasis.text.names import PersonName, Role, is_common
from privasis.text.reading import Reading
from privasis.text.scripts import is_border, script_of
from privasis.text.spans import Match, occurrences
from privasis.types import Span

_LONGEST_GAP: Final = 16  # characters between two parts of one name: "van der ", " M. J. "
_SHORTEST_PLURAL: Final = 4
_SHORTEST_STEM: Final = 4


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of the name where it stands in the bare text; ``left``/``right`` take in what is attached."""

    start: int
    end: int
    left: int
    right: int
    role: Role
    form: str
    piece: str


def find_in_prose(reading: Reading, name: PersonName) -> Iterator[Match]:
    """Find the places at which a text names a person.

    Args:
        reading: The text.
        name: The name in pieces.
    """
    layer = reading.bare
    parts = [*_parts(layer, name), *_misread_parts(reading, name)]
    for run in _runs(layer, sorted(parts, key=lambda part: (part.left, -part.right))):
        yield from _as_match(layer, run, name)
    yield from find_initials(layer, name)


def _parts(layer: FoldedText, name: PersonName) -> Iterator[_Part]:
    for piece, written, role in _written(name):
        for start in occurrences(layer.text, written):
            part = _part(layer, start, start + len(written), role, piece)
            if part is not None and (not is_common(piece) or _has_capital_only_first(layer, part)):
                yield part
        yield from _inflected(layer, piece, role)


def _has_capital_only_first(layer: FoldedText, part: _Part) -> bool:
    """Tell whether a common word is written like a name; where all is in capitals, that shows nothing."""
    span = layer.span(part.start, part.end)
    written = layer.original[span.start : span.end]
    return written[0].isupper() and not (len(written) > 1 and written.isupper())


def _misread_parts(reading: Reading, name: PersonName) -> Iterator[_Part]:
    roles = name.roles()
    for piece, start, end in find_misread(reading, name):
        yield _Part(start, end, start, end, roles[piece], "look_alike", piece)


def _written(name: PersonName) -> Iterator[tuple[str, str, Role]]:
    for piece, role in name.roles().items():
        yield piece, piece, role
        if piece.startswith("ال"):  # after "to", the Arabic article loses its first letter
            yield piece, "لل" + piece[2:], role


def _part(layer: FoldedText, start: int, end: int, role: Role, piece: str) -> _Part | None:
    text = layer.text
    if script_of(text[start]) == "unspaced" and not _stands_unspaced(text, start, end, role):
        return None
    bounds = word_bounds(text, start, end)
    if bounds is None:
        return _plural(text, start, end, role, piece)
    form = "name_part"
    if (bounds.start, bounds.end) != (start, end):
        form = "possessive" if script_of(text[start]) == "spaced" else "attached"
    return _Part(start, end, bounds.start, bounds.end, role, form, piece)


def _stands_unspaced(text: str, start: int, end: int, role: Role) -> bool:
    """Tell whether a part of a name without spaces is long enough, or followed by an honorific."""
    if "\u30a0" <= text[start] <= "\u30ff":  # katakana runs are words
        return not re.match(r"[\u30a1-\u30fa\u30fc]", text[end : end + 1]) and not re.search(
            r"[\u30a1-\u30fa\u30fc]$", text[max(0, start - 1) : start]
        )
    return end - start > 1 or (role == "family" and re.match(HONORIFICS, text[end : end + 3]) is not None)


def _plural(text: str, start: int, end: int, role: Role, piece: str) -> _Part | None:
    """Take "the Brandts" and the German genitive for the name with an ending."""
    if end - start < _SHORTEST_PLURAL or is_common(text[start:end]) or not is_border(text, start):
        return None
    ending = re.compile(r"(?:es|s)(?![^\W_])").match(text, end)
    return _Part(start, end, start, ending.end(), role, "plural", piece) if ending else None


# Case endings of Slavic names in Cyrillic letters.
_CYRILLIC: Final = re.compile("[\u0400-\u04ff]")
_VOWELS: Final = frozenset(map(bare, "аеиоуыюяьй"))
_ENDINGS: Final = """
а е и о у ы ю я ой ей ою ею ом ем ым им ых их ого его ому ему ов ев ам ям ах ях ами ями ова овой
"""
_ENDING: Final = re.compile(rf"(?:{'|'.join(map(bare, _ENDINGS.split()))})(?![^\W\d_])")


def _inflected(layer: FoldedText, piece: str, role: Role) -> Iterator[_Part]:
    if not _CYRILLIC.search(piece):
        return
    stem = piece[:-1] if piece[-1] in _VOWELS else piece
    if len(stem) < _SHORTEST_STEM:
        return
    for start in occurrences(layer.text, stem):
        ending = _ENDING.match(layer.text, start + len(stem))
        end = ending.end() if ending else start + len(stem)
        if layer.text[start:end] != piece and is_border(layer.text, start) and is_border(layer.text, end):
            yield _Part(start, end, start, end, role, "inflected", piece)


_GAP: Final = re.compile(
    rf"\s?(?:[\-'_·・=.]|(?:{'|'.join(sorted(PARTICLES))}|[^\W\d_](?=[\s.]))(?:\.\s?|\s|'|-))*+"
)
_TURNED: Final = re.compile(r",\s?|;")


def _runs(layer: FoldedText, parts: list[_Part]) -> Iterator[list[_Part]]:
    """Join parts that make one mention: "Zofia", "M.", "Brandt"; "Brandt, Zofia"."""
    run: list[_Part] = []
    for number, part in enumerate(parts):
        if run and part.left < run[-1].right:
            if part.right > run[-1].right:
                run[-1] = part
            continue
        following = parts[number + 1] if number + 1 < len(parts) else None
        if run and not _belongs(layer, run, part, following):
            yield run
            run = []
        run.append(part)
    if run:
        yield run


def _belongs(layer: FoldedText, run: list[_Part], after: _Part, following: _Part | None) -> bool:
    before = run[-1]
    if after.piece in {part.piece for part in run}:
        return False
    if after.left - before.right > _LONGEST_GAP or before.form in {"plural", "possessive", "attached"}:
        return False
    gap = layer.text[before.right : after.left]
    if _TURNED.fullmatch(gap):
        if (
            following
            and following.role == "family"
            and _GAP.fullmatch(layer.text, after.right, following.left)
        ):
            return False  # not "Brandt, Zofia" but the next in a list: "Brandt, Zofia Brandt"
        return after.role != "family" and all(part.role == "family" for part in run)
    if not _GAP.fullmatch(gap):
        return False
    letters = re.finditer(r"(?<![^\W_])[^\W\d_](?![^\W_'])", gap)
    return all(layer.is_capital(before.right + letter.start()) for letter in letters)


_INITIALS_BEFORE: Final = re.compile(r"(?<![^\W_])(?:[^\W\d_]\.?[\s\-]?){1,4}$")
_INITIAL_AFTER: Final = re.compile(r"(?:,?\s)(?P<letter>[^\W\d_])(?![^\W_'])(?P<dot>\.(?=\s?[a-z,;)]|\s?$))?")
_REACH: Final = 12


def _as_match(layer: FoldedText, run: list[_Part], name: PersonName) -> Iterator[Match]:
    start, end, form = run[0].left, run[-1].right, run[-1].form
    core_start, core_end = run[0].start, run[-1].end
    if name.particles:
        start, end = _with_particles(layer, run, name)
        core_start, core_end = min(core_start, start), max(core_end, end)
    if run[0].role != "given" and (first := _initials_before(layer, start, name)) < start:
        start = core_start = first
        form = "initials"
    if run[-1].form == "name_part" and (last := _initial_after(layer, end, run[-1].role, name)) > end:
        end = core_end = last
        form = "initials"
    alone = len(run) == 1 and form != "initials"
    if alone and not stands_for_the_person(layer, Span(start, end), run[0].role, name):
        return
    if form == "name_part" and len(run) > 1:
        form = "turned" if run[0].role == "family" != run[-1].role else "name"
    elif form == "name_part" and run[0].role == "nickname":
        form = "nickname"
    yield Match(layer.span(start, end), layer.span(core_start, core_end), form)


def _with_particles(layer: FoldedText, run: list[_Part], name: PersonName) -> tuple[int, int]:
    """Take in "van" before a family name, and behind a name that was turned."""
    particle = rf"(?:{'|'.join(map(re.escape, name.particles))})"
    start, end = run[0].left, run[-1].right
    before = re.search(
        rf"(?<![^\W_])(?:{particle}[\s'\-]){{1,4}}$", layer.text[max(0, start - _REACH) : start]
    )
    after = re.compile(rf"(?:\s{particle}(?![^\W_'])){{1,4}}").match(layer.text, end)
    if run[0].role == "family" and before:
        start -= len(before[0])
    if run[-1].role != "family" and len(run) > 1 and after:
        end = after.end()
    return start, end


def _initials_before(layer: FoldedText, start: int, name: PersonName) -> int:
    """Take in capital initials before a family name, from the first that is one of a given name."""
    found = _INITIALS_BEFORE.search(layer.text[max(0, start - _REACH) : start])
    if found is None:
        return start
    first = start - len(found[0])
    for place in range(first, start):
        if not layer.text[place].isalpha():
            continue
        if layer.text[place] in {part[0] for part in name.given} and is_border(layer.text, place):
            letters = (n for n in range(place, start) if layer.text[n].isalpha())
            return place if all(map(layer.is_capital, letters)) else start
    return start


def _initial_after(layer: FoldedText, end: int, role: Role, name: PersonName) -> int:
    found = _INITIAL_AFTER.match(layer.text, end)
    others = name.given if role == "family" else name.family
    if found is None or found["letter"] not in {part[0] for part in others}:
        return end
    if "," in found[0] and role != "family":
        return end
    return found.end() if layer.is_capital(found.start("letter")) else end
