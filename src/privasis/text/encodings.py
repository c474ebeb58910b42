"""Values in the coats that programs give them: percent, base64, escapes; and reversed or spaced out."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import quote

from privasis.text.borders import word_bounds
from privasis.text.fold import fold
from privasis.text.layers import FoldedText
from privasis.text.spans import Match, occurrences
from privasis.types import Span

_SHORTEST: Final = 5  # characters of a value
_SHORTEST_BASE64: Final = 6  # characters of the code that do not depend on their neighbours
_BASE64_RUN: Final = re.compile(r"[A-Za-z0-9+/_\-]++={0,2}")
_SPACERS: Final = (" ", "-", ".", "_", "*")


def find_encoded(folded: FoldedText, value: str) -> Iterator[Match]:
    """Find a value percent-encoded, escaped as in JSON, in base64 at any alignment, reversed or spaced."""
    sought = value.strip()
    if len(sought) < _SHORTEST:
        return
    for form, needle in {**_escaped(sought), **_rearranged(fold(sought).text)}.items():
        for start in occurrences(folded.text, needle):
            bounds = word_bounds(folded.text, start, start + len(needle))
            if bounds is not None:
                span = folded.span(start, start + len(needle))
                yield Match(span, span, form.partition(" ")[0])
    yield from _find_base64(folded.original, sought)


def _escaped(value: str) -> dict[str, str]:
    """Write a value in codes for single characters, where that makes a difference."""
    coded = quote(value, safe="", errors="replace").lower()
    plain = fold(value).text
    forms = {
        "slug": re.sub(r"[\W_]+", "-", plain),
        "slug under": re.sub(r"[\W_]+", "_", plain),
        "percent_encoded": coded,
        "percent_encoded form": coded.replace("%20", "+"),
        "escaped": value.encode("ascii", "backslashreplace").decode().lower().replace("\\x", "\\u00"),
        "quoted_printable": coded.replace("%", "="),
        "quoted_printable header": coded.replace("%20", "_").replace("%", "="),
    }
    if not any(map(str.isalpha, plain)):
        forms = {form: needle for form, needle in forms.items() if not form.startswith("slug")}
    return {form: needle for form, needle in forms.items() if needle != plain}


def _rearranged(plain: str) -> dict[str, str]:
    letters = re.sub(r"[\W_]", "", plain)
    # With fewer than two letters nothing is spaced out: the form would be found everywhere.
    spacers = _SPACERS if len(letters) > 1 else ()
    forms = {f"spaced {spacer}": spacer.join(letters) for spacer in spacers}
    return forms | {"reversed": plain[::-1]} if plain != plain[::-1] else forms


def _find_base64(text: str, value: str) -> Iterator[Match]:
    """Find the characters of a base64 text that only the value's bytes decide, whatever stands around it."""
    for written in {value, value.lower(), value.upper(), value.title()}:
        for needle in _base64_needles(written.encode("utf-8", "replace")):
            last = 0
            for start in occurrences(text, needle):
                if start >= last:  # one match for a run
                    match = _run_around(text, start)
                    last = match.span.end
                    yield match


def _base64_needles(data: bytes) -> Iterator[str]:
    for before in range(3):
        after = -(before + len(data)) % 3
        code = base64.b64encode(bytes(before) + data + bytes(after)).decode("ascii")
        # of 3 bytes in 4 characters, those that share bits with a neighbour's byte are left out
        needle = code[(before * 8 + 5) // 6 : len(code) - (after * 8 + 5) // 6]
        if len(needle) >= _SHORTEST_BASE64:
            yield needle


def _run_around(text: str, place: int) -> Match:
    first = place
    while first > 0 and _BASE64_RUN.match(text[first - 1]):
        first -= 1
    run = _BASE64_RUN.match(text, first)
    span = Span(first, run.end() if run else place + 1)
    return Match(span, span, "base64")
