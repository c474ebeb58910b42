"""What a request and an answer of the service look like; the OpenAPI page is made from this."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from privasis.cleaner.results import Cleaned, WishAction
from privasis.serve.limits import MAX_CHARACTERS, MAX_INSTRUCTION, MAX_PHRASE, MAX_PHRASES, MAX_TEXTS

Status = Literal["clean", "not_clean", "nothing_found", "not_understood", "refused"]
Words = Annotated[str, StringConstraints(pattern=r"\S", max_length=MAX_INSTRUCTION)]
Phrase = Annotated[str, StringConstraints(pattern=r"\S", max_length=MAX_PHRASE)]
Phrases = Annotated[tuple[Phrase, ...], Field(min_length=1, max_length=MAX_PHRASES)]
CleanText = Annotated[str, StringConstraints(max_length=MAX_CHARACTERS)]

_ASKS: dict[str, Any] = {"anyOf": [{"required": [name]} for name in ("instruction", "drop", "abstract")]}


class Asked(BaseModel):
    """What is to be done: an instruction in words, or named values and kinds, or both."""

    model_config = ConfigDict(frozen=True, extra="forbid", json_schema_extra=_ASKS)

    # Factories, not defaults: the page shall not show a default that the field itself would refuse.
    instruction: Words = Field(
        default_factory=str, description="What to do, in words: “Remove Zofia's name. Keep the amount.”"
    )
    drop: Phrases = Field(default_factory=tuple, description="Values or kinds of values that go.")
    abstract: Phrases = Field(
        default_factory=tuple, description="Values or kinds that are said more generally."
    )
    keep: Phrases = Field(default_factory=tuple, description="Values or kinds that stay.")

    @model_validator(mode="after")
    def _asks_something(self) -> Self:
        if not (self.instruction or self.drop or self.abstract):
            raise ValueError("nothing is to be done")
        return self


class CleanOne(Asked):
    """One text."""

    text: CleanText = Field(description="The text. Nothing in it is taken for an instruction.")


class CleanMany(Asked):
    """Several texts, by the same instruction."""

    texts: Annotated[tuple[CleanText, ...], Field(min_length=1, max_length=MAX_TEXTS)]


class Change(BaseModel):
    """A change of the original: what stood between start and end is now the replacement."""

    start: int
    end: int
    replacement: str
    wish: int


class Found(BaseModel):
    """A place of the original that a wish is about; wishes are counted from 1."""

    start: int
    end: int
    wish: int
    kind: str


class Left(BaseModel):
    """What could not be cleaned, by its place."""

    reason: str
    wish: int
    where: str


class Read(BaseModel):
    """A wish, as the instruction was read."""

    what: str
    action: WishAction
    values: list[str]
    whose: str


class Problem(BaseModel):
    """Why there is no answer: a word for programs, a line for people; nothing of the request is in it."""

    code: str
    message: str


class Failure(BaseModel):
    """The body of every answer that is not 200."""

    error: Problem


class Health(BaseModel):
    """That the service runs."""

    status: Literal["ok"]
    version: str


class Answer(BaseModel):
    """The clean text and what was done.

    ``text`` is null and ``edits`` is empty unless the status is ``clean`` or ``nothing_found``.
    """

    status: Status
    text: str | None = None
    edits: list[Change] = []
    findings: list[Found] = []
    risks: list[Left] = []
    unfound: list[int] = []
    wishes: list[Read] = []
    error: Problem | None = None


class Answers(BaseModel):
    """One answer for each text, in their order."""

    results: list[Answer]


def answer(cleaned: Cleaned) -> Answer:
    """Tell what the Cleaner did; fail closed: the text is given only when nothing is left in it."""
    status = _status(cleaned)
    given = status in ("clean", "nothing_found")
    return Answer(
        status=status,
        text=cleaned.text if given else None,
        edits=[
            Change(start=e.start, end=e.end, replacement=e.replacement, wish=int(e.target[1:]))
            for e in (cleaned.edits if given else ())
        ],
        findings=[
            Found(start=f.span.start, end=f.span.end, wish=f.wish + 1, kind=f.kind) for f in cleaned.findings
        ],
        risks=[Left(reason=r.reason, wish=r.wish + 1, where=r.where) for r in cleaned.risks],
        unfound=[number + 1 for number in cleaned.unfound],
        wishes=[
            Read(what=w.what, action=w.action, values=list(w.values), whose=w.whose) for w in cleaned.wishes
        ],
    )


def _status(cleaned: Cleaned) -> Status:
    wanted = [(n, wish) for n, wish in enumerate(cleaned.wishes) if wish.action != "keep"]
    if not wanted:
        return "not_understood"
    if not cleaned.is_clean:
        return "not_clean"
    if cleaned.text and all(n in cleaned.unfound and not wish.values for n, wish in wanted):
        return "nothing_found"
    return "clean"
