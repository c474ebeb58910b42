"""Find the people that a text names, with what they are in it; no gazetteer but given names is needed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

from privasis.cleaner.foreign_people import foreign_people
from privasis.cleaner.phrases import roles
from privasis.cleaner.vocabulary import plain
from privasis.synthesis.catalogue import name_table
from privasis.text.months import MONTHS
from privasis.text.name_tables import CAPITALISED_WORDS, COMMON_WORDS, PARTICLES, TITLES
from privasis.types import Span

_MARKS: Final = "\u0300-\u036f\u00ad\u200b-\u200d\u2060"
_TOKEN: Final = re.compile(rf"[^\W\d_](?:[{_MARKS}'’\-]*[^\W\d_{_MARKS}])*[{_MARKS}]*\.?")
_GAP: Final = re.compile(r"[ \t\u00a0]|[ \t]?\n(?:> ?)*(?=[A-Z])")
_LABEL: Final = re.compile(r"(?P<label>[^\W\d_][^\n:：=|]{0,40}?)[\"']?\s?(?:[:：=]|\|)[ \t]*[\"'*_]{0,3}$")
_INTRODUCES: Final = re.compile(
    r"(?:my name is|my name's|i am called|i'm called|call me|the name is|this"
    r" is|it's|its|i am|i'm|signed,?|regards,?|sincerely,?|yours,?"
    r"|ich heisse|mein name ist|ich bin(?: der| die)?|gruss[e]?,?|je m'appelle"
    r"|mon nom est|je suis|me llamo|mi nombre es|soy"
    r"|mi chiamo|sono|chamo-me|me chamo|meu nome e|ik ben|ik heet|mijn naam"
    r" is|nazywam sie|jestem|ben[im]* adim|adim)\s*$"
)
_NAMES_LOWER: Final = re.compile(
    r"(?:my name is|my name's|i am called|call me|ich heisse|je m'appelle|me llamo|mi chiamo)\s+$"
)
_SIGNATURE: Final = re.compile(
    r"(?:\n|^)(?:--|regards,|sincerely,|best,|thanks,|cheers,|love,|yours,)\s*\n+$", re.IGNORECASE
)
_SENTENCE: Final = re.compile(r"(?:^|[.!?…:;\n\"“„«|>#*•\-–—(]|[.!?]['’)”\"])\s*$")
_ALIAS: Final = re.compile(
    r"\s?\(\s?(?:a\.?k\.?a\.?|called|known as|or|genannt|dit|dite|alias|\")?\s?"
    r"(?P<alias>[A-ZÀ-Þ][\w'’]+)(?:\""
    r"|\s(?:to|for|among|bei|pour)\s[\w ]{1,20})?\s?\)"
)
# What capitalised words end on that are no people.
_HEAD_TABLE: Final = """
iban bic swift ssn vat pin
street st road rd avenue ave lane drive court square way close crescent terrace row park boulevard
highway bridge hospital clinic university college school academy institute bank church library museum
hotel inn cafe restaurant ltd limited inc llc llp plc gmbh ag sa bv co corp corporation company group
holdings partners associates services journal times post news press review magazine gazette books society
council committee department ministry office county city town village island islands river lake mountain
valley beach bay port harbor harbour station airport new north south east west saint great united kingdom
states republic union national international royal monday tuesday wednesday thursday friday saturday
sunday january february march april june july august september october november december spring summer
autumn winter christmas easter roman black bold italic regular act law article section chapter page
figure table appendix room ward unit floor building house hall tower gate team project program programme
system version report summary note notes meeting agenda minutes subject re fwd invoice order ticket case
file form application certificate contract agreement policy account card number date dear hello hi hey
thanks thank please best kind regards sincerely yours mr mrs ms dr the a an and or but if of i we you he
she it they this that these those my our your his her its their there here what when where who why how to
from cc bcc for with by at in on as is are was were be been will would can could should may must not no
yes ok patient client customer tenant author buyer seller doctor nurse judge witness name phone email
e-mail address age english french german spanish italian portuguese dutch polish turkish japanese chinese
russian arabic
"""
_HEADS: Final = frozenset(_HEAD_TABLE.split())
_BEHIND: Final = re.compile(
    r",? (?:the|our|a|an|die|der|la|le|el) (?P<role>[^\W\d_]+)"
    r"|\s\((?P<inside>[^\W\d_ ]+)\)|,? ?\n?(?P<line>[^\W\d_]+),"
)
# Small words of the text; "ravi" in "ravi@example.org" says nothing about the word "Ravi".
_LOWER: Final = re.compile(r"(?<![\w@.])[a-zà-ÿ][\w'’]++(?![\w.+\-]{0,40}@)")
_DAY_BEFORE: Final = re.compile(r"(?<!\w)\d{1,2}\.?[ \t]$")
_RARE: Final = 200  # times a name was given in the U.S.: rarer ones are told by what stands beside them only
_FREQUENT: Final = 1500  # a name this frequent counts even alone at the start of a sentence
_NEAR: Final = 60
_MOST_TOKENS: Final = 5
_SHORTEST_ALONE: Final = 3
_ALWAYS_HEADS: Final = frozenset({"way", "street", "drive"})


@dataclass(frozen=True, slots=True)
class Person:
    """A person's name where it stands.

    Attributes:
        span: The name, without titles.
        role: What the text says they are, one of ``roles()``; empty if it says nothing.
        sure: A label, a title or an introduction says that it is a name.
    """

    span: Span
    role: str
    sure: bool


@dataclass(frozen=True, slots=True)
class _Word:
    start: int
    end: int
    low: str
    capital: bool


def people(text: str) -> tuple[Person, ...]:
    """Find people's names, in order: after labels, titles and introductions, and by given names.

    Linear in the text.
    """
    found = [*_latin(text), *(Person(span, role, True) for span, role in foreign_people(text))]
    kept: list[Person] = []
    for person in sorted(found, key=lambda p: (p.span.start, -p.span.end)):
        if not kept or person.span.start >= kept[-1].span.end:
            kept.append(person)
    return tuple(kept)


def role_in(words: str) -> str:
    """Return the role that a few words name last, or nothing."""
    low = plain(words)
    found = [(match.end(), role) for role, pattern in roles() for match in pattern.finditer(low)]
    return max(found)[1] if found else ""


def _latin(text: str) -> Iterator[Person]:
    lower = frozenset(plain(word) for word in _LOWER.findall(text))
    for run in _runs(text):
        person = _judged(text, run, lower)
        if person is None:
            continue
        yield person
        alias = _ALIAS.match(text, person.span.end)
        if alias and plain(alias["alias"]) not in _HEADS:
            yield Person(Span(*alias.span("alias")), person.role, person.sure)


def _runs(text: str) -> Iterator[list[_Word]]:
    """Yield runs of capitalised words with particles between them, and words after "my name is"."""
    run: list[_Word] = []
    for found in _TOKEN.finditer(text):
        word = _word(text, found)
        gap = text[run[-1].end : word.start] if run else ""
        connected = bool(run) and _GAP.fullmatch(gap) is not None and len(run) < _MOST_TOKENS + 3
        if connected and (word.capital or word.low.strip(".") in PARTICLES) and not _closes(text, run[-1]):
            run.append(word)
            continue
        if run:
            yield from _trimmed(run)
        run = [word] if _can_begin(text, word) else []
    if run:
        yield from _trimmed(run)


def _word(text: str, found: re.Match[str]) -> _Word:
    start, end = found.span()
    written = found[0]
    if written.endswith(".") and len(written.strip(_MARKS)) > 2 and plain(written).strip(".") not in TITLES:
        end -= 1
    low = _low(text[start:end])
    return _Word(start, end, low, written[0].isupper())


@lru_cache(maxsize=16384)
def _low(written: str) -> str:
    return plain(written)


def _closes(text: str, word: _Word) -> bool:
    return text[word.end : word.end + 1] == "."


def _can_begin(text: str, word: _Word) -> bool:
    before = text[max(0, word.start - 1) : word.start]
    if before in {"@", "[", "_", "<", "&", "\\", "/"} or before.isdecimal():
        return False
    if word.capital:
        return True
    return _NAMES_LOWER.search(_low(text[max(0, word.start - 20) : word.start])) is not None


def _trimmed(run: list[_Word]) -> Iterator[list[_Word]]:
    while run and not run[-1].capital and len(run) > 1:
        run = run[:-1]
    if run:
        yield run


def _judged(text: str, run: list[_Word], lower: frozenset[str]) -> Person | None:
    before = text[max(0, run[0].start - _NEAR) : run[0].start]
    titled = max((n for n, word in enumerate(run[:-1]) if word.low.strip(".") in TITLES), default=None)
    if run[0].low.strip(".") in MONTHS and _DAY_BEFORE.search(before):
        return None  # "3 Jun 2024", "3. Mai"
    if titled is not None and not _is_heading(run[titled + 1 :]):
        words = _until_head(run[titled + 1 :])
        return _person(text, words, role_in(text[run[0].start : run[titled].end]), True) if words else None
    label = _label_role(before)
    if label is not None and not _is_heading(run):
        words = _from_name(run)
        return _person(text, words, label, True) if words else None
    introduced = _INTRODUCES.search(_low(before)) or _SIGNATURE.search(before)
    if introduced and not _is_heading(run) and (run[0].low not in lower or not run[0].capital):
        return _person(text, _until_head(run), role_in("author"), True)
    return _by_given_name(text, run, lower, before)


def _by_given_name(text: str, run: list[_Word], lower: frozenset[str], before: str) -> Person | None:
    first = next((n for n, word in enumerate(run) if _is_given(word, lower)), None)
    if first is None:
        return None
    words = _until_head(run[first:])
    if _is_code(text, words):
        return None
    if not words or (words != run[first:] and _heads_behind(run[first + len(words) :])):
        return None
    if len(words) == 1 and not _stands_alone_as_name(words[0], before if first == 0 else "x", lower):
        return None
    role = role_in(text[run[0].start : run[first].start] or before[-20:].rpartition(",")[2])
    return _person(text, words, role, False)


def _is_code(text: str, words: list[_Word]) -> bool:
    """Tell whether the words are capitals before a number: "IBAN GB33", "AB-7"."""
    if not words:
        return False
    stands = text[words[0].start : words[-1].end]
    return stands.isupper() and re.match(r"[\s\-]?\d", text[words[-1].end : words[-1].end + 2]) is not None


def _heads_behind(rest: list[_Word]) -> bool:
    return bool(rest) and rest[0].low.strip(".") in _HEADS


def _stands_alone_as_name(word: _Word, before: str, lower: frozenset[str]) -> bool:
    if word.low in COMMON_WORDS or word.low in lower or word.end - word.start < _SHORTEST_ALONE:
        return False
    return _count(word.low) >= (_FREQUENT if _SENTENCE.search(before) else _RARE)


def _is_given(word: _Word, lower: frozenset[str]) -> bool:
    low = word.low.strip(".")
    if low in _HEADS or low in CAPITALISED_WORDS or low in TITLES or low in lower or len(low) < 2:
        return False
    return _count(low) > 0 or any(_count(part) > _RARE for part in low.split("-") if "-" in low)


def _from_name(run: list[_Word]) -> list[_Word]:
    while run and run[0].low.strip(".") in (_HEADS | TITLES) and len(run) > 1:
        run = run[1:]
    return _until_head(run)


def _until_head(run: list[_Word]) -> list[_Word]:
    kept: list[_Word] = []
    for word in run[:_MOST_TOKENS]:
        low = word.low.strip(".")
        if low in _ALWAYS_HEADS or (low in _HEADS and low not in COMMON_WORDS):
            break
        kept.append(word)
    while kept and not kept[-1].capital and len(kept) > 1:
        kept.pop()
    return kept


def _is_heading(run: list[_Word]) -> bool:
    return not run or (run[0].low.strip(".") in _HEADS and len(run) == 1)


def _label_role(before: str) -> str | None:
    """Return the role that a label before a name gives, empty for "Name:", and None if there is none."""
    line = before.rpartition("\n")[2]
    found = _LABEL.search(line)
    if found is None:
        return None
    label = re.split(r"[.;,|{(]\s?", found["label"])[-1]
    role = role_in(label)
    return role if role or _NAME_LABEL.search(_low(label)) else None


_NAME_LABEL: Final = re.compile(
    r"(?:^|[^a-z])(?:name|names|nom|nombre|nome|naam|imie|nazwisko|adi|ad|soyadi"
    r"|fn|n|from|to|by|cc|contact|attn|re|real|person|who|people)s?$"
)


def _person(text: str, words: list[_Word], role: str, sure: bool) -> Person:
    start, end = words[0].start, words[-1].end
    written = text[start:end]
    ending = re.search(r"['’][sS]?$", written)
    if ending and len(written) > 2:
        end -= len(ending[0])
    after = text[end : end + 30]
    behind = _BEHIND.match(after)
    if not role and behind:
        role = role_in(behind["role"] or behind["inside"] or behind["line"] or "")
    return Person(Span(start, end), role, sure)


@cache
def _counts() -> dict[str, int]:
    table = name_table()
    totals = table.girls + table.boys
    return {
        name.decode("ascii").lower(): int(total)
        for name, total in zip(table.names.tolist(), totals.tolist(), strict=True)
    }


def _count(low: str) -> int:
    return _counts().get(low.replace("-", "").replace("'", ""), 0)
