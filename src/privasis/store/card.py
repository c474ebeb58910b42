"""The dataset card: what a published folder says of itself, from counts and provenance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from string import Template

from privasis.store.export import Counts
from privasis.store.rows import Noun

_WHAT: Mapping[Noun, str] = {
    "records": "Documents in which people who do not exist leave private details, each detail annotated "
    "at its place.",
    "triplets": "Triplets of a document about a person who does not exist, an instruction to sanitize it, "
    "and the sanitized document, with every change as an edit.",
}
_TRIPLET_LIMITS = (
    "\n- The sanitized texts were checked by code and by a model, not by a person: a paraphrase that gives "
    "a target away may be left in some."
)
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
_LARGEST = "1M<n<10M"
_SHOWN = 60  # rows of a table at most


@dataclass(frozen=True, slots=True)
class Card:
    """What the card is written from."""

    title: str
    noun: Noun
    license: str
    counts: Counts
    columns: tuple[str, ...]
    language_codes: tuple[str, ...]  # ISO 639-1
    provenance: tuple[str, ...]  # one line each
    version: str


def render_card(card: Card) -> str:
    """Return the card as the Markdown of README.md."""
    template = (files("privasis") / "data" / "dataset_card.md").read_text(encoding="utf-8")
    counts = card.counts
    return Template(template).substitute(
        title=" ".join(card.title.split()).replace('"', "'"),
        license=card.license,
        language_codes="\n".join(f"- {code}" for code in card.language_codes),
        size_category=next((name for most, name in _SIZES if counts.rows < most), _LARGEST),
        what=_WHAT[card.noun],
        version=card.version,
        statistics="\n".join(f"- {line}" for line in _statistics(card.noun, counts)),
        languages=_table(counts.languages),
        models=_table(counts.models),
        categories=_table(counts.categories),
        columns=", ".join(f"`{name}`" for name in card.columns),
        triplet_limits=_TRIPLET_LIMITS if card.noun == "triplets" else "",
        provenance="\n".join(f"- {line}" for line in card.provenance),
    )


def _statistics(noun: Noun, counts: Counts) -> Iterable[str]:
    each = max(counts.rows, 1)
    yield f"{counts.rows:,} {noun}"
    yield f"{counts.words / each:.1f} words a text, {counts.longest:,} in the longest"
    for name, entries in counts.lists.items():
        yield f"{entries:,} {name}, {entries / each:.1f} a row"


def _table(counts: Mapping[str, int]) -> str:
    rows = sorted(counts.items(), key=lambda row: (-row[1], row[0]))
    lines = [f"| {_cell(name)} | {count:,} |" for name, count in rows[:_SHOWN]]
    if len(rows) > _SHOWN:
        lines.append(f"| {len(rows) - _SHOWN} others | {sum(count for _, count in rows[_SHOWN:]):,} |")
    return "\n".join(lines)


def _cell(name: str) -> str:
    return " ".join(name.split()).replace("|", "\\|") or "unknown"
