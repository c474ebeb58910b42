"""Scores made by hand, as short as a test needs them."""

from __future__ import annotations

import dataclasses

from privasis.evaluation.scores import ItemScore, KeepScore, TargetScore


def scored(id: str, leaks: str, keeps: str = "", **changes: object) -> ItemScore:
    """Return a score whose attributes and retention targets are spelled by verdicts.

    ``leaks`` and ``keeps`` are words such as ``"safe full_name:direct"``: NAME:VERDICT, or a verdict alone.
    """
    plain = ItemScore(
        id=id,
        number=0,
        system="tested",
        evaluator="judge",
        set_name="",
        category="Health & Wellness",
        record_type="note",
        grouped=False,
        original="The original text.",
        sanitized="The sanitized text.",
        targets=tuple(_target(number, word) for number, word in enumerate(leaks.split())),
        keeps=tuple(_keep(number, word) for number, word in enumerate(keeps.split())),
        over_edit=0.25,
        calls=(),
    )
    return dataclasses.replace(plain, **changes)


def _target(number: int, word: str) -> TargetScore:
    name, _, verdict = word.rpartition(":")
    strict = "direct" if verdict == "direct" else "safe"
    reason = "evaluate.guess: no_answer" if verdict == "unscored" else ""
    return TargetScore(f"t{number}", name or f"a{number}", verdict, strict, "", reason)


def _keep(number: int, word: str) -> KeepScore:
    name, _, verdict = word.rpartition(":")
    return KeepScore(name or f"k{number}", verdict, "no_answer" if verdict == "unscored" else "")
