"""From folders of scores to systems that can stand side by side in a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from privasis.evaluation.score import COPY, DELETE
from privasis.evaluation.scores import ItemScore

BASELINES = (COPY, DELETE)


class ScoreSet(NamedTuple):
    """The scores of one folder: those of its system and of the baselines, each item once a system."""

    name: str  # the folder's
    config: Mapping[str, Any]
    scores: Iterable[ItemScore]


@dataclass(frozen=True, slots=True)
class System:
    """One system on one test set. Texts are left out unless they were asked for."""

    label: str  # unique within its test set
    set_name: str
    scores: tuple[ItemScore, ...]

    @property
    def is_baseline(self) -> bool:
        """Whether it is one of the two that keep a one-sided score honest."""
        return self.scores[0].system in BASELINES


def systems_by_set(sets: Iterable[ScoreSet], *, texts: bool = False) -> dict[str, tuple[System, ...]]:
    """Group scores by test set, then by system: the systems in the order given, the baselines once, last.

    A system that comes from two folders (judged by two evaluators, say) stays two, named after the folders.

    Args:
        sets: Each is walked once.
        texts: Keep the texts; tables don't need them, and without them a test set's scores take little room.
    """
    found: dict[str, dict[tuple[str, str], list[ItemScore]]] = {}
    baselines: dict[str, dict[str, dict[str, ItemScore]]] = {}
    for given in sets:
        for score in given.scores:
            kept = score if texts else replace(score, original="", sanitized="", calls=())
            if score.system in BASELINES:
                baselines.setdefault(score.set_name, {}).setdefault(score.system, {})[score.id] = kept
            else:
                of_set = found.setdefault(score.set_name, {})
                of_set.setdefault((given.name, score.system), []).append(kept)
    names = sorted({*found, *baselines})
    return {
        name: (*_named(name, found.get(name, {})), *_baselines(name, baselines.get(name, {})))
        for name in names
    }


def _named(set_name: str, found: Mapping[tuple[str, str], list[ItemScore]]) -> Iterator[System]:
    systems = [system for _, system in found]
    for (folder, system), scores in found.items():
        label = system if systems.count(system) == 1 else f"{system} [{folder}]"
        yield System(label, set_name, tuple(scores))


def _baselines(set_name: str, found: Mapping[str, Mapping[str, ItemScore]]) -> Iterator[System]:
    for name in BASELINES:
        if name in found:
            yield System(name, set_name, tuple(found[name].values()))


def differing_items(systems: Iterable[System]) -> tuple[str, ...]:
    """Return a note if the systems were not scored on the same records: then they can't be compared."""
    items = {frozenset(score.id for score in system.scores) for system in systems if not system.is_baseline}
    if len(items) < 2:
        return ()
    return ("The systems were scored on different records: their figures can't be compared.",)
