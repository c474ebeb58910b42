"""E-mail addresses, handles and web addresses in other spellings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from privasis.text.borders import word_bounds
from privasis.text.fold import bare
from privasis.text.layers import FoldedText
from privasis.text.reading import Reading
from privasis.text.spans import Match, find_verbatim, occurrences

_SHORTEST: Final = 5
# Local parts that belong to an office rather than to a person.
_OFFICES: Final = frozenset(
    (
        "info",
        "contact",
        "admin",
        "office",
        "support",
        "hello",
        "mail",
        "sales",
        "help",
        "noreply",
        "no-reply",
        "team",
    )
)


def find_email(reading: Reading, value: str) -> Iterator[Match]:
    """Find an address spelled out ("x at example dot org", "x[AT]example.org"), and its local part alone."""
    address = bare(value)
    for start in occurrences(reading.spoken.text, address):
        end = start + len(address)
        if word_bounds(reading.spoken.text, start, end) is not None:
            span = reading.spoken.span(start, end)
            yield Match(span, span, "obfuscated")
    local = address.partition("@")[0]
    if len(local) >= _SHORTEST and local not in _OFFICES:
        for match in find_verbatim(reading.bare, local):
            yield Match(match.span, match.core, "email_local")


def find_handle(reading: Reading, value: str) -> Iterator[Match]:
    """Find a user name with or without its at sign."""
    name = value.strip().lstrip("@")
    for match in find_verbatim(reading.bare, name):
        yield _with_sign(reading.bare.original, match)


def _with_sign(text: str, match: Match) -> Match:
    if text[max(0, match.span.start - 1) : match.span.start] != "@":
        return match
    if text[max(0, match.span.start - 2) : match.span.start - 1].isalnum():
        return match  # the domain of an e-mail address
    span = type(match.span)(match.span.start - 1, match.span.end)
    return Match(span, match.core, "handle")


_SCHEME: Final = re.compile(r"^(?:[a-z][a-z0-9+.\-]*://)?(?:www\.)?")
_BEFORE: Final = re.compile(r"(?:[a-z][a-z0-9+.\-]{0,9}://)?(?:www\.)?$")


def find_url(reading: Reading, value: str) -> Iterator[Match]:
    """Find a web address with or without its scheme, ``www.`` and last slash."""
    address = _SCHEME.sub("", bare(value)).rstrip("/")
    if "." not in address:
        return
    layer: FoldedText = reading.bare
    for start in occurrences(layer.text, address):
        end = start + len(address)
        if word_bounds(layer.text, start, end) is None:
            continue
        head = _BEFORE.search(layer.text[max(0, start - 16) : start])
        first = start - len(head[0]) if head else start
        last = (
            end + 1
            if layer.text[end : end + 1] == "/" and layer.text[end + 1 : end + 2].strip() == ""
            else end
        )
        yield Match(layer.span(first, last), layer.span(start, end), "url")
