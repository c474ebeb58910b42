"""Words that are made for machines: e-mail addresses, handles, web addresses, paths, identifiers."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from privasis.text.fold import bare
from privasis.text.layers import FoldedText
from privasis.text.name_tables import EXTENSIONS
from privasis.text.scripts import UNSPACED
from privasis.types import Span

TokenKind = Literal["email", "handle", "url", "path", "identifier"]


@dataclass(frozen=True, slots=True)
class Token:
    """A machine's word, or the component of one, that can hold a person's name.

    Attributes:
        span: What has to go if it does, on the original text: an address or handle whole, of paths and URLs
            one component, of a file name the part before its extension.
        kind: What it is.
        pieces: Its runs of letters, folded, without accents, parted at digits, punctuation and camel humps.
    """

    span: Span
    kind: TokenKind
    pieces: tuple[str, ...]


_TOKEN: Final = re.compile(rf"(?:[^\W{UNSPACED}]|[.+%~@/\\:&=?#$\-])++")
_MADE: Final = re.compile(r"[@/\\_~=%]|[^\W\d_]\.[^\W\d_]|[^\W\d_]\d|\d[^\W\d_]")
_HUMP: Final = re.compile(r"[a-zà-öø-ÿ][A-ZÀ-ÖØ-Þ]")
_COMPONENT: Final = re.compile(r"[^/\\:?&=#@]++")
_HOST: Final = re.compile(r"(?:[a-z][a-z0-9+.\-]*://|www\.)|[\w\-]+(?:\.[\w\-]+)*\.[a-z]{2,}/")
_DOMAIN: Final = re.compile(r"[\w\-]+(?:\.[\w\-]+)*\.(?P<top>com|org|net|edu|gov|info|example|[a-z]{2})")
_LETTERS: Final = re.compile(r"[^\W\d_]++")
_CAMEL: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_A-Za-z]+")


def find_tokens(layer: FoldedText) -> tuple[Token, ...]:
    """Find machine-made words in a bare text and part them. Linear in its length."""
    humps = [found.start() for found in _HUMP.finditer(layer.original)]
    return tuple(
        token
        for found in _TOKEN.finditer(layer.text)
        if _MADE.search(found[0]) or (humps and _has_hump(layer, found, humps))
        for token in _parted(layer, *_trimmed(found))
    )


def _has_hump(layer: FoldedText, found: re.Match[str], humps: list[int]) -> bool:
    span = layer.span(found.start(), found.end())
    place = bisect_left(humps, span.start)
    return place < len(humps) and humps[place] < span.end - 1


def _trimmed(found: re.Match[str]) -> tuple[int, int]:
    text = found[0]
    head = len(text) - len(text.lstrip(".-:?&=+"))
    return found.start() + head, found.end() - (len(text) - len(text.rstrip(".:?&=-+#")))


def _parted(layer: FoldedText, start: int, end: int) -> Iterator[Token]:
    text = layer.text
    domain = _DOMAIN.fullmatch(text, start, end)
    is_domain = domain is not None and domain["top"] not in EXTENSIONS
    is_url = is_domain or _HOST.match(text, start, end) is not None
    is_path = not is_url and re.search(r"[/\\]", text[start:end]) is not None
    kind: TokenKind = "url" if is_url else "path" if is_path else "identifier"
    components = [found.span() for found in _COMPONENT.finditer(text, start, end)]
    host_seen = False
    for number, (first, last) in enumerate(components):
        joined = number + 1 < len(components) and text[last : components[number + 1][0]] == "@"
        if joined:
            yield _token(layer, first, components[number + 1][1], "email", first)
        elif text[first - 1 : first] == "@" and first - 1 >= start:
            if number == 0 or text[components[number - 1][1] : first] != "@":
                yield _token(layer, first, last, "handle", first - 1)
        elif is_url and not host_seen and "." in text[first:last]:
            host_seen = True
            yield _token(layer, first, last, "url", start, end)
        else:
            yield _token(layer, first, _stem_end(text, first, last), kind, first)


def _token(
    layer: FoldedText, first: int, last: int, kind: TokenKind, start: int, end: int | None = None
) -> Token:
    return Token(layer.span(start, end or last), kind, _pieces(layer, first, last))


def _stem_end(text: str, first: int, last: int) -> int:
    dot = text.rfind(".", first + 1, last)
    return dot if dot > 0 and text[dot + 1 : last] in EXTENSIONS else last


def _pieces(layer: FoldedText, first: int, last: int) -> tuple[str, ...]:
    span = layer.span(first, last)
    written = layer.original[span.start : span.end]
    if not _HUMP.search(written):
        return tuple(_LETTERS.findall(layer.text, first, last))
    return tuple(_bare_piece(piece) for piece in _CAMEL.findall(written))


@lru_cache(maxsize=4096)
def _bare_piece(piece: str) -> str:
    return bare(piece)
