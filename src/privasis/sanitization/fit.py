"""Put a phrase in place of a span, or take the span out, so that grammar and markup stay whole."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from privasis.sanitization.markup import Frame, frame_of
from privasis.text.grammar import drop
from privasis.types import Span

_ARTICLE = re.compile(r"\b(?P<word>an?|the|this|that|his|her|their|its|my|our|your)[ \t]+\Z", re.IGNORECASE)
_TITLE = re.compile(r"\b(?:mrs?|ms|mx|dr|prof|herr|frau|mme|miss|sir)\b\.?[ \t]+\Z", re.IGNORECASE)
_OWN_ARTICLE = re.compile(r"\A(?:an?|the)\s+(?=\S)", re.IGNORECASE)
_OWN_GENITIVE = re.compile(r"['’](?!\w)")
_GENITIVE = re.compile(r"['’]s?\Z")
_SENTENCE_START = re.compile(
    r"(?:[.!?…]['\"”’)]*\s+|(?:\A|\n)[ \t]*(?:[-*+>#]+[ \t]*|\d{1,3}[.)][ \t]*)?|:[ \t]*\n\s*)\Z"
)


class Change(NamedTuple):
    """What becomes of a place in the text."""

    start: int
    end: int
    replacement: str


def put(text: str, span: Span, phrase: str) -> Change | None:
    """Return the change that puts a phrase in place of a span; None where the span runs across structure."""
    frame = frame_of(text, span)
    if frame is None:
        return None
    if frame.unit == "json_literal":
        return Change(frame.start, frame.end, json.dumps(phrase, ensure_ascii=False))
    change = _put_in(text, span, phrase, frame)
    if frame.unit == "json_string":
        return change._replace(replacement=json.dumps(change.replacement, ensure_ascii=False)[1:-1])
    return change


def take_out(text: str, span: Span) -> Change | None:
    """Return the change that takes a span out; None where the span runs across structure."""
    frame = frame_of(text, span)
    if frame is None:
        return None
    if frame.unit == "json_literal":
        return Change(frame.start, frame.end, "null")
    local = Span(span.start - frame.start, span.end - frame.start)
    cut = drop(text[frame.start : frame.end], local)
    return Change(cut.span.start + frame.start, cut.span.end + frame.start, cut.replacement)


def _put_in(text: str, span: Span, phrase: str, frame: Frame) -> Change:
    start, end = span.start, span.end
    before = text[max(frame.start, start - 40) : start]
    form = text[start:end]
    if _GENITIVE.search(form):
        phrase = _genitive(_GENITIVE.sub("", phrase))
    elif form.endswith("s") and not phrase.endswith("s") and _OWN_GENITIVE.match(text, end, frame.end):
        phrase, end = f"{phrase}{text[end]}s", end + 1  # "Innes' dosage" -> "the patient's dosage"
    title = _TITLE.search(before)
    if title and not phrase[:1].isupper():
        start -= len(title[0])  # "Mr. Roth" -> "the tenant"
        form, before = text[start:end], before[: title.start()]
    article = _ARTICLE.search(before)
    if article and article["word"].casefold() in {"a", "an"}:
        phrase = _with_article(phrase, article["word"])  # "an Oslo clinic" -> "a hospital"
        start -= len(article[0])
        form, before = text[start:end], before[: article.start()]
    elif article:
        phrase = _OWN_ARTICLE.sub("", phrase)  # "the March 3 hearing" -> "the early spring hearing"
    if phrase[:1].islower() and form[:1].isupper() and _SENTENCE_START.search(before):
        phrase = phrase[0].upper() + phrase[1:]
    return Change(start, end, phrase)


def _genitive(phrase: str) -> str:
    return f"{phrase}'" if phrase.endswith("s") else f"{phrase}'s"


def _with_article(phrase: str, article: str) -> str:
    """Return a phrase with its own article, or with the text's, which then agrees with it."""
    if _OWN_ARTICLE.match(phrase):
        return phrase
    first = phrase[:1].casefold()
    if first in "aeio":
        article = article[0] + "n"
    elif first.isalpha() and first not in "uh":
        article = article[0]
    return f"{article} {phrase}"
