"""Results on others' benchmarks as tables: the Text Anonymization Benchmark, and NaP² (Table 7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from privasis.analysis.agreement import wilson
from privasis.analysis.table import Cell, Share, Table, share_of
from privasis.evaluation.nap2 import NapScore
from privasis.evaluation.score import COPY, DELETE
from privasis.evaluation.summary import Interval
from privasis.evaluation.tab import TabScore


def tab_table(scores: Mapping[str, TabScore]) -> Table:
    """Return the measures of the Text Anonymization Benchmark, a row a system."""
    return Table(
        "Text Anonymization Benchmark (%, 95% intervals over documents)",
        (
            "System",
            "Recall, direct",
            "Recall, quasi",
            "Recall, all",
            "Token precision",
            "Direct entities",
            "Quasi entities",
            "Documents",
        ),
        tuple(
            (
                name,
                share_of(score.direct),
                share_of(score.quasi),
                share_of(score.entities),
                share_of(score.precision),
                score.counts[0][1],
                score.counts[1][1],
                score.documents,
            )
            for name, score in scores.items()
        ),
        (
            "An entity counts as masked only if all its mentions are; entities and tokens count once an "
            "annotator. All tokens weigh the same in precision.",
            "A rewrite masks what it took away: whether the new words still tell it is not asked.",
        ),
    )


def table_7(scores: Sequence[NapScore], full: Interval | None = None) -> Table:
    """Return Table 7 for one system: its leak ratio on NaP², whole and by the way of rewriting.

    The two baselines need nobody's judgement: a copy always leaks, a blank text never does.

    Args:
        scores: Of one system.
        full: Its Full Successful Record on Privasis, where that is known.
    """
    strategies = sorted({score.strategy for score in scores if score.strategy})
    rows = [_row_7(scores[0].system, scores, full)]
    rows += [
        _row_7(f"  {strategy}", [score for score in scores if score.strategy == strategy], None)
        for strategy in strategies
    ]
    baselines: list[tuple[Cell, ...]] = [
        (COPY, Share(1.0), None, len(scores), len(scores), 0),
        (DELETE, Share(0.0), None, 0, len(scores), 0),
    ]
    return Table(
        f"Table 7: NaP², judged by {scores[0].evaluator} (%, 95% intervals)",
        ("System", "Leak ratio", "Full Successful Record on Privasis", "Leaks", "Judged", "Unscored"),
        (*rows, *baselines),
        (
            "A rewrite leaks if it is judged as close to the private fact as the original, or closer. Lower "
            "is better, and deleting everything reaches 0: read it beside a measure of what is kept.",
        ),
    )


def _row_7(label: str, scores: Sequence[NapScore], full: Interval | None) -> tuple[Cell, ...]:
    judged = [score for score in scores if score.verdict != "unscored"]
    leaks = sum(score.verdict == "leak" for score in judged)
    ratio = share_of(wilson(leaks, len(judged)))
    return label, ratio, share_of(full), leaks, len(judged), len(scores) - len(judged)
