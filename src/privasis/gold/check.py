"""Every promise of the gold corpus, checked: of each record, and of the corpus as a whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from privasis.gold.source import GoldRecord, GoldTriplet
from privasis.gold.triplets import edits_of, person_of
from privasis.synthesis.catalogue import options
from privasis.text.edits import EditError, apply_edits
from privasis.text.forms import find_forms
from privasis.text.kinds import kind_of
from privasis.text.reading import read
from privasis.text.words import count_words

WORDS = (150, 700)
ATTRIBUTES = (15, 45)
MIN_RECORDS = 240
MIN_FORMATS = 60
MIN_COUNTRIES = 60
MIN_LANGUAGES = 10  # beside English, with at least MIN_PER_LANGUAGE records each
MIN_PER_LANGUAGE = 6
HARD = (0.4, 0.6)  # share of the triplets: "half"
MAX_CHANGED = 0.5  # of the text: an edit that takes more is a rewrite


def faults_of(record: GoldRecord) -> Iterator[str]:
    """Walk what is wrong with one record, one line each; names attributes and finds by name or number."""
    words = count_words(record.text)
    if not WORDS[0] <= words <= WORDS[1]:
        yield f"text: {words} words, not {WORDS[0]} to {WORDS[1]}"
    if not ATTRIBUTES[0] <= len(record.attributes) <= ATTRIBUTES[1]:
        yield f"attributes: {len(record.attributes)}, not {ATTRIBUTES[0]} to {ATTRIBUTES[1]}"
    if not person_of(record):
        yield "profile: 'first name' or 'last name' is missing"
    subcategories = _subcategories().get(record.category)
    if subcategories is None:
        yield "category: not one of options.json"
    elif record.subcategory not in subcategories:
        yield f"subcategory: not one of {', '.join(subcategories)}"
    for name, value in record.attributes.items():
        if not value.strip() or value not in record.text:
            yield f"attributes.{name!r}: its value doesn't stand verbatim in the text"
    for label, names in record.groups.items():
        if len(names) < 2:
            yield f"groups.{label!r}: fewer than 2 attributes"
        yield from (f"groups.{label!r}: unknown attribute {n!r}" for n in names if n not in record.attributes)
    for place, triplet in enumerate(record.triplets, 1):
        yield from (f"triplet {place}: {fault}" for fault in _triplet_faults(record, triplet))


def _triplet_faults(record: GoldRecord, triplet: GoldTriplet) -> Iterator[str]:
    named = [name for target in triplet.targets for name in record.members(target)]
    unknown = [name for name in [*named, *triplet.keeps] if name not in record.attributes]
    yield from (f"unknown attribute {name!r}" for name in unknown)
    yield from (
        f"unknown group {target.group!r}"
        for target in triplet.targets
        if target.group and target.group not in record.groups
    )
    if not triplet.keeps:
        yield "no keeps"
    yield from (f"{name!r} is target and keep" for name in triplet.keeps if name in named)
    yield from (f"{name!r} stands in two targets" for name, n in Counter(named).items() if n > 1)
    if triplet.hard and not any(len(record.members(target)) > 1 for target in triplet.targets):
        yield "hard, but no target is a group"
    yield from (
        f"edit {n}: its find doesn't stand in the text"
        for n, (find, _) in enumerate(triplet.edits, 1)
        if not find or find not in record.text
    )
    if unknown:
        return
    try:
        edits = edits_of(record.text, triplet)
    except EditError as error:
        yield f"edits: {error}"
        return
    yield from _result_faults(record, triplet, named, apply_edits(record.text, edits))
    if sum(edit.end - edit.start for edit in edits) > MAX_CHANGED * len(record.text):
        yield "more than half of the text is edited"


def _result_faults(
    record: GoldRecord, triplet: GoldTriplet, named: Sequence[str], sanitized: str
) -> Iterator[str]:
    reading = read(sanitized)
    secrets = [record.attributes[name] for name in named]
    yield from (
        f"the instruction tells the value of {name!r}"
        for name in named
        if len(record.attributes[name]) > 3 and record.attributes[name] in triplet.instruction
    )
    for name in named:
        value = record.attributes[name]
        found = find_forms(reading, value, kind_of(name, value))
        for match in found:
            span = match.span
            context = sanitized[max(0, span.start - 25) : span.end + 25].replace("\n", "⏎")
            yield f"{name!r} is still there ({match.form}): …{context}…"
    for name in triplet.keeps:
        value = record.attributes[name]
        if value not in sanitized:
            yield f"keep {name!r} is lost"
        elif any(value in secret or secret in value for secret in secrets):
            yield f"keep {name!r} holds a target's value or is held by one"


def corpus_faults(records: Iterable[GoldRecord]) -> Iterator[str]:
    """Walk what the corpus as a whole lacks (its data card's promises)."""
    listed = list(records)
    yield from (f"id {id} stands twice" for id, n in Counter(r.id for r in listed).items() if n > 1)
    persons = Counter(person_of(record).casefold() for record in listed)
    twice = [record.id for record in listed if persons[person_of(record).casefold()] > 1]
    if twice:
        yield f"one person in several records: {', '.join(twice)}"
    if len({record.text.strip() for record in listed}) < len(listed):
        yield "one text in several records"
    yield from _too_few("records", len(listed), MIN_RECORDS)
    yield from _too_few("formats", len({format_of(record) for record in listed}), MIN_FORMATS)
    yield from _too_few("countries", len({record.country for record in listed}), MIN_COUNTRIES)
    languages = Counter(record.language for record in listed if record.language != "en")
    enough = sum(n >= MIN_PER_LANGUAGE for n in languages.values())
    yield from _too_few(f"languages with {MIN_PER_LANGUAGE} records beside English", enough, MIN_LANGUAGES)
    wanted = {(name, sub) for name, subs in _subcategories().items() for sub in subs}
    missing = wanted - {(record.category, record.subcategory) for record in listed}
    yield from (f"no record of {category}: {sub}" for category, sub in sorted(missing))
    hard = [triplet.hard for record in listed for triplet in record.triplets]
    if hard and not HARD[0] <= sum(hard) / len(hard) <= HARD[1]:
        yield f"{sum(hard)} of {len(hard)} triplets are hard: not half"


def format_of(record: GoldRecord) -> str:
    """Return the document format without case."""
    return " ".join(record.format.casefold().split())


def _subcategories() -> dict[str, tuple[str, ...]]:
    return {category.name: category.subcategories for category in options().categories}


def _too_few(what: str, count: int, least: int) -> Iterator[str]:
    if count < least:
        yield f"{count} {what}: at least {least} are promised"
