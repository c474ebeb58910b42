"""The report: hostile texts are text, edits and marks stand where they should, nothing is fetched."""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privasis.analysis.table import Table
from privasis.cli.main import run as command
from privasis.evaluation.benchmark import BenchFact, BenchItem, BenchTarget
from privasis.evaluation.score import EvaluateOptions
from privasis.jobs.scores import ScoresJob, run_scores
from privasis.report.content import Bars, Column, Mark, Passage, Report, Section, cut_up, triplet_passage
from privasis.report.page import to_html, to_markdown_page
from privasis.store.people import read_triplets
from support.runs import run_and_corpus

HOSTILE = '<script>alert(1)</script> & "quoted" لیلا \u202eevil\x07 ``` $x$ <img src=x onerror=y>'


class Page(HTMLParser):
    """What a browser would see: elements, and the text of the page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.said: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.said.append(data)


@given(st.text(max_size=60), st.lists(st.tuples(st.integers(0, 70), st.integers(0, 70)), max_size=8))
def test_pieces_are_the_text(text: str, ranges: list[tuple[int, int]]) -> None:
    pieces = cut_up(text, [Mark(start, end, "g0", "") for start, end in ranges])
    assert "".join(piece.text for piece in pieces) == text


def test_a_long_text_is_cut_and_says_so() -> None:
    pieces = cut_up("x" * 5_000_000, [Mark(0, 4, "g0", ""), Mark(4_000_000, 4_000_009, "g0", "")])
    assert [piece.kind for piece in pieces] == ["g0", "", "rest"]
    assert sum(len(piece.text) for piece in pieces[:2]) == 20_000
    assert "4980000 more" in pieces[-1].text


def hostile_report() -> Report:
    marks = [Mark(0, 8, "g1", HOSTILE), Mark(9, 12, "cut", ""), Mark(13, 15, "put", "")]
    passage = Passage(HOSTILE, ((HOSTILE, HOSTILE),), (Column(HOSTILE, cut_up(HOSTILE, marks)),))
    table = Table(HOSTILE, (HOSTILE, "n"), ((HOSTILE, 0.5),), (HOSTILE,))
    section = Section(HOSTILE, (HOSTILE,), (table,), (Bars(HOSTILE, ((HOSTILE, 2.0),)),), (passage,))
    return Report(HOSTILE, "today", (section,))


def test_hostile_records_are_shown_as_text() -> None:
    html = to_html(hostile_report())
    page = Page(html)
    assert not [tag for tag, _ in page.tags if tag in {"script", "iframe", "object", "form"}]
    assert not [name for _, attributes in page.tags for name in attributes if name.startswith("on")]
    said = "".join(page.said)
    assert said.count("<script>alert(1)</script>") >= 8
    assert "لیلا" in said
    assert "\u202e" not in html
    assert "\x07" not in html
    links = [
        value or ""
        for _, attributes in page.tags
        for key, value in attributes.items()
        if key in {"src", "href"}
    ]
    assert links
    assert all(link.startswith(("data:", "#")) for link in links)
    (image,) = [attributes for tag, attributes in page.tags if tag == "img"]
    assert image["src"] is not None
    assert len(image["src"]) > 1000


def test_hostile_records_stay_in_their_blocks_of_markdown() -> None:
    text = to_markdown_page(hostile_report())
    outside = re.sub(r"^````text\n.*?\n````$", "", text, flags=re.DOTALL | re.MULTILINE)
    assert "````text" in text
    assert not re.search(r"(?<!\\)<(?:script|img)", outside)
    assert "\u202e" not in text


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A run folder of records, and the corpus made of it."""
    return run_and_corpus(tmp_path_factory.mktemp("reported"))


def test_both_sides_of_a_triplet_are_whole(folders: tuple[Path, Path]) -> None:
    for triplet in read_triplets(folders[1]):
        original, sanitized = triplet_passage(triplet).columns
        assert "".join(piece.text for piece in original.pieces) == triplet.text
        assert "".join(piece.text for piece in sanitized.pieces) == triplet.sanitized
        cut = [piece.text for piece in original.pieces if piece.kind == "cut"]
        assert cut == [triplet.text[e.start : e.end] for e in triplet.edits if e.end > e.start]
        put = [piece.text for piece in sanitized.pieces if piece.kind == "put"]
        assert put == [e.replacement for e in triplet.edits if e.replacement]


def test_a_report_of_runs_is_one_page(folders: tuple[Path, Path], tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    assert command(["report", *map(str, folders), "--out", str(out), "--samples", "2"]) == 0
    page = Page(out.read_text(encoding="utf-8"))
    assert [tag for tag, _ in page.tags].count("article") == 4
    said = "".join(page.said)
    for expected in (
        "Summary",
        "Table 2: diversity",
        "Figure 3",
        "Corpus (§3.2)",
        "Cost by step",
        "Provenance",
    ):
        assert expected in said
    assert [tag for tag, _ in page.tags].count("img") == 4
    assert {"mark", "del"} <= {tag for tag, _ in page.tags}
    assert command(["report", *map(str, folders), "--out", str(tmp_path / "report.md")]) == 0
    assert "## corpus" in (tmp_path / "report.md").read_text(encoding="utf-8")


def test_a_run_in_progress_and_an_empty_one_are_said(folders: tuple[Path, Path], tmp_path: Path) -> None:
    import shutil

    shutil.copytree(folders[0], tmp_path / "run")
    for name in ("summary.json", "records.parquet"):
        (tmp_path / "run" / name).unlink()
    out = tmp_path / "report.html"
    assert command(["report", str(tmp_path / "run"), "--out", str(out)]) == 0
    assert "no summary yet" in out.read_text(encoding="utf-8")
    shutil.rmtree(tmp_path / "run" / "shards")
    assert command(["report", str(tmp_path / "run"), "--out", str(out)]) == 0
    assert "Nothing was made yet" in out.read_text(encoding="utf-8")


def test_what_is_no_run_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command(["report", str(tmp_path), "--out", str(tmp_path / "r.html")]) == 2
    assert "is no run folder" in capsys.readouterr().err
    assert command(["report", str(tmp_path), "--out", str(tmp_path / "r.pdf")]) == 2


def test_scores_are_shown_with_their_leaks(tmp_path: Path) -> None:
    items = tuple(
        BenchItem(
            id=f"r{number}",
            number=number,
            original=f"Ines Duarte of Porto paid invoice {number}.",
            instruction="Drop the person.",
            targets=(BenchTarget("t1", "name", False, (BenchFact("full_name", ("Ines Duarte",)),), "drop"),),
            keeps=(),
            record_type="note",
            category="Business & Finance",
            set_name="hard",
        )
        for number in range(3)
    )
    texts = {item.id: item.original if item.number else "Somebody paid." for item in items}
    run_scores(ScoresJob(tmp_path / "scores", items, EvaluateOptions("mine"), texts), lambda _: None)
    out = tmp_path / "report.html"
    assert command(["report", str(tmp_path / "scores"), "--out", str(out), "--samples", "2"]) == 0
    page = Page(out.read_text(encoding="utf-8"))
    said = "".join(page.said)
    assert "Table 4" in said
    assert "Direct leak in r1" in said
    assert [tag for tag, _ in page.tags].count("article") == 2
    assert '<del title="full_name">Ines Duarte</del>' in out.read_text(encoding="utf-8")


def test_without_matplotlib_the_page_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    page = Page(to_html(hostile_report()))
    assert "Pictures are left out" in "".join(page.said)
    assert not [tag for tag, _ in page.tags if tag == "img"]
