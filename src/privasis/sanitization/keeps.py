"""What must stay: the attributes least alike the targets (§3.1, item 4; Appendix B)."""

from __future__ import annotations

from collections.abc import Sequence

from privasis.sanitization.options import SanitizeOptions
from privasis.sanitization.rouge import rouge_l
from privasis.stage import Context
from privasis.text.leaks import contains_direct
from privasis.types import Attribute, Fact, Record, Span, Target


def draw_keeps(
    record: Record, targets: Sequence[Target], spans: Sequence[Span], ctx: Context[SanitizeOptions], item: str
) -> tuple[Fact, ...]:
    """Return the retention targets K: lowest ROUGE-L to any target value, none touching a changed place.

    Args:
        record: The record with all its attributes.
        targets: What is sanitized.
        spans: The places of the original text that are changed.
        ctx: Gives the number of keeps, and the order of ties.
        item: The record's id.
    """
    values = [fact.value for target in targets for fact in target.attributes]
    free = [attribute for attribute in record.attributes if _is_free(attribute, values, spans)]
    ties = ctx.rng(item, "sanitize.keeps").permutation(len(free))
    scored = sorted(
        (max((rouge_l(attribute.value, value) for value in values), default=0.0), int(tie), place)
        for place, (attribute, tie) in enumerate(zip(free, ties, strict=True))
    )
    chosen = sorted(place for _, _, place in scored[: ctx.options.keeps])
    return tuple(Fact(free[place].name, free[place].value) for place in chosen)


def _is_free(attribute: Attribute, values: Sequence[str], spans: Sequence[Span]) -> bool:
    if len(attribute.value) < 2 or any(_touch(own, other) for own in attribute.spans for other in spans):
        return False
    return not any(
        contains_direct(attribute.value, value) or contains_direct(value, attribute.value) for value in values
    )


def _touch(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end
