"""Gold records -> triplets, as a corpus run would have made them."""

from __future__ import annotations

from collections.abc import Iterator

from privasis.gold.source import GoldRecord, GoldTarget, GoldTriplet
from privasis.text.edits import apply_edits, check_edits
from privasis.types import Edit, Fact, Group, Target, Triplet

WRITTEN = "written by hand"  # stands where a corpus run names the model


def triplets_of(record: GoldRecord) -> Iterator[Triplet]:
    """Walk the triplets of a record; their ids are the record's with ``-1``, ``-2``.

    Raises:
        EditError: If two finds stand on one another in the text.
    """
    number = int(record.id.lstrip("g"))
    for place, triplet in enumerate(record.triplets, 1):
        edits = edits_of(record.text, triplet)
        yield Triplet(
            id=f"{record.id}-{place}",
            record_id=record.id,
            number=number,
            person=person_of(record),
            language=record.language,
            record_type=record.record_type,
            category=record.category,
            model=WRITTEN,
            text=record.text,
            sanitized=apply_edits(record.text, edits),
            edits=edits,
            targets=tuple(_target(record, one, n) for n, one in enumerate(triplet.targets, 1)),
            keeps=tuple(Fact(name, record.attributes[name]) for name in triplet.keeps),
            base_instruction=triplet.instruction,
            instruction=triplet.instruction,
            level=0,
            attributes=tuple(Fact(name, value) for name, value in record.attributes.items()),
            groups=tuple(Group(label, names) for label, names in record.groups.items()),
            calls=(),
        )


def person_of(record: GoldRecord) -> str:
    """Return whose record it is: first and last name of the profile."""
    names = (record.profile.get(name, "") for name in ("first name", "last name"))
    return " ".join(name for name in names if name)


def edits_of(text: str, triplet: GoldTriplet) -> tuple[Edit, ...]:
    """Return the edits at every place where their finds stand, in order; the longer of two nested finds wins.

    Raises:
        EditError: If two finds overlap otherwise.
    """
    edits: list[Edit] = []
    taken = [False] * len(text)
    for find, new in sorted(triplet.edits, key=lambda pair: -len(pair[0])):
        start = text.find(find)
        while start >= 0:
            end = start + len(find)
            if not all(taken[start:end]):
                edits.append(Edit(start, end, new, "", "gold"))
                taken[start:end] = [True] * len(find)
            start = text.find(find, end)
    return check_edits(edits, len(text))


def _target(record: GoldRecord, target: GoldTarget, number: int) -> Target:
    facts = tuple(Fact(name, record.attributes[name]) for name in record.members(target))
    return Target(
        id=f"t{number}",
        label=target.group or ", ".join(target.names),
        grouped=len(facts) > 1,
        attributes=facts,
        action=target.action,
        weight=1.0,
        instruction="",
    )
