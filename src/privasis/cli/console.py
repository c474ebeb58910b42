"""The two terminals that commands write to, and the progress of a run."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from privasis.store.summary import Usage
from privasis.types import Outcome

out = Console(highlight=False)
err = Console(stderr=True, highlight=False)

LOG_EVERY_S = 10.0  # without a terminal, one plain line this often


class Tally:
    """Counts outcomes as they end; this session's only, for the eye."""

    def __init__(self) -> None:
        self.ended = 0
        self.passed = 0
        self.reasons: Counter[str] = Counter()
        self.cost = 0.0
        self._start = time.monotonic()

    def add(self, outcome: Outcome[Any]) -> None:
        """Count one outcome."""
        self.ended += 1
        if outcome.rejection is not None:
            self.reasons[f"{outcome.rejection.step}: {outcome.rejection.reason}"] += 1
        else:
            self.passed += 1
        self.cost += sum(call.cost for call in outcome.calls)

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self._start

    def line(self) -> str:
        """Return rate, acceptance and cost in words."""
        rate = self.ended / self.seconds if self.seconds else 0.0
        share = self.passed / self.ended if self.ended else 0.0
        money = f", cost {self.cost:.4f}" if self.cost else ""
        return f"{rate * 60:.1f} items/min, {share:.0%} passed{money}"


def add_usage(table: Table, total: Usage) -> None:
    """Add the rows that say what a run took."""
    share = total.cached_tokens / total.prompt_tokens if total.prompt_tokens else 0.0
    table.add_row("tokens", f"{total.prompt_tokens} in ({share:.0%} cached), {total.completion_tokens} out")
    table.add_row("cost", f"{total.cost:.4f}")


@contextmanager
def progress(
    what: str, total: int, already: int = 0
) -> Iterator[tuple[Tally, Callable[[Outcome[Any]], None]]]:
    """Show the progress of a run: bars on a terminal, plain lines elsewhere."""
    tally = Tally()
    if err.is_terminal:
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.fields[line]}"),
        )
        with Progress(*columns, console=err) as bars:
            task = bars.add_task(what, total=total, completed=already, line="")

            def note(outcome: Outcome[Any]) -> None:
                tally.add(outcome)
                bars.update(task, completed=already + tally.passed, line=tally.line())

            yield tally, note
        return

    last = time.monotonic()

    def log(outcome: Outcome[Any]) -> None:
        nonlocal last
        tally.add(outcome)
        if time.monotonic() - last >= LOG_EVERY_S:
            last = time.monotonic()
            err.print(f"{what}: {already + tally.passed}/{total}, {tally.line()}")

    yield tally, log
