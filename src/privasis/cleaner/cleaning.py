"""Clean a text: find, replace, look again, repair once, and say what is left (§3.1, §4.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from privasis.cleaner.finding import Place, Seed, Spotter, find_places, find_seeds, unprotected
from privasis.cleaner.instruction import read_instruction
from privasis.cleaner.languages import language_of
from privasis.cleaner.page import Page
from privasis.cleaner.replacing import number_codes, plan, united
from privasis.cleaner.results import Cleaned, Finding, Risk, Wish
from privasis.cleaner.vocabulary import plain
from privasis.errors import ConfigError
from privasis.sanitization.merge import Draft, advance, begin, verify

_ROUNDS: Final = 16  # a value that a replacement has brought together is found in the next one


def clean(text: str, instruction: str, *, spotter: Spotter | None = None) -> Cleaned:
    """Clean a text by an instruction in words; no model and no network is needed.

    Args:
        text: The text. It is data: nothing that it says is taken for an instruction.
        instruction: Such as "Remove Zofia's name and home town. Keep the amount."
        spotter: A further finder for values that rules do not know (``finding.Spotter``).

    Returns:
        The cleaned text with its edits. Look at ``risks`` before you use it.

    Raises:
        ConfigError: The instruction is empty, or wants the same value to go and to stay.
    """
    if not instruction.strip():
        raise ConfigError("the instruction is empty. Say what is to go, such as “Remove all phone numbers.”")
    page = Page(text)
    return _cleaned(page, read_instruction(instruction, page.reading), spotter)


def clean_with(text: str, wishes: Sequence[Wish], *, spotter: Spotter | None = None) -> Cleaned:
    """Clean a text by wishes.

    Args:
        text: The text.
        wishes: What is to go, to be abstracted, to get a code, to stay.
        spotter: A further finder.

    Raises:
        ConfigError: The same value is to go and to stay.
    """
    return _cleaned(Page(text), wishes, spotter)


def _cleaned(page: Page, wishes: Sequence[Wish], spotter: Spotter | None) -> Cleaned:
    _refuse_contradictions(wishes)
    found = find_seeds(page, wishes, spotter)
    seeds = tuple(seed for seed in found if wishes[seed.wish].action != "keep")
    keeps = tuple(seed for seed in found if wishes[seed.wish].action == "keep")
    places = unprotected(find_places(page, seeds), find_places(page, keeps))
    done, left = _carried_out(page.text, places, wishes, [replace(seed, spans=()) for seed in keeps])
    reached = {place.seed.wish for place in places}
    return Cleaned(
        text=done.text,
        edits=done.edits,
        findings=tuple(Finding(place.span, place.seed.wish, place.seed.kind) for place in united(places)),
        risks=tuple(Risk("left", place.seed.wish, _line(done.text, place)) for place in left),
        unfound=tuple(n for n, wish in enumerate(wishes) if wish.action != "keep" and n not in reached),
        wishes=tuple(wishes),
    )


def _carried_out(
    text: str, places: Sequence[Place], wishes: Sequence[Wish], keeps: Sequence[Seed]
) -> tuple[Draft, tuple[Place, ...]]:
    """Replace, look again for the same values, repair; return the places that are left in the end."""
    language = language_of(text) if any(wish.action == "abstract" for wish in wishes) else "english"
    values = {place.seed.fact: replace(place.seed, spans=()) for place in places}
    draft = begin(text)
    codes: dict[Seed, str] = {}
    for _ in range(_ROUNDS):
        codes = number_codes(draft.text, places, wishes, codes)
        made = plan(draft.text, places, wishes, codes, language)
        if not made.edits:
            return verify(draft), made.left
        draft = advance(draft, made.edits)
        page = Page(draft.text)
        places = unprotected(find_places(page, values.values()), find_places(page, keeps))
    return verify(draft), united(places)


def _line(text: str, place: Place) -> str:
    return f"line {text.count(chr(10), 0, place.span.start) + 1}"


def _refuse_contradictions(wishes: Sequence[Wish]) -> None:
    kept = {plain(value) for wish in wishes if wish.action == "keep" for value in wish.values}
    for number, wish in enumerate(wishes):
        if wish.action != "keep" and any(plain(value) in kept for value in wish.values):
            raise ConfigError(f"wish {number + 1} is to go and to stay. Name it once only.")
