"""The two terminals that commands write to, and the progress of a run."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from privasis.errors import Stop
from privasis.store.summary import Usage
from privasis.types import Outcome

out = Console(highlight=False)
err = Console(stderr=True, highlight=False)

# What would act on a terminal instead of being seen: control characters, the embeddings and overrides of
# direction, and halves of surrogate pairs, which no terminal can be sent.
_ACTING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_PICTURES = 0x2400  # Unicode has a picture for each control character, in their order
_DELETE, _REPLACEMENT = "\u2421", "\ufffd"

LOG_EVERY_S = 10.0  # without a terminal, one plain line this often


def visible(text: str) -> str:
    """Return a text in which nothing can act on a terminal: it is shown, and does nothing.

    Line breaks and tabs stay, and so do the characters of every script, those written from right to left too.
    """
    return _ACTING.sub(lambda found: _picture(found[0]), text.replace("\r\n", "\n"))


def _picture(character: str) -> str:
    if character == "\x7f":
        return _DELETE
    return chr(_PICTURES + ord(character)) if character < " " else _REPLACEMENT


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
    """Show a run: bars on a terminal, plain lines elsewhere; and how far it was when it ends early."""
    tally = Tally()
    try:
        with _shown(what, total, already, tally) as note:
            yield tally, note
    except (KeyboardInterrupt, Stop):
        done = already + tally.passed
        err.print(f"{what}: {done} of {total} so far; {tally.ended} ended in this session, {tally.line()}")
        raise


@contextmanager
def _shown(what: str, total: int, already: int, tally: Tally) -> Iterator[Callable[[Outcome[Any]], None]]:
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

            yield note
        return

    last = time.monotonic()

    def log(outcome: Outcome[Any]) -> None:
        nonlocal last
        tally.add(outcome)
        if time.monotonic() - last >= LOG_EVERY_S:
            last = time.monotonic()
            err.print(f"{what}: {already + tally.passed}/{total}, {tally.line()}")

    yield log
