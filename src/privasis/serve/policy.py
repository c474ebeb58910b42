"""The gateway's policy file: what is to go, how, and what stays."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from privasis.cleaner.finding import kinds_of
from privasis.cleaner.results import Wish
from privasis.cleaner.vocabulary import plain
from privasis.errors import ConfigError, InputError

TEMPLATE: Final = "[{kind}_{n}]"
_SIGNS: Final = frozenset("_-.:+#@!?=~^*/|[](){}<>«»‹›⟦⟧【】")


class _Target(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    what: str = ""
    values: tuple[str, ...] = ()
    whose: str = ""
    action: Literal["code", "drop", "abstract", "keep"] = "code"
    code: str = ""


class _Policy(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    code: str = TEMPLATE
    keep: tuple[str, ...] = ()
    target: tuple[_Target, ...] = Field(min_length=1)


def read_policy(path: Path) -> tuple[Wish, ...]:
    """Read a policy file.

    Raises:
        InputError: The file cannot be read, or is no TOML.
        ConfigError: It says something that cannot be carried out.
    """
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read ({type(error).__name__}). Name a TOML file.") from None
    return parse_policy(text, str(path))


def parse_policy(text: str, name: str = "policy") -> tuple[Wish, ...]:
    """Read a policy; see ``docs/gateway.md`` for its fields.

    Args:
        text: TOML.
        name: The file's name, for messages.

    Raises:
        InputError: It is no TOML.
        ConfigError: It says something that cannot be carried out.
    """
    try:
        policy = _Policy.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError:
        raise InputError(f"{name} is no TOML. See docs/gateway.md.") from None
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ConfigError(f"{name}: {where}: {first['msg']}. See docs/gateway.md.") from None
    wishes = [_wish(target, policy.code, f"{name}: target {n + 1}") for n, target in enumerate(policy.target)]
    wishes += [Wish("", "keep", (value,)) for value in policy.keep]
    kept = {plain(value) for wish in wishes if wish.action == "keep" for value in wish.values}
    for number, wish in enumerate(wishes):
        if wish.action != "keep" and any(plain(value) in kept for value in wish.values):
            raise ConfigError(f"{name}: target {number + 1} is to go and to stay. Name it once only.")
    return tuple(wishes)


def _wish(target: _Target, template: str, where: str) -> Wish:
    wish = Wish(target.what, target.action, target.values, target.whose, target.code or template)
    if any(not plain(value).strip() for value in target.values):
        raise ConfigError(f"{where} has an empty value. Leave it out.")
    if not wish.values and not kinds_of(wish):
        raise ConfigError(
            f"{where} has no values, and “what” names no known kind. Say “phone numbers”, or so."
        )
    if wish.action == "code":
        _check_template(wish.code, where)
    return wish


def _check_template(template: str, where: str) -> None:
    """Refuse a template whose placeholders could not be told from other text, or from each other."""
    rest = template.replace("{kind}", "K").replace("{n}", "1")
    strange = {sign for sign in rest if not (sign.isascii() and sign.isalnum()) and sign not in _SIGNS}
    if template.count("{n}") != 1 or strange or len(template) > 40:
        raise ConfigError(
            f"{where}: a code has {{n}} once, perhaps {{kind}}, letters, digits and signs other than "
            "& % \\ and quotes, such as [{kind}_{n}]."
        )
    if rest[0].isalnum() or rest[-1].isalnum() or rest[0] in "_-" or rest[-1] in "_-":
        raise ConfigError(f"{where}: a code begins and ends with a bracket or such a sign: [{{kind}}_{{n}}].")
