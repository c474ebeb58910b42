"""What is kept is least alike the targets and touches nothing that is changed."""

from __future__ import annotations

from collections import Counter

from privasis.sanitization.keeps import draw_keeps
from privasis.sanitization.options import SanitizeOptions
from privasis.stage import Context
from privasis.types import Fact, Record, Span, Target
from support.sanitizing import record_of, target

TEXT = (
    "Maren Kallio paid 40 euros on 3 March 2024 in Oslo. Her account NO-4471 is with Fjord Bank, branch "
    "Oslo; the fjord view costs extra."
)
FACTS = {
    "full_name": "Maren Kallio",
    "first_name": "Maren",
    "amount": "40 euros",
    "payment_date": "3 March 2024",
    "bank_name": "Fjord Bank",
    "bank_branch": "Fjord Bank, branch Oslo",
    "extra": "fjord view",
    "city": "Oslo",
    "initial": "M",
}
BANK = target("drop", {"bank_name": "Fjord Bank"})


def keeps_of(
    record: Record, targets: list[Target], spans: list[Span], count: int = 3, item: str = "r-0"
) -> list[str]:
    options = SanitizeOptions(keeps=count)
    ctx: Context[SanitizeOptions] = Context("r", 1, options, (), None, None)  # type: ignore[arg-type]
    return [keep.name for keep in draw_keeps(record, targets, spans, ctx, item)]


def test_nothing_that_holds_a_target_or_is_held_by_one() -> None:
    found = keeps_of(record_of(TEXT, FACTS), [BANK], [], 99)
    assert "bank_name" not in found
    assert "bank_branch" not in found
    assert "extra" in found
    name = keeps_of(record_of(TEXT, FACTS), [target("drop", {"full_name": "MAREN  KALLIO"})], [], 99)
    assert not {"full_name", "first_name"} & set(name)
    assert "initial" not in name  # a single letter


def test_accents_and_widths_hide_no_overlap() -> None:
    record = record_of(
        "In Malmö, on the MALMO ferry and the Ｍalmö tram.", {"city": "Malmö", "ferry": "MALMO ferry"}
    )
    assert keeps_of(record, [target("drop", {"town": "malmo"})], []) == []


def test_the_least_alike_come_first() -> None:
    found = keeps_of(record_of(TEXT, FACTS), [BANK], [], 99)
    assert set(keeps_of(record_of(TEXT, FACTS), [BANK], [], len(found) - 1)) == set(found) - {"extra"}


def test_a_changed_place_is_not_kept() -> None:
    start = TEXT.index("40 euros")
    for span in (Span(start, start + 1), Span(start - 5, start + 2), Span(start + 7, start + 30)):
        assert "amount" not in keeps_of(record_of(TEXT, FACTS), [BANK], [span], 99)
    assert "amount" in keeps_of(record_of(TEXT, FACTS), [BANK], [Span(start - 5, start)], 99)


def test_any_changed_place_of_a_value_counts() -> None:
    last = TEXT.rindex("Oslo")
    assert "city" not in keeps_of(record_of(TEXT, FACTS), [BANK], [Span(last, last + 4)], 99)


def test_what_cannot_be_named_without_telling_is_not_kept() -> None:
    record = record_of(TEXT, {"full_name": "Maren Kallio", "kallio_payment": "40 euros", "city": "Oslo"})
    goal = target("drop", {"full_name": "Maren Kallio"})
    assert keeps_of(record, [goal], []) == ["city"]


def test_ties_are_broken_by_lot_and_the_same_way_again() -> None:
    record = record_of(TEXT, {name: FACTS[name] for name in ("amount", "payment_date", "city", "full_name")})
    lots = Counter(tuple(keeps_of(record, [BANK], [], 1, f"r-{n}")) for n in range(200))
    assert len(lots) == 4
    assert min(lots.values()) > 25
    assert keeps_of(record, [BANK], [], 2, "r-9") == keeps_of(record, [BANK], [], 2, "r-9")


def test_keeps_are_facts_of_the_record_in_its_order() -> None:
    options = SanitizeOptions()
    ctx: Context[SanitizeOptions] = Context("r", 1, options, (), None, None)  # type: ignore[arg-type]
    record = record_of(TEXT, FACTS)
    keeps = draw_keeps(record, [BANK], [], ctx, "r-0")
    facts = [Fact(one.name, one.value) for one in record.attributes]
    assert len(keeps) == options.keeps
    assert sorted(keeps, key=facts.index) == list(keeps)
