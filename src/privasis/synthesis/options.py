"""Every constant of §2.1, each with its source."""

from __future__ import annotations

from dataclasses import dataclass, field

from privasis.synthesis.seeds import SeedOptions


@dataclass(frozen=True, slots=True)
class SynthesisOptions:
    """How records are made. Those marked * are in no part of the paper: docs/decisions/constants.md."""

    seeds: SeedOptions = field(default_factory=SeedOptions)
    language: str = "English"
    ethnicity_options: int = 12  # * ethnicities among which the model chooses
    event_options: int = 5  # * life events among which the model chooses
    examples: int = 3  # * kinds of documents and layouts named in the prompts
    details: int = 6  # * values of the profile that a document is asked to mention
    min_details: int = 2  # * of them that must stand in it
    brief_prompts: bool = False  # * leave out of prompts what distracts a small model: most of the profile
    candidates: int = 3  # * length of each list of record types, contexts and formats (§2.1, item 1)
    refinement_steps: int = 3  # §2.1, item 2: "up to three steps"
    alpha: float = 0.5  # * weight of LLMScore in S; the authors' released code has 0.5
    beta: float = 0.5  # * weight of the Vendi difference in S; likewise
    tau: float = 0.5  # §2.1, item 2: accepted only if S > 0.5
    pool_size: int = 300  # * n_P; the authors' released code has 300
    max_attributes: int = 48  # * found by the model; the paper reports 39 a record in all (§2.2)
    min_attributes: int = 3  # * fewer cannot be grouped
    min_groups: int = 3  # item 3; the paper reports 6.2 groups a record (§2.2)
    max_groups: int = 8
    min_words: int = 64  # §2.1, item 4
    min_age: int = 18  # §2.1, item 4


def for_small_model() -> SynthesisOptions:
    """Return what the embedded model needs to complete the steps (docs/decisions/embedded-model.md)."""
    return SynthesisOptions(max_attributes=8, brief_prompts=True, min_details=1)
