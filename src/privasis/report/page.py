"""A report as one HTML page or as Markdown. Everything in it is data: records are hostile input."""

from __future__ import annotations

import re
from importlib.resources import files

import jinja2

from privasis.analysis.table import Cell, Share, spelled, to_markdown
from privasis.report.content import CUT, PUT, Passage, Piece, Report, Section
from privasis.report.plots import can_draw, draw

NO_PICTURES = "Pictures are left out: they need matplotlib (pip install 'privasis[report]')."
# What has no place in a page and what would reorder the text around it; the picture for it stands instead.
_UNSEEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def to_html(report: Report) -> str:
    """Return a report as one page that asks the network for nothing and runs nothing."""
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["spelled"] = spelled
    environment.filters["draw"] = draw
    environment.filters["seen"] = seen
    environment.tests["numeric"] = _is_numeric
    template = (files("privasis") / "report" / "templates" / "report.html").read_text(encoding="utf-8")
    pictures = can_draw()
    return environment.from_string(template).render(
        report=report, pictures=pictures, no_pictures="" if pictures else NO_PICTURES
    )


def seen(text: str) -> str:
    """Return a text in which every character is shown and none acts: controls become U+FFFD."""
    return _UNSEEN.sub("\ufffd", text)


def _is_numeric(cell: Cell) -> bool:
    return isinstance(cell, int | float | Share)


def to_markdown_page(report: Report) -> str:
    """Return a report as Markdown: all but the pictures, texts as blocks of code."""
    parts = [f"# {_line(report.title)}", report.made, *(_section(section) for section in report.sections)]
    return seen("\n\n".join(parts)) + "\n"


def _section(section: Section) -> str:
    return "\n\n".join(
        [
            f"## {_line(section.title)}",
            *map(_line, section.notes),
            *(to_markdown(table).rstrip() for table in section.tables),
            *map(_passage, section.passages),
        ]
    )


def _passage(passage: Passage) -> str:
    facts = "\n".join(f"- {_line(name)}: {_line(value)}" for name, value in passage.facts)
    texts = [
        f"{_line(column.head)}:\n\n{_block(''.join(map(_marked, column.pieces)))}"
        for column in passage.columns
    ]
    return "\n\n".join([f"### {_line(passage.title)}", facts, *texts])


def _marked(piece: Piece) -> str:
    match piece.kind:
        case "" | "rest":
            return piece.text
        case value if value == CUT:
            return f"[-{piece.text}-]"
        case value if value == PUT:
            return f"{{+{piece.text}+}}"
        case _:
            return f"⟦{piece.text}⟧"


def _block(text: str) -> str:
    """A block of code whose fence is longer than every run of back-ticks in it."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{text}\n{fence}"


def _line(text: str) -> str:
    """A text on one line, in which nothing is markup."""
    flat = " ".join(text.split())
    return re.sub(r"([\\`*_\[\]<>#|&])", r"\\\1", flat)
