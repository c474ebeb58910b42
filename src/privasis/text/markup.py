"""A copy of a text without the markup and escapes that may run through a value."""

from __future__ import annotations

import re
from html import unescape
from typing import Final
from urllib.parse import unquote

from privasis.text.fold import fold_layer
from privasis.text.layers import FoldedText, substitute, whole
from privasis.types import Span

_INLINE: Final = (
    "a|abbr|b|bdi|bdo|big|cite|code|del|dfn|em|font|i|ins|kbd|mark|q|s|samp|small|span|strike|strong|sub|sup"
    "|tt|u|var|wbr"
)
_MARKUP: Final = re.compile(
    rf"(?P<inline></?(?:{_INLINE})(?:\s[^<>]*+)?/?>)"
    r"|(?P<block></?[a-z!][^<>]*+>|<!--|-->)"
    r"|(?P<entity>&(?:\#\d{1,7}|\#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,31});)"
    r"|(?P<soft>=\r?\n)"
    r"|(?P<quoted>(?:=[0-9a-f]{2})++)|(?P<percent>(?:%[0-9a-f]{2})++)"
    r"|(?P<json>\\u[0-9a-f]{4})|(?P<control>\\[nrt])|(?P<escape>\\(?=[!-/:-@\[-`{-~]))"
    r"|(?P<emphasis>\*{1,3}(?=\S)|(?<=\S)\*{1,3}|~~|`+|(?<![^\W_])_{1,3}(?=[^\W_])|(?<=[^\W_])_{1,3}(?![^\W_]))",
    re.IGNORECASE,
)


def fold_markup(text: str) -> FoldedText:
    """Fold a text as it reads once its markup is rendered and its escapes are decoded.

    Tags inside words, Markdown emphasis, character references, percent and quoted-printable codes and JSON
    escapes no longer hide a value: ``<b>Zo</b>fia``, ``**Zo**fia``, ``Zo&#102;ia``. A further level beside
    ``fold``, not in its place: what tags themselves say, such as a ``title``, is to be seen there only.
    """
    return fold_layer(substitute(whole(text), _MARKUP, _rendered))


def _rendered(found: re.Match[str]) -> str:
    match found.lastgroup:
        case "block" | "control":
            return " "
        case "entity":
            return unescape(found[0])
        case "quoted":
            return unquote(found[0].replace("=", "%"))
        case "percent":
            return unquote(found[0])
        case "json":
            return chr(int(found[0][2:], 16))
        case _:
            return ""


_TAG: Final = re.compile(r"</?[a-z!][^<>]*+>|<!--|-->", re.IGNORECASE)


def without_tags(text: str, span: Span) -> tuple[Span, ...]:
    """Part a span at the tags inside it, so that an edit of what is left keeps the document well-formed."""
    parts: list[Span] = []
    place = span.start
    for tag in _TAG.finditer(text, span.start, span.end):
        if tag.start() > place:
            parts.append(Span(place, tag.start()))
        place = tag.end()
    if place < span.end:
        parts.append(Span(place, span.end))
    return tuple(parts)
