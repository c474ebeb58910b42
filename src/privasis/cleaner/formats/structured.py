"""JSON and JSON Lines: values are leaves, keys are never changed, all else stays to the last blank."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from privasis.cleaner.formats.form import Form, Leaf
from privasis.errors import InputError

_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*+"|[{}\[\],:]|[^\s"{}\[\],:]++')
_UNCHANGED: Final = frozenset({"true", "false", "null"})


@dataclass(frozen=True, slots=True)
class _Token:
    start: int
    end: int
    text: str  # decoded
    key: str  # under which it stands; of a key: empty
    is_key: bool = False


def open_json(text: str, name: str) -> Form[str]:
    """Take one JSON value, or one a line, apart.

    Raises:
        InputError: It is no JSON.
    """
    _refuse_broken(text, name)
    tokens = [*_tokens(text)]
    values = [token for token in tokens if not token.is_key and token.text]
    lines = _Lines(text)
    leaves = tuple(Leaf(lines.where(token), token.text, _label(token.key)) for token in values)
    keys = dict.fromkeys(token.text for token in tokens if token.is_key)

    def write(texts: Sequence[str]) -> str:
        written: list[str] = []
        place = 0
        for token, new in zip(values, texts, strict=True):
            if new != token.text:
                written += (text[place : token.start], _encoded(text, token, new))
                place = token.end
        return "".join((*written, text[place:]))

    return Form(leaves, write, tuple(Leaf("a key", key) for key in keys))


class _Lines:
    """Counts lines in one walk over the text."""

    def __init__(self, text: str) -> None:
        self._text, self._place, self._line = text, 0, 1

    def where(self, token: _Token) -> str:
        self._line += self._text.count("\n", self._place, token.start)
        self._place = token.start
        return f"line {self._line}"


def _refuse_broken(text: str, name: str) -> None:
    try:
        json.loads(text)
        return
    except json.JSONDecodeError as error:
        whole = error
    except RecursionError:
        raise InputError(f"{name} is nested too deep to be read.") from None
    try:
        for line in filter(str.strip, text.split("\n")):
            json.loads(line)
    except (json.JSONDecodeError, RecursionError):
        raise InputError(
            f"{name} is no JSON (line {whole.lineno}, column {whole.colno}). Mend it, or pass --format text."
        ) from None


def _tokens(text: str) -> Iterator[_Token]:
    """Yield keys and values in order, each with the key under which it stands."""
    keys = [""]  # of each open object or array
    found = [*_TOKEN.finditer(text)]
    for number, token in enumerate(found):
        what = token[0]
        if what in "{[":
            keys.append(keys[-1])
        elif what in "}]":
            keys.pop()
        elif what in ",:":
            continue
        elif number + 1 < len(found) and found[number + 1][0] == ":":
            keys[-1] = json.loads(what)
            yield _Token(token.start(), token.end(), keys[-1], "", True)
        elif what[0] == '"':
            yield _Token(token.start(), token.end(), json.loads(what), keys[-1])
        elif what not in _UNCHANGED:
            yield _Token(token.start(), token.end(), what, keys[-1])


def _label(key: str) -> str:
    return " ".join(key.split())


def _encoded(text: str, token: _Token, new: str) -> str:
    written = text[token.start : token.end]
    if written[0] != '"':
        return "null" if not new.strip() else new if _is_number(new) else json.dumps(new, ensure_ascii=False)
    escaped = re.search(r"\\u[0-9a-fA-F]{4}", written) is not None and written.isascii()
    return json.dumps(new, ensure_ascii=escaped)


def _is_number(text: str) -> bool:
    return re.fullmatch(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?", text) is not None
