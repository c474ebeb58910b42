"""A triplet side by side: the two texts as they are, the edits marked, and nothing in them acts."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from privasis.cli.compare import both_sides, print_triplet, triplet, visible
from privasis.cli.split import split
from privasis.errors import InputError, RunFolderError
from privasis.store.run import open_run
from privasis.store.shards import Shards
from privasis.types import Edit, Fact, Outcome, Target, Triplet, TripletSet

TEXT = "[red]Maren Kallio[/] paid in ירושלים. <script>"
HOSTILE = "\x1b[2J\x1b]0;owned\x07 \u202eevil\u202c \x9b31m \x7f a\rb \ud800"


def shown(
    text: str = TEXT, instruction: str = "Blur [bold]the name[/].", label: str = "full_name"
) -> Triplet:
    goal = Target("t1", label, False, (Fact("full_name", "Maren Kallio"),), "abstract", 5.0, "Blur it.")
    start = text.index("Maren")
    edit = Edit(start, start + 12, "someone", "t1", "span")
    return Triplet(
        id="r-1", record_id="r-1", number=1, person="p", language="English", record_type="a note",
        category="c", model="m", text=text, sanitized=text.replace("Maren Kallio", "someone"), edits=(edit,),
        targets=(goal,), keeps=(Fact("verb", "paid"),), base_instruction="b",
        instruction=instruction, level=0, attributes=(), groups=(), calls=(),
    )  # fmt: skip


def screen(what: Triplet, monkeypatch: pytest.MonkeyPatch, *, colours: bool = False) -> str:
    """What a terminal of 160 columns is sent."""
    file = io.StringIO()
    console = Console(
        file=file, width=160, force_terminal=colours, color_system="standard" if colours else None
    )
    monkeypatch.setattr("privasis.cli.compare.out", console)
    print_triplet(what)
    return file.getvalue()


def test_both_sides_are_the_two_texts_and_edits_are_marked() -> None:
    before, after = both_sides(shown(), {"t1": "red"})
    assert before.plain == shown().text
    assert after.plain == shown().sanitized
    (gone,) = before.spans
    assert before.plain[gone.start : gone.end] == "Maren Kallio"
    assert str(gone.style) == "strike red"
    (come,) = after.spans
    assert after.plain[come.start : come.end] == "someone"


def test_edits_are_coloured_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    sent = screen(shown(), monkeypatch, colours=True)
    assert "\x1b[9;31mMaren Kallio\x1b[0m" in sent
    assert "\x1b[4;31msomeone\x1b[0m" in sent


def test_markup_is_shown_as_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    sent = screen(shown(label="[blink]name"), monkeypatch)
    assert "Blur [bold]the name[/]." in sent
    assert "[red]Maren Kallio[/]" in sent
    assert "[blink]name" in sent
    assert "<script>" in sent
    assert "ירושלים" in sent


def test_nothing_acts_on_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    hostile = shown(f"Maren Kallio {HOSTILE}", HOSTILE, HOSTILE)
    sent = screen(hostile, monkeypatch)
    sent.encode()
    assert not {c for c in sent if c < " " and c != "\n"}
    assert not set("\x7f\x9b\u202e\u202c\ud800") & set(sent)
    assert "␛[2J" in sent


@given(st.text(alphabet=st.characters(), max_size=40))
def test_what_is_visible_stays(text: str) -> None:
    seen = visible(text)
    assert visible(seen) == seen
    assert [c for c in seen if c.isalnum()] == [c for c in text if c.isalnum()]
    assert seen.count("\n") == text.count("\n")


def test_windows_lines_are_lines() -> None:
    assert visible("a\r\nb\tc") == "a\nb\tc"


def corpus(folder: Path) -> Path:
    with open_run(folder, "triplets", {}):
        Shards(folder / "shards", TripletSet).commit(
            0, [Outcome("r-1", 1, TripletSet("r-1", (shown(),), ()), None, ())]
        )
    return folder


def test_the_command_prints_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    triplet(corpus(tmp_path / "c"))
    assert "someone" in capsys.readouterr().out


def test_one_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no triplet number 2: it has 1"):
        triplet(corpus(tmp_path / "c"), 2)
    with pytest.raises(RunFolderError, match="no run folder"):
        triplet(tmp_path / "nowhere")


def test_a_corpus_is_split_by_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    split(corpus(tmp_path / "c"), tmp_path / "s", test=0.9)
    said = capsys.readouterr().out
    assert "by strings alone" in said
    assert "69.4" in said
    assert {file.name for file in (tmp_path / "s").iterdir()} == {
        "train.parquet", "validation.parquet", "test_vanilla.parquet", "test_hard.parquet", "splits.json"
    }  # fmt: skip
    with pytest.raises(InputError, match="not there"):
        split(tmp_path / "c", tmp_path / "t", scores=tmp_path / "x")
    assert not (tmp_path / "t").exists()
