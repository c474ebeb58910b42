"""Train a model by transformers' Trainer, with the numbers of a preset (Appendix C)."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from privasis.training.deepspeed import deepspeed_config
from privasis.training.presets import Schedule

Note = Callable[[int, float], None]  # step, loss of training


class Point(NamedTuple):
    """A loss, in nats for each token of an answer, after so many steps."""

    step: int
    loss: float


class Rows(NamedTuple):
    """What the trainer is fed with."""

    train: Sequence[dict[str, Any]]  # not empty; drawn without return, epoch by epoch, in the seed's order
    validation: Sequence[dict[str, Any]]  # on which the loss is measured; may be empty
    collate: Callable[[Any], Any]  # rows -> a batch


class Trained(NamedTuple):
    """What a run of the trainer gives."""

    model: Any  # of transformers; of peft where a LoRA was trained
    train: list[Point]  # since the first step, also over earlier sessions
    validation: list[Point]
    first_step: int  # at which this session began
    batch: int  # examples of one step, on all devices together
    seconds: float  # of this session, evaluations and checkpoints included
    is_main: bool  # of several processes, the one that writes


def last_checkpoint(folder: Path) -> Path | None:
    """Return the newest checkpoint that is whole: its state, which is written last, can be read."""
    whole = (path for path in folder.glob("checkpoint-*") if _is_whole(path))
    return max(whole, key=_step, default=None)


def _step(checkpoint: Path) -> int:
    return int(checkpoint.name.removeprefix("checkpoint-"))


def _is_whole(checkpoint: Path) -> bool:
    try:
        json.loads((checkpoint / "trainer_state.json").read_bytes())
    except (OSError, ValueError):
        return False
    return True


def fit(model: Any, schedule: Schedule, rows: Rows, *, checkpoints: Path, seed: int, note: Note) -> Trained:
    """Train, from the last whole checkpoint if there is one.

    Args:
        model: Gives a loss for a batch; its weights are changed.
        schedule: The numbers.
        rows: The examples.
        checkpoints: Their folder; the newest two are kept.
        seed: Of the order.
        note: Called after each step.
    """
    from transformers import PrinterCallback, Trainer

    trainer = Trainer(
        model=model,
        args=_arguments(schedule, checkpoints, seed, evaluates=bool(rows.validation)),
        train_dataset=rows.train,
        eval_dataset=rows.validation or None,
        data_collator=rows.collate,
        callbacks=[_reporter(note)],
    )
    trainer.remove_callback(PrinterCallback)
    start = last_checkpoint(checkpoints)
    ended = trainer.train(resume_from_checkpoint=str(start) if start else None)
    history: list[dict[str, Any]] = trainer.state.log_history
    return Trained(
        model=model,
        train=[Point(row["step"], row["loss"]) for row in history if "loss" in row],
        validation=[Point(row["step"], row["eval_loss"]) for row in history if "eval_loss" in row],
        first_step=_step(start) if start else 0,
        batch=schedule.micro_batch * schedule.accumulation * trainer.args.world_size,
        seconds=ended.metrics["train_runtime"],
        is_main=trainer.is_world_process_zero(),
    )


def _arguments(schedule: Schedule, checkpoints: Path, seed: int, *, evaluates: bool) -> Any:
    from transformers import TrainingArguments

    launched = int(os.environ.get("WORLD_SIZE", "1")) > 1
    return TrainingArguments(
        deepspeed=deepspeed_config(schedule) if schedule.zero_stage and launched else None,
        output_dir=str(checkpoints),
        max_steps=schedule.steps,
        per_device_train_batch_size=schedule.micro_batch,
        per_device_eval_batch_size=schedule.micro_batch,
        gradient_accumulation_steps=schedule.accumulation,
        optim="adamw_torch",
        learning_rate=schedule.optimizer.learning_rate,
        weight_decay=schedule.optimizer.weight_decay,
        lr_scheduler_type="linear",  # to zero at the last step: DeepSpeed's WarmupDecayLR
        warmup_steps=schedule.optimizer.warmup_steps,
        bf16=schedule.precision == "bf16",  # the master weights stay in fp32
        use_cpu=schedule.gpus == 0,
        eval_strategy="steps" if evaluates else "no",
        eval_steps=schedule.evaluate_every,
        save_strategy="steps",
        save_steps=schedule.save_every,
        save_total_limit=2,
        logging_steps=1,
        seed=seed,
        data_seed=seed,
        report_to="none",
        disable_tqdm=True,
        remove_unused_columns=False,
        dataloader_pin_memory=schedule.gpus > 0,
        prediction_loss_only=True,
    )


def _reporter(note: Note) -> Any:
    from transformers import TrainerCallback

    class Reporter(TrainerCallback):
        def on_log(self, args: Any, state: Any, control: Any, **more: Any) -> Any:
            loss = more.get("logs", {}).get("loss")  # the logs of an evaluation have none
            if loss is not None and state.is_world_process_zero:
                note(state.global_step, loss)
            return control

    return Reporter()
