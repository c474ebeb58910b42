"""Which of a model's quotes may count as another way to tell a target: code decides, quote by quote."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from privasis.llm.embeddings import Encoder
from privasis.text.spans import find_verbatim
from privasis.types import Fact, Target

# On 35 pairs written by hand (a fact, and a phrase that tells it or one that does not) 0.2 keeps 19 of 20
# paraphrases and refuses 13 of 15 others: small models quote at random where they find nothing.
RELATED = 0.2


def tells_other(quote: str, values: Iterable[str]) -> bool:
    """Tell whether a quote holds, or is a part of, a value that is to stay as it is."""
    return any(find_verbatim(quote, value) or find_verbatim(value, quote) for value in values)


def nearest(quotes: Sequence[str], target: Target, encoder: Encoder) -> list[tuple[float, Fact]]:
    """Return for each quote the member of the target that it is most like, with the cosine.

    A member is taken with and without its attribute's name, whichever is nearer.
    """
    facts = target.attributes
    told = [
        *(f"{fact.name}: {fact.value}" for fact in facts),
        *(fact.value for fact in facts),
    ]
    vectors = encoder.embed([*told, *quotes])
    cosines = vectors[len(told) :] @ vectors[: len(told)].T
    return [(float(row.max()), facts[int(row.argmax()) % len(facts)]) for row in cosines]
