"""The package data: whole, without repeats, and refused with one clear line when damaged."""

from __future__ import annotations

import json
import lzma
from collections import Counter
from dataclasses import fields
from importlib.resources import files
from itertools import combinations

import numpy as np
import pytest

from privasis.errors import InputError
from privasis.synthesis.catalogue import (
    LifeEventTemplate,
    life_events,
    name_table,
    options,
    parse_life_events,
    parse_names,
    parse_options,
)
from privasis.types import Seed

# Table 1 of the paper: main categories, and the subcategories that it names.
TABLE_1 = {
    "Health & Wellness": {"Medical Care", "Mental Health & Support", "Healthcare Administration"},
    "Government & Civic": {"Immigration & Citizenship", "Legal Proceedings", "Public Administration"},
    "Business & Finance": {"Employment & HR", "Financial Management", "Accounting & Tax"},
    "Personal & Family": {"Personal Development", "Family Relationships", "Life Events"},
    "Community & Social": {"Community Services", "Religious & Spiritual", "Volunteer & Nonprofit"},
    "Professional Services": {"Project Management", "Consulting & Advisory", "Specialized Services"},
    "Education & Training": {"Academic Administration", "Financial Aid", "Learning & Development"},
    "Legal & Compliance": {"Criminal Justice", "Contracts & Agreements", "Court & Litigation"},
    "Media & Communications": {"Publishing & Content", "Creative Arts", "Communication"},
    "Recreation & Lifestyle": {"Travel & Tourism", "Food & Culinary", "Entertainment & Hobbies"},
    "Technical & Operations": {"System Administration", "Technical Support"},
}
# Appendix A: what the profile holds beside its life event, and the names by which texts often call it.
PROFILE_FIELDS = {
    *(field.name for field in fields(Seed)),
    *("last_name", "full_name", "ethnicity", "citizenship", "id_type", "id_number", "passport_number"),
    *("phone_number", "email", "user_handle", "url", "date_of_birth"),
}


def _raw(name: str) -> bytes:
    return (files("privasis") / "data" / name).read_bytes()


def _overlap(one: set[str], other: set[str]) -> float:
    return len(one & other) / len(one | other)


def test_data_is_a_folder_and_no_python_package() -> None:
    assert not (files("privasis") / "data" / "__init__.py").is_file()


def test_categories_are_table_1_and_42_subcategories() -> None:
    ours = {category.name: set(category.subcategories) for category in options().categories}
    assert ours.keys() == TABLE_1.keys()
    assert all(TABLE_1[name] <= subcategories for name, subcategories in ours.items())
    assert sum(len(category.subcategories) for category in options().categories) == 42


def test_life_events_are_many_in_every_category_and_subcategory() -> None:
    by_category = Counter(event.category for event in life_events())
    by_subcategory = Counter(event.subcategory for event in life_events())
    assert by_category.total() >= 220
    assert by_category.keys() == TABLE_1.keys()
    assert min(by_category.values()) >= 12
    assert by_subcategory.keys() == {s for category in options().categories for s in category.subcategories}
    assert min(by_subcategory.values()) >= 5


def test_no_two_life_events_are_alike() -> None:
    words = {event.id: set(event.name.split()) for event in life_events()}
    for one, other in combinations(life_events(), 2):
        assert _overlap(words[one.id], words[other.id]) <= 0.6, (one.id, other.id)
        assert _overlap(set(one.attributes), set(other.attributes)) <= 0.1, (one.id, other.id)


def test_attributes_belong_to_their_event_alone() -> None:
    uses = Counter(attribute for event in life_events() for attribute in event.attributes)
    assert all(4 <= len(event.attributes) <= 10 for event in life_events())
    assert max(uses.values()) <= 3  # a template's attributes would return in every event
    assert not uses.keys() & PROFILE_FIELDS


def test_options_have_the_sizes_that_the_documentation_names() -> None:
    lists = options()
    assert lists.sexes == ("female", "male")
    assert len(lists.blood_types) == 8
    assert len(lists.income_classes) == 5
    assert len(lists.marital_statuses) == 8
    assert len(lists.native_languages) >= 80
    assert len(lists.ethnicities) >= 60


@pytest.mark.parametrize(
    "labels",
    [
        {"Han Chinese", "Korean", "Japanese", "Mongol", "Taiwanese", "Ainu", "Ryukyuan", "Hui"},
        {"Mexican Mestizo", "Colombian Mestizo", "Peruvian Mestizo", "Ladino Guatemalan", "Pardo Brazilian"},
        {"Puerto Rican", "Cuban", "Dominican", "Mexican American", "White Hispanic", "Argentine"},
        {"Quechua", "Maya", "Mapuche", "Navajo", "Inuit", "Māori", "Aboriginal Australian", "Sámi"},
        {"Yoruba", "Bengali", "Kurdish", "Roma", "Samoan", "Haitian", "African American", "Persian"},
    ],
)
def test_ethnicities_cover_what_the_paper_found_thin(labels: set[str]) -> None:
    assert labels <= set(options().ethnicities)


def test_lists_stand_in_the_file_as_they_are_read() -> None:
    raw = json.loads(_raw("life_events.json"))
    assert [event["id"] for event in raw] == [event.id for event in life_events()]
    assert tuple(json.loads(_raw("options.json"))["ethnicities"]) == options().ethnicities


def test_names_are_all_there_with_their_counts() -> None:
    table = name_table()
    assert len(table) == 104_819
    # the sums of the Administration's yearly files, 1880 to 2024
    assert (int(table.girls.sum()), int(table.boys.sum())) == (183_933_179, 188_075_971)
    assert int(table.cumulative[-1]) == 372_009_150
    assert bool(np.all(table.names[:-1] < table.names[1:]))  # sorted, none twice
    assert table.row(0) == ("Aaban", 0, 127)
    assert table.row(104_818) == ("Zzyzx", 0, 10)


def test_names_are_written_with_one_capital() -> None:
    names = name_table().names.astype(str)
    assert bool(np.all(np.char.isalpha(names)))
    assert bool(np.all(names == np.char.capitalize(names)))


def test_readers_hand_out_one_immutable_object() -> None:
    assert name_table() is name_table()
    assert life_events() is life_events()
    assert options() is options()
    with pytest.raises(ValueError, match="read-only"):
        name_table().girls[0] = 1


def _event(**changes: object) -> dict[str, object]:
    event: dict[str, object] = {
        "id": "lost-key",
        "name": "loses the key of a safe",
        "category": "Personal & Family",
        "subcategory": "Home & Household",
        "attributes": ["safe_model", "safe_place", "locksmith", "contents"],
    }
    return event | changes


def _parse(*events: dict[str, object]) -> tuple[LifeEventTemplate, ...]:
    return parse_life_events(json.dumps(events).encode(), options().categories)


def test_a_sound_event_is_read() -> None:
    assert _parse(_event())[0].attributes == ("safe_model", "safe_place", "locksmith", "contents")


@pytest.mark.parametrize(
    ("events", "why"),
    [
        ([_event(), _event(name="another")], "id 'lost-key' stands twice"),
        ([_event(), _event(id="other")], "name 'loses the key of a safe' stands twice"),
        ([_event(id="Lost Key")], "0.id: String should match pattern"),
        ([_event(name=" loses a key")], "0.name: String should match pattern"),
        ([_event(attributes=["a", "b", "c"])], "0.attributes: Tuple should have at least 4 items"),
        ([_event(attributes=[f"a{i}" for i in range(11)])], "0.attributes: Tuple should have at most 10"),
        ([_event(attributes=["a", "b", "c", "camelCase"])], "0.attributes.3: String should match pattern"),
        ([_event(attributes=["a", "b", "c", "a"])], "attribute of lost-key 'a' stands twice"),
        ([_event(category="Sport")], "lost-key has the unknown category 'Sport'"),
        ([_event(subcategory="Medical Care")], "'Medical Care' is no part of 'Personal & Family'"),
        ([_event(extra=1)], "0.extra: Unexpected"),
        ([{"id": "lost-key"}], "0.name: Field required"),
    ],
)
def test_a_damaged_catalogue_is_refused_with_its_place(events: list[dict[str, object]], why: str) -> None:
    with pytest.raises(InputError) as error:
        _parse(*events)
    message = str(error.value)
    assert message.startswith("package data life_events.json: ")
    assert why in message
    assert message.endswith(". Reinstall privasis.")
    assert "\n" not in message


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"blood_types": ["A+", "A+"]}, "blood_types 'A+' stands twice"),
        ({"sexes": ["female", "neither"]}, "at sexes.1: Input should be 'female' or 'male'"),
        ({"ethnicities": []}, "at ethnicities: Tuple should have at least 2 items"),
        ({"native_languages": ["Thai", ""]}, "at native_languages.1: String should"),
        ({"categories": [{"name": "A", "subcategories": ["b", "b"]}]}, "subcategory 'b' stands twice"),
    ],
)
def test_damaged_options_are_refused_with_their_place(change: dict[str, object], why: str) -> None:
    content = json.loads(_raw("options.json")) | change
    with pytest.raises(InputError, match=r"^package data options\.json: .*Reinstall privasis\.$") as error:
        parse_options(json.dumps(content).encode())
    assert why in str(error.value)


def test_half_a_json_file_is_refused() -> None:
    with pytest.raises(InputError, match=r"options\.json: at the whole file: Invalid JSON"):
        parse_options(_raw("options.json")[:500])


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"name,girls,boys\n", "it is not xz, or cut off"),
        (_raw("first_names.csv.xz")[:100_000], "it is not xz, or cut off"),
        (lzma.compress(b"name,F,M\nAda,1,0\n"), "it is not a table of name, girls, boys"),
        (lzma.compress(b"name,girls,boys\n"), "it is not a table of name, girls, boys"),
        (lzma.compress(b"name,girls,boys\nAda,1\n"), "a row is not a name with two counts"),
        (lzma.compress(b"name,girls,boys\nAda,one,0\n"), "a row is not a name with two counts"),
        (lzma.compress(b"name,girls,boys\nAda,0,0\n"), "a name has a count below 0, or no count at all"),
        (lzma.compress(b"name,girls,boys\nAda,-1,3\n"), "a name has a count below 0, or no count at all"),
    ],
)
def test_a_damaged_name_table_is_refused(content: bytes, why: str) -> None:
    with pytest.raises(InputError) as error:
        parse_names(content)
    assert str(error.value) == f"package data first_names.csv.xz: {why}. Reinstall privasis."
