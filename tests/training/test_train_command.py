"""`privasis train` by its command line, on the packaged model: the loss falls, a killed training goes on."""

from __future__ import annotations

import json
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from privasis.errors import InputError
from privasis.store.summary import TableFile
from privasis.text.edits import apply_edits
from privasis.training.corpus import read_corpus
from privasis.training.fit import last_checkpoint
from privasis.types import Edit, Fact, Target, Triplet
from support.killing import privasis

NAMES = ("Maren", "Tunde", "Ilse", "Ravi", "Oksana", "Bao", "Lucia", "Emeka", "Sofia", "Jonas")
PRESET = """
kind = "chat"
base = "smollm2-135m"
prompt = "edits"
chunk_size = 512
max_tokens = 400
unchanged = 0.5
precision = "fp32"
micro_batch = 1
accumulation = 2
gpus = 0
steps = {steps}
evaluate_every = 4
save_every = 2
[lora]
rank = 4
alpha = 16
dropout = 0.0
[optimizer]
learning_rate = 2e-3
weight_decay = 0.0
warmup_steps = 1
"""


def triplet(number: int) -> Triplet:
    name = NAMES[number % len(NAMES)]
    text = f"{name} paid the rent on day {number}. The flat is dry."
    edits = (Edit(0, len(name), "Someone", "t1", "span"),)
    goal = Target("t1", "name", False, (Fact("name", name),), "drop", 5.0, "Drop it.")
    return Triplet(
        id=f"r{number}", record_id=f"r{number}", number=number, person=f"{name} {number}", language="English",
        record_type="a note", category="Other", model="m", text=text, sanitized=apply_edits(text, edits),
        edits=edits, targets=(goal,), keeps=(), base_instruction="b", instruction="Take the name out.",
        level=0, attributes=(), groups=(), calls=(),
    )  # fmt: skip


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    with TableFile(tmp_path / "triplets.parquet", Triplet) as table:
        for number in range(60):
            table.add(triplet(number))
    return tmp_path / "triplets.parquet"


def trained(corpus: Path, steps: int) -> tuple[str | Path, ...]:
    preset = corpus.with_name("small.toml")
    preset.write_text(PRESET.format(steps=steps), encoding="utf-8")
    return ("train", corpus, "--preset", preset, "--out", corpus.with_name("model"))


def report_of(corpus: Path) -> dict[str, Any]:
    return dict(json.loads(corpus.with_name("model").joinpath("report.json").read_bytes()))


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_loss_falls_and_a_killed_training_goes_on(corpus: Path) -> None:
    model = corpus.with_name("model")
    first = privasis(*trained(corpus, 12))
    deadline = time.monotonic() + 400
    while last_checkpoint(model / "checkpoints") is None:
        assert time.monotonic() < deadline
        assert first.poll() is None, first.communicate()
        time.sleep(0.05)
    first.send_signal(signal.SIGKILL)
    first.communicate()
    reached = last_checkpoint(model / "checkpoints")
    assert reached is not None

    second = privasis(*trained(corpus, 12))
    _, error = second.communicate()
    assert second.returncode == 0, error.decode()
    report = report_of(corpus)
    assert report["session_steps"] == 12 - int(reached.name.removeprefix("checkpoint-"))
    assert [point["step"] for point in report["train"]] == list(range(1, 13))
    assert report["train"][-1]["loss"] < report["train"][0]["loss"] / 2
    assert [point["step"] for point in report["validation"]] == [4, 8, 12]
    assert report["validation"][-1]["loss"] < report["validation"][0]["loss"]
    assert (model / "model" / "model.safetensors").is_file()
    assert (model / "adapter" / "adapter_model.safetensors").is_file()
    assert (model / "curve.png").read_bytes().startswith(b"\x89PNG")
    assert report["data_hash"] in (model / "report.md").read_text(encoding="utf-8")

    other = privasis(*trained(corpus, 13))
    _, error = other.communicate()
    assert other.returncode == 2
    assert b"another" in error or b"other" in error


def test_a_corpus_is_divided_by_person(corpus: Path) -> None:
    made = read_corpus(corpus)
    assert len(made.train) + len(made.validation) == 60
    assert not {t.person for t in made.train} & {t.person for t in made.validation}
    assert made.validation


def test_a_corpus_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"triplets\.parquet is not there: name a folder of"):
        read_corpus(tmp_path)
    (tmp_path / "a.jsonl").write_text('{"id": 1}\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"a\.jsonl.*1"):
        read_corpus(tmp_path / "a.jsonl")


def test_a_checkpoint_that_is_half_written_is_passed_over(tmp_path: Path) -> None:
    for step, state in ((2, "{}"), (10, "{}"), (12, '{"glob')):
        (tmp_path / f"checkpoint-{step}").mkdir()
        (tmp_path / f"checkpoint-{step}" / "trainer_state.json").write_text(state, encoding="utf-8")
    (tmp_path / "checkpoint-14").mkdir()
    assert last_checkpoint(tmp_path) == tmp_path / "checkpoint-10"
