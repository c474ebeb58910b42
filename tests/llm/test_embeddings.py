import asyncio
import shutil
from importlib.resources import as_file, files
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privasis.errors import ModelFileError
from privasis.llm import embeddings
from privasis.llm.embeddings import DIMENSION, WINDOW, Encoder, open_encoder

SENTENCES = [
    "The nurse wrote down the patient's temperature.",
    "A hospital worker noted how warm the sick man was.",
    "Der Mietvertrag endet im Oktober.",
    "The lease ends in October.",
    "",
    "word " * 700,
]


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return open_encoder(threads=1)


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    with as_file(files("privasis").joinpath("data", "minilm")) as source:
        shutil.copytree(source, tmp_path / "minilm")
    return tmp_path / "minilm"


def test_vectors_are_unit_rows(encoder: Encoder) -> None:
    vectors = encoder.embed(SENTENCES)
    assert vectors.shape == (len(SENTENCES), DIMENSION)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-6)
    assert encoder.embed([]).shape == (0, DIMENSION)


def test_what_means_the_same_lies_close(encoder: Encoder) -> None:
    nurse, hospital, german_lease, lease = encoder.embed(SENTENCES[:4])
    assert nurse @ hospital > 0.5
    assert nurse @ hospital > nurse @ lease + 0.4
    assert german_lease @ lease > german_lease @ nurse


def test_reference_values(encoder: Encoder) -> None:
    # From the original float32 weights in torch; the packaged ones are int8.
    (vector,) = encoder.embed([SENTENCES[0]])
    assert vector[:4] == pytest.approx([-0.0252, 0.0710, -0.0517, 0.1178], abs=0.005)


def test_a_vector_does_not_depend_on_its_companions(encoder: Encoder) -> None:
    together = encoder.embed(SENTENCES)
    backwards = encoder.embed(SENTENCES[::-1])[::-1]
    alone = np.vstack([encoder.embed([text]) for text in SENTENCES])
    assert (together == backwards).all()
    assert (together == alone).all()


def test_threads_do_not_change_a_vector(encoder: Encoder) -> None:
    assert open_encoder(threads=2).embed(SENTENCES) == pytest.approx(encoder.embed(SENTENCES), abs=1e-6)


async def test_several_calls_at_once(encoder: Encoder) -> None:
    alone = encoder.embed(SENTENCES)
    at_once = await asyncio.gather(*(asyncio.to_thread(encoder.embed, SENTENCES) for _ in range(4)))
    assert all((vectors == alone).all() for vectors in at_once)


def test_the_end_of_a_long_text_counts(encoder: Encoder) -> None:
    opening = "The committee met on Monday to discuss the budget. " * 60
    texts = [opening + "A whale swam in the bay. " * 40, opening + "My blood test was fine. " * 40]
    whole = encoder.embed(texts)
    beginning = open_encoder(threads=1, windows=1).embed(texts)
    assert beginning[0] @ beginning[1] == pytest.approx(1, abs=1e-6)
    assert whole[0] @ whole[1] < 0.98


def test_lone_surrogates_are_read_as_unknown(encoder: Encoder) -> None:
    assert np.isfinite(encoder.embed(["\ud83d broken"])).all()


@settings(deadline=None)
@given(count=st.integers(0, 3000), most=st.integers(1, 6))
def test_windows_cover_a_text_and_stay_few(count: int, most: int) -> None:
    windows = embeddings._cut_windows(range(count), most)
    inner = windows[:, 1:-1]
    assert len(windows) <= most
    assert inner.shape[1] <= WINDOW
    assert (windows[:, 0] == 101).all()
    assert (windows[:, -1] == 102).all()
    assert (np.diff(inner, axis=1) == 1).all()
    if count:
        assert inner[0, 0] == 0
    if count and len(windows) > 1:
        assert inner[-1, -1] == count - 1
    if count <= most * WINDOW:
        assert set(inner.ravel().tolist()) == set(range(count))


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json", "SHA256SUMS"])
def test_a_missing_file_is_named(copied: Path, name: str) -> None:
    (copied / name).unlink()
    with pytest.raises(ModelFileError) as caught:
        open_encoder(threads=1, folder=copied)
    expected = (
        f"the sentence encoder's {name} cannot be read (No such file or directory). Install privasis again."
    )
    assert str(caught.value) == expected


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_a_damaged_file_is_named(copied: Path, name: str) -> None:
    content = bytearray((copied / name).read_bytes())
    content[len(content) // 2] ^= 1
    (copied / name).write_bytes(content)
    with pytest.raises(ModelFileError) as caught:
        open_encoder(threads=1, folder=copied)
    assert str(caught.value) == f"the sentence encoder's {name} is damaged. Install privasis again."


@pytest.mark.parametrize(("threads", "windows"), [(0, 4), (1, 0)])
def test_counts_below_one_are_refused(threads: int, windows: int) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        open_encoder(threads=threads, windows=windows)
