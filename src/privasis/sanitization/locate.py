"""Where a target stands in a text: by code first, then what a model still finds (§3.1, item 3, i and ii)."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Annotated, Literal

from pydantic import BaseModel, Field, StringConstraints

from privasis.prompts.registry import render
from privasis.sanitization.asking import answered, branch, together
from privasis.stage import Asker
from privasis.text.forms import find_forms
from privasis.text.kinds import kind_of
from privasis.text.reading import Reading, read
from privasis.text.spans import Match, find_verbatim
from privasis.types import Fact, Span, Target

WINDOW = 6000  # characters that one question shows at most: fits the smallest context windows
MOST_QUOTES = 8
LONGEST_QUOTE = 100
_HIDDEN = "[...]"  # stands for what is known already
_LITERAL = frozenset({"phone", "email", "url", "handle", "number"})
_TOKEN = re.compile(r"[^\s<>\"'()\[\]{}|,;“”«»]")
_ADDRESS_LIKE = re.compile(
    r"(?P<email>[^@/]+@[^@/]+\.\w+)|(?P<url>(?:[a-z][a-z0-9+.-]*://|www\.).+)|(?P<handle>@\w[\w.]*)"
    r"|(?P<file>[\w./\\~-]+\.(?:pdf|docx?|xlsx?|odt|txt|csv|md|json|eml|ics|jpe?g|png|gif|zip))",
    re.IGNORECASE,
)
_LONGEST_TOKEN = 200
_BETWEEN_PARTS = re.compile(r",?[ \t]*(?:[^\W\d_a-z]\.[ \t]*)?")
_WEIGHTY_WORD = re.compile(r"\d|[^\W\d_]{4}|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]{2}")

_SCHEME = re.compile(r"(?:mailto|tel|sms):", re.IGNORECASE)
_AGED = re.compile(r"\b(?:aged|at age|at the age of)[ \t]+\Z", re.IGNORECASE)
_YEARS_OLD = re.compile(r"[- ]years?[- ](?:old|of age)s?\b", re.IGNORECASE)

MentionKind = Literal["value", "age", "email", "url", "handle", "file", "reference"]


class Quotes(BaseModel):
    """The answer to sanitize.left and sanitize.spans: words of the text, letter by letter."""

    quotes: Annotated[
        list[Annotated[str, StringConstraints(strip_whitespace=True, max_length=LONGEST_QUOTE)]],
        Field(max_length=MOST_QUOTES),
    ]


@dataclass(frozen=True, slots=True)
class Mention:
    """One place in a text that tells a target."""

    span: Span
    form: str  # what stands there
    fact: Fact  # the member that it tells
    kind: MentionKind


def key_of(form: str) -> str:
    """Return what makes two forms the same: case and runs of whitespace do not count."""
    return " ".join(form.casefold().split())


def find_mentions(text: str, target: Target, pending: Iterable[Target]) -> tuple[Mention, ...]:
    """Find every value of a target, verbatim and in derived forms; code alone, linear in the text.

    Args:
        text: The current text.
        target: What is looked for.
        pending: Targets whose turn comes later: a mention inside of one of their longer values is theirs.
    """
    reading = read(text)
    found = [mention for fact in target.attributes for mention in _of_fact(reading, fact)]
    longer = (fact.value for other in pending for fact in other.attributes)
    theirs = _inside_of(match.span for value in longer for match in find_verbatim(reading.folded, value))
    return _joined(text, disjoint(text, [mention for mention in found if not theirs(mention.span)]))


def find_in(reading: Reading, facts: Iterable[Fact]) -> tuple[Mention, ...]:
    """Find every one of some values in a text that was read already, verbatim and in derived forms."""
    text = reading.folded.original
    found = [mention for fact in facts for mention in _of_fact(reading, fact)]
    return _joined(text, disjoint(text, found))


def _of_fact(reading: Reading, fact: Fact) -> list[Mention]:
    text = reading.folded.original
    kind = kind_of(fact.name, fact.value)
    matches = find_forms(reading, fact.value, kind)
    if kind == "age":
        return [_age(text, match, fact) for match in matches]
    return [_mention(text, match, fact) for match in matches]


def _age(text: str, match: Match, fact: Fact) -> Mention:
    """Make a mention of an age; the words that belong to the number ("34-year-old") are replaced with it."""
    start, end = match.span.start, match.span.end
    aged = _AGED.search(text, max(0, start - 20), start)
    old = _YEARS_OLD.match(text, end)
    if aged is None and old is None:
        return _mention(text, match, fact)
    span = Span(aged.start() if aged else start, old.end() if old else end)
    return Mention(span, text[span.start : span.end], fact, "age")


def _inside_of(others: Iterable[Span]) -> Callable[[Span], bool]:
    """Return a test whether a span lies within one of the others and is smaller."""
    ordered = sorted(others)
    starts = [other.start for other in ordered]
    reach = [0, *accumulate((other.end for other in ordered), max)]  # furthest end of the first n

    def inside(span: Span) -> bool:
        before, up_to = bisect_left(starts, span.start), bisect_right(starts, span.start)
        return reach[before] >= span.end or reach[up_to] > span.end

    return inside


def _mention(text: str, match: Match, fact: Fact) -> Mention:
    """Make a mention; inside an e-mail address, URL, handle or file name the whole of it is the place."""
    span = match.span
    start, end = span.start, span.end
    while start > 0 and span.start - start < _LONGEST_TOKEN and _TOKEN.match(text[start - 1]):
        start -= 1
    while end < len(text) and end - span.end < _LONGEST_TOKEN and _TOKEN.match(text[end]):
        end += 1
    scheme = _SCHEME.match(text, start, span.start)
    start = scheme.end() if scheme else start
    token = text[start:end].rstrip(".:!?…")
    end = start + len(token)
    like = _ADDRESS_LIKE.fullmatch(token)
    if like is None or end < span.end:
        return Mention(span, text[match.core.start : match.core.end], fact, "value")
    kind: MentionKind = like.lastgroup or "value"  # type: ignore[assignment]  # the names of the groups
    if (start, end) == (span.start, span.end) and _ADDRESS_LIKE.fullmatch(fact.value):
        kind = "value"
    return Mention(Span(start, end), token, fact, kind)


def disjoint(text: str, mentions: Iterable[Mention]) -> tuple[Mention, ...]:
    """Sort mentions; of those that overlap one remains, which covers them all."""
    kept: list[Mention] = []
    for mention in sorted(mentions, key=lambda found: (found.span.start, -found.span.end)):
        if not kept or mention.span.start >= kept[-1].span.end:
            kept.append(mention)
        elif mention.span.end > kept[-1].span.end:
            span = Span(kept[-1].span.start, mention.span.end)
            kept[-1] = replace(kept[-1], span=span, form=text[span.start : span.end])
    return tuple(kept)


def _joined(text: str, mentions: Sequence[Mention]) -> tuple[Mention, ...]:
    """Make one of neighbours that are parts of one value, such as "Roth, Lena" or "Lena M. Roth"."""
    kept: list[Mention] = []
    for mention in mentions:
        last = kept[-1] if kept else None
        if (
            last is not None
            and last.fact == mention.fact
            and last.kind == mention.kind == "value"
            and key_of(mention.fact.value) not in {key_of(last.form), key_of(mention.form)}
            and _BETWEEN_PARTS.fullmatch(text, last.span.end, mention.span.start)
        ):
            span = Span(last.span.start, mention.span.end)
            kept[-1] = Mention(span, text[span.start : span.end], mention.fact, "value")
        else:
            kept.append(mention)
    return tuple(kept)


def covered(chunks: Sequence[Span], mentions: Sequence[Mention]) -> frozenset[int]:
    """Return the places in ``chunks`` of those that hold a mention; both are sorted."""
    holding: set[int] = set()
    place = 0
    for mention in mentions:
        while place < len(chunks) and chunks[place].end <= mention.span.start:
            place += 1
        inner = place
        while inner < len(chunks) and chunks[inner].start < mention.span.end:
            holding.add(inner)
            inner += 1
    return frozenset(holding)


def can_be_paraphrased(target: Target) -> bool:
    """Tell whether other words could tell a target: not so for numbers of accounts, phones and the like."""
    return any(kind_of(fact.name, fact.value) not in _LITERAL for fact in target.attributes)


def shown(text: str, chunk: Span, mentions: Sequence[Mention]) -> str:
    """Return a chunk with the known mentions hidden, so that a model looks for the rest."""
    parts: list[str] = []
    done = chunk.start
    for mention in mentions:
        if mention.span.start >= done and mention.span.end <= chunk.end:
            parts += (text[done : mention.span.start], _HIDDEN)
            done = mention.span.end
    return "".join((*parts, text[done : chunk.end])).strip()


def windows(passages: Sequence[str]) -> list[list[str]]:
    """Group passages so that a question shows at most WINDOW characters."""
    groups: list[list[str]] = []
    room = 0
    for passage in passages:
        if len(passage) > room or not groups:
            groups.append([])
            room = WINDOW
        groups[-1].append(passage)
        room -= len(passage)
    return groups


async def find_left(passages: Sequence[str], target: Target, asker: Asker) -> list[str]:
    """Ask once (for long texts: once a window) which other words in the passages tell the target.

    A model that cannot answer has found nothing: what code found is sanitized all the same.

    Raises:
        Reject: If the endpoint fails.
    """
    groups = windows(passages)
    askers = [branch(asker, f"{target.id}.left.{number}") for number in range(len(groups))]
    questions = (
        answered(one.ask(render("sanitize.left", target=target, passages=group), Quotes), Quotes(quotes=[]))
        for one, group in zip(askers, groups, strict=True)
    )
    answers = await together(asker, askers, questions)
    return list(dict.fromkeys(quote for answer in answers for quote in answer.quotes))


def quoted(text: str, quotes: Iterable[tuple[str, Fact]]) -> tuple[Mention, ...]:
    """Return the places of what a model quoted, each with the member of the target that it tells.

    A quote counts only where it stands verbatim.
    """
    mentions = [
        Mention(match.span, text[match.core.start : match.core.end], fact, "reference")
        for quote, fact in quotes
        if is_phrase(quote)
        for match in find_verbatim(text, quote)
    ]
    return disjoint(text, mentions)


def with_references(mentions: Sequence[Mention], references: Iterable[Mention]) -> tuple[Mention, ...]:
    """Add what a model quoted, where it does not meet what code has found: there the value alone goes."""
    inside = [mention.span for mention in mentions]
    starts = [span.start for span in inside]
    free = []
    for reference in references:
        before = bisect_left(starts, reference.span.end) - 1  # the last that begins before its end
        if before < 0 or inside[before].end <= reference.span.start:
            free.append(reference)
    return tuple(sorted((*mentions, *free), key=lambda mention: mention.span))


def is_phrase(quote: str) -> bool:
    """Tell whether a quote is large enough to be a phrase about one thing."""
    return len(quote) >= 3 and _WEIGHTY_WORD.search(quote) is not None and _HIDDEN not in quote
