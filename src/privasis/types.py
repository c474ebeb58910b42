"""The nouns of the project. Every room imports them; they import nothing of ours.

All offsets are code points on the original text, half-open (``text[start:end]``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

Sex = Literal["female", "male"]
AttributeSource = Literal["profile", "text"]
Action = Literal["abstract", "drop"]


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
class Edit:
    """One change: ``text[start:end]`` of the ORIGINAL text becomes the replacement."""

    start: int
    end: int
    replacement: str
    target: str  # id of the target that it serves
    step: str  # what made it: 'span', 'rewrite', 'repair', ...


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
class Sampling:
    """How one step is sampled: it stands beside the step's words, in the template."""

    temperature: float = 0.7
    top_p: float = 1.0
    max_tokens: int = 1024
    frequency_penalty: float = 0.0


@dataclass(frozen=True, slots=True)
class Request:
    """A rendered prompt, ready to be asked."""

    step: str  # 'profile.basics'
    prompt_hash: str  # of the template that made it
    system: str  # the constant part comes first, so that endpoints can cache the prefix
    user: str
    sampling: Sampling


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
class Target:
    """Something to be sanitized: an attribute or a whole group (§3.1, item 2; the paper's z)."""

    id: str  # unique within its triplet: 't1', 't2', ...
    label: str  # the attribute's name, or the group's label
    grouped: bool
    attributes: tuple[Fact, ...]  # the members' names and values; one for a single attribute
    action: Action  # the paper's label
    weight: float  # the sensitivity weight by which it was drawn
    instruction: str  # instr_z


@dataclass(frozen=True, slots=True)
class Triplet:
    """(record, instruction, sanitized record), with everything that made it (§3.1)."""

    id: str
    record_id: str
    number: int  # the record's
    person: str  # whose record it is: records of one person never stand in two splits
    language: str
    record_type: str
    category: str  # main category (Table 1)
    model: str
    text: str  # x
    sanitized: str  # the original with the edits applied, exactly
    edits: tuple[Edit, ...]  # sorted and disjoint
    targets: tuple[Target, ...]
    keeps: tuple[Fact, ...]  # the retention targets K
    base_instruction: str  # assembled by code from the targets' instructions
    instruction: str  # as a user would say it
    level: int  # of graded abstraction: 0 is the pipeline's own choice, 1 the finest of several
    attributes: tuple[Fact, ...]  # all of the record's, for instructions and analysis
    groups: tuple[Group, ...]
    calls: tuple[Call, ...]


@dataclass(frozen=True, slots=True)
class TripletSet:
    """What one record gave: several triplets where several levels were asked for."""

    record_id: str
    triplets: tuple[Triplet, ...]
    failures: tuple[Rejection, ...]  # triplets that were made and not selected, with the reason


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
