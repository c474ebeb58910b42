"""Let a model change a text, chunk by chunk, then let the rules look again: nothing is passed on unproved."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from privasis.cleaner.cleaning import clean_with
from privasis.cleaner.finding import find_places, find_seeds
from privasis.cleaner.page import Page
from privasis.cleaner.results import Cleaned, Finding, Wish
from privasis.errors import PrivasisError, Reject
from privasis.llm.client import open_client
from privasis.llm.messages import ClientOptions, Model
from privasis.prompts.registry import render
from privasis.sanitization.asking import branch, together
from privasis.sanitization.merge import advance, begin, verify
from privasis.stage import Asker
from privasis.text.chunks import split
from privasis.text.compose import compose
from privasis.text.diff import diff_edits
from privasis.text.edits import resolve_overlaps, shift
from privasis.text.spans import occurrences
from privasis.types import Edit, Span

Mode = Literal["edits", "rewrite"]

_STEP: Final = "clean.model"
_LEAST: Final = 4  # characters of a find that is looked for in other chunks too
_TARGET: Final = "t0"  # a model's edits serve the instruction as a whole


class Pair(BaseModel):
    """One change of an answer."""

    model_config = ConfigDict(extra="forbid")

    find: Annotated[str, Field(min_length=1, max_length=600)]
    replace: Annotated[str, Field(max_length=600)]


class Pairs(BaseModel):
    """The answer to clean.edits."""

    model_config = ConfigDict(extra="forbid")

    edits: Annotated[list[Pair], Field(max_length=64)]


class CleaningError(PrivasisError):
    """A model gave no usable answer: there is no clean text, and none is passed off as one."""

    exit_code = 3


async def clean_by_model(
    text: str, instruction: str, wishes: Sequence[Wish], model: Model, mode: Mode, chunk_size: int = 512
) -> Cleaned:
    """Clean a text by a model's answers, then by the rules; what is to stay is put back.

    Args:
        text: The text.
        instruction: As the user said it.
        wishes: What the rules read in it: they find what the model has left, and what must stay.
        model: Who is asked.
        mode: ``edits`` asks for a list of changes of each chunk, ``rewrite`` for the whole new chunk (§3.1).
        chunk_size: Characters that are shown at once.

    Raises:
        CleaningError: For some chunk no usable answer came.
        EndpointError: The endpoint cannot be used at all.
    """
    chunks = split(text, chunk_size)
    async with open_client((model,), ClientOptions(), None) as client:
        asker = Asker(client, model, 0, "clean")
        askers = [branch(asker, f"chunk.{number}") for number in range(len(chunks))]
        ask = _ask_edits if mode == "edits" else _ask_rewrite
        pieces = [text[chunk.start : chunk.end] for chunk in chunks]
        questions = (ask(piece, instruction, one) for piece, one in zip(pieces, askers, strict=True))
        try:
            answers = await together(asker, askers, questions)
        except Reject as reject:
            raise CleaningError(
                f"the model gave no usable answer ({reject.reason}): no text is given out. Try another "
                "model, or the rules alone."
            ) from None
    edits = [e for chunk, found in zip(chunks, answers, strict=True) for e in shift(found, chunk.start)]
    edits += _everywhere(text, edits)
    return _proved(text, _without_keeps(text, edits, wishes), wishes)


async def _ask_edits(piece: str, instruction: str, asker: Asker) -> tuple[Edit, ...]:
    request = render("clean.edits", text=piece, instruction=instruction)
    said = await asker.ask(request, Pairs, _stands_in(piece))
    return resolve_overlaps(
        Edit(start, start + len(pair.find), pair.replace, _TARGET, _STEP)
        for pair in said.edits
        for start in occurrences(piece, pair.find)
    )


def _stands_in(piece: str) -> Callable[[Pairs], str | None]:
    """Return the check that every ``find`` is copied from the piece letter by letter."""

    def check(said: Pairs) -> str | None:
        for number, pair in enumerate(said.edits, 1):
            if pair.find not in piece:
                return f"the find of change {number} does not stand in the text letter by letter"
        return None

    return check


async def _ask_rewrite(piece: str, instruction: str, asker: Asker) -> tuple[Edit, ...]:
    if not piece.strip():
        return ()
    said = await asker.write(render("clean.rewrite", text=piece, instruction=instruction))
    return diff_edits(piece, _with_ends(piece, said), target=_TARGET, step=_STEP)


def _with_ends(piece: str, said: str) -> str:
    """Give an answer the blanks at the ends of its piece, which models leave out."""
    head, tail = piece[: len(piece) - len(piece.lstrip())], piece[len(piece.rstrip()) :]
    return f"{head}{said.strip()}{tail}"


def _everywhere(text: str, edits: Sequence[Edit]) -> list[Edit]:
    """Return the same replacement for the same words wherever else they stand."""
    taken = {edit.start for edit in edits}
    words = {text[e.start : e.end]: e.replacement for e in reversed(edits)}
    more = []
    for find, replacement in words.items():
        if len(find) < _LEAST or not find[0].isalnum() or not find[-1].isalnum():
            continue
        for start in occurrences(text, find):
            end = start + len(find)
            whole = not (text[start - 1 : start].isalnum() or text[end : end + 1].isalnum())
            if start not in taken and whole:
                more.append(Edit(start, end, replacement, _TARGET, _STEP))
    return more


def _without_keeps(text: str, edits: Iterable[Edit], wishes: Sequence[Wish]) -> tuple[Edit, ...]:
    """Leave out the edits that touch what is to stay."""
    page = Page(text)
    seeds = find_seeds(page, [wish for wish in wishes if wish.action == "keep"])
    kept = [place.span for place in find_places(page, seeds)]
    return resolve_overlaps(edit for edit in edits if not any(_touches(edit, span) for span in kept))


def _touches(edit: Edit, span: Span) -> bool:
    return edit.start < span.end and span.start < edit.end


def _proved(text: str, edits: Sequence[Edit], wishes: Sequence[Wish]) -> Cleaned:
    draft = advance(begin(text), edits)
    checked = clean_with(draft.text, wishes)
    whole = verify(advance(draft, checked.edits))
    return Cleaned(
        whole.text,
        whole.edits,
        _on_original(draft.edits, checked.findings),
        checked.risks,
        () if edits else checked.unfound,
        tuple(wishes),
    )


def _on_original(edits: Sequence[Edit], findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Return findings on an edited text as findings on its original."""
    marks = [Edit(f.span.start, f.span.end, "", str(n), "mark") for n, f in enumerate(findings)]
    composed = [edit for edit in compose(edits, marks) if edit.step == "mark"]
    return tuple(replace(findings[int(e.target)], span=Span(e.start, e.end)) for e in composed)
