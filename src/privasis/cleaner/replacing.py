"""From places to edits: take out, put a code, or say more generally; grammar and markup stay whole."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from privasis.cleaner.abstraction import abstracted
from privasis.cleaner.finding import Place, Seed
from privasis.cleaner.results import Wish
from privasis.cleaner.vocabulary import plain
from privasis.sanitization.fit import Change, put, take_out
from privasis.sanitization.markup import form_is_kept
from privasis.text.edits import apply_edits, resolve_overlaps
from privasis.text.markup import without_tags
from privasis.types import Edit, Span

_AT: Final = re.compile(r"(?<!\w)(?:at|around|about|on)[ \t]$", re.IGNORECASE)
_BETWEEN: Final = re.compile(r"[,;]? (?:and |or |und |et |y |e |en |i |ve )?")
_OPENING: Final = re.compile(r"^(?:in|at) ")


@dataclass(frozen=True, slots=True)
class Plan:
    """The edits of one round, and the places that none could be made for without breaking the form."""

    edits: tuple[Edit, ...]
    left: tuple[Place, ...]


def plan(
    text: str, places: Sequence[Place], wishes: Sequence[Wish], codes: Mapping[Seed, str], language: str
) -> Plan:
    """Make the edits for places on a text.

    Args:
        text: The text.
        places: What is to be changed.
        wishes: Say how.
        codes: The code of each seed whose wish puts one (``number_codes``).
        language: Of the text.
    """
    made = [
        (p, _edits(text, p, wishes[p.seed.wish], codes, language))
        for p in _listed(text, united(places), wishes)
    ]
    possible = [(place, edits) for place, edits in made if edits is not None]
    if not _form_is_kept(text, [edit for _, edits in possible for edit in edits]):
        possible = [(place, edits) for place, edits in possible if _form_is_kept(text, edits)]
    changing = [e for _, edits in possible for e in edits if text[e.start : e.end] != e.replacement]
    done = {place.span for place, _ in possible}
    return Plan(resolve_overlaps(changing), tuple(place for place, _ in made if place.span not in done))


def united(places: Sequence[Place]) -> tuple[Place, ...]:
    """Make one of places that overlap: the longest tells what becomes of them all."""
    kept: list[Place] = []
    for place in sorted(places, key=lambda p: (p.span.start, -p.span.end)):
        last = kept[-1] if kept else None
        if last is None or place.span.start >= last.span.end:
            kept.append(place)
            continue
        longer = max(last, place, key=lambda p: p.span.end - p.span.start)
        span = Span(last.span.start, max(last.span.end, place.span.end))
        kept[-1] = Place(span, longer.seed, longer.form)
    return tuple(kept)


def _listed(text: str, places: Sequence[Place], wishes: Sequence[Wish]) -> list[Place]:
    """Make one of neighbours in a list that all go, so that no comma between them is left over."""
    joined: list[Place] = []
    for place in places:
        last = joined[-1] if joined else None
        gone = last is not None and {wishes[p.seed.wish].action for p in (last, place)} == {"drop"}
        if last is not None and gone and _BETWEEN.fullmatch(text, last.span.end, place.span.start):
            joined[-1] = replace(last, span=Span(last.span.start, place.span.end))
        else:
            joined.append(place)
    return joined


def number_codes(
    text: str, places: Iterable[Place], wishes: Sequence[Wish], given: Mapping[Seed, str] | None = None
) -> dict[Seed, str]:
    """Give each entity its code: the same one for all its forms, numbered by the first place of each.

    Names that share a part are one person. A code that the text holds already is not given again.

    Args:
        text: The text.
        places: In order.
        wishes: Their ``code`` templates.
        given: Codes of an earlier round.
    """
    codes = dict(given or {})
    entities: dict[str, list[tuple[frozenset[str], str]]] = {}
    for seed, code in codes.items():
        entities.setdefault(wishes[seed.wish].code, []).append((parts_of(seed), code))
    longest_first = sorted(places, key=lambda p: (p.span.start, -len(p.seed.fact.value)))
    for place in longest_first:
        wish, seed = wishes[place.seed.wish], place.seed
        if wish.action != "code" or seed in codes:
            continue
        known = entities.setdefault(wish.code, [])
        same = [code for parts, code in known if parts & parts_of(seed)]
        codes[seed] = same[0] if same else _fresh(text, wish.code, seed, {code for _, code in known})
        known.append((parts_of(seed), codes[seed]))
    return codes


def parts_of(seed: Seed) -> frozenset[str]:
    """Return what tells a value's entity: two values that share a part are of one."""
    low = plain(seed.fact.value)
    return frozenset(low.split() if seed.kind == "person" else [re.sub(r"[\W_]", "", low)])


def _fresh(text: str, template: str, seed: Seed, used: set[str]) -> str:
    digits = re.sub(r"\D", "", plain(seed.fact.value))
    filled = template.replace("{last2}", digits[-2:]).replace("{kind}", seed.kind.upper())
    if "{n}" not in filled:
        return filled
    number = 1
    while (code := filled.replace("{n}", str(number))) in used or code in text:
        number += 1
    return code


def _edits(
    text: str, place: Place, wish: Wish, codes: Mapping[Seed, str], language: str
) -> list[Edit] | None:
    span = place.span
    form = text[span.start : span.end]
    replacement = "" if wish.action == "drop" else _wording(text, place, wish, codes, language)
    change = _change(text, place, replacement)
    if change is None:
        parts = without_tags(text, span)
        changes = [_part_change(text, part, replacement if n == 0 else "") for n, part in enumerate(parts)]
        if len(parts) < 2 or any(one is None for one in changes):
            return _cell_by_cell(text, place, form)
        return [_edit(one, place) for one in changes if one is not None]
    return [_edit(change, place)]


def _wording(text: str, place: Place, wish: Wish, codes: Mapping[Seed, str], language: str) -> str:
    if wish.action == "code":
        return codes.get(place.seed, wish.code)
    return abstracted(place, text[place.span.start : place.span.end], language)


def _change(text: str, place: Place, replacement: str) -> Change | None:
    span = place.span
    if len(without_tags(text, span)) > 1:
        return None
    if not replacement:
        return take_out(text, span)
    at = _AT.search(text, max(0, span.start - 8), span.start)
    if at and place.seed.kind in {"date", "birth_date"} and place.form == "value":
        replacement = f"in {replacement}"  # "on March 3rd" -> "in early March"
    if at and _OPENING.match(replacement):  # "at 9:30" -> "in the morning"
        replacement = replacement.capitalize() if at[0][0].isupper() else replacement
        span = Span(at.start(), span.end)
    return put(text, span, replacement)


def _part_change(text: str, part: Span, replacement: str) -> Change | None:
    return put(text, part, replacement) if replacement else Change(part.start, part.end, "")


def _cell_by_cell(text: str, place: Place, form: str) -> list[Edit] | None:
    """Take out what stands across units of structure, each piece by itself; markup between them stays."""
    pieces = [Span(m.start(), m.end()) for m in re.finditer(r"[^\s|\"{}\[\],:<>]+", form)]
    shifted = [Span(p.start + place.span.start, p.end + place.span.start) for p in pieces]
    changes = [take_out(text, piece) for piece in shifted]
    if any(change is None for change in changes):
        return None
    return [_edit(change, place) for change in changes if change is not None]


def _edit(change: Change, place: Place) -> Edit:
    return Edit(change.start, change.end, change.replacement, f"t{place.seed.wish + 1}", "clean")


def _form_is_kept(text: str, edits: Sequence[Edit]) -> bool:
    """Tell whether edits, which may overlap, leave JSON, tables, fences and tags as they are."""
    return form_is_kept(text, apply_edits(text, resolve_overlaps(edits)))
