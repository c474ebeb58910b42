"""Table 1 and Figure 4: the domains of records, by the life event that each was made from (§2.2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from privasis.analysis.agreement import wilson
from privasis.analysis.table import Cell, Share, Table, percent, share_of
from privasis.store.texts import NOT_LABELLED
from privasis.synthesis.catalogue import life_events
from privasis.types import LifeEvent

TOP = 3  # subcategories in a row, as in Table 1

# Table 1's ratios, as the paper reports them.
PAPER: Mapping[str, float] = MappingProxyType(
    {
        "Health & Wellness": 0.207,
        "Government & Civic": 0.135,
        "Business & Finance": 0.134,
        "Personal & Family": 0.107,
        "Community & Social": 0.093,
        "Professional Services": 0.091,
        "Education & Training": 0.089,
        "Legal & Compliance": 0.076,
        "Media & Communications": 0.039,
        "Recreation & Lifestyle": 0.023,
        "Technical & Operations": 0.007,
    }
)


def categories_table(events: Iterable[LifeEvent], top: int = TOP) -> Table:
    """Return the share of each main category with its most frequent subcategories (Table 1).

    Args:
        events: One a record; what is not of the catalogue has no subcategory.
        top: Subcategories named in a row.
    """
    subcategories = {event.id: event.subcategory for event in life_events()}
    counts: Counter[str] = Counter()
    inside: dict[str, Counter[str]] = {}
    for event in events:
        main = event.category or NOT_LABELLED
        counts[main] += 1
        if event.id in subcategories:
            inside.setdefault(main, Counter())[subcategories[event.id]] += 1
    total = sum(counts.values())
    rows = tuple(
        (
            main,
            count,
            share_of(wilson(count, total)),
            Share(PAPER[main]) if main in PAPER else None,
            *_named(inside.get(main, Counter()), total, top),
        )
        for main, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    )
    heads = (f"Subcategory {place}" for place in range(1, top + 1))
    return Table(
        f"Table 1: domains of {total} records (%, 95% intervals)",
        ("Category", "Records", "Ratio", "Paper", *heads),
        rows,
        (
            "The category is that of the life event a record was made from: no model read the text. The "
            "paper's were given by a model that read 48,000 records.",
        ),
    )


def _named(counts: Counter[str], total: int, top: int) -> list[Cell]:
    named = [f"{name} ({percent(count / total)}%)" for name, count in counts.most_common(top)]
    return [*named, *[""] * (top - len(named))]
