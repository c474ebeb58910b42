"""The job behind ``privasis train``: corpus -> examples -> a trained model and its report (Appendix C)."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from privasis.cleaner.finder import open_finder
from privasis.errors import InputError
from privasis.store.files import disk_errors
from privasis.store.run import open_run
from privasis.training.base import Base, demand_extra, load_base
from privasis.training.chat import train_chat
from privasis.training.corpus import Corpus, read_corpus
from privasis.training.examples import Encoded, Example, data_hash, encode, examples
from privasis.training.export import save_model
from privasis.training.finder import finder_rows, measure, packaged_tokenizer, save_finder, train_finder
from privasis.training.finder_examples import finder_examples
from privasis.training.fit import Note, Trained
from privasis.training.presets import FinderPreset, Preset
from privasis.training.report import TrainingReport, write_report

_FINDER_BASE = "all-MiniLM-L6-v2, packaged"


@dataclass(frozen=True, slots=True)
class TrainingJob:
    """What ``privasis train`` is asked for."""

    corpus: Path
    out: Path  # made, or resumed from its last checkpoint
    preset: Preset | FinderPreset
    seed: int


class _Data(NamedTuple):
    """What stands in the report about the data."""

    hashed: str
    train: Sequence[int]  # tokens of each example
    validation: int
    too_long: int


def run_training(job: TrainingJob, note: Note) -> TrainingReport:
    """Train, save the model, write the report; go on from the last checkpoint if there is one.

    Under ``accelerate launch`` or ``torchrun`` every process runs this, and the first one writes.

    Raises:
        UserError: An extra, the corpus or the base model is missing or cannot be used, or the folder
            belongs to another training.
    """
    demand_extra()
    corpus = read_corpus(job.corpus)
    if isinstance(job.preset, FinderPreset):
        return _run_finder(job, job.preset, corpus, note)
    return _run_chat(job, job.preset, corpus, note)


def _run_chat(job: TrainingJob, preset: Preset, corpus: Corpus, note: Note) -> TrainingReport:
    parts = [list(examples(part, preset)) for part in corpus]
    hashed = data_hash(parts)
    with _folder(job, hashed):
        base = load_base(preset.base, "fp32")
        train, validation = ([*_encoded(part, base, preset)] for part in parts)
        if not train:
            raise InputError(
                f"{job.corpus}: every example is longer than the preset's max_tokens = {preset.max_tokens}. "
                "Raise it in a preset of your own, or cut records into chunks by chunk_size."
            )
        trained = train_chat(
            base, preset, train, validation, checkpoints=job.out / "checkpoints", seed=job.seed, note=note
        )
        too_long = sum(map(len, parts)) - len(train) - len(validation)
        data = _Data(hashed, [len(one.ids) for one in train], len(validation), too_long)
        report = _report(job, preset.base, data, trained, {})
        if trained.is_main:
            with disk_errors(job.out):
                save_model(trained.model, base.tokenizer, job.out, preset.precision)
            write_report(report, job.out)
    return report


def _run_finder(job: TrainingJob, preset: FinderPreset, corpus: Corpus, note: Note) -> TrainingReport:
    parts = [finder_examples(part) for part in corpus]
    hashed = data_hash(parts)
    with _folder(job, hashed):
        rows = finder_rows(parts, preset, packaged_tokenizer(), job.seed)
        if not rows.train:
            raise InputError(f"{job.corpus}: no attribute of any record stands in its text.")
        trained = train_finder(preset, rows, checkpoints=job.out / "checkpoints", seed=job.seed, note=note)
        data = _Data(hashed, [len(row.ids) for row in rows.train], len(rows.validation), 0)
        measures = {}
        if trained.is_main:
            save_finder(trained.model, job.out / "finder")
            measures = measure(open_finder(job.out / "finder", os.cpu_count() or 1), parts[1])
        report = _report(job, _FINDER_BASE, data, trained, measures)
        if trained.is_main:
            write_report(report, job.out)
    return report


def _folder(job: TrainingJob, hashed: str) -> AbstractContextManager[Any]:
    if os.environ.get("RANK", "0") != "0":
        return nullcontext()  # the first process holds it for all
    config = {"preset": job.preset.model_dump(), "seed": job.seed, "data": hashed}
    return open_run(job.out, "training", config)


def _report(
    job: TrainingJob, base: str, data: _Data, trained: Trained, measures: dict[str, float]
) -> TrainingReport:
    steps = job.preset.steps - trained.first_step
    seen = steps * trained.batch * sum(data.train) / len(data.train)
    return TrainingReport(
        base=base,
        preset=job.preset.model_dump(),
        seed=job.seed,
        data_hash=data.hashed,
        train_examples=len(data.train),
        validation_examples=data.validation,
        too_long=data.too_long,
        steps=job.preset.steps,
        session_steps=steps,
        session_seconds=trained.seconds,
        tokens_per_second=seen / max(trained.seconds, 1e-9),
        train=trained.train,
        validation=trained.validation,
        measures=measures,
    )


def _encoded(part: Iterable[Example], base: Base, preset: Preset) -> Iterable[Encoded]:
    encoded = (encode(example, base.tokenizer, preset.max_tokens) for example in part)
    return (one for one in encoded if one is not None)
