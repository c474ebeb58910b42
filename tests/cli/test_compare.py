import io

from rich.console import Console

from privasis.cli.compare import both_sides, print_triplet
from privasis.types import Edit, Fact, Target, Triplet

TEXT = "[red]Maren Kallio[/] paid. \u202eevil\u202c <script>"


def shown() -> Triplet:
    goal = Target("t1", "full_name", False, (Fact("full_name", "Maren Kallio"),), "abstract", 5.0, "Blur it.")
    start = TEXT.index("Maren")
    edit = Edit(start, start + 12, "someone", "t1", "span")
    return Triplet(
        id="r-1", record_id="r-1", number=1, person="p", language="English", record_type="a note",
        category="c", model="m", text=TEXT, sanitized=TEXT.replace("Maren Kallio", "someone"), edits=(edit,),
        targets=(goal,), keeps=(Fact("verb", "paid"),), base_instruction="b",
        instruction="Blur [bold]the name[/].", level=0, attributes=(), groups=(), calls=(),
    )  # fmt: skip


def test_both_sides_are_the_two_texts_and_edits_are_marked() -> None:
    before, after = both_sides(shown(), {"t1": "red"})
    assert before.plain == shown().text
    assert after.plain == shown().sanitized
    (gone,) = before.spans
    assert before.plain[gone.start : gone.end] == "Maren Kallio"
    (come,) = after.spans
    assert after.plain[come.start : come.end] == "someone"


def test_hostile_text_is_shown_as_characters(monkeypatch) -> None:
    screen = io.StringIO()
    monkeypatch.setattr("privasis.cli.compare.out", Console(file=screen, width=160))
    print_triplet(shown())
    assert "Blur [bold]the name[/]." in screen.getvalue()
    assert "[red]Maren Kallio[/]" in screen.getvalue()
    assert "<script>" in screen.getvalue()
