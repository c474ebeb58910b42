"""Clean documents as one text: what one part tells goes from all of them, with the same code everywhere."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import Final

from privasis.cleaner.cleaning import clean_with
from privasis.cleaner.finding import Seed, find_places, find_seeds, sought, unprotected
from privasis.cleaner.formats.form import WHOLE, Form, Leaf
from privasis.cleaner.formats.joining import Joined, Own, join, leaf_at, own_edits
from privasis.cleaner.page import Page
from privasis.cleaner.results import Cleaned, Finding, Risk, Wish
from privasis.errors import InputError
from privasis.text.compose import compose
from privasis.text.edits import apply_edits
from privasis.types import Edit, Span

Cleaner = Callable[[str, Sequence[Wish]], Cleaned]
"""Cleans a text by wishes: the rules alone, or a model before them."""

_ROUNDS: Final = 3
_LOOSE: Final = re.compile(r"[\W_]+")
_SHORTEST_NUMBER: Final = 6  # digits: shorter numbers stand in any form by chance


@dataclass(frozen=True, slots=True)
class Document:
    """A file taken apart, and how a file of its format is read."""

    name: str
    form: Form[bytes]
    read: Callable[[bytes], Form[bytes]]
    encoding: str = "utf-8"  # of a text
    assumed: bool = False  # nothing in the file says that it is this encoding


@dataclass(frozen=True, slots=True)
class CleanedLeaf:
    """A leaf that something was found in or done to; offsets are on its own text before."""

    where: str
    before: str
    after: str
    edits: tuple[Edit, ...]
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class CleanedDocument:
    """A cleaned document and all that was done.

    Attributes:
        data: The new document; None while anything is left in it.
        leaves: Those that something was found in or done to, in order.
        risks: What is left, by its place.
        unfound: Places in ``wishes`` of those of which no document had anything.
        wishes: What was to be done.
    """

    data: bytes | None
    leaves: tuple[CleanedLeaf, ...]
    risks: tuple[Risk, ...]
    unfound: tuple[int, ...]
    wishes: tuple[Wish, ...]


@dataclass(frozen=True, slots=True)
class _Settled:
    """What became of the leaves of all documents."""

    edits: dict[int, tuple[Edit, ...]]
    findings: dict[int, list[Finding]]
    risks: dict[int, list[Risk]]
    first: Cleaned
    joined: Joined  # as it was


def joined_text(documents: Sequence[Document]) -> str:
    """Return what documents say, as one text: the instruction is read with it."""
    leaves = [leaf for document in documents for leaf in document.form.leaves]
    return join(leaves, [leaf.text for leaf in leaves]).text


def clean_documents(
    documents: Sequence[Document], wishes: Sequence[Wish], cleaner: Cleaner = clean_with
) -> tuple[CleanedDocument, ...]:
    """Clean documents together; each is written only when nothing that was to go is left in it.

    Args:
        documents: Such as the files of a folder.
        wishes: What is to go, to be abstracted, to get a code, to stay.
        cleaner: Cleans the joined text; what it gives is proved by the rules.

    Raises:
        ConfigError: The same value is to go and to stay.
    """
    leaves = [leaf for document in documents for leaf in document.form.leaves]
    settled = _settle(leaves, wishes, cleaner)
    starts = [0, *accumulate(len(document.form.leaves) for document in documents)]
    values = _values(settled, wishes)
    return tuple(
        _document(document, range(start, end), settled, values)
        for document, (start, end) in zip(documents, pairwise(starts), strict=True)
    )


def _settle(leaves: Sequence[Leaf], wishes: Sequence[Wish], cleaner: Cleaner) -> _Settled:
    """Clean until every edit lies in leaves; edits on labels and between leaves are not carried out."""
    texts = [leaf.text for leaf in leaves]
    edits: dict[int, tuple[Edit, ...]] = {}
    original = joined = join(leaves, texts)
    first = cleaned = cleaner(joined.text, wishes)
    after = joined
    for _ in range(_ROUNDS):
        for number, fresh in _by_leaf(own_edits(cleaned.edits, joined)).items():
            edits[number] = compose(edits.get(number, ()), fresh)
            texts[number] = apply_edits(leaves[number].text, edits[number])
        after = join(leaves, texts)
        if after.text == cleaned.text:
            break
        joined = after
        cleaned = clean_with(joined.text, wishes)
    risks = _risks(leaves, cleaned, after)
    for number, made in edits.items():
        if not leaves[number].fits(texts[number]):
            risks[number].append(Risk("structure", _wish(made[0]), leaves[number].where))
    if after.text != cleaned.text:
        for edit in cleaned.edits:
            number = leaf_at(joined, edit.start)
            risks[number].append(Risk("structure", _wish(edit), leaves[number].where))
    return _Settled(edits, _findings(first, original), risks, first, original)


def _wish(edit: Edit) -> int:
    return max(0, int(edit.target[1:]) - 1)  # 0 is a model's, for all wishes


def _by_leaf(found: Sequence[Own]) -> dict[int, list[Edit]]:
    edits: dict[int, list[Edit]] = defaultdict(list)
    for number, edit in found:
        edits[number].append(edit)
    return edits


def _findings(cleaned: Cleaned, joined: Joined) -> dict[int, list[Finding]]:
    found: dict[int, list[Finding]] = defaultdict(list)
    for finding in cleaned.findings:
        mark = Edit(finding.span.start, finding.span.end, "", "", "")
        for number, local in own_edits((mark,), joined):
            found[number].append(replace(finding, span=Span(local.start, local.end)))
    return found


def _risks(leaves: Sequence[Leaf], cleaned: Cleaned, joined: Joined) -> dict[int, list[Risk]]:
    """Attribute what is left to leaves."""
    risks: dict[int, list[Risk]] = defaultdict(list)
    starts = [0, *accumulate(len(line) + 1 for line in cleaned.text.split("\n"))]
    for risk in cleaned.risks:
        place = starts[int(risk.where.removeprefix("line ")) - 1]
        number = leaf_at(joined, place)
        where = leaves[number].where
        if where == WHOLE:
            start = joined.places[joined.numbers.index(number)].start
            where = f"line {joined.text.count(chr(10), start, place) + 1}"
        risks[number].append(replace(risk, where=where))
    return risks


def _values(settled: _Settled, wishes: Sequence[Wish]) -> tuple[Seed, ...]:
    """Return the values that were found and are to go, to look for them where nothing can be changed."""
    seeds = {}
    for finding in settled.first.findings:
        value = settled.joined.text[finding.span.start : finding.span.end]
        digits = sum(map(str.isdecimal, value))
        if any(map(str.isalpha, value)) or digits >= _SHORTEST_NUMBER:
            seeds[finding.wish, value] = sought(finding.wish, finding.kind, value)
    return tuple(seed for seed in seeds.values() if wishes[seed.wish].action != "keep")


def _document(
    document: Document, numbers: range, settled: _Settled, values: Sequence[Seed]
) -> CleanedDocument:
    changed: list[CleanedLeaf] = []
    texts: list[str] = []
    for number, leaf in zip(numbers, document.form.leaves, strict=True):
        edits = settled.edits.get(number, ())
        texts.append(apply_edits(leaf.text, edits))
        findings = tuple(settled.findings.get(number, ()))
        if edits or findings:
            changed.append(CleanedLeaf(leaf.where, leaf.text, texts[-1], edits, findings))
    risks = [risk for number in numbers for risk in settled.risks.get(number, ())]
    data = _written(document, texts) if not risks else None
    if data is None and not risks:
        risks.append(Risk("structure", 0, "the written file"))
    fixed = document.form.fixed if data is None else document.read(data).fixed
    risks += _in_fixed(fixed, settled.first.wishes, values)
    return CleanedDocument(
        None if risks else data,
        tuple(changed),
        tuple(risks),
        settled.first.unfound,
        settled.first.wishes,
    )


def _written(document: Document, texts: Sequence[str]) -> bytes | None:
    """Write a document and read it again: None where that does not give the texts that were written."""
    data = document.form.write(texts)
    if all(text == leaf.text for text, leaf in zip(texts, document.form.leaves, strict=True)):
        return data
    try:
        again = document.read(data)
    except InputError:
        return None
    return data if _letters(texts) == _letters([leaf.text for leaf in again.leaves]) else None


def _letters(texts: Sequence[str]) -> list[str]:
    """Return what texts say in letters and digits: folds move, names of sheets lose brackets."""
    return [letters for text in texts if (letters := _LOOSE.sub("", text))]


def _in_fixed(fixed: Sequence[Leaf], wishes: Sequence[Wish], values: Sequence[Seed]) -> list[Risk]:
    """Look for values in what is part of the form."""
    if not fixed or not values:
        return []
    joined = join(fixed, [leaf.text for leaf in fixed])
    page = Page(joined.text)
    keeps = [seed for seed in find_seeds(page, wishes) if wishes[seed.wish].action == "keep"]
    places = unprotected(find_places(page, values), find_places(page, keeps))
    found = [Risk("structure", p.seed.wish, fixed[leaf_at(joined, p.span.start)].where) for p in places]
    return list(dict.fromkeys(found))
