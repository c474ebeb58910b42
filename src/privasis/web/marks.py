"""Texts as HTML: escaped to the last character, with attributes and edits marked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, Final

from markupsafe import Markup

HUES: Final = 8  # classes h0 to h7 in the style sheet


def highlighted(record: Mapping[str, Any]) -> Markup:
    """Return a record's text with every attribute marked in its group's colour; nested spans as one."""
    hues = {
        name: place % HUES for place, group in enumerate(record["groups"]) for name in group["attributes"]
    }
    spans = sorted(
        (span["start"], -span["end"], attribute["name"])
        for attribute in record["attributes"]
        for span in attribute["spans"]
    )
    parts: list[str] = []
    done = 0
    for start, negative_end, name in spans:
        if start < done:
            continue
        text = record["text"]
        hue = hues.get(name, HUES - 1)
        parts.append(escape(text[done:start]))
        mark = f'<mark class="h{hue}" title="{escape(name)}" tabindex="0">'
        parts.append(f"{mark}{escape(text[start:-negative_end])}</mark>")
        done = -negative_end
    parts.append(escape(record["text"][done:]))
    return Markup("".join(parts))  # all that is text in it was escaped above


def both_sides(text: str, edits: Sequence[Mapping[str, Any]]) -> tuple[Markup, Markup]:
    """Return the original with what goes struck through, and the result with what came marked."""
    before: list[str] = []
    after: list[str] = []
    place = 0
    for edit in edits:
        same = escape(text[place : edit["start"]])
        before += (same, f"<del>{escape(text[edit['start'] : edit['end']])}</del>")
        after += (same, f"<ins>{escape(edit['replacement'])}</ins>")
        place = edit["end"]
    rest = escape(text[place:])
    return Markup("".join((*before, rest))), Markup("".join((*after, rest)))
