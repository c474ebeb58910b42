"""Train a chat model: transformers' Trainer, with the numbers of a preset (Appendix C)."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from privasis.training.base import Base
from privasis.training.examples import IGNORED, Encoded
from privasis.training.presets import Lora, Preset

Note = Callable[[int, float], None]  # step, loss of training


class Point(NamedTuple):
    """A loss, in nats for each token of an answer, after so many steps."""

    step: int
    loss: float


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


def train_chat(
    base: Base,
    preset: Preset,
    train: Sequence[Encoded],
    validation: Sequence[Encoded],
    *,
    checkpoints: Path,
    seed: int,
    note: Note,
) -> Trained:
    """Train, from the last whole checkpoint if there is one.

    Args:
        base: The model; its weights are changed.
        preset: The numbers.
        train: Examples; not empty. They are drawn without return, epoch by epoch, in the seed's order.
        validation: Examples on which the loss is measured; may be empty.
        checkpoints: Their folder; the newest two are kept.
        seed: Of the order, and of the adapter's first weights.
        note: Called after each step.
    """
    from transformers import DataCollatorForSeq2Seq, PrinterCallback, Trainer, set_seed

    set_seed(seed)
    model = _with_lora(base.model, preset.lora) if preset.lora else base.model
    trainer = Trainer(
        model=model,
        args=_arguments(preset, checkpoints, seed, evaluates=bool(validation)),
        train_dataset=_rows(train),
        eval_dataset=_rows(validation) or None,
        data_collator=DataCollatorForSeq2Seq(base.tokenizer, label_pad_token_id=IGNORED),
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
        batch=preset.micro_batch * preset.accumulation * trainer.args.world_size,
        seconds=ended.metrics["train_runtime"],
        is_main=trainer.is_world_process_zero(),
    )


def _with_lora(model: Any, lora: Lora) -> Any:
    from peft import LoraConfig, get_peft_model

    config = LoraConfig(
        r=lora.rank,
        lora_alpha=lora.alpha,
        lora_dropout=lora.dropout,
        target_modules="all-linear",
        task_type="CAUSAL_LM",
    )
    return get_peft_model(model, config)


def _arguments(preset: Preset, checkpoints: Path, seed: int, *, evaluates: bool) -> Any:
    from transformers import TrainingArguments

    return TrainingArguments(
        output_dir=str(checkpoints),
        max_steps=preset.steps,
        per_device_train_batch_size=preset.micro_batch,
        per_device_eval_batch_size=preset.micro_batch,
        gradient_accumulation_steps=preset.accumulation,
        optim="adamw_torch",
        learning_rate=preset.optimizer.learning_rate,
        weight_decay=preset.optimizer.weight_decay,
        lr_scheduler_type="linear",  # to zero at the last step: DeepSpeed's WarmupDecayLR
        warmup_steps=preset.optimizer.warmup_steps,
        bf16=preset.precision == "bf16",  # the master weights stay in fp32
        use_cpu=preset.gpus == 0,
        eval_strategy="steps" if evaluates else "no",
        eval_steps=preset.evaluate_every,
        save_strategy="steps",
        save_steps=preset.save_every,
        save_total_limit=2,
        logging_steps=1,
        seed=seed,
        data_seed=seed,
        report_to="none",
        disable_tqdm=True,
        remove_unused_columns=False,
        dataloader_pin_memory=preset.gpus > 0,
    )


def _rows(encoded: Sequence[Encoded]) -> list[dict[str, list[int]]]:
    return [{"input_ids": list(one.ids), "labels": list(one.labels)} for one in encoded]


def _reporter(note: Note) -> Any:
    from transformers import TrainerCallback

    class Reporter(TrainerCallback):
        def on_log(self, args: Any, state: Any, control: Any, **more: Any) -> Any:
            loss = more.get("logs", {}).get("loss")  # the logs of an evaluation have none
            if loss is not None and state.is_world_process_zero:
                note(state.global_step, loss)
            return control

    return Reporter()
