"""Let a model apply an instruction to a chunk (§3.1, item 3, iv), and check what it did.

The way of the paper's Algorithm 1 (``--llm-only``), and the way for what code cannot change cleanly. The
rewritten chunk is read as edits; it counts only if the target is gone from it, nothing else changed
beyond the neighbourhood of the spans, and the markup is whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pydantic import BaseModel

from privasis.prompts.registry import render
from privasis.sanitization.asking import answered
from privasis.sanitization.locate import Mention
from privasis.sanitization.markup import form_is_kept, signs
from privasis.sanitization.wording import tells
from privasis.stage import Asker
from privasis.text.diff import diff_edits
from privasis.text.spans import find_verbatim
from privasis.types import Edit, Span, Target

NEIGHBOURHOOD = 60  # characters around a span within which grammar may need changes


class Edited(BaseModel):
    """The answer to sanitize.apply."""

    passage: str


async def apply(
    text: str, chunk: Span, mentions: Sequence[Mention], target: Target, asker: Asker
) -> tuple[Edit, ...]:
    """Return edits on the text that one chunk gets; none when no answer passes the checks.

    Raises:
        Reject: If the endpoint fails.
    """
    before = text[chunk.start : chunk.end]
    inner = before.strip()
    shift = chunk.start + before.index(inner)
    forms = list(dict.fromkeys(mention.form for mention in mentions))
    places = [Span(m.span.start - shift, m.span.end - shift) for m in mentions]
    request = render("sanitize.apply", instruction=target.instruction, spans=forms, passage=inner)

    def check(edited: Edited) -> str | None:
        return fault(inner, edited.passage.strip(), places, target, forms)

    # Without a valid answer the chunk stays as it is: selection finds what still leaks.
    answer = await answered(asker.ask(request, Edited, check), Edited(passage=inner))
    edits = diff_edits(inner, answer.passage.strip(), target=target.id, step="rewrite")
    return tuple(replace(edit, start=edit.start + shift, end=edit.end + shift) for edit in edits)


def fault(
    before: str, after: str, places: Sequence[Span], target: Target, forms: Sequence[str] = ()
) -> str | None:
    """Say what is wrong with an edited chunk, in words for the model; None when nothing is."""
    if any(tells(after, fact) for fact in target.attributes) or any(
        find_verbatim(after, form) for form in forms
    ):
        return "Some of the words to change are still there."
    if signs(before) != signs(after) or not form_is_kept(before, after):
        return "The form of the passage changed: keep line breaks, lists, tables, quotation marks and tags."
    for edit in diff_edits(before, after, target=target.id, step="rewrite"):
        if not any(_is_near(edit, place) for place in places):
            return "Words far from those to change were changed: keep everything else letter by letter."
    return None


def _is_near(edit: Edit, place: Span) -> bool:
    return edit.start >= place.start - NEIGHBOURHOOD and edit.end <= place.end + NEIGHBOURHOOD
