"""What must stay: the attributes least alike the targets (§3.1, item 4; Appendix B)."""

from __future__ import annotations

from collections.abc import Sequence

from privasis.sanitization.instruct import discreet, in_words
from privasis.sanitization.options import SanitizeOptions
from privasis.sanitization.rouge import rouge_l
from privasis.stage import Context
from privasis.text.fold import bare
from privasis.types import Attribute, Fact, Record, Span, Target


def draw_keeps(
    record: Record, targets: Sequence[Target], spans: Sequence[Span], ctx: Context[SanitizeOptions], item: str
) -> tuple[Fact, ...]:
    """Return the retention targets K: lowest ROUGE-L to any target value, none touching a changed place.

    Left out is also what contains a target value or is contained in one, and what cannot be named without
    telling one.

    Args:
        record: The record with all its attributes.
        targets: What is sanitized.
        spans: The places of the original text that are changed.
        ctx: Gives the number of keeps, and the order of ties.
        item: The record's id.
    """
    secrets = [fact for target in targets for fact in target.attributes]
    folded = [bare(fact.value) for fact in secrets]
    free = [one for one in record.attributes if _is_free(one, folded, spans)]
    ties = ctx.rng(item, "sanitize.keeps").permutation(len(free))
    ranked = sorted(
        (max((rouge_l(one.value, fact.value) for fact in secrets), default=0.0), int(tie), place)
        for place, (one, tie) in enumerate(zip(free, ties, strict=True))
    )
    chosen: list[int] = []
    for _, _, place in ranked:
        if len(chosen) == ctx.options.keeps:
            break
        if discreet(free[place].name, secrets) == in_words(free[place].name):
            chosen.append(place)
    return tuple(Fact(free[place].name, free[place].value) for place in sorted(chosen))


def _is_free(attribute: Attribute, folded: Sequence[str], spans: Sequence[Span]) -> bool:
    own = bare(attribute.value)
    if len(own) < 2 or any(own in value or value in own for value in folded):
        return False
    return not any(_touch(place, span) for place in attribute.spans for span in spans)


def _touch(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end
