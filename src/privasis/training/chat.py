"""Train a chat model on prompts and answers, in full or by a LoRA."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from privasis.training.base import Base
from privasis.training.examples import IGNORED, Encoded
from privasis.training.fit import Note, Rows, Trained, fit
from privasis.training.presets import Lora, Preset


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
    from transformers import DataCollatorForSeq2Seq, set_seed

    set_seed(seed)
    model = _with_lora(base.model, preset.lora) if preset.lora else base.model
    collate = DataCollatorForSeq2Seq(base.tokenizer, label_pad_token_id=IGNORED)
    rows = Rows(_rows(train), _rows(validation), collate)
    return fit(model, preset, rows, checkpoints=checkpoints, seed=seed, note=note)


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


def _rows(encoded: Sequence[Encoded]) -> list[dict[str, list[int]]]:
    return [{"input_ids": list(one.ids), "labels": list(one.labels)} for one in encoded]
