"""``privasis triplet``: instruction, original and sanitized text side by side, with the edits coloured."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from privasis.cli.console import out, visible
from privasis.errors import InputError
from privasis.store.run import read_config
from privasis.store.shards import Shards
from privasis.types import Triplet, TripletSet

COLOURS = ("red", "yellow", "magenta", "cyan", "blue", "green")


def triplet(
    corpus: Annotated[Path, typer.Argument(help="A corpus folder.")],
    number: Annotated[int, typer.Option(min=1, help="Which triplet, counted from 1.")] = 1,
) -> None:
    """Print a triplet of a corpus: instruction, original and sanitized text, edits coloured."""
    read_config(corpus, "triplets")
    place = 0
    for outcome in Shards(corpus / "shards", TripletSet):
        for found in outcome.result.triplets if outcome.result else ():
            place += 1
            if place == number:
                print_triplet(found)
                return
    raise InputError(f"{corpus} has no triplet number {number}: it has {place}.")


def print_triplet(shown: Triplet) -> None:
    """Print a triplet; its texts are hostile input and are taken as characters."""
    colours = {target.id: COLOURS[place % len(COLOURS)] for place, target in enumerate(shown.targets)}
    out.print(Panel(Text(visible(shown.instruction)), title="instruction"))
    targets = Text()
    for target in shown.targets:
        kind = "group " if target.grouped else ""
        targets.append(f"{target.action} {kind}{visible(target.label)}  ", style=colours[target.id])
    out.print(targets)
    if shown.keeps:
        out.print(Text("keep " + ", ".join(visible(keep.name) for keep in shown.keeps), style="dim"))
    table = Table("original", "sanitized", expand=True, show_lines=False)
    table.columns[0].ratio = table.columns[1].ratio = 1
    table.add_row(*both_sides(shown, colours))
    out.print(table)


def both_sides(shown: Triplet, colours: dict[str, str]) -> tuple[Text, Text]:
    """Return the original with what goes struck through, and the result with what came underlined."""
    before, after = Text(), Text()
    place = 0
    for edit in shown.edits:
        colour = colours.get(edit.target, "white")
        same = visible(shown.text[place : edit.start])
        before.append(same)
        after.append(same)
        before.append(visible(shown.text[edit.start : edit.end]), style=f"strike {colour}")
        after.append(visible(edit.replacement), style=f"underline {colour}")
        place = edit.end
    rest = visible(shown.text[place:])
    before.append(rest)
    after.append(rest)
    return before, after
