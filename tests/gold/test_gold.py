from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from privasis.errors import InputError
from privasis.gold.check import corpus_faults, faults_of
from privasis.gold.source import GoldRecord, packaged_gold, read_gold
from privasis.gold.triplets import triplets_of

TEXT = (
    "Dear Wanjiru Kamau,\nyour appointment is on 3 March 2025 at the Lakeside Clinic. "
    "Call +254 700 555 018 or write to w.kamau@example.org if you cannot come. "
    + " ".join(f"Point number word{n} on the list." for n in range(30))
)


def record(**changes: Any) -> GoldRecord:
    """A record without a fault, with changes."""
    triplet = {
        "hard": True,
        "instruction": "Take out who it is for and how to reach her.",
        "keeps": ["clinic"],
        "targets": [{"group": "contact", "action": "drop"}, {"names": ["name"], "action": "drop"}],
        "edits": [
            ["Dear Wanjiru Kamau,", "Hello,"],
            ["Call +254 700 555 018 or write to w.kamau@example.org if", "Tell us if"],
        ],
    } | changes.pop("triplet", {})
    attributes = {
        "name": "Wanjiru Kamau",
        "phone": "+254 700 555 018",
        "email": "w.kamau@example.org",
        "date": "3 March 2025",
        "clinic": "Lakeside Clinic",
    } | {f"point {n}": f"word{n} on" for n in range(10, 20)}
    fields = {
        "id": "g001",
        "language": "en",
        "country": "Kenya",
        "category": "Health & Wellness",
        "subcategory": "Medical Care",
        "event": "A check-up",
        "record_type": "Appointment letter",
        "context": "From the clinic.",
        "format": "letter",
        "text": TEXT,
        "profile": {"first name": "Wanjiru", "last name": "Kamau"},
        "attributes": attributes,
        "groups": {"contact": ["phone", "email"]},
        "triplets": [triplet],
    }
    return GoldRecord.model_validate(fields | changes)


def test_a_record_without_faults_becomes_a_triplet():
    good = record()
    assert list(faults_of(good)) == []
    (triplet,) = triplets_of(good)
    assert triplet.id == "g001-1"
    assert triplet.person == "Wanjiru Kamau"
    assert triplet.sanitized.startswith(
        "Hello,\nyour appointment is on 3 March 2025 at the Lakeside Clinic. Tell"
    )
    assert [(t.grouped, len(t.attributes)) for t in triplet.targets] == [(True, 2), (False, 1)]


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"text": "Too short."}, "text: 2 words"),
        ({"attributes": {"name": "Wanjiru Kamau"}}, "attributes: 1,"),
        ({"profile": {}}, "profile"),
        ({"category": "Nothing"}, "category"),
        ({"subcategory": "Nothing"}, "subcategory"),
        ({"attributes": {"name": "wanjiru kamau"}}, "'name': its value doesn't stand"),
        ({"groups": {"contact": ["phone", "fax"]}}, "unknown attribute 'fax'"),
        ({"groups": {"other": ["phone", "email"]}}, "unknown group 'contact'"),
        ({"triplet": {"keeps": []}}, "no keeps"),
        ({"triplet": {"keeps": ["name"]}}, "'name' is target and keep"),
        ({"triplet": {"keeps": ["clinic", "fax"]}}, "unknown attribute 'fax'"),
        ({"triplet": {"targets": [{"names": ["name"], "action": "drop"}]}}, "hard, but no target is a group"),
        ({"triplet": {"edits": [["Dear Nobody", ""]]}}, "edit 1: its find doesn't stand"),
        ({"triplet": {"edits": [["Dear Wanjiru", "Dear Madam"]]}}, "'name' is still there"),
        ({"triplet": {"edits": [["Dear Wanjiru Kamau", ""], ["Kamau,\nyour", "your"]]}}, "overlap"),
        ({"triplet": {"edits": [[TEXT[:-4], ""]]}}, "more than half"),
        ({"triplet": {"edits": [["at the Lakeside Clinic", ""]]}}, "keep 'clinic' is lost"),
        ({"triplet": {"instruction": "Remove +254 700 555 018 please."}}, "the instruction tells"),
    ],
)
def test_each_kind_of_fault_is_found(changes: dict[str, Any], fault: str):
    assert any(fault in found for found in faults_of(record(**changes)))


def test_the_corpus_is_checked_as_a_whole():
    found = "\n".join(corpus_faults([record(), record()]))
    for part in (
        "g001 stands twice",
        "one person",
        "one text",
        "2 records",
        "1 formats",
        "1 countries",
        "hard",
    ):
        assert part in found


def test_a_broken_file_is_one_line(tmp_path: Path):
    file = tmp_path / "g900.toml"
    file.write_text("id = 3\nsecret = 'Wanjiru'\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"g900.toml: .*language: Field required") as caught:
        read_gold(file)
    assert "Wanjiru" not in str(caught.value)


def test_every_packaged_record_keeps_its_promises():
    faults = [f"{record.id}: {fault}" for record in packaged_gold() for fault in faults_of(record)]
    assert faults == []
