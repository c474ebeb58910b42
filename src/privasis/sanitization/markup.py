"""The form that a text must keep: JSON inside it, tables, lists, headings, tags.

Code changes a value only inside the smallest unit that holds it (a JSON string, a table cell, a paragraph),
so that what separates units is never touched.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from privasis.types import Span

Unit = Literal["prose", "cell", "json_string", "json_literal"]

MOST_PROSE = 1000  # characters on each side of a span that grammar may look at
_JSON_START = re.compile(r'\{(?=\s*["}])|\[(?=\s*[{"\[])')
_JSON_TRIES = 2000  # places at which JSON is looked for: hostile texts stay linear
_JSON_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"|[^\s"{}\[\],:]++')
_SIGN = re.compile(
    r"^[ \t]*+(?:#{1,6}(?=[ \t])|[-*+](?=[ \t])|\d{1,3}[.)](?=[ \t])|>)|\|"
    r"|```|</?[A-Za-z][\w:\-]*(?:[\s/][^<>\n]{0,200})?>",
    re.MULTILINE,
)
_ATTRIBUTE_VALUE = re.compile(r"\"[^\"]*\"|'[^']*'")
_decoder = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class Frame:
    """The unit that holds a span: what may be looked at and changed for its sake."""

    unit: Unit
    start: int
    end: int


@lru_cache(maxsize=64)
def json_tokens(text: str) -> tuple[tuple[Span, ...], int]:
    """Return the strings (with their quotes) and literals of all JSON in a text, and the number of values.

    Linear: a part of a text that begins like JSON and is none is not looked at twice.
    """
    tokens: list[Span] = []
    regions = 0
    place = 0
    for _ in range(_JSON_TRIES):
        start = _JSON_START.search(text, place)
        if start is None:
            break
        try:
            _, end = _decoder.raw_decode(text, start.start())
        except json.JSONDecodeError as error:
            place = max(start.end(), error.pos)
            continue
        except RecursionError:
            break
        regions += 1
        tokens += [Span(*token.span()) for token in _JSON_TOKEN.finditer(text, start.start(), end)]
        place = end
    return tuple(tokens), regions


def frame_of(text: str, span: Span) -> Frame | None:
    """Return the unit of the text that holds a span; None where the span runs across structure."""
    tokens, _ = json_tokens(text)
    place = bisect_right(tokens, span.start, key=lambda token: token.start) - 1
    if place >= 0 and span.start < tokens[place].end:
        return _json_frame(text, span, tokens[place])
    if _is_row(text, span):
        return _cell(text, span)
    return _prose(text, span)


def _json_frame(text: str, span: Span, token: Span) -> Frame | None:
    if span.end > token.end:
        return None
    if text[token.start] != '"':
        return Frame("json_literal", token.start, token.end)
    if span.start == token.start or span.end == token.end:
        return None
    return Frame("json_string", token.start + 1, token.end - 1)


def _is_row(text: str, span: Span) -> bool:
    row = _line(text, span).strip()
    return row.count("|") >= 2 and (row[0] == "|" or row[-1] == "|" or " | " in row)


def _line(text: str, span: Span) -> str:
    least, most = max(0, span.start - MOST_PROSE), min(len(text), span.end + MOST_PROSE)
    end = text.find("\n", span.start, most)
    return text[max(text.rfind("\n", least, span.start) + 1, least) : end if end >= 0 else most]


def _cell(text: str, span: Span) -> Frame | None:
    if re.search(r"[|\n]", text[span.start : span.end]):
        return None
    least, most = max(0, span.start - MOST_PROSE), min(len(text), span.end + MOST_PROSE)
    start = max(text.rfind("|", least, span.start), text.rfind("\n", least, span.start), least - 1) + 1
    ends = [end for end in (text.find("|", span.end, most), text.find("\n", span.end, most)) if end >= 0]
    return Frame("cell", start, min(ends, default=most))


def _prose(text: str, span: Span) -> Frame:
    least, most = max(0, span.start - MOST_PROSE), min(len(text), span.end + MOST_PROSE)
    before = text.rfind("\n\n", least, span.start)
    after = text.find("\n\n", span.end, most)
    return Frame("prose", before + 2 if before >= 0 else least, after if after >= 0 else most)


def signs(text: str) -> list[str]:
    """List what gives a text its form, in order: bullets, headings, quote marks, table bars, fences, tags."""
    return [sign.strip() for sign in _SIGN.findall(text)]


def form_is_kept(before: str, after: str) -> bool:
    """Tell whether all JSON of a text is still there and no table bar, fence or tag came or went."""
    if json_tokens(before)[1] != json_tokens(after)[1]:
        return False
    return _hard_signs(before) == _hard_signs(after)


def _hard_signs(text: str) -> list[str]:
    hard = [sign for sign in signs(text) if sign == "|" or sign == "```" or sign.startswith("<")]
    return [_ATTRIBUTE_VALUE.sub('""', sign) for sign in hard]  # what an attribute says is no form
