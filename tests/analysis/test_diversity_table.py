"""Tables 2 and 8: texts of any source, drawn and measured, against the reference libraries."""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise
from math import log2
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from lexicalrichness import LexicalRichness
from sklearn.metrics.pairwise import cosine_similarity

from privasis.analysis.diversity import Method, TextSet, diversity_table, draw_by_label
from privasis.diversity import tokenise
from privasis.errors import InputError, RunFolderError
from privasis.jobs.measures import Measure, labels_of, measure_diversity, measure_models
from privasis.store.texts import Document, read_documents

ROOT = Path(__file__).parent.parent.parent
PROSE = [part for part in (ROOT / "docs" / "evaluation.md").read_text(encoding="utf-8").split("\n\n") if part]


def lines(path: Path, rows: list[dict[str, object]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_the_metrics_are_those_of_the_reference_libraries() -> None:
    rng = np.random.default_rng(3)
    vectors = rng.normal(size=(len(PROSE), 16))
    table = diversity_table([TextSet("docs", 99, PROSE, vectors)], Method(99, 0), "T")
    (row,) = table.rows
    tokens = [tokenise(text) for text in PROSE]
    rich = [LexicalRichness(words, preprocessor=None, tokenizer=None) for words in tokens]
    mattr = np.mean([r.mattr(min(50, r.words)) for r in rich])
    bigrams = np.mean([len(set(pairwise(t))) / (len(t) - 1) for t in tokens if len(t) > 1])
    entropy = np.mean([-sum(c / len(t) * log2(c / len(t)) for c in Counter(t).values()) for t in tokens])
    pairs = cosine_similarity(vectors)
    cosine = (pairs.sum() - len(PROSE)) / (len(PROSE) * (len(PROSE) - 1))
    assert row[1:5] == pytest.approx((mattr, bigrams, entropy, cosine), abs=1e-9)
    assert row[-2:] == (len(PROSE), 99)


def test_a_sample_depends_on_the_seed_alone_and_is_uniform() -> None:
    documents = [Document(str(n), "x", "ab"[n % 2], b"") for n in range(200)]
    drawn = draw_by_label(documents, 30, seed=1)
    assert {label: (d.size, len(d.documents)) for label, d in drawn.items()} == {
        "a": (100, 30),
        "b": (100, 30),
    }
    assert drawn == draw_by_label(documents, 30, seed=1) != draw_by_label(documents, 30, seed=2)
    places = [int(document.id) for document in drawn["a"].documents]
    assert places == sorted(places)
    counts = Counter(d.id for seed in range(300) for d in draw_by_label(documents, 30, seed)["a"].documents)
    assert 60 < min(counts.values()) <= max(counts.values()) < 125  # 90 expected, standard deviation 8


def test_every_kind_of_source_is_read(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "a.txt").write_text("One text.", encoding="utf-8")
    (tmp_path / "plain" / "b.md").write_text("Another text.", encoding="utf-8")
    (tmp_path / "plain" / "empty.txt").write_text("  ", encoding="utf-8")
    assert [d.text for d in read_documents(tmp_path / "plain")] == ["One text.", "Another text."]
    rows = [{"id": 7, "original_record": "A <script> text", "domain": "law"}, {"original_record": None}]
    found = list(read_documents(lines(tmp_path / "rows.jsonl", rows), by="domain"))
    assert found == [Document("7", "A <script> text", "law", b"")]
    table = pa.table({"words": ["x y", "z"], "more": [1, 2]})
    pq.write_table(table, tmp_path / "rows.parquet")
    assert [d.text for d in read_documents(tmp_path / "rows.parquet", column="words")] == ["x y", "z"]


def test_what_holds_no_text_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--column"):
        list(read_documents(lines(tmp_path / "a.jsonl", [{"words": "x"}])))
    with pytest.raises(InputError, match="'text' holds no text"):
        list(read_documents(lines(tmp_path / "b.jsonl", [{"text": 3}])))
    with pytest.raises(InputError, match="does not exist"):
        list(read_documents(tmp_path / "nothing"))
    (tmp_path / "scores").mkdir()
    (tmp_path / "scores" / "config.json").write_text('{"kind": "scores", "config": {}}')
    with pytest.raises(RunFolderError, match="holds scores"):
        list(read_documents(tmp_path / "scores"))


def test_an_empty_source_has_no_figures(tmp_path: Path) -> None:
    table = measure_diversity(Measure((lines(tmp_path / "empty.jsonl", []),)))
    assert table.rows == (("empty.jsonl", None, None, None, None, None, None, 0, 0),)
    assert any("no figures" in note for note in table.notes)


def test_models_are_told_apart(tmp_path: Path) -> None:
    rows = [{"text": text, "model": "big" if n % 3 else "small"} for n, text in enumerate(PROSE)]
    table = measure_models(Measure((lines(tmp_path / "rows.jsonl", rows),), by="model", sample=20))
    assert [row[0] for row in table.rows] == ["big", "small"]
    for row in table.rows:
        assert row[5] is not None
        assert 1 < row[5] <= row[-2]
    assert "seed 0" in table.notes[0]
    assert "window of 50" in table.notes[1]


def test_sources_are_named_by_what_tells_them_apart() -> None:
    assert labels_of([Path("/a/x"), Path("/b/y")]) == ["x", "y"]
    assert labels_of([Path("/a/run"), Path("/b/run")]) == ["a/run", "b/run"]
