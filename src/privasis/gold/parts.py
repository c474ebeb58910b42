"""The parts of the gold corpus: what is trained on, what is tuned on, and what is measured once."""

from __future__ import annotations

from typing import Final, Literal

from privasis.gold.source import GoldRecord

Part = Literal["train", "validation", "test"]

_TEST: Final = frozenset({3, 6, 9})
_VALIDATION: Final = frozenset({0})


def part_of(record: GoldRecord) -> Part:
    """Tell a record's part by the last digit of its number: 60% train, 10% validation, 30% test.

    Every record is about a person of its own, so no person stands in two parts.
    """
    digit = int(record.id[-1])
    if digit in _TEST:
        return "test"
    return "validation" if digit in _VALIDATION else "train"
