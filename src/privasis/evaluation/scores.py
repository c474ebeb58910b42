"""What was found out about one sanitized text: verdicts, each with its reason. ``unscored`` is a result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from privasis.types import Call

Verdict = Literal["safe", "direct", "inference", "proximity", "unscored"]
Strict = Literal["safe", "direct"]
Kept = Literal["exact", "inferred", "present", "lost", "unscored"]

NO_EVALUATOR = "no_evaluator"  # the reason of what only an evaluator could have judged
NO_ANSWER = "no_answer"  # the reason of everything about a text that the system did not give


@dataclass(frozen=True, slots=True)
class TargetScore:
    """One attribute of one target: whether it leaks, and how deep it had to be looked for (§4.2)."""

    target: str  # id of the target
    name: str  # of the attribute, the paper's z_key
    verdict: Verdict
    strict: Strict  # direct leaks by the stricter reading; says nothing of inference and proximity
    guess: str  # from the sanitized text; '' where none was asked for
    reason: str  # why it is unscored
    value: str = ""  # z_value, several joined by ', '
    original_guess: str = ""  # from the original text; '' where none was asked for


@dataclass(frozen=True, slots=True)
class KeepScore:
    """One retention target: whether it is still there, and how it was found (Appendix D)."""

    name: str
    verdict: Kept
    reason: str  # why it is unscored
    value: str = ""
    guess: str = ""


@dataclass(frozen=True, slots=True)
class ItemScore:
    """One item of a test set, sanitized by one system."""

    id: str
    number: int
    system: str  # the model's name, or that of the predictions
    evaluator: str  # 'none' without one
    set_name: str
    category: str
    record_type: str
    grouped: bool  # whether a target is a group
    original: str
    sanitized: str
    targets: tuple[TargetScore, ...]  # one for each attribute of each target
    keeps: tuple[KeepScore, ...]
    over_edit: float  # share of the characters outside the targets that were changed
    calls: tuple[Call, ...]
    failure: str = ""  # why the system gave no text ('truncated', ...); everything is unscored then
