"""The job behind ``privasis train``: corpus -> examples -> a trained model and its report (Appendix C)."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from privasis.errors import InputError
from privasis.store.files import disk_errors
from privasis.store.run import open_run
from privasis.training.base import Base, demand_extra, load_base
from privasis.training.chat import Note, Trained, train_chat
from privasis.training.corpus import read_corpus
from privasis.training.examples import Encoded, Example, data_hash, encode, examples
from privasis.training.export import save_model
from privasis.training.presets import Preset
from privasis.training.report import TrainingReport, write_report


@dataclass(frozen=True, slots=True)
class TrainingJob:
    """What ``privasis train`` is asked for."""

    corpus: Path
    out: Path  # made, or resumed from its last checkpoint
    preset: Preset
    seed: int


def run_training(job: TrainingJob, note: Note) -> TrainingReport:
    """Train, save the model, write the report; go on from the last checkpoint if there is one.

    Under ``accelerate launch`` or ``torchrun`` every process runs this, and the first one writes.

    Raises:
        UserError: An extra, the corpus or the base model is missing or cannot be used, or the folder
            belongs to another training.
    """
    demand_extra()
    corpus = read_corpus(job.corpus)
    train, validation = (list(examples(part, job.preset)) for part in corpus)
    hashed = data_hash([train, validation])
    with _folder(job, hashed):
        base = load_base(job.preset.base, "fp32")
        trained, report = _train(job, base, (train, validation), hashed, note)
        if trained.is_main:
            with disk_errors(job.out):
                save_model(trained.model, base.tokenizer, job.out, job.preset.precision)
            write_report(report, job.out)
    return report


def _folder(job: TrainingJob, hashed: str) -> AbstractContextManager[Any]:
    if os.environ.get("RANK", "0") != "0":
        return nullcontext()  # the first process holds it for all
    config = {"preset": job.preset.model_dump(), "seed": job.seed, "data": hashed}
    return open_run(job.out, "training", config)


def _train(
    job: TrainingJob, base: Base, parts: tuple[list[Example], list[Example]], hashed: str, note: Note
) -> tuple[Trained, TrainingReport]:
    encoded = [_encoded(part, base, job.preset) for part in parts]
    if not encoded[0]:
        raise InputError(
            f"{job.corpus}: every example is longer than the preset's max_tokens = {job.preset.max_tokens}. "
            "Raise it in a preset of your own, or cut records into chunks by chunk_size."
        )
    trained = train_chat(
        base, job.preset, *encoded, checkpoints=job.out / "checkpoints", seed=job.seed, note=note
    )
    steps = job.preset.steps - trained.first_step
    seen = steps * trained.batch * sum(len(one.ids) for one in encoded[0]) / len(encoded[0])
    report = TrainingReport(
        base=job.preset.base,
        preset=job.preset.model_dump(),
        seed=job.seed,
        data_hash=hashed,
        train_examples=len(encoded[0]),
        validation_examples=len(encoded[1]),
        too_long=sum(map(len, parts)) - sum(map(len, encoded)),
        steps=job.preset.steps,
        session_steps=steps,
        session_seconds=trained.seconds,
        tokens_per_second=seen / max(trained.seconds, 1e-9),
        train=trained.train,
        validation=trained.validation,
    )
    return trained, report


def _encoded(part: Iterable[Example], base: Base, preset: Preset) -> list[Encoded]:
    encoded = (encode(example, base.tokenizer, preset.max_tokens) for example in part)
    return [one for one in encoded if one is not None]
