from dataclasses import dataclass

import pytest

from privasis.errors import InputError
from privasis.store.schema import arrow_schema, from_row, to_row
from privasis.types import Record


@dataclass(frozen=True, slots=True)
class Inner:
    name: str
    places: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Outer:
    id: str
    inner: Inner
    others: tuple[Inner, ...]
    maybe: float | None


def test_a_row_round_trips() -> None:
    value = Outer("a", Inner("n", (1, 2)), (Inner("m", ()),), None)
    assert from_row(Outer, to_row(value), "here") == value


def test_types_are_read_off_the_noun() -> None:
    schema = arrow_schema(Outer)
    assert (
        str(schema.field("inner").type)
        == "struct<name: string not null, places: list<item: int64 not null> not null>"
    )
    assert schema.field("maybe").nullable
    assert not schema.field("id").nullable
    assert "refinement" in arrow_schema(Record).names


def test_an_unfit_row_is_named_without_its_values() -> None:
    row = to_row(Outer("secret", Inner("n", (1,)), (), None)) | {"inner": {"name": 7, "places": []}}
    with pytest.raises(InputError, match=r"^file row 3: field 'inner.name': ") as error:
        from_row(Outer, row, "file row 3")
    assert "secret" not in str(error.value)
