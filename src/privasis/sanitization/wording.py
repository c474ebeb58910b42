"""What stands in place of an abstracted value: the model's phrase where it can be used, else a plain one.

A small model must get through: its phrases are checked by code, one by one, and an unusable one is replaced
by a generic noun phrase made from the kind of the value and the attribute's name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from privasis.sanitization.locate import Mention, MentionKind, key_of
from privasis.text.forms import find_forms
from privasis.text.kinds import kind_of
from privasis.text.leaks import contains_direct
from privasis.text.reading import Reading
from privasis.types import Fact

MOST_GROWTH = 3  # times the original's length
SHORT = 40  # characters that a phrase may have however short the value is ("34" -> "in her thirties")
_MASK = re.compile(
    r"^\W*(?:redacted|removed|anonymi[sz]ed|withheld|hidden|placeholder|x{2,}|n/?a)\W*$", re.IGNORECASE
)
_UNWANTED = re.compile(r"[\n\r\t|{}<>`\[\]]|\*\*|__")

_BY_KIND = {
    "date": "a certain date",
    "time": "a certain time",
    "person_name": "the person",
    "email": "an e-mail address",
    "phone": "a phone number",
    "url": "a web address",
    "handle": "a user name",
    "amount": "an undisclosed amount",
    "age": "a certain age",
    "file": "a file",
}
_BY_WORD = (  # the last word of an attribute's name, where its kind says nothing
    (("date", "birthday", "day"), "a certain date"),
    (("time",), "a certain time"),
    (("age",), "a certain age"),
    (
        ("amount", "price", "cost", "fee", "salary", "income", "budget", "balance", "total"),
        "an undisclosed amount",
    ),
    (("number", "id", "code", "reference"), "a certain number"),
    (("address", "street"), "a certain address"),
    (("city", "town", "village"), "a certain town"),
    (("country",), "a certain country"),
    (("duration", "period"), "a certain time"),
    (("status",), "a certain status"),
)
_SUFFIXES = frozenset({"name", "title", "value", "type", "detail", "details", "info", "description"})
_PEOPLE = frozenset({"first", "last", "full", "middle", "maiden", "nick", "given", "family"})
_ELSEWHERE = {  # in other languages one phrase that fits any sentence
    "german": "(nicht genannt)",
    "french": "(non précisé)",
    "spanish": "(no indicado)",
    "portuguese": "(não informado)",
    "italian": "(non indicato)",
    "dutch": "(niet vermeld)",
    "polish": "(nie podano)",
    "swedish": "(ej angivet)",
    "finnish": "(ei ilmoitettu)",
    "turkish": "(belirtilmemiş)",
    "russian": "(не указано)",
    "ukrainian": "(не вказано)",
    "arabic": "(غير محدد)",
    "hebrew": "(לא צוין)",
    "hindi": "(अज्ञात)",
    "chinese": "（未说明）",
    "japanese": "（非公開）",
    "korean": "(비공개)",
}


def unusable(phrase: str, form: str, secrets: Iterable[Fact]) -> bool:
    """Tell whether a phrase cannot stand in place of a form.

    It cannot when it is empty, a mask, much longer than the form, equal to it, when it would break the text's
    markup, or when it tells one of the secrets again.
    """
    if not phrase or _MASK.match(phrase) or _UNWANTED.search(phrase):
        return True
    if len(phrase) > max(MOST_GROWTH * len(form), SHORT) or not any(map(str.isalnum, phrase)):
        return True
    return contains_direct(phrase, form) or any(tells(phrase, fact) for fact in secrets)


def tells(text: str | Reading, fact: Fact) -> bool:
    """Tell whether a text holds a value, verbatim at word borders or in a derived form."""
    return bool(find_forms(text, fact.value, kind_of(fact.name, fact.value)))


def generic(fact: Fact, kind: MentionKind, form: str, language: str) -> str:
    """Return a plain phrase for a form of a value, from its kind and its attribute's name."""
    if language.casefold() != "english":
        return _ELSEWHERE.get(language.casefold(), "(…)")
    if kind == "age":
        return "adult" if re.search(r"-old", form, re.IGNORECASE) else "of a certain age"
    if kind in _BY_KIND:
        return _BY_KIND[kind]
    of_value = kind_of(fact.name, fact.value)
    words = [word for word in re.split(r"[_\W\d]+", fact.name.casefold()) if word]
    if of_value == "person_name" or (_PEOPLE.intersection(words) and words[-1:] == ["name"]):
        return "the person"
    if of_value in _BY_KIND:
        return _BY_KIND[of_value]
    for endings, phrase in _BY_WORD:
        if words[-1:] and words[-1] in endings:
            return phrase
    return _noun_phrase(words)


def _noun_phrase(words: Sequence[str]) -> str:
    while len(words) > 1 and words[-1] in _SUFFIXES:
        words = words[:-1]
    noun = " ".join(words[-3:])
    if not noun or noun in _SUFFIXES:
        return "a certain detail"
    if noun.endswith("s") and not noun.endswith(("ss", "us", "is")):
        return f"certain {noun}"
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def phrase_for(
    mention: Mention, phrases: dict[str, str], secrets: Sequence[Fact], language: str
) -> tuple[str, str]:
    """Return the phrase for a mention, and its edit's step word: ``span``, ``reference`` or ``fallback``.

    Args:
        mention: What is replaced.
        phrases: Usable phrases of the model, by case-folded form.
        secrets: Facts that no phrase may tell.
        language: Of the record.
    """
    phrase = phrases.get(key_of(mention.form))
    if phrase is None and mention.kind == "value":
        phrase = phrases.get(key_of(mention.fact.value))  # the same value: the same replacement
    if phrase is not None and not unusable(phrase, mention.form, secrets):
        return phrase, "reference" if mention.kind == "reference" else "span"
    plain = generic(mention.fact, mention.kind, mention.form, language)
    return (plain if not unusable(plain, mention.form, secrets) else "(…)"), "fallback"
