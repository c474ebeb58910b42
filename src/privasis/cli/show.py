"""``privasis show``: one record, with its attributes highlighted in the text."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from privasis.cli.console import out, visible
from privasis.errors import InputError
from privasis.store.records import accepted_records
from privasis.store.run import read_config
from privasis.store.shards import Shards
from privasis.types import Attribute, Record

COLOURS = ("cyan", "magenta", "green", "yellow", "blue", "red", "bright_cyan", "bright_magenta")


def show(
    run: Annotated[Path, typer.Argument(help="A run folder of records.")],
    number: Annotated[int, typer.Option(min=1, help="Which accepted record, counted from 1.")] = 1,
) -> None:
    """Print a record of a run, with its attributes highlighted."""
    read_config(run, "records")
    shards = Shards(run / "shards", Record)
    for place, record in enumerate(accepted_records(shards, number), start=1):
        if place == number:
            print_record(record)
            return
    raise InputError(f"{run} has no accepted record number {number}.")


def print_record(record: Record) -> None:
    """Print a record: its text with the attributes in their groups' colours, then the groups."""
    colours = _colours(record)
    title = f"[bold]{escape(visible(record.controls.record_type))}[/]"
    subtitle = f"{record.id} · {record.model} · {record.language}"
    out.print(Panel(highlighted(record, colours), title=title, subtitle=subtitle, padding=(1, 2)))
    table = Table("group", "attributes", show_header=False, box=None, padding=(0, 2, 1, 0))
    by_name = {attribute.name: attribute for attribute in record.attributes}
    for group in record.groups:
        members = Text()
        for name in group.attributes:
            members.append(f"{visible(name)} ", style="dim")
            members.append(f"{visible(by_name[name].value)}\n", style=colours.get(name, ""))
        table.add_row(Text(visible(group.label), style="bold"), members)
    out.print(table)


def _colours(record: Record) -> dict[str, str]:
    colours: dict[str, str] = {}
    for place, group in enumerate(record.groups):
        for name in group.attributes:
            colours.setdefault(name, COLOURS[place % len(COLOURS)])
    return colours


def highlighted(record: Record, colours: dict[str, str]) -> Text:
    """Return the text with every attribute's spans in its colour."""
    # A record is hostile input: nothing in it can act as markup or on the terminal. No offset moves.
    text = Text(visible(record.text.replace("\r\n", " \n")))
    for attribute in record.attributes:
        _paint(text, attribute, colours.get(attribute.name, "white"))
    return text


def _paint(text: Text, attribute: Attribute, colour: str) -> None:
    for span in attribute.spans:
        text.stylize(f"bold {colour}", span.start, span.end)
