"""A gold record as it is written: one TOML file, read into a frozen model."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from privasis.errors import InputError
from privasis.types import Action


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class GoldTarget(_Model):
    """One attribute, or one group of them, with the paper's label (§3.1, item 2)."""

    action: Action
    names: tuple[str, ...] = ()
    group: str = ""

    @model_validator(mode="after")
    def _one_of_two(self) -> GoldTarget:
        if bool(self.names) == bool(self.group):
            raise ValueError("a target has either names or a group")
        return self


class GoldTriplet(_Model):
    """An instruction, what it asks for, and the edits that do it.

    Each edit is (find, replace): ``find`` is replaced at every place where it stands in the text.
    """

    hard: bool
    instruction: str = Field(min_length=12)
    keeps: tuple[str, ...]
    targets: tuple[GoldTarget, ...] = Field(min_length=1)
    edits: tuple[tuple[str, str], ...] = Field(min_length=1)


class GoldRecord(_Model):
    """A record with all that was written about it: profile, controls, attributes, groups, triplets."""

    id: str
    language: str = Field(pattern=r"^[a-z]{2}$")
    country: str
    category: str
    subcategory: str
    event: str
    record_type: str
    context: str
    format: str
    text: str
    profile: dict[str, str]
    attributes: dict[str, str]
    groups: dict[str, tuple[str, ...]]
    triplets: tuple[GoldTriplet, ...] = Field(min_length=1)

    def members(self, target: GoldTarget) -> tuple[str, ...]:
        """Return the names of a target's attributes; of an unknown group none."""
        return target.names or self.groups.get(target.group, ())


def read_gold(path: Path) -> GoldRecord:
    """Read one file.

    Raises:
        InputError: If it is no TOML or doesn't follow the model; names file and field, never a value.
    """
    try:
        return GoldRecord.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"{path.name} cannot be read: {error}") from None
    except ValidationError as error:
        faults = "; ".join(
            f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}"
            for fault in error.errors(include_input=False)
        )
        raise InputError(f"{path.name}: {faults}") from None


def packaged_gold() -> Iterator[GoldRecord]:
    """Walk the records that are shipped in the package, by id."""
    folder = Path(str(files("privasis") / "data" / "gold"))
    for path in sorted(folder.glob("g*.toml")):
        yield read_gold(path)
