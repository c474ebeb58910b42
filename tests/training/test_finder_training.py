"""The span finder: what it learns from, what it is given, and that the saved file says what torch says."""

from __future__ import annotations

import json
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from privasis.cleaner.finder import (
    OVERLAP,
    PHRASE_PLACES,
    PHRASES,
    WINDOW,
    Finder,
    encoded,
    framed,
    header,
    open_finder,
    windows,
)  # fmt: skip
from privasis.errors import ConfigError, ModelFileError
from privasis.store.summary import TableFile
from privasis.text.edits import apply_edits
from privasis.training.examples import IGNORED
from privasis.training.finder import finder_rows, measure, packaged_tokenizer, save_finder
from privasis.training.finder_examples import Ask, FinderExample, finder_examples, rows_of
from privasis.training.presets import FinderPreset, as_preset, load_preset
from privasis.types import Edit, Fact, Group, Span, Target, Triplet
from support.killing import privasis

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("onnx")

NAMES = ("Maren Holt", "Tunde Bello", "Ilse Brandt", "Ravi Nair", "Oksana Bilyk", "Lucia Ferro")
TOWNS = ("Bergen", "Lagos", "Graz", "Pune", "Lviv", "Turin", "Quito")


def triplet(number: int) -> Triplet:
    name, town = NAMES[number % len(NAMES)], TOWNS[number % len(TOWNS)]
    rent = f" and pays {100 + number} EUR" if number % 2 else ""
    text = f"Note {number}. {name} lives in {town}{rent}. The flat is dry."
    edits = (Edit(text.index(name), text.index(name) + len(name), "Someone", "t1", "span"),)
    facts = (Fact("tenant_name", name), Fact("home town", town))
    extra = (Fact("rent", f"{100 + number} EUR"),) if number % 2 else ()
    return Triplet(
        id=f"r{number}-1", record_id=f"r{number}", number=number, person=f"{name} {number}", language="en",
        record_type="a note", category="Other", model="m", text=text, sanitized=apply_edits(text, edits),
        edits=edits, targets=(Target("t1", "who and where", True, facts, "drop", 5.0, "Drop."),), keeps=(),
        base_instruction="b", instruction="Take the name out.", level=0, attributes=(*facts, *extra),
        groups=(Group("Location", ("home town",)),), calls=(),
    )  # fmt: skip


@pytest.fixture(scope="module")
def preset() -> FinderPreset:
    made = as_preset("finder", load_preset("finder"))
    assert isinstance(made, FinderPreset)
    return made


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from privasis.training.finder_network import new_network

    torch.manual_seed(0)
    made = tmp_path_factory.mktemp("model") / "finder"
    save_finder(new_network(), made)
    return made


@pytest.fixture(scope="module")
def finder(folder: Path) -> Finder:
    return open_finder(folder, threads=1)


def test_examples_hold_what_a_text_has_and_what_it_has_not() -> None:
    made = finder_examples([triplet(0), triplet(1), triplet(1)])
    assert [one.id for one in made] == ["r0", "r1"]
    for one in made:
        asked = {ask.phrase: [one.text[s.start : s.end] for s in ask.spans] for ask in one.asks}
        number = int(one.id[1:])
        assert asked["tenant name"] == [NAMES[number]]
        assert asked["Location"] == asked["home town"] == [TOWNS[number]]
        assert asked["who and where"] == [NAMES[number], TOWNS[number]]
        assert asked["rent"] == ([f"{100 + number} EUR"] if number % 2 else [])


def test_rows_label_the_tokens_of_a_value(preset: FinderPreset) -> None:
    tokenizer = packaged_tokenizer()
    (example,) = finder_examples([triplet(1)])
    rows = list(rows_of(example, preset, tokenizer, seed=0))
    assert len(rows) == preset.variants
    tokens = encoded(tokenizer, example.text)
    spans = {phrase: spans for phrase, spans in example.asks}
    for row in rows:
        first = len(row.ids) - len(tokens.ids) - 1
        assert list(row.ids[first:-1]) == tokens.ids
        assert (row.labels[:first] == IGNORED).all()
        assert (row.labels[-1] == IGNORED).all()
        for column, share in enumerate(row.shares):
            asked = tokenizer.decode(list(row.ids[share > 0]))
            (phrase,) = (one for one in spans if one.lower() in asked)
            held = [tokens.offsets[place] for place in np.flatnonzero(row.labels[first:-1, column] == 1)]
            covered = {place for start, stop in held for place in range(start, stop)}
            blank = {place for place, letter in enumerate(example.text) if letter == " "}
            assert covered == {p for s in spans[phrase] for p in range(s.start, s.end)} - blank
    again = list(rows_of(example, preset, tokenizer, seed=0))
    pairs = [pair for a, b in zip(rows, again, strict=True) for pair in zip(a, b, strict=True)]
    assert all(np.array_equal(one, two) for one, two in pairs)


def test_windows_cover_a_text_and_overlap() -> None:
    for tokens in (0, 1, WINDOW, WINDOW + 1, 700, 5000):
        laid = windows(tokens)
        assert sorted({p for w in laid for p in range(w.start, w.end)}) == list(range(tokens))
        assert all(w.end - w.start <= WINDOW for w in laid)
        assert all(a.end - b.start >= OVERLAP for a, b in pairwise(laid))


def test_no_place_is_outside_its_table() -> None:
    ids, places, shares = framed(header([range(100)] * PHRASES), range(WINDOW))
    assert len(ids) == len(places) == shares.shape[1]
    assert shares.sum(axis=1) == pytest.approx(np.ones(PHRASES))
    assert places[-WINDOW - 1 :].max() < PHRASE_PLACES
    assert places.max() < 2 * PHRASE_PLACES


def test_a_written_special_token_is_text() -> None:
    text = "a [SEP] b [MASK]\ud800 c"
    tokens = encoded(packaged_tokenizer(), text)
    assert not {101, 102, 103} & set(tokens.ids)
    assert [text[start:end] for start, end in tokens.offsets][-1] == "c"


def test_the_saved_network_says_what_torch_says(folder: Path, preset: FinderPreset) -> None:
    from privasis.training.finder_network import collate, new_network

    torch.manual_seed(0)
    network = new_network().eval()
    rows = finder_rows([finder_examples([triplet(1)]), []], preset, packaged_tokenizer(), 0).train
    batch = collate([row._asdict() for row in rows])
    with torch.no_grad():
        wanted = network(**batch)["logits"].numpy()
    session = open_finder(folder, threads=1).network.session
    for place, row in enumerate(rows):
        inputs: dict[str, Any] = {"ids": row.ids[None], "places": row.places, "shares": row.shares}
        (logits,) = session.run(None, inputs)
        assert logits[0] == pytest.approx(wanted[place, : len(row.ids), : len(row.shares)], abs=0.06)
    assert sum(file.stat().st_size for file in folder.iterdir()) < 40e6


def test_answers_are_disjoint_spans_in_order_for_each_phrase(finder: Finder) -> None:
    text = " ".join(triplet(number).text for number in range(40))
    phrases = [f"thing {number}" for number in range(PHRASES + 2)]
    answers = finder.find(text, phrases)
    assert len(answers) == len(phrases)
    for spans in answers:
        places = [place for span in spans for place in (span.start, span.end)]
        assert places == sorted(places)
        assert all(0 <= span.start < span.end <= len(text) for span in spans)
    assert finder.find("", phrases) == ((),) * len(phrases)
    assert finder.find(text, []) == ()


def test_measures_of_a_finder_that_is_known() -> None:
    class Known(Finder):
        def find(self, text: str, phrases: Any) -> tuple[tuple[Span, ...], ...]:
            return ((Span(0, 4),), (), (Span(2, 3),))

    asks = (Ask("a", (Span(0, 2),)), Ask("b", (Span(5, 7),)), Ask("c", ()))
    measures = measure(Known(network=None), [FinderExample("r", "abcdefgh", asks)])  # type: ignore[arg-type]
    assert measures == {
        "precision by characters": 2 / 5,
        "recall by characters": 2 / 4,
        "values found whole": 1 / 2,
        "absent things not found": 0.0,
    }


def test_a_damaged_finder_is_refused(tmp_path: Path) -> None:
    source = files("privasis") / "data" / "minilm"
    for name in ("model.onnx", "tokenizer.json", "SHA256SUMS"):
        (tmp_path / name).write_bytes((source / name).read_bytes())
    with (tmp_path / "model.onnx").open("ab") as file:
        file.write(b"x")
    with pytest.raises(ModelFileError, match=r"the span finder's model\.onnx is damaged"):
        open_finder(tmp_path, threads=1)


def test_a_preset_of_the_finder_is_checked() -> None:
    with pytest.raises(ConfigError, match="--preset x: phrases: Input should be less than or equal to 12"):
        as_preset("x", load_preset("finder") | {"phrases": 13})


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_a_finder_learns_a_small_corpus_by_the_command(tmp_path: Path) -> None:
    with TableFile(tmp_path / "triplets.parquet", Triplet) as table:
        for number in range(60):
            table.add(triplet(number))
    words = (files("privasis") / "training" / "presets" / "finder.toml").read_text()
    small = words.replace("steps = 400", "steps = 80").replace("accumulation = 2", "accumulation = 1")
    (tmp_path / "small.toml").write_text(small, encoding="utf-8")
    model = tmp_path / "model"
    process = privasis(
        "train", tmp_path / "triplets.parquet", "--preset", tmp_path / "small.toml", "--out", model
    )
    _, error = process.communicate()
    assert process.returncode == 0, error.decode()
    report = json.loads((model / "report.json").read_bytes())
    assert report["train"][-1]["loss"] < report["train"][0]["loss"] / 3
    assert report["measures"]["recall by characters"] > 0.8
    assert report["measures"]["precision by characters"] > 0.7
    assert report["measures"]["absent things not found"] > 0.8
    text = "Kofi Mensah lives in Accra and pays 612 EUR. The flat is wet."
    name, town = open_finder(model / "finder", 1).find(text, ["tenant name", "home town"])
    assert "Kofi Mensah" in [text[span.start : span.end] for span in name]
    assert [text[span.start : span.end] for span in town] == ["Accra"]
