"""Read a natural instruction into wishes: what is to go, to be abstracted, to get a code, to stay."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final, NamedTuple

from privasis.cleaner.phrases import Phrase, is_idle, lexicon, read_phrase
from privasis.cleaner.results import Wish, WishAction
from privasis.cleaner.vocabulary import kinds_in, plain
from privasis.text.fold import fold, strip_accents
from privasis.text.layers import FoldedText
from privasis.text.reading import Reading, read

_SENTENCE_END: Final = re.compile(r"(?<!\be\.g)(?<!\bi\.e)[.!?;](?=\s|$)|[。！？；;\n]")
_SHELTERED: Final = re.compile(
    r"\"[^\"]*\"|“[^”]*”|„[^“”]*[“”]|«[^»]*»|「[^」]*」|\([^()]*\)|（[^（）]*）|\[[^\[\]]*\]|<[^<>\s]*>"
)
_WORDS: Final = re.compile(r"[^\s,;:.!?()，、。\x00]+")
_COMMA: Final = re.compile(r"[,，、]")
_NEGATION: Final = re.compile(r"(?:not|never|don't|nicht|ne|no|nao|non|niet|nie|не|لا|אל|不要|不)\s*$")
_CODE_LIKE: Final = re.compile(r"[\[<{][^\[\]<>{}\s]+[\]>}]")
_LAST_DIGITS: Final = re.compile(r"last (?:two|2)|letzten zwei|deux derniers|dos ultim|dois ultim")
_COUNTER: Final = re.compile(r"\d+(?=[\]>}]$)")
_ACTIONS: Final[tuple[WishAction, ...]] = ("keep", "drop", "abstract", "code")


class _Verb(NamedTuple):
    start: int
    end: int
    action: WishAction


@dataclass(frozen=True, slots=True)
class _Clause:
    action: WishAction
    phrase: str


def read_instruction(instruction: str, text: str | Reading) -> tuple[Wish, ...]:
    """Read an instruction in any of some twenty languages.

    The text is only looked at to tell values from other words; nothing in it is taken as an instruction.

    Args:
        instruction: Such as "Remove Zofia's name and home town. Keep the amount."
        text: The text that is to be cleaned; or, where it was read already, its reading.
    """
    reading = read(text) if isinstance(text, str) else text
    wishes: list[Wish] = []
    last: WishAction = "drop"
    for sentence in _sentences(instruction):
        for clause in _clauses(sentence, last):
            found = [*_wishes(clause, reading)]
            wishes += found
            if found and clause.action != "keep":
                last = clause.action
    return tuple(dict.fromkeys(wishes))


def read_wishes(
    instruction: str,
    text: str,
    *,
    drop: Iterable[str] = (),
    abstract: Iterable[str] = (),
    keep: Iterable[str] = (),
) -> tuple[Wish, ...]:
    """Read an instruction and phrases that stand beside it, such as those of a command's options.

    Args:
        instruction: As for ``read_instruction``; it may be empty.
        text: The text that is to be cleaned.
        drop: Phrases for what goes (``named_wish``).
        abstract: Phrases for what is said more generally.
        keep: Phrases for what stays.
    """
    reading = read(text)
    return (
        *read_instruction(instruction, reading),
        *(named_wish(phrase, "drop", reading) for phrase in drop),
        *(named_wish(phrase, "abstract", reading) for phrase in abstract),
        *(named_wish(phrase, "keep", reading) for phrase in keep),
    )


def named_wish(phrase: str, action: WishAction, text: str | Reading) -> Wish:
    """Read one phrase, such as a command's ``--drop "phone numbers"``; what names no kind is a value."""
    found = read_phrase(phrase, read(text) if isinstance(text, str) else text)
    values = found.values or (() if found.kinds else (phrase.strip(),))
    return Wish(phrase.strip(), action, values, _owner(found, found.whose))


def _sentences(instruction: str) -> Iterator[str]:
    hidden = _sheltered(instruction)
    start = 0
    for end in _SENTENCE_END.finditer(hidden):
        yield instruction[start : end.start()]
        start = end.end()
    yield instruction[start:]


def _sheltered(text: str) -> str:
    """Return the text with the inside of quotes and brackets hidden, at the same length."""
    return _SHELTERED.sub(lambda found: found[0][0] + "\x00" * (len(found[0]) - 2) + found[0][-1], text)


def _clauses(sentence: str, last: WishAction) -> Iterator[_Clause]:
    """Part a sentence at its verbs; one without a verb goes on with the last action."""
    layer = strip_accents(fold(_sheltered(sentence)))
    verbs = _verbs(layer)
    if not verbs:
        if _is_list(layer.text):
            yield from _with_exceptions(_Clause(last, sentence))
        return
    for verb, start, end in _objects(layer, verbs):
        if start < end:
            span = layer.span(start, end)
            yield from _with_exceptions(_Clause(verb.action, sentence[span.start : span.end]))


def _verbs(layer: FoldedText) -> list[_Verb]:
    found = [
        _Verb(match.start(), match.end(), action)
        for action in _ACTIONS
        for match in lexicon(action).finditer(layer.text)
    ]
    found.sort(key=lambda verb: (verb.start - verb.end, verb.start))
    kept: list[_Verb] = []
    for verb in found:
        if all(verb.end <= other.start or verb.start >= other.end for other in kept):
            kept.append(verb)
    return [
        verb._replace(action="keep") if _NEGATION.search(layer.text[: verb.start]) else verb
        for verb in sorted(kept)
    ]


def _objects(layer: FoldedText, verbs: list[_Verb]) -> Iterator[tuple[_Verb, int, int]]:
    """Yield each verb with its object: behind it, or before it where nothing stands behind the last one."""
    text = layer.text
    has_tail = _says_something(text[verbs[-1].end :])
    borders = [0, *(verb.end for verb in verbs)]
    if not has_tail and (len(verbs) == 1 or _says_something(text[: verbs[0].start])):
        for verb, start in zip(verbs, borders, strict=False):
            yield verb, start, verb.start
        return
    for verb, following in pairwise(verbs):
        end = following.start
        if following is verbs[-1] and not has_tail:
            comma = max((c.end() for c in _COMMA.finditer(text, verb.end, end)), default=end)
            yield following, comma, end
            end = comma
        yield verb, verb.end, end
    if has_tail:
        yield verbs[-1], verbs[-1].end, len(text)


def _is_list(sentence: str) -> bool:
    """Tell whether a sentence without a verb only names things, as in "Also her address."."""
    for named in reversed(kinds_in(sentence)):
        sentence = f"{sentence[: named.start]} {sentence[named.end :]}"
    return not any(word[0].islower() and not is_idle(word) for word in _WORDS.findall(sentence))


def _says_something(part: str) -> bool:
    if kinds_in(part):
        return True
    return any(not lexicon("idle").fullmatch(word.strip("'")) for word in _WORDS.findall(part))


def _with_exceptions(clause: _Clause) -> Iterator[_Clause]:
    layer = strip_accents(fold(_sheltered(clause.phrase)))
    found = lexicon("except").search(layer.text)
    if found is None or clause.action == "keep":
        yield clause
        return
    if found.start() > 0:
        span = layer.span(0, found.start())
        yield _Clause(clause.action, clause.phrase[: span.end])
    if found.end() < len(layer.text):
        span = layer.span(found.end(), len(layer.text))
        yield _Clause("keep", clause.phrase[span.start :])


def _wishes(clause: _Clause, reading: Reading) -> Iterator[Wish]:
    if clause.action != "code":
        yield from _of_parts(clause.phrase, clause.action, "", reading)
        return
    for phrase, by in _replacements(clause.phrase):
        action, code = _how(by)
        yield from _of_parts(phrase, action, code, reading)


def _replacements(phrase: str) -> Iterator[tuple[str, str]]:
    """Part "A by B and C by D" into pairs."""
    layer = strip_accents(fold(_sheltered(phrase)))
    found = [match.span() for match in lexicon("by").finditer(layer.text)]
    found = [span for span in found if span[0] > 0 and span[1] < len(layer.text)]
    if not found:
        yield phrase, ""
        return
    start = 0
    for number, (left, right) in enumerate(found):
        last = number + 1 == len(found)
        stop = len(layer.text) if last else layer.text.rfind(" and ", right, found[number + 1][0])
        if stop < 0:
            stop, last = len(layer.text), True
        yield _cut(phrase, layer, start, left), _cut(phrase, layer, right, stop)
        if last:
            return
        start = stop + len(" and ")


def _cut(phrase: str, layer: FoldedText, start: int, end: int) -> str:
    if start >= end:
        return ""
    span = layer.span(start, end)
    return phrase[span.start : span.end]


def _how(by: str) -> tuple[WishAction, str]:
    """Tell how something is replaced: by a code, a wording of the user's, or something more general."""
    low = plain(by)
    code = _CODE_LIKE.search(by)
    if code and _LAST_DIGITS.search(low):
        return "code", code[0][0] + "{last2}" + code[0][-1]
    if code:
        many = len(_CODE_LIKE.findall(by)) > 1
        template = _COUNTER.sub("{n}", code[0]) if many else code[0]
        return "code", template
    if not by.strip() or lexicon("placeholder").search(low):
        return "code", "[{kind}_{n}]"
    quoted = re.search(r"[\"“„«'‘]([^\"”“»'’]+)[\"”“»'’]", by)
    if quoted:
        return "code", quoted[1]
    if lexicon("vague").search(low) or not by.strip(" ."):
        return "abstract", ""
    return "code", by.strip(" .")


def _of_parts(phrase: str, action: WishAction, code: str, reading: Reading) -> Iterator[Wish]:
    """Yield a wish for each part of a list, the owner of one part for those that name none."""
    read_parts = [(part, read_phrase(part, reading)) for part in _parts(phrase)]
    if not read_parts:
        return
    read_parts = _with_names(read_parts)
    owners = [found.whose for _, found in read_parts if found.whose]
    for part, found in read_parts:
        what = " ".join(part.split())
        whose = found.whose or (owners[0] if owners else "")
        if lexicon("rest").search(plain(part)) and not found.values:
            continue
        if found.values or found.kinds:
            yield Wish(what, action, found.values, _owner(found, whose), code)


def _owner(found: Phrase, whose: str) -> str:
    """A value that is written out needs no owner."""
    return "" if found.values and {"person"}.issuperset(found.kinds) else whose


def _parts(phrase: str) -> Iterator[str]:
    layer = strip_accents(fold(_sheltered(phrase)))
    start = 0
    cuts = [match.span() for match in _COMMA.finditer(layer.text)]
    cuts += [match.span() for match in lexicon("join").finditer(layer.text) if _joins(layer.text, match)]
    for left, right in sorted(cuts):
        if left > start:
            yield _cut(phrase, layer, start, left)
        start = max(start, right)
    if start < len(layer.text):
        yield _cut(phrase, layer, start, len(layer.text))


def _joins(text: str, word: re.Match[str]) -> bool:
    """Tell whether a short word stands alone, unlike the "e" of "e-mail"."""
    if not word[0].isascii():
        return True
    return text[word.start() - 1 : word.start()].isspace() and text[word.end() : word.end() + 1].isspace()


def _with_names(parts: list[tuple[str, Phrase]]) -> list[tuple[str, Phrase]]:
    """Give the part of a list that names a person the name that stands in a bracket behind the last part."""
    *_, (what, last) = parts
    person = next((n for n, (_, found) in enumerate(parts[:-1]) if found.kinds == ("person",)), None)
    if person is None or "person" in last.kinds or not last.kinds or not last.values or "(" not in what:
        return parts
    if parts[person][1].values or not all(value[0].isupper() for value in last.values):
        return parts
    parts[person] = parts[person][0], replace(parts[person][1], values=last.values)
    return [*parts[:-1], (what, replace(last, values=()))]
