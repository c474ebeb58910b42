"""Typed readers of the package data: life events, option lists, first names.

Every reader reads once per process and hands out the same immutable object.
"""

from __future__ import annotations

import lzma
from collections import Counter
from dataclasses import dataclass, fields
from functools import cache
from importlib.resources import files
from io import BytesIO
from typing import Annotated, Any, ClassVar, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from privasis.errors import InputError
from privasis.types import Sex

LIFE_EVENTS_FILE = "life_events.json"
OPTIONS_FILE = "options.json"
FORMS_FILE = "forms.json"
FIRST_NAMES_FILE = "first_names.csv.xz"

# The Administration's names have 2 to 15 letters, all of A to Z.
_NAME_ROW = np.dtype([("name", "S15"), ("girls", np.int64), ("boys", np.int64)])

T = TypeVar("T")
_Text = Annotated[str, Field(min_length=1, pattern=r"^\S(.*\S)?$")]
_KebabCase = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
_SnakeCase = Annotated[str, Field(pattern=r"^[a-z][a-z0-9]*(_[a-z0-9]+)*$")]
_Choices = Annotated[tuple[_Text, ...], Field(min_length=2)]


@dataclass(frozen=True, slots=True)
class LifeEventTemplate:
    """An event of the catalogue before anybody lived it (Appendix A: predefined life events)."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    id: _KebabCase
    name: _Text  # third person, present tense: "disputes a hospital bill"
    category: _Text  # one of Table 1's main categories
    subcategory: _Text
    attributes: Annotated[tuple[_SnakeCase, ...], Field(min_length=4, max_length=10)]


@dataclass(frozen=True, slots=True)
class Forms:
    """Examples for prompts: a few are drawn for each record, so that no two records start alike."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    document_kinds: _Choices
    layouts: _Choices


@dataclass(frozen=True, slots=True)
class Category:
    """A main category of Table 1 with its subcategories."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    name: _Text
    subcategories: Annotated[tuple[_Text, ...], Field(min_length=1)]


@dataclass(frozen=True, slots=True)
class Options:
    """What a profile may choose from (Appendix A) and how records are filed (Table 1)."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    sexes: Annotated[tuple[Sex, ...], Field(min_length=2)]
    marital_statuses: _Choices
    income_classes: _Choices  # lowest first
    blood_types: _Choices
    native_languages: _Choices
    ethnicities: _Choices
    categories: Annotated[tuple[Category, ...], Field(min_length=1)]


class NamedCounts(NamedTuple):
    """One row of the name table."""

    name: str
    girls: int
    boys: int


@dataclass(frozen=True, slots=True)
class NameTable:
    """First names with the number of girls and boys who got them; row i of each array is one name."""

    names: NDArray[np.bytes_]  # (n,) ASCII, sorted
    girls: NDArray[np.int64]  # (n,)
    boys: NDArray[np.int64]  # (n,)
    cumulative: NDArray[np.int64]  # (n,) running sum of girls + boys: what frequency sampling searches

    def __len__(self) -> int:
        """The number of names."""
        return len(self.names)

    def row(self, index: int) -> NamedCounts:
        """The name and its counts at an index."""
        return NamedCounts(self.names[index].decode("ascii"), int(self.girls[index]), int(self.boys[index]))


@cache
def options() -> Options:
    """Read the option lists.

    Raises:
        InputError: The installed file is damaged.
    """
    return parse_options(_read(OPTIONS_FILE))


@cache
def life_events() -> tuple[LifeEventTemplate, ...]:
    """Read the catalogue of life events, ordered by category and subcategory.

    Raises:
        InputError: The installed file is damaged.
    """
    return parse_life_events(_read(LIFE_EVENTS_FILE), options().categories)


@cache
def forms() -> Forms:
    """Read the kinds of documents and the layouts that prompts draw examples from.

    Raises:
        InputError: The installed file is damaged.
    """
    return _validate(TypeAdapter(Forms), _read(FORMS_FILE), FORMS_FILE)


@cache
def name_table() -> NameTable:
    """Read the first names of the US Social Security Administration.

    Raises:
        InputError: The installed file is damaged.
    """
    return parse_names(_read(FIRST_NAMES_FILE))


def parse_options(content: bytes) -> Options:
    """Read option lists from JSON.

    Raises:
        InputError: The JSON is malformed, a field is missing or of the wrong form, or an entry stands twice.
    """
    parsed = _validate(TypeAdapter(Options), content, OPTIONS_FILE)
    for field in fields(parsed):
        if field.name != "categories":
            _refuse_repeats(getattr(parsed, field.name), OPTIONS_FILE, field.name)
    _refuse_repeats([c.name for c in parsed.categories], OPTIONS_FILE, "category")
    _refuse_repeats([s for c in parsed.categories for s in c.subcategories], OPTIONS_FILE, "subcategory")
    return parsed


def parse_life_events(content: bytes, categories: tuple[Category, ...]) -> tuple[LifeEventTemplate, ...]:
    """Read a catalogue of life events from JSON.

    Raises:
        InputError: The JSON is malformed, a field is missing or of the wrong form, an id or a name stands
            twice, an event repeats an attribute, or its subcategory is none of its category's.
    """
    events = _validate(TypeAdapter(tuple[LifeEventTemplate, ...]), content, LIFE_EVENTS_FILE)
    _refuse_repeats([e.id for e in events], LIFE_EVENTS_FILE, "id")
    _refuse_repeats([e.name for e in events], LIFE_EVENTS_FILE, "name")
    subcategories = {c.name: c.subcategories for c in categories}
    for event in events:
        _refuse_repeats(event.attributes, LIFE_EVENTS_FILE, f"attribute of {event.id}")
        if event.category not in subcategories:
            raise _damaged(LIFE_EVENTS_FILE, f"{event.id} has the unknown category {event.category!r}")
        if event.subcategory not in subcategories[event.category]:
            raise _damaged(
                LIFE_EVENTS_FILE, f"{event.id}: {event.subcategory!r} is no part of {event.category!r}"
            )
    return events


def parse_names(content: bytes) -> NameTable:
    """Read a name table from xz-compressed CSV with the columns name, girls, boys.

    Raises:
        InputError: It is not xz, has other columns or no row, or holds a row that is not a name with two
            counts of which one is above 0.
    """
    try:
        header, _, body = lzma.decompress(content).partition(b"\n")
    except lzma.LZMAError as error:
        raise _damaged(FIRST_NAMES_FILE, "it is not xz, or cut off") from error
    if header != b"name,girls,boys" or not body:
        raise _damaged(FIRST_NAMES_FILE, "it is not a table of name, girls, boys")
    try:
        rows = np.loadtxt(BytesIO(body), dtype=_NAME_ROW, delimiter=",", comments=None, ndmin=1)
    except ValueError as error:
        raise _damaged(FIRST_NAMES_FILE, "a row is not a name with two counts") from error
    girls, boys = rows["girls"].copy(), rows["boys"].copy()
    totals = girls + boys
    if min(girls.min(), boys.min()) < 0 or totals.min() < 1:
        raise _damaged(FIRST_NAMES_FILE, "a name has a count below 0, or no count at all")
    table = NameTable(names=rows["name"].copy(), girls=girls, boys=boys, cumulative=np.cumsum(totals))
    for column in (table.names, table.girls, table.boys, table.cumulative):
        column.flags.writeable = False  # everybody in the process shares it
    return table


def _read(name: str) -> bytes:
    try:
        return (files("privasis") / "data" / name).read_bytes()
    except OSError as error:
        raise _damaged(name, "it cannot be read") from error


def _validate(adapter: TypeAdapter[T], content: bytes, name: str) -> T:
    try:
        return adapter.validate_json(content, strict=True)
    except ValidationError as error:
        first: Any = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "the whole file"
        raise _damaged(name, f"at {place}: {first['msg']}") from error


def _refuse_repeats(values: tuple[str, ...] | list[str], name: str, what: str) -> None:
    repeated = [value for value, times in Counter(values).items() if times > 1]
    if repeated:
        raise _damaged(name, f"{what} {repeated[0]!r} stands twice")


def _damaged(name: str, why: str) -> InputError:
    return InputError(f"package data {name}: {why}. Reinstall privasis.")
