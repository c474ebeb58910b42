"""Dataclasses <-> Arrow: the schema of a Parquet file is read off the noun that it holds."""

from __future__ import annotations

import dataclasses
import types
from functools import cache
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import pyarrow as pa
from pydantic import TypeAdapter, ValidationError

from privasis.errors import InputError

Noun = TypeVar("Noun")

_SCALARS: dict[Any, pa.DataType] = {
    str: pa.string(),
    int: pa.int64(),
    float: pa.float64(),
    bool: pa.bool_(),
    bytes: pa.binary(),
}


@cache
def arrow_schema(noun: Any) -> pa.Schema:
    """Return the Arrow schema of a frozen dataclass: structs, lists and scalars, nothing opaque."""
    return pa.schema(_fields(noun))


def _fields(noun: type[Any]) -> list[pa.Field]:
    hints = get_type_hints(noun)
    return [_field(field.name, hints[field.name]) for field in dataclasses.fields(noun)]


def _field(name: str, hint: Any) -> pa.Field:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        (inner,) = [argument for argument in arguments if argument is not type(None)]
        return pa.field(name, _type(inner), nullable=True)
    return pa.field(name, _type(hint), nullable=False)


def _type(hint: Any) -> pa.DataType:
    if hint in _SCALARS:
        return _SCALARS[hint]
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Literal:
        return _SCALARS[type(arguments[0])]
    if origin is tuple:
        return pa.list_(_field("item", arguments[0]))
    if dataclasses.is_dataclass(hint):
        return pa.struct(_fields(hint))  # type: ignore[arg-type]
    raise TypeError(f"no Arrow type for {hint!r}")


@cache
def _adapter(noun: Any) -> TypeAdapter[Any]:
    return TypeAdapter(noun)


def to_row(value: Any) -> dict[str, Any]:
    """Return a dataclass as nested dicts and lists."""
    return dataclasses.asdict(value)


def from_row(noun: type[Noun], row: dict[str, Any], where: str) -> Noun:
    """Return the dataclass that a row describes.

    Raises:
        InputError: If the row does not fit; the message names ``where`` and the field, never a value.
    """
    try:
        value: Noun = _adapter(noun).validate_python(row)  # type: ignore[arg-type]  # classes are hashable
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        field = ".".join(str(part) for part in first["loc"])
        raise InputError(f"{where}: field {field!r}: {first['msg']}") from None
    return value
