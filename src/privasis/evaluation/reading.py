"""A sanitized text, read once for all attributes of its item: what can be told without an evaluator."""

from __future__ import annotations

from collections.abc import Mapping

from privasis.evaluation.benchmark import BenchFact, BenchItem
from privasis.evaluation.leaks import over_edit, strict_spans
from privasis.evaluation.scores import Kept, Verdict
from privasis.text.leaks import direct_leaks
from privasis.text.reading import read


class Reading:
    """What strings tell of a sanitized text."""

    def __init__(self, item: BenchItem, text: str) -> None:
        self.item = item
        self.text = text
        self._is_blank = not text.strip()
        self._is_copy = text == item.original
        facts = (*(fact for _, fact in self.targets()), *self.keeps())
        values = [value for fact in facts for value in fact.values]
        self._held: Mapping[str, bool] = dict(zip(values, direct_leaks(text, values), strict=True))
        self._read = read(text)

    def targets(self) -> list[tuple[str, BenchFact]]:
        """Return the attributes that must not leak, with their targets' ids; those without a value can't."""
        return [(t.id, fact) for t in self.item.targets for fact in t.attributes if fact.values]

    def keeps(self) -> list[BenchFact]:
        """Return the retention targets that have a value."""
        return [fact for fact in self.item.keeps if fact.values]

    def leak(self, fact: BenchFact) -> Verdict | None:
        """Return the verdict on an attribute that needs no evaluator; None where one has to be asked.

        Any value that stands in the text is a direct leak. A blank text leaks nothing: a guess from it tells
        of the evaluator, not of the text. A copy leaks: both guesses would be made from the same text.
        """
        if any(self._held[value] for value in fact.values):
            return "direct"
        if self._is_blank:
            return "safe"
        return "proximity" if self._is_copy else None

    def leaks_strictly(self, fact: BenchFact) -> bool:
        """Tell whether a form of a value stands in the text (the stricter reading)."""
        return bool(strict_spans(self._read, fact.name, fact.values))

    def retained(self, fact: BenchFact) -> Kept | None:
        """Return the verdict on a retention target that needs no evaluator; None where one has to be asked.

        All values have to stand in the text. What a copy does not hold letter by letter was not there in
        the original either, and is as present as it was.
        """
        if all(self._held[value] for value in fact.values):
            return "exact"
        if self._is_blank:
            return "lost"
        return "present" if self._is_copy else None

    def over_edit(self) -> float:
        """Return the share of the characters outside the targets that were changed."""
        if self._is_copy:
            return 0.0
        original = read(self.item.original)
        places = [
            span for _, fact in self.targets() for span in strict_spans(original, fact.name, fact.values)
        ]
        return over_edit(self.item.original, self.text, places)
