"""Read a rewritten text as edits on the one it came from."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Final

from privasis.text.edits import common_prefix, common_suffix
from privasis.text.scripts import UNSPACED
from privasis.types import Edit

_TOKEN: Final = re.compile(rf"[^\W{UNSPACED}]++|\s++|.", re.DOTALL)
# A stretch without common rare tokens is compared token by token only up to this many pairs of tokens.
_SMALL: Final = 40_000
_DEPTH: Final = 8  # how often the search for anchors goes on inside a stretch between anchors

Block = tuple[int, int, int, int]
"""Tokens ``a[0]:a[1]`` of the original stand where ``b[2]:b[3]`` stand in the changed text."""


def diff_edits(original: str, changed: str, *, target: str, step: str) -> tuple[Edit, ...]:
    """Find the edits that turn one text into the other, in whole words.

    ``apply_edits(original, diff_edits(original, changed, ...)) == changed`` always. Changes that only blanks
    part from each other are one edit. Near-equal texts take linear time: their common start and end are set
    aside, then words that occur once in both anchor the rest.

    Args:
        original: The text before.
        changed: The text after.
        target: The target that every edit is to name.
        step: The step that every edit is to name.
    """
    head = common_prefix(original, changed)
    tail = common_suffix(original[head:], changed[head:])
    head, tail = _to_word_borders(original, changed, head, tail)
    a = _tokens(original, head, len(original) - tail)
    b = _tokens(changed, head, len(changed) - tail)
    a_words = [original[i:j] for i, j in pairwise(a)]
    b_words = [changed[i:j] for i, j in pairwise(b)]
    blocks = _across_blanks(_differing(a_words, b_words), a_words)
    return tuple(Edit(a[i], a[j], changed[b[k] : b[m]], target, step) for i, j, k, m in blocks)


def _to_word_borders(original: str, changed: str, head: int, tail: int) -> tuple[int, int]:
    """Give back so much of the common start and end that no word is torn."""
    while head > 0 and _joins(original, head) | _joins(changed, head):
        head -= 1
    while tail > 0 and _joins(original, len(original) - tail) | _joins(changed, len(changed) - tail):
        tail -= 1
    return head, tail


def _joins(text: str, place: int) -> bool:
    if place <= 0 or place >= len(text):
        return False
    pair = text[place - 1 : place + 1]
    found = _TOKEN.match(pair)
    return found is not None and found.end() == 2


def _tokens(text: str, start: int, end: int) -> list[int]:
    """List where tokens begin, and where the last one ends."""
    return [*(found.start() for found in _TOKEN.finditer(text, start, end)), end]


def _differing(a: Sequence[str], b: Sequence[str], depth: int = 0) -> Iterator[Block]:
    """Compare two token lists by patience: anchors first, then what lies between them."""
    i = k = 0
    for anchor_a, anchor_b in [*_anchors(a, b), (len(a), len(b))]:
        for block in _gap(a[i:anchor_a], b[k:anchor_b], depth):
            yield block[0] + i, block[1] + i, block[2] + k, block[3] + k
        i, k = anchor_a + 1, anchor_b + 1


def _anchors(a: Sequence[str], b: Sequence[str]) -> list[tuple[int, int]]:
    """Pair the tokens that occur once in each list, as many as keep their order."""
    once_a, once_b = _unique(a), _unique(b)
    pairs = [(place, once_b[token]) for token, place in once_a.items() if token in once_b]
    tails: list[int] = []  # smallest end of an increasing run of each length
    indices: list[int] = []
    before: list[int] = []
    for number, (_, place) in enumerate(pairs):
        length = bisect_left(tails, place)
        tails[length : length + 1] = [place]
        indices[length : length + 1] = [number]
        before.append(indices[length - 1] if length else -1)
    chain: list[tuple[int, int]] = []
    number = indices[-1] if indices else -1
    while number >= 0:
        chain.append(pairs[number])
        number = before[number]
    return chain[::-1]


def _unique(tokens: Sequence[str]) -> dict[str, int]:
    places: dict[str, int] = {}
    repeated: set[str] = set()
    for place, token in enumerate(tokens):
        if token in places:
            repeated.add(token)
        places[token] = place
    return {token: place for token, place in places.items() if token not in repeated}


def _gap(a: Sequence[str], b: Sequence[str], depth: int) -> Iterator[Block]:
    """Compare what lies between two anchors: set aside what is equal, then match the rest."""
    head, most = 0, min(len(a), len(b))
    while head < most and a[head] == b[head]:
        head += 1
    tail = 0
    while tail < most - head and a[-1 - tail] == b[-1 - tail]:
        tail += 1
    a, b = a[head : len(a) - tail], b[head : len(b) - tail]
    for i, j, k, m in _match(a, b, depth):
        yield i + head, j + head, k + head, m + head


def _match(a: Sequence[str], b: Sequence[str], depth: int) -> Iterator[Block]:
    if not a and not b:
        return
    if a and b and len(a) * len(b) <= _SMALL:
        for tag, i, j, k, m in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
            if tag != "equal":
                yield i, j, k, m
    elif a and b and depth < _DEPTH:
        yield from _differing(a, b, depth + 1)
    else:
        yield 0, len(a), 0, len(b)


def _across_blanks(blocks: Iterable[Block], a: Sequence[str]) -> list[Block]:
    """Make one change of those that only blanks lie between."""
    joined: list[Block] = []
    for block in blocks:
        if joined and all(token.isspace() for token in a[joined[-1][1] : block[0]]):
            i, _, k, _ = joined.pop()
            block = (i, block[1], k, block[3])
        joined.append(block)
    return joined
