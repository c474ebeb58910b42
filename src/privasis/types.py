"""The nouns of the project. Every room imports them; they import nothing of ours.

All offsets are code points on the original text, half-open (``text[start:end]``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

Sex = Literal["female", "male"]
AttributeSource = Literal["profile", "text"]


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A half-open range of code points in a text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Seed:
    """What code draws before any model is asked (§2.1, item 1; Appendix A)."""

    number: int
    first_name: str
    sex: Sex
    age: int
    date: str  # ISO 8601: the day around which the record is set
    marital_status: str
    income_class: str
    blood_type: str
    native_language: str


@dataclass(frozen=True, slots=True)
class Fact:
    """A flat name/value pair."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class LifeEvent:
    """An event of the catalogue, filled with one person's details."""

    id: str
    name: str
    category: str
    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Profile:
    """The auxiliary variable i of §2.1: a person, with one event of their life."""

    facts: tuple[Fact, ...]
    event: LifeEvent


@dataclass(frozen=True, slots=True)
class Controls:
    """Record type d, background context b and format f (§2.1, item 1)."""

    record_type: str
    background_context: str
    format: str


@dataclass(frozen=True, slots=True)
class Attribute:
    """A name/value pair whose value stands in the text at every one of its spans."""

    name: str
    value: str
    source: AttributeSource
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """A labelled cluster of attributes, by name; clusters may overlap (§2.1, item 3)."""

    label: str
    attributes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RefinementStep:
    """One decision of the diversity-preserving selection (§2.1, item 2), whole."""

    step: int  # 1-based; the paper's t
    candidate: str  # x'_t
    verdict: Literal["candidate", "current", "undecided"]
    candidate_first: bool  # the order in which the judge saw the two drafts
    llm_score: float  # LLMScore(x_t, x'_t)
    delta_vendi: float  # Vendi(P + x'_t) - Vendi(P + x_t)
    score: float  # S(x'_t)
    accepted: bool
    pool: tuple[int, ...]  # numbers of the records that were drawn into P


@dataclass(frozen=True, slots=True)
class Call:
    """One answered step: who answered what, and what it cost."""

    step: str
    prompt_hash: str
    model: str
    attempts: int
    prompt_tokens: int
    cached_tokens: int  # prompt tokens that the endpoint took from its prefix cache; 0 if it does not say
    completion_tokens: int
    cost: float  # in the currency of the prices given for the model
    from_cache: bool  # answered from the run's own response cache: no tokens were paid for again


@dataclass(frozen=True, slots=True)
class Record:
    """A synthesised record with everything that made it."""

    id: str
    number: int  # the candidate's number: records are ordered by it
    text: str
    language: str
    model: str
    seed: Seed
    profile: Profile
    controls: Controls
    attributes: tuple[Attribute, ...]
    groups: tuple[Group, ...]
    draft: str  # x_0
    refinement: tuple[RefinementStep, ...]
    embedding: bytes  # little-endian float16, of the final text
    fingerprint: tuple[int, ...]  # near-duplicate bands of the final text
    calls: tuple[Call, ...]


@dataclass(frozen=True, slots=True)
class Rejection:
    """Why an item did not become a result."""

    step: str
    reason: str
    detail: str


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Outcome(Generic[T]):
    """What became of one item: a result or a rejection, never both, never neither."""

    id: str
    number: int
    result: T | None
    rejection: Rejection | None
    calls: tuple[Call, ...]
