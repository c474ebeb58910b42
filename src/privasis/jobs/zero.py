"""Between the authors' release and our own nouns: rows of Privasis-Zero, items of a test set, triplets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

from privasis.evaluation.benchmark import BenchFact, BenchItem, BenchTarget, fact_of, values_of
from privasis.store.benchmark import Row
from privasis.store.zero import Json, ZeroFact, ZeroRow, ZeroTarget, parse_zero
from privasis.text.diff import diff_edits
from privasis.types import Action, Fact, Group, Target, Triplet

Instruction = Literal["smoothed", "base"]
MODEL = "nvidia/Privasis-Zero"  # the model named in imported triplets: the release does not tell it
UNGROUPED = "ungrouped"  # the label of attributes that are in no group


def item_of_row(row: ZeroRow, number: int, set_name: str, instruction: Instruction = "smoothed") -> BenchItem:
    """Return what a row of the release asks of a sanitizer.

    Args:
        row: The row.
        number: Its place in the file.
        set_name: 'vanilla', 'hard' or ''.
        instruction: As a user would say it (the paper's test), or the assembled one; where the one that is
            asked for is empty, the other.
    """
    said, other = row.smoothed_instruction, row.base_instruction
    if instruction == "base":
        said, other = other, said
    targets = [
        BenchTarget(
            id=f"t{place}",
            label=_label(target),
            grouped=target.group is not None,
            attributes=tuple(fact_of(fact.name, fact.value) for fact in target.facts),
            action=action,
        )
        for place, (action, target) in enumerate(_targets(row), start=1)
    ]
    return BenchItem(
        id=row.id,
        number=number,
        original=row.original_record,
        instruction=said or other,
        targets=tuple(targets),
        keeps=tuple(fact_of(fact.name, fact.value) for fact in row.keep),
        record_type=row.record_type,
        category="",  # the release does not tell it
        set_name=set_name,
    )


def zero_item(row: Row, set_name: str) -> BenchItem:
    """Return a row of a file of the release as an item of a test set.

    Raises:
        InputError: If the row is not in the release's format; names the field.
    """
    return item_of_row(parse_zero(row.values, row.where), row.number, set_name)


def _targets(row: ZeroRow) -> Iterator[tuple[Action, ZeroTarget]]:
    for target in row.drop:
        yield "drop", target
    for target in row.abstract:
        yield "abstract", target


def _label(target: ZeroTarget) -> str:
    if target.group is not None:
        return target.group
    return ", ".join(fact.name for fact in target.facts)


def row_of_item(item: BenchItem, sanitized: str) -> ZeroRow:
    """Return an item of a test set, with its sanitized text, as a row of the release."""
    return ZeroRow(
        id=item.id,
        original_record=item.original,
        sanitized_record=sanitized,
        base_instruction="",
        smoothed_instruction=item.instruction,
        record_type=item.record_type,
        attributes={},
        keep=tuple(_fact(fact) for fact in item.keeps),
        drop=tuple(_target(target) for target in item.targets if target.action == "drop"),
        abstract=tuple(_target(target) for target in item.targets if target.action == "abstract"),
    )


def _target(target: BenchTarget) -> ZeroTarget:
    return ZeroTarget(
        target.label if target.grouped else None, tuple(_fact(fact) for fact in target.attributes)
    )


def _fact(fact: BenchFact) -> ZeroFact:
    value: Json = list(fact.values) if len(fact.values) > 1 else next(iter(fact.values), None)
    return ZeroFact(fact.name, value)


def row_of_triplet(triplet: Triplet) -> ZeroRow:
    """Return a triplet of our corpus as a row of the release; edits and provenance have no place there."""
    return ZeroRow(
        id=triplet.id,
        original_record=triplet.text,
        sanitized_record=triplet.sanitized,
        base_instruction=triplet.base_instruction,
        smoothed_instruction=triplet.instruction,
        record_type=triplet.record_type,
        attributes=_grouped(triplet),
        keep=tuple(ZeroFact(fact.name, fact.value) for fact in triplet.keeps),
        drop=tuple(_chosen(target) for target in triplet.targets if target.action == "drop"),
        abstract=tuple(_chosen(target) for target in triplet.targets if target.action == "abstract"),
        extra={"record_tags": triplet.category, "language": triplet.language, "model": triplet.model},
    )


def _chosen(target: Target) -> ZeroTarget:
    facts = tuple(ZeroFact(fact.name, fact.value) for fact in target.attributes)
    return ZeroTarget(target.label if target.grouped else None, facts)


def _grouped(triplet: Triplet) -> dict[str, dict[str, Json]]:
    values: dict[str, list[str]] = {}
    for fact in triplet.attributes:
        values.setdefault(fact.name, []).append(fact.value)
    plain: dict[str, Json] = {name: held[0] if len(held) == 1 else held for name, held in values.items()}
    grouped = {
        group.label: {name: plain[name] for name in group.attributes if name in plain}
        for group in triplet.groups
    }
    inside = {name for group in triplet.groups for name in group.attributes}
    rest = {name: value for name, value in plain.items() if name not in inside}
    return {**grouped, **({UNGROUPED: rest} if rest else {})}


def triplet_of_row(row: ZeroRow, number: int) -> Triplet:
    """Return a row of the release as a triplet, to train on.

    A value of several parts becomes several facts of one name, so that each can be found in the text. The
    edits come from a diff and name no target. What the release does not tell is empty or 0: weights, the
    targets' own instructions, the person (each row counts as a person), calls.
    """
    return Triplet(
        id=row.id,
        record_id=row.id,
        number=number,
        person=row.id,
        language=str(row.extra.get("language") or "English"),
        record_type=row.record_type,
        category=str(row.extra.get("record_tags") or ""),
        model=str(row.extra.get("model") or MODEL),
        text=row.original_record,
        sanitized=row.sanitized_record,
        edits=diff_edits(row.original_record, row.sanitized_record, target="", step="import"),
        targets=tuple(
            Target(
                f"t{place}",
                _label(target),
                target.group is not None,
                _facts(target.facts),
                action,
                weight=0.0,
                instruction="",
            )
            for place, (action, target) in enumerate(_targets(row), start=1)
        ),
        keeps=_facts(row.keep),
        base_instruction=row.base_instruction,
        instruction=row.smoothed_instruction,
        level=0,
        attributes=_annotated(row.attributes),
        groups=_groups(row.attributes),
        calls=(),
    )


def _facts(facts: Iterable[ZeroFact]) -> tuple[Fact, ...]:
    return tuple(Fact(fact.name, value) for fact in facts for value in values_of(fact.value))


def _annotated(attributes: Json) -> tuple[Fact, ...]:
    """The attributes of a row, each once: {group: {name: value}}, or {name: value} where there are none."""
    facts: dict[Fact, None] = {}
    for name, value in attributes.items() if isinstance(attributes, dict) else ():
        members = value.items() if isinstance(value, dict) else ((name, value),)
        for member, held in members:
            facts.update(dict.fromkeys(Fact(member, leaf) for leaf in values_of(held)))
    return tuple(facts)


def _groups(attributes: Json) -> tuple[Group, ...]:
    if not isinstance(attributes, dict):
        return ()
    return tuple(
        Group(label, tuple(members))
        for label, members in attributes.items()
        if isinstance(members, dict) and label != UNGROUPED
    )
