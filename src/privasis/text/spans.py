"""Find a value where it stands verbatim: exact but for case, Unicode forms and line breaks (§3.1, item 3)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from privasis.text.borders import word_bounds
from privasis.text.fold import fold
from privasis.text.layers import FoldedText
from privasis.types import Span


@dataclass(frozen=True, slots=True, order=True)
class Match:
    """A place in a text where a value stands.

    Attributes:
        span: All that goes when the value goes: with attached prefix letters and a possessive ending.
        core: The value itself, so that ``text[core]`` folds to the value or to a form of it.
        form: How it stands there: ``exact``, ``folded``, ``line_break``, ``possessive``, or a derived form.
    """

    span: Span
    core: Span
    form: str


def find_verbatim(text: str | FoldedText, value: str) -> tuple[Match, ...]:
    """Find a value as it stands, at word borders of its own script.

    Case, compatibility forms, ignorable characters, look-alike letters, digits of other scripts, and line
    breaks between words or by hyphenation do not hide it. A value that begins or ends with a letter or digit
    is not found inside a longer word ("Ann" in "Annual") or number; scripts without spaces have no such
    borders, and Arabic, Hebrew and Korean words may carry their attached particles.

    Args:
        text: The text, or its folded copy where several values are sought.
        value: The value; blank around it does not count, and an empty one is never found.

    Returns:
        Matches in order with disjoint spans.
    """
    folded = fold(text) if isinstance(text, str) else text
    found = [*_folded_matches(folded, value), *_raw_matches(folded.original, value.strip())]
    return disjoint(found)


def disjoint(matches: Iterable[Match]) -> tuple[Match, ...]:
    """Put matches in order and make them disjoint, so that every place any of them covers stays covered.

    A match inside another is left out, of two over the same span the later one; of two that overlap partly,
    the longer one is stretched over both.
    """
    kept: list[Match] = []
    for match in sorted(matches, key=lambda m: (m.span.start, -m.span.end)):
        if not kept or match.span.start >= kept[-1].span.end:
            kept.append(match)
        elif match.span.end > kept[-1].span.end:
            kept[-1] = _stretched(kept[-1], match)
    return tuple(kept)


def _stretched(first: Match, second: Match) -> Match:
    longer = max(first, second, key=lambda m: m.span.end - m.span.start)
    core = Span(min(first.core.start, second.core.start), max(first.core.end, second.core.end))
    return Match(Span(first.span.start, second.span.end), core, longer.form)


def _folded_matches(folded: FoldedText, value: str) -> Iterator[Match]:
    for needle, divided in _needles(fold(value).text.strip()):
        for bounds, core in _standing(folded.text, needle):
            match = _match(folded, bounds, core, value)
            stands = folded.original[match.core.start : match.core.end]
            if (divided and not _LINE_END.search(stands)) or _is_another_word(stands, value):
                continue
            yield match


def _standing(text: str, needle: str) -> Iterator[tuple[Span, Span]]:
    """Yield where a needle stands at word borders: its bounds and itself; overlapping places as one."""
    run: tuple[Span, Span] | None = None
    for start in occurrences(text, needle):
        bounds = word_bounds(text, start, start + len(needle))
        if bounds is None:
            continue
        if run and start < run[1].end:
            run = Span(run[0].start, bounds.end), Span(run[1].start, start + len(needle))
            continue
        if run:
            yield run
        run = bounds, Span(start, start + len(needle))
    if run:
        yield run


def _needles(whole: str) -> Iterator[tuple[str, bool]]:
    """Yield what to search for, and whether it counts only where a line end divides it."""
    if not whole:
        return
    yield whole, False
    for hyphen in re.finditer(r"(?<=[^\W\d_])-(?=[^\W\d_])", whole):
        yield whole[: hyphen.start()] + whole[hyphen.end() :], True
    if whole.startswith("ال"):  # after "to", the article loses its first letter
        yield "لل" + whole[2:], False


def occurrences(text: str, needle: str) -> Iterator[int]:
    """Yield every offset at which a needle begins, overlapping ones too."""
    start = text.find(needle)
    while start >= 0:
        yield start
        start = text.find(needle, start + 1)


def _match(folded: FoldedText, bounds: Span, place: Span, value: str) -> Match:
    core = folded.span(place.start, place.end)
    span = folded.span(bounds.start, bounds.end)
    stands = folded.original[core.start : core.end]
    if bounds.end > place.end and folded.text[bounds.end - 1] in "s'":
        return Match(span, core, "possessive")
    if bounds != place:
        return Match(span, core, "attached")
    if stands == value.strip():
        return Match(span, core, "exact")
    divided = _LINE_END.search(stands) and not _LINE_END.search(value)
    return Match(span, core, "line_break" if divided else "folded")


def _raw_matches(text: str, value: str) -> Iterator[Match]:
    """Find what folding may have changed at the value's edges: a hyphen at a line end, a comment's mark."""
    if not value or (value[0].isalnum() and value[-1].isalnum()):
        return
    for start in occurrences(text, value):
        bounds = word_bounds(text, start, start + len(value))
        if bounds is not None:
            yield Match(bounds, Span(start, start + len(value)), "exact")


_LINE_END: Final = re.compile(r"[\n\r]")
_LATIN: Final = re.compile(r"[a-zà-öø-ɏ]")
_SHORT_WORD: Final = 4


def _is_another_word(stands: str, value: str) -> bool:
    """Tell whether look-alike letters only happen to make a short word of one script look like another's."""
    if stands.isascii() and value.isascii():
        return False
    if sum(map(str.isalpha, stands)) > _SHORT_WORD:
        return False
    a, b = (unicodedata.normalize("NFKC", word).casefold() for word in (stands, value))
    return any(map(str.isalpha, a)) and bool(_LATIN.search(a)) != bool(_LATIN.search(b))
