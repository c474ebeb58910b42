"""Read one phrase of an instruction: values written out, kinds of values, and whose they are."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final

from privasis.cleaner.vocabulary import Named, as_pattern, kinds_in, plain
from privasis.text.fold import fold, strip_accents
from privasis.text.forms import find_forms
from privasis.text.kinds import kind_of
from privasis.text.layers import FoldedText
from privasis.text.reading import Reading
from privasis.text.spans import find_verbatim
from privasis.types import Span

_QUOTED: Final = re.compile(
    r"\"([^\"]+)\"|“([^”]+)”|„([^“”]+)[“”]|«\s*([^»]+?)\s*»|「([^」]+)」|『([^』]+)』|`([^`]+)`"
)
_SINGLE: Final = re.compile(r"(?<!\w)['‘]([^'’]+)['’](?!\w)")
_BRACKETED: Final = re.compile(r"[(（]([^()（）]+)[)）]")
_WORD: Final = re.compile(r"[^\s,;:!?()（）\"“”„«»、，。]+")
_UNCASED: Final = re.compile(r"[\u0590-\u06ff\u0900-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
_GENITIVE: Final = re.compile(r"['’]s?$")
_WORD_NOUN: Final = re.compile(
    r"(?:words?|term|phrase|wort|begriff|mot|palabra|palavra|parola|woord|slowo|kelime\w*)$"
)
_ARTICLE: Final = frozenset(
    {"der", "die", "das", "den", "dem", "des", "alle", "vom", "zum", "zur", "im", "ein", "eine"}
)
_PARTICLES: Final = frozenset(
    {"van", "von", "de", "der", "la", "di", "da", "dos", "al", "el", "bin", "ter", "of"}
)
_OF: Final = re.compile(r"(?:\s|^)(?:of|von|de|d'|di|du|van|da|do|של|для)\s?$")
_SHORTEST: Final = 3


@dataclass(frozen=True, slots=True)
class Phrase:
    """What one phrase names.

    Attributes:
        values: Values that are written out.
        kinds: Kinds of values that it names.
        whose: A role ("patient") or the name of the one whose values are meant; empty if it says nothing.
    """

    values: tuple[str, ...]
    kinds: tuple[str, ...]
    whose: str


@cache
def lexicon(entry: str) -> re.Pattern[str]:
    """Return the pattern of one entry of ``instruction.toml``, for folded text without accents."""
    return as_pattern(tuple(_words(_source()[entry])))


@cache
def roles() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return what somebody can be in a document, each with the pattern of its words."""
    return tuple((role, as_pattern(tuple(_words(words)))) for role, words in _source()["roles"].items())


@cache
def _source() -> dict[str, Any]:
    return tomllib.loads(files("privasis.cleaner").joinpath("instruction.toml").read_text("utf-8"))


def _words(listed: str) -> Iterator[str]:
    for entry in re.split(r"[,\n]", listed):
        if entry.strip():
            yield plain(entry.strip())


def read_phrase(phrase: str, reading: Reading) -> Phrase:
    """Read a phrase such as "Zofia's home town", "the patient's name (Silas Innes)" or "user name ken".

    Args:
        phrase: As it stands in the instruction.
        reading: The text that the instruction is about: what stands in it is taken for a value.
    """
    values = [quote.strip() for found in _quotes(phrase) for quote in found.groups() if quote]
    rest = _blanked(phrase, _quotes(phrase))
    for bracket in _BRACKETED.finditer(rest):
        values += [part for part in _listed(bracket[1]) if _is_value(part, reading)]
    rest = _blanked(rest, _BRACKETED.finditer(rest))
    layer = strip_accents(fold(rest))
    kinds = kinds_in(layer.text)
    named = [*_literals(rest, layer, kinds, reading)]
    whose = _role(layer.text)
    if kinds and named and not whose and _owns(layer, named[0], kinds):
        whose = named[0]
    only_names = {"person", "handle"}.issuperset(named.kind for named in kinds)
    if not whose or only_names:
        values += named
    elif whose == (named[0] if named else "") and any(named.kind == "person" for named in kinds):
        values += named[:1]
    return Phrase(tuple(dict.fromkeys(values)), tuple(dict.fromkeys(n.kind for n in kinds)), whose)


def is_written(value: str, reading: Reading) -> bool:
    """Tell whether a value stands in the text in any form."""
    return bool(find_forms(reading, value, kind_of("", value)) or find_forms(reading, value, "person_name"))


def _quotes(phrase: str) -> list[re.Match[str]]:
    return [*_QUOTED.finditer(phrase)] or [*_SINGLE.finditer(phrase)]


def _blanked(phrase: str, found: Iterable[re.Match[str]]) -> str:
    for match in found:
        phrase = phrase[: match.start()] + " " * (match.end() - match.start()) + phrase[match.end() :]
    return phrase


def _listed(inner: str) -> Iterator[str]:
    for part in re.split(r"[,;，、]\s*|\s(?:and|und|et|y|e|en|i|ve)\s", inner):
        if part.strip():
            yield part.strip()


def _is_value(part: str, reading: Reading) -> bool:
    looks = part[0].isupper() or _UNCASED.match(part) or any(map(str.isdecimal, part)) or "@" in part
    return bool(looks) or is_written(part, reading)


def _role(phrase: str) -> str:
    found = [(match.start(), role) for role, pattern in roles() for match in pattern.finditer(phrase)]
    return min(found)[1] if found else ""


def _owns(layer: FoldedText, name: str, kinds: tuple[Named, ...]) -> bool:
    """Tell whether a name is in the genitive before a kind, or after "of" behind it."""
    where = layer.text.find(plain(name))
    if where < 0:
        return False
    after = layer.text[where + len(plain(name)) :]
    before = layer.text[:where]
    if re.match(r"['’]s?\s|s['’]\s", after):
        return True
    return re.search(r"(?:\s|^)(?:of|von|de|d'|di|du|van|da|do|של|для)\s?$", before) is not None and bool(
        kinds
    )


def _literals(rest: str, layer: FoldedText, kinds: tuple[Named, ...], reading: Reading) -> Iterator[str]:
    """Yield runs of words that are values: names, numbers, what stands behind a kind and in the text."""
    taken = [layer.span(named.start, named.end) for named in kinds]
    run: list[tuple[int, int]] = []
    previous = ""
    behind_kind = False
    for word in _WORD.finditer(rest):
        start, end = _core(rest, word, taken)
        kind = start >= end
        low = plain(rest[start:end])
        idle = kind or is_idle(low)
        if not idle and _can_be_value(rest, start, end, previous, behind_kind, reading):
            run.append((start, end))
        elif run and low in {
            "van",
            "von",
            "de",
            "der",
            "la",
            "di",
            "da",
            "dos",
            "al",
            "el",
            "bin",
            "ter",
            "of",
        }:
            previous = low
            continue
        else:
            yield from _joined(rest, run, reading)
            run = []
        behind_kind = kind or bool(_WORD_NOUN.search(low)) or (behind_kind and bool(run))
        previous = low
    yield from _joined(rest, run, reading)
    if not kinds:
        yield from _plain_value(layer, reading) if not run else ()


def _core(rest: str, word: re.Match[str], taken: Sequence[Span]) -> tuple[int, int]:
    """Return the word without a kind's word in it, as scripts without spaces have it."""
    start, end = word.span()
    for span in taken:
        first, last = span.start, span.end
        if first <= start < last:
            start = min(last, end)
        elif start < first < end <= last or start < first < end:
            end = first
    lead = re.match(r"(?:ของ|คุณ|的|の|是|为)+", rest[start:end])
    return (start + lead.end() if lead else start), end


def is_idle(low: str) -> bool:
    """Tell whether a word of an instruction, folded and without accents, names nothing by itself."""
    bare = _GENITIVE.sub("", low).strip(".-")
    if not bare or lexicon("idle").fullmatch(bare) or lexicon("join").fullmatch(bare):
        return True
    return any(pattern.fullmatch(bare) for _, pattern in roles())


def _can_be_value(
    rest: str, start: int, end: int, previous: str, behind_kind: bool, reading: Reading
) -> bool:
    word = rest[start:end].strip(".'’")
    if not word:
        return False
    if any(map(str.isdecimal, word)) or "@" in word:
        return bool(find_verbatim(reading.folded, _GENITIVE.sub("", word)))
    if word[0].isupper():
        return previous not in _ARTICLE or _followed_by_capital(rest, end) or is_written(word, reading)
    if _UNCASED.match(word) or behind_kind:
        return is_written(_GENITIVE.sub("", word), reading)
    return False


def _followed_by_capital(rest: str, end: int) -> bool:
    return re.match(r"\s[A-ZÀ-Þ]", rest[end : end + 2]) is not None


def _joined(rest: str, run: list[tuple[int, int]], reading: Reading) -> Iterator[str]:
    if not run:
        return
    value = _GENITIVE.sub("", rest[run[0][0] : run[-1][1]].strip(" .,;:"))
    if re.search(r"s['’]$", rest[run[0][0] : run[-1][1]]):
        value = rest[run[0][0] : run[-1][1]].rstrip("'’")
    if value:
        yield value


def _plain_value(layer: FoldedText, reading: Reading) -> Iterator[str]:
    """Yield what is left without idle words at the ends, where it stands in the text just so."""
    words = [match.span() for match in _WORD.finditer(layer.text)]
    while words and is_idle(layer.text[slice(*words[0])]):
        words.pop(0)
    while words and is_idle(layer.text[slice(*words[-1])].strip(".")):
        words.pop()
    if not words:
        return
    value = layer.text[words[0][0] : words[-1][1]].strip(".")
    if len(value) >= _SHORTEST and find_verbatim(reading.folded, value):
        yield value
