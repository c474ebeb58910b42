"""Every constant of §3.1, each with its source."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SanitizeOptions:
    """How triplets are made. Those marked * are in no part of the paper."""

    targets: int = 3  # n; the paper reports 2.9 targets a triplet (§3.2)
    chunk_size: int = 512  # §3.1, item 1: characters
    group_share: float = 0.5  # * share of targets that are whole groups
    drop_share: float = 0.5  # * share of targets labelled drop: "randomly labeled" (§3.1, item 2)
    broadest_group: int = 8  # * a group of more attributes is no target
    keeps: int = 3  # * retention targets at most
    label_only_share: float = 0.5  # * of groups: "occasionally" only the label is named (§3.1, item 4)
    levels: int = 1  # graded abstraction: triplets of one target, finest first (§3.2)
    llm_only: bool = False  # Algorithm 1 to the letter, as the paper's baseline
