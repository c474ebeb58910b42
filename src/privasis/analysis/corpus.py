"""§2.2 and §3.2 in figures: what records and triplets hold, beside what the paper reports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from privasis.analysis.table import Cell, Share, Table
from privasis.text.words import count_words
from privasis.types import Record, Triplet


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of a source; None where nothing was counted."""

    name: str
    value: Cell


# What the paper reports of its records (§2.2) and of its corpus (§3.2); None: nothing.
_RECORDS: Mapping[str, Cell] = {
    "records": 1_414_871,
    "words a record": 527.0,
    "words of the background context": 76.4,
    "words of the format": 41.8,
    "words of the record type": 20.0,
    "attributes a record": 55_092_084 / 1_414_871,
    "groups a record": 6.2,
    "attributes a group": 6.3,
}
_TRIPLETS: Mapping[str, Cell] = {
    "triplets": 100_000,
    "words a record": 527.0,
    "targets a triplet": 2.9,
    "words an instruction": 69.4,
    "characters an annotated span": 35.3,
}


def record_figures(records: Iterable[Record]) -> tuple[Figure, ...]:
    """Return what is counted of records, in one pass (§2.2)."""
    sums: Counter[str] = Counter()
    models: Counter[str] = Counter()
    for record in records:
        models[record.model] += 1
        sums.update(
            records=1,
            words=count_words(record.text),
            context=count_words(record.controls.background_context),
            format=count_words(record.controls.format),
            type=count_words(record.controls.record_type),
            attributes=len(record.attributes),
            groups=len(record.groups),
            grouped=sum(len(group.attributes) for group in record.groups),
            characters=sum(len(attribute.value) for attribute in record.attributes),
        )
    return (
        Figure("records", sums["records"]),
        Figure("words a record", _mean(sums["words"], sums["records"])),
        Figure("words of the background context", _mean(sums["context"], sums["records"])),
        Figure("words of the format", _mean(sums["format"], sums["records"])),
        Figure("words of the record type", _mean(sums["type"], sums["records"])),
        Figure("attributes a record", _mean(sums["attributes"], sums["records"])),
        Figure("groups a record", _mean(sums["groups"], sums["records"])),
        Figure("attributes a group", _mean(sums["grouped"], sums["groups"])),
        Figure("characters an annotated span", _mean(sums["characters"], sums["attributes"])),
        *_models(models),
    )


def triplet_figures(triplets: Iterable[Triplet]) -> tuple[Figure, ...]:
    """Return what is counted of triplets, in one pass (§3.2)."""
    sums: Counter[str] = Counter()
    models: Counter[str] = Counter()
    records: set[str] = set()
    for triplet in triplets:
        models[triplet.model] += 1
        records.add(triplet.record_id)
        sums.update(
            triplets=1,
            words=count_words(triplet.text),
            instruction=count_words(triplet.instruction),
            targets=len(triplet.targets),
            grouped=sum(target.grouped for target in triplet.targets),
            some_grouped=any(target.grouped for target in triplet.targets),
            dropped=sum(target.action == "drop" for target in triplet.targets),
            keeps=len(triplet.keeps),
            attributes=len(triplet.attributes),
            characters=sum(len(fact.value) for fact in triplet.attributes),
            edits=len(triplet.edits),
            edited=sum(edit.end - edit.start for edit in triplet.edits),
            text=len(triplet.text),
        )
    return (
        Figure("triplets", sums["triplets"]),
        Figure("records", len(records)),
        Figure("words a record", _mean(sums["words"], sums["triplets"])),
        Figure("targets a triplet", _mean(sums["targets"], sums["triplets"])),
        Figure("words an instruction", _mean(sums["instruction"], sums["triplets"])),
        Figure("characters an annotated span", _mean(sums["characters"], sums["attributes"])),
        Figure("targets that are groups (%)", _share(sums["grouped"], sums["targets"])),
        Figure("triplets with a group (%)", _share(sums["some_grouped"], sums["triplets"])),
        Figure("targets to drop (%)", _share(sums["dropped"], sums["targets"])),
        Figure("retention targets a triplet", _mean(sums["keeps"], sums["triplets"])),
        Figure("edits a triplet", _mean(sums["edits"], sums["triplets"])),
        Figure("characters edited (%)", _share(sums["edited"], sums["text"])),
        *_models(models),
    )


def _mean(total: int, count: int) -> float | None:
    return total / count if count else None


def _share(part: int, whole: int) -> Share | None:
    return Share(part / whole) if whole else None


def _models(counts: Counter[str]) -> list[Figure]:
    total = sum(counts.values())
    return [
        Figure(f"by {name or '(unnamed)'} (%)", Share(count / total)) for name, count in counts.most_common()
    ]


def corpus_table(sources: Mapping[str, tuple[Figure, ...]], *, triplets: bool) -> Table:
    """Return the figures of several sources side by side, beside the paper's.

    Args:
        sources: By name; all of triplets, or all of records.
        triplets: Which of the two.
    """
    paper = _TRIPLETS if triplets else _RECORDS
    held = {name: {figure.name: figure.value for figure in figures} for name, figures in sources.items()}
    names = dict.fromkeys(figure.name for figures in sources.values() for figure in figures)
    rows = tuple((name, *(values.get(name) for values in held.values()), paper.get(name)) for name in names)
    return Table(
        "Corpus (§3.2)" if triplets else "Records (§2.2)",
        ("Figure", *held, "Paper"),
        rows,
        (
            "An annotated span is an attribute's value. Words are counted in every script; how the paper "
            "counts its own is not said. 'not known': not counted, or not reported.",
        ),
    )
