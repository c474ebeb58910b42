"""A folded copy of a text for searching, with the way back to the original.

Folding is done on a copy only: no text that leaves the program was ever normalised. What is folded:
compatibility forms and case (NFKC, casefold), default-ignorable characters (zero-width, soft hyphen, bidi
controls, variation selectors), apostrophes, quotes and dashes, decimal digits of every script, letters that
look like Latin ones, and whitespace: a run of it, a line break, a break inside a quoted reply (``> ``) is one
space; a word hyphenated at a line end is one word. ``strip_accents`` is the second level.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from privasis.text.graphemes import attaches
from privasis.text.layers import FoldedText, stacked, substitute
from privasis.text.lookalikes import BARE_LETTERS, IGNORABLE, LOOKALIKES, OPTIONAL_MARKS


def fold(text: str) -> FoldedText:
    """Fold a text for searching. Linear in its length."""
    return _close_gaps(_fold_characters(text))


def fold_layer(layer: FoldedText) -> FoldedText:
    """Fold a copy of a text that was changed before, such as one without its markup."""
    return stacked(fold(layer.text), layer)


def bare(text: str) -> str:
    """Fold a short text, such as a value, at both levels."""
    return strip_accents(fold(text)).text.strip()


def strip_accents(folded: FoldedText) -> FoldedText:
    """Fold further: letters lose their accents, Arabic and Hebrew their optional marks."""
    if folded.text.isascii():
        return folded
    return substitute(folded, _ACCENTED, lambda found: _bare(found[0]))


# Characters that fold one to one and never combine with their neighbours: the fast road for whole runs.
_PLAIN: Final = (
    "\x00-\x7f\xa1-\xa7\xa9\xab\xac\xae\xb0\xb1\xb6\xb7\xbb\xbf-\xde\xe0-\xff\u0100-\u012f\u0134-\u013e\u0141-\u0148"
    "\u014a-\u017e\u0391-\u03a1\u03a3-\u03ab\u03b1-\u03c9\u0400-\u0482\u048a-\u052f\u05d0-\u05ea\u0621-\u064a"
    "\u2010-\u2016\u2018-\u2023\u3001-\u3029\u3041-\u3096\u30a1-\u30fe\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3"
)
_SPECIAL: Final = re.compile(f"[^{_PLAIN}]+")
_PLAIN_TABLE: Final = str.maketrans(
    {c: f for c, f in {**LOOKALIKES, "ς": "σ"}.items() if re.fullmatch(f"[{_PLAIN}]", c)}
)


def _fold_characters(text: str) -> FoldedText:
    if text.isascii():
        places = np.arange(len(text) + 1, dtype=np.int32)
        return FoldedText(text, _fold_plain(text), places[:-1], places[1:])
    parts: list[str] = []
    starts, ends = array("i"), array("i")
    done = 0
    for special in _SPECIAL.finditer(text):
        first, last = special.span()
        if first > done and (attaches(text[first]) or _ignored(text[first])):
            first -= 1  # the base of a combining mark goes with it
        _append_plain(text, done, first, parts, starts, ends)
        _append_clusters(text, first, last, parts, starts, ends)
        done = last
    _append_plain(text, done, len(text), parts, starts, ends)
    return FoldedText(text, "".join(parts), np.asarray(starts, np.int32), np.asarray(ends, np.int32))


def _fold_plain(segment: str) -> str:
    lowered = segment.lower()
    return lowered.replace("`", "'") if segment.isascii() else lowered.translate(_PLAIN_TABLE)


def _append_plain(
    text: str, start: int, end: int, parts: list[str], starts: array[int], ends: array[int]
) -> None:
    if start == end:
        return
    parts.append(_fold_plain(text[start:end]))
    starts.extend(range(start, end))
    ends.extend(range(start + 1, end + 1))


# Longer heaps of marks are cut, as Unicode's stream-safe format does: sorting them is quadratic.
_LONGEST_CLUSTER: Final = 32


def _append_clusters(
    text: str, start: int, end: int, parts: list[str], starts: array[int], ends: array[int]
) -> None:
    place = start
    while place < end:
        stop = reach = place + 1
        longest = min(end, place + (1 if _ignored(text[place]) else _LONGEST_CLUSTER))
        while reach < longest and (attaches(text[reach]) or _ignored(text[reach])):
            reach += 1
            if attaches(text[reach - 1]):
                stop = reach  # ignorable characters belong to a cluster only if a mark follows them
        piece = "-" if _is_hyphenation(text, place) else _fold_cluster(text[place:stop])
        parts.append(piece)
        starts.extend([place] * len(piece))
        ends.extend([stop] * len(piece))
        place = stop


_IGNORABLE: Final = re.compile(f"[{IGNORABLE}]+")


@lru_cache(maxsize=4096)
def _ignored(character: str) -> bool:
    return _IGNORABLE.match(character) is not None


def _is_hyphenation(text: str, place: int) -> bool:
    return text[place] == "\u00ad" and text[place + 1 : place + 2] in {"\n", "\r"}


@lru_cache(maxsize=65536)
def _fold_cluster(cluster: str) -> str:
    if cluster in LOOKALIKES:
        return LOOKALIKES[cluster]
    seen = _IGNORABLE.sub("", unicodedata.normalize("NFKC", cluster))
    seen = unicodedata.normalize("NFKC", seen.replace("\u0130", "i").casefold())
    return "".join(_fold_one(character) for character in seen)


def _fold_one(character: str) -> str:
    folded = LOOKALIKES.get(character)
    if folded is not None:
        return folded
    digit = unicodedata.decimal(character, None)
    return character if digit is None else str(digit)


_NEWLINE: Final = "\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029"
_BLANK: Final = f"[^\\S{_NEWLINE}]"
_GAP: Final = re.compile(
    # a hyphen (or quoted-printable's "=") at a line end, inside a word
    rf"(?P<join>(?<=[^\W\d_])[-=]{_BLANK}*+(?:[{_NEWLINE}](?:{_BLANK}|>)*+)++(?=[^\W\d_]))"
    # line breaks with the marks of quoted replies and comments; runs of blanks; a blank that is no space
    rf"|(?<!\s){_BLANK}*+(?:[{_NEWLINE}](?:{_BLANK}|>|(?:#|//)(?=\s))*+)++"
    rf"|(?<!\s)(?:{_BLANK}{{2,}}+|[^\S ])"
)


def _close_gaps(folded: FoldedText) -> FoldedText:
    """Make each run of whitespace one space, and words of what a line end has divided."""
    keep: NDArray[np.bool_] | None = None
    parts: list[str] = []
    done = 0
    for gap in _GAP.finditer(folded.text):
        if keep is None:
            keep = np.ones(len(folded.text), np.bool_)
        start, end = gap.span()
        parts.append(folded.text[done:start])
        if gap["join"] is None:
            parts.append(" ")
            start += 1
        keep[start:end] = False
        done = end
    if keep is None:
        return folded
    parts.append(folded.text[done:])
    return FoldedText(folded.original, "".join(parts), folded.starts[keep], folded.ends[keep])


_ACCENTED: Final = re.compile("[^\x00-\x7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
_OPTIONAL: Final = re.compile(f"[{OPTIONAL_MARKS}]+")


@lru_cache(maxsize=4096)
def _bare(character: str) -> str:
    plain = BARE_LETTERS.get(character)
    if plain is not None:
        return plain
    base = _OPTIONAL.sub("", unicodedata.normalize("NFD", character))
    return "".join(LOOKALIKES.get(letter, letter) for letter in unicodedata.normalize("NFC", base))
