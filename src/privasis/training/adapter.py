"""A trained LoRA -> an adapter in GGUF, which the embedded engine lays over the base model's own file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from privasis.store.files import write_whole

_PREFIX = "base_model.model."
_ROTATED = ("q_proj", "k_proj")  # stored by llama.cpp with the halves of each head interleaved, for llama


class _Half(NamedTuple):
    name: str  # of the engine: blk.0.attn_q.weight.lora_a
    values: NDArray[np.float32]


def can_write_adapter(model: Any) -> bool:
    """Say whether a model's architecture is one whose adapters are written."""
    return model.config.model_type in ("llama", "qwen3")


def write_adapter(model: Any, path: Path) -> None:
    """Write the LoRA of a model of peft.

    Args:
        model: Of peft, with one adapter; of an architecture that ``can_write_adapter`` knows.
        path: The GGUF file.

    Raises:
        DiskError: The disk is full or refuses.
    """
    from gguf import GGUFWriter

    architecture = model.config.model_type
    alpha = float(model.peft_config["default"].lora_alpha)
    halves = list(_halves(model))

    def write(beside: Path) -> None:
        writer = GGUFWriter(str(beside), architecture)
        writer.add_type("adapter")
        writer.add_string("adapter.type", "lora")
        writer.add_float32("adapter.lora.alpha", alpha)
        for half in halves:
            writer.add_tensor(half.name, half.values)
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()

    write_whole(path, write)


def _halves(model: Any) -> Iterator[_Half]:
    from gguf import MODEL_ARCH, get_tensor_name_map
    from peft import get_peft_model_state_dict

    config = model.config
    arch = MODEL_ARCH.QWEN3 if config.model_type == "qwen3" else MODEL_ARCH.LLAMA
    names = get_tensor_name_map(arch, config.num_hidden_layers)
    state: Mapping[str, Any] = get_peft_model_state_dict(model, save_embedding_layers=False)
    for key, tensor in state.items():
        module, letter = key.removeprefix(_PREFIX).removesuffix(".weight").rsplit(".lora_", 1)
        values = tensor.detach().cpu().float().numpy()
        if config.model_type == "llama" and letter == "B" and module.endswith(_ROTATED):
            is_query = module.endswith("q_proj")
            values = _rotated(values, config.num_attention_heads if is_query else config.num_key_value_heads)
        yield _Half(f"{names.get_name(module)}.weight.lora_{letter.lower()}", np.ascontiguousarray(values))


def _rotated(values: NDArray[np.float32], heads: int) -> NDArray[np.float32]:
    rows, columns = values.shape
    parted = values.reshape(heads, 2, rows // heads // 2, columns)
    return parted.swapaxes(1, 2).reshape(rows, columns)
