"""What a sanitizer is tested on: an original, an instruction, what has to go and what has to stay."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from privasis.evaluation.leaks import strict_spans
from privasis.text.leaks import direct_leaks
from privasis.types import Action, Fact, Triplet


@dataclass(frozen=True, slots=True)
class BenchFact:
    """An attribute's name and its values: one for a scalar, the leaves of a list or a dict, none for None."""

    name: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BenchTarget:
    """What has to be abstracted or dropped: one attribute, or a group of them (the paper's z)."""

    id: str
    label: str
    grouped: bool
    attributes: tuple[BenchFact, ...]
    action: Action


@dataclass(frozen=True, slots=True)
class BenchItem:
    """One row of a test set."""

    id: str
    number: int
    original: str  # x
    instruction: str
    targets: tuple[BenchTarget, ...]  # T
    keeps: tuple[BenchFact, ...]  # K
    record_type: str
    category: str
    set_name: str  # 'vanilla', 'hard' or ''


def values_of(value: object) -> tuple[str, ...]:
    """Flatten an attribute's value to the strings that are looked for.

    Lists and dicts give the leaves in order (a dict's keys are no values), numbers as Python writes them,
    booleans as ``true`` and ``false``; None and blank strings give nothing. Equal leaves come once.
    """
    return tuple(dict.fromkeys(_leaves(value)))


def _leaves(value: object) -> Iterator[str]:
    match value:
        case None:
            return
        case bool():
            yield "true" if value else "false"
        case str():
            if value.strip():
                yield value.strip()
        case Mapping():
            for inner in value.values():
                yield from _leaves(inner)
        case list() | tuple() | set() | frozenset():
            for inner in value:
                yield from _leaves(inner)
        case _:
            yield str(value)


def fact_of(name: str, value: object) -> BenchFact:
    """Return an attribute whose value may be of any JSON type."""
    return BenchFact(name, values_of(value))


def item_of(triplet: Triplet, set_name: str = "") -> BenchItem:
    """Return what a triplet of the sanitization corpus asks of a sanitizer."""
    return BenchItem(
        id=triplet.id,
        number=triplet.number,
        original=triplet.text,
        instruction=triplet.instruction,
        targets=tuple(
            BenchTarget(target.id, target.label, target.grouped, _facts(target.attributes), target.action)
            for target in triplet.targets
        ),
        keeps=_facts(triplet.keeps),
        record_type=triplet.record_type,
        category=triplet.category,
        set_name=set_name,
    )


def _facts(facts: Iterable[Fact]) -> tuple[BenchFact, ...]:
    return tuple(fact_of(fact.name, fact.value) for fact in facts)


def absent_targets(item: BenchItem) -> tuple[str, ...]:
    """Return the names of the target attributes that do not stand in the original, by either reading."""
    facts = [fact for target in item.targets for fact in target.attributes if fact.values]
    values = [value for fact in facts for value in fact.values]
    found = {value for value, there in zip(values, direct_leaks(item.original, values), strict=True) if there}
    return tuple(
        fact.name
        for fact in facts
        if found.isdisjoint(fact.values) and not strict_spans(item.original, fact.name, fact.values)
    )
