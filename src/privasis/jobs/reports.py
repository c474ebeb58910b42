"""The work behind ``privasis report``: each run becomes a section, with what is there of it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

from privasis import __version__
from privasis.analysis.cases import leak_cases
from privasis.analysis.results import KINDS, table_4, table_5, table_6, table_10
from privasis.analysis.systems import ScoreSet, systems_by_set
from privasis.analysis.table import Cell, Table
from privasis.errors import RunFolderError
from privasis.jobs.measures import (
    Measure,
    labels_of,
    measure_categories,
    measure_corpus,
    measure_diversity,
    measure_models,
    measure_profiles,
)
from privasis.jobs.scores import read_scores
from privasis.report.content import (
    Bars,
    Passage,
    Report,
    Section,
    leak_passage,
    record_passage,
    triplet_passage,
)
from privasis.store.people import read_plain_records, read_triplets
from privasis.store.run import read_config

IN_PROGRESS = (
    "This run has no summary yet: it is at work, or was stopped hard. Shown is what it has committed so far; "
    "its command, given again, goes on with it."
)
_NOTHING = "Nothing was made yet."
_LEFT_OUT = (
    "by_step",
    "by_model",
    "total",
    "rejected_by_reason",
    "failures_by_reason",
    "edits_by_step",
    "skipped",
)


def make_report(runs: Sequence[Path], samples: int, title: str) -> Report:
    """Return a report of run folders of records, triplets or scores, in the order given.

    Args:
        runs: The folders.
        samples: Records, triplets and leaks of each kind that are shown of a run.
        title: Of the page.

    Raises:
        RunFolderError: If a folder is no run of these kinds, or broken.
        InputError: If its tables are broken.
    """
    sections = tuple(_section(run, name, samples) for run, name in zip(runs, labels_of(runs), strict=True))
    day = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    return Report(title, f"Made on {day} by privasis {__version__} from {len(runs)} run folders.", sections)


def _section(run: Path, name: str, samples: int) -> Section:
    kind = read_config(run)["kind"]
    makers: Mapping[str, Callable[[Path, int], Section]] = {
        "records": _records,
        "triplets": _triplets,
        "scores": _scores,
    }
    if kind not in makers:
        raise RunFolderError(f"{run} holds {kind}: a report shows records, triplets and scores.")
    made = makers[kind](run, samples)
    summary = _json(run / "summary.json")
    notes = (f"A run of {kind}.", *(() if summary else (IN_PROGRESS,)), *made.notes)
    tables = (*_summary_tables(summary), *made.tables, *_provenance(run, summary))
    return Section(name, notes, tables, made.bars, made.passages)


def _records(run: Path, samples: int) -> Section:
    models: Counter[str] = Counter()
    categories: Counter[str] = Counter()
    passages: list[Passage] = []
    for record in read_plain_records(run):
        models[record.model] += 1
        categories[record.profile.event.category or "not labelled"] += 1
        if len(passages) < samples:
            passages.append(record_passage(record))
    if not models:
        return Section("", (_NOTHING,))
    tables = [measure_corpus([run]), measure_categories(run, 3), measure_diversity(Measure((run,)))]
    if len(models) > 1:
        tables.append(measure_models(Measure((run,), by="model")))
    bars = [
        _bars("Records by main category of the life event", categories),
        _bars("Records by model", models),
    ]
    return Section("", (), (*tables, *measure_profiles(run)), tuple(bars), tuple(passages))


def _triplets(run: Path, samples: int) -> Section:
    categories: Counter[str] = Counter()
    targets: Counter[str] = Counter()
    passages: list[Passage] = []
    for triplet in read_triplets(run):
        categories[triplet.category or "not labelled"] += 1
        targets.update(
            f"{one.action} {'a group' if one.grouped else 'an attribute'}" for one in triplet.targets
        )
        if len(passages) < samples:
            passages.append(triplet_passage(triplet))
    if not passages and not categories:
        return Section("", (_NOTHING,))
    bars = (_bars("Triplets by main category", categories), _bars("Targets", targets))
    return Section("", (), (measure_corpus([run]),), bars, tuple(passages))


def _scores(run: Path, samples: int) -> Section:
    try:
        scores = read_scores(run)
    except RunFolderError:
        return Section("", ("There are no scores to show yet.",))
    sets = systems_by_set([ScoreSet(run.name, read_config(run)["config"], scores)], texts=True)
    tables: list[Table] = []
    passages: list[Passage] = []
    bars: list[Bars] = []
    for name, systems in sets.items():
        tables += [table_4(systems), table_5(systems), table_6(systems), table_10(systems)]
        leaks: Counter[str] = Counter(
            target.verdict
            for system in systems
            if not system.is_baseline
            for score in system.scores
            for target in score.targets
        )
        bars.append(_bars(f"Verdicts on target attributes{f', {name}' if name else ''}", leaks))
        passages += [leak_passage(case) for kind in KINDS for case in leak_cases(systems, kind, samples)]
    notes = () if sets else (_NOTHING,)
    return Section("", notes, tuple(tables), tuple(bars), tuple(passages))


def _bars(title: str, counts: Counter[str]) -> Bars:
    return Bars(title, tuple((name, float(count)) for name, count in counts.most_common(15)))


def _json(path: Path) -> dict[str, Any]:
    try:
        held = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError):
        raise RunFolderError(f"{path} is broken: give the command of its run again.") from None
    return held if isinstance(held, dict) else {}


def _summary_tables(summary: Mapping[str, Any]) -> Iterator[Table]:
    if not summary:
        return
    rows = [
        (name.replace("_", " "), value)
        for name, value in summary.items()
        if name not in _LEFT_OUT and isinstance(value, int | float | str)
    ]
    yield Table("Summary", ("Count", "Value"), tuple(rows))
    for name in ("rejected_by_reason", "failures_by_reason"):
        reasons = summary.get(name)
        if isinstance(reasons, dict) and reasons:
            ranked = sorted(reasons.items(), key=lambda item: -item[1])
            yield Table(name.replace("_", " ").capitalize(), ("Reason", "Items"), tuple(ranked))


_USAGE = ("calls", "prompt_tokens", "cached_tokens", "completion_tokens", "cost")


def _provenance(run: Path, summary: Mapping[str, Any]) -> Iterator[Table]:
    for key, head in (("by_step", "Step"), ("by_model", "Model")):
        usages = summary.get(key)
        if isinstance(usages, dict) and usages:
            rows = [(name, *(used.get(column) for column in _USAGE)) for name, used in usages.items()]
            rows.append(
                ("total", *(sum(used.get(column) or 0 for used in usages.values()) for column in _USAGE))
            )
            heads = (head, *(column.replace("_", " ").capitalize() for column in _USAGE))
            yield Table(f"Cost by {head.lower()}", heads, tuple(rows))
    config = [("configuration", name, value) for name, value in _flat(read_config(run))]
    held = _json(run / "provenance.json")
    made = [("provenance", name, value) for name, value in _flat(held)]
    yield Table("Provenance", ("From", "Name", "Value"), tuple([*config, *made]))


def _flat(value: Any, prefix: str = "") -> Iterator[tuple[str, Cell]]:
    match value:
        case dict():
            items: Iterable[tuple[str, Any]] = value.items()
        case list() if any(isinstance(entry, dict) for entry in value):
            items = ((str(place), entry) for place, entry in enumerate(islice(value, 20), start=1))
        case _:
            yield prefix, str(value)
            return
    for name, inner in items:
        yield from _flat(inner, f"{prefix}.{name}" if prefix else name)
