"""What a training leaves: a merged model for transformers and vLLM; the LoRA for peft and the engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from privasis.errors import ModelFileError
from privasis.training.adapter import can_write_adapter, write_adapter


def save_model(model: Any, tokenizer: Any, folder: Path, precision: str) -> None:
    """Save a trained model: ``folder/model``, and ``folder/adapter`` and ``adapter.gguf`` for a LoRA.

    Args:
        model: Of transformers, or of peft; a LoRA is merged into it.
        tokenizer: Its tokenizer.
        folder: There already.
        precision: ``fp32`` or ``bf16``: of the saved weights.

    Raises:
        ModelFileError: The weights lie apart on several devices (ZeRO stage 3).
    """
    import torch
    from peft import PeftModel

    if any(weight.numel() == 0 for weight in model.parameters()):
        raise ModelFileError(
            "the weights lie apart on several devices (ZeRO stage 3): put them together by zero_to_fp32.py, "
            "which DeepSpeed has left in the last checkpoint."
        )
    if isinstance(model, PeftModel):
        model.save_pretrained(str(folder / "adapter"), save_embedding_layers=False)  # no look at the hub
        if can_write_adapter(model):
            write_adapter(model, folder / "adapter.gguf")
        model = model.merge_and_unload()
    dtype = torch.bfloat16 if precision == "bf16" else torch.float32
    model.to(dtype).save_pretrained(folder / "model")
    tokenizer.save_pretrained(folder / "model")
