"""Texts that are cleaned as they stand: plain text, Markdown, HTML, XML."""

from __future__ import annotations

import re
from typing import Final

from privasis.cleaner.formats.form import WHOLE, Form, Leaf
from privasis.errors import InputError

# A picture or another file inside the text: nobody can say what it shows.
_EMBEDDED: Final = re.compile(
    r"data:(?!text/)[\w.+-]{1,60}/[\w.+-]{1,80}(?:;[\w=.-]{1,40}){0,4};base64,", re.I
)


def open_plain(text: str, name: str) -> Form[str]:
    """Take a text as a single leaf.

    Raises:
        InputError: A file is embedded in it.
    """
    found = _EMBEDDED.search(text)
    if found:
        line = text.count("\n", 0, found.start()) + 1
        raise InputError(f"{name} line {line} has a file embedded in it, which cannot be read. Take it out.")
    return Form((Leaf(WHOLE, text),), lambda texts: texts[0])
