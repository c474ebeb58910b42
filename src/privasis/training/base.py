"""The base model: from the model store, a GGUF file, a folder, or the hub."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from privasis.errors import MissingExtraError, ModelFileError
from privasis.llm.weights import find, installed

EXTRA = "Training needs an extra that is not installed: pip install 'privasis[train]'"


class Base(NamedTuple):
    """A model in torch with its tokenizer; ``gguf`` is the file it was read from, where it was one."""

    model: Any  # a causal language model of transformers
    tokenizer: Any
    gguf: Path | None


def demand_extra() -> None:
    """Make sure that what training needs can be imported.

    Raises:
        MissingExtraError: It cannot; the message names what is missing and the pip line.
    """
    try:
        import accelerate  # noqa: F401  # asked for by transformers when the trainer is made
        import gguf  # noqa: F401  # asked for by transformers when a GGUF file is read
        import onnx  # noqa: F401
        import peft  # noqa: F401
        import torch  # noqa: F401
        import transformers  # noqa: F401
    except ImportError as error:
        raise MissingExtraError(f"{EXTRA} ({error.name} is missing).") from None


def load_base(name: str, precision: str) -> Base:
    """Load a base model and its tokenizer.

    Args:
        name: A model of the store, the path of a GGUF file, a folder of transformers, or a hub name. Code
            that comes with a model is never run.
        precision: ``fp32`` or ``bf16``: of the weights in memory.

    Raises:
        MissingExtraError: The extra ``train`` is not installed.
        ModelFileError: There is no such model, it cannot be fetched or read, or it has no chat template.
    """
    demand_extra()
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer
    from transformers.utils import logging

    bars: Any = logging  # its functions carry no types
    bars.disable_progress_bar()
    file = _gguf_file(name)
    source, options = (str(file.parent), {"gguf_file": file.name}) if file else (name, {})
    dtype = torch.bfloat16 if precision == "bf16" else torch.float32
    try:
        tokenizer = AutoTokenizer.from_pretrained(source, **options)
        model = AutoModelForCausalLM.from_pretrained(source, dtype=dtype, **options)
    except (OSError, ValueError, KeyError) as error:
        raise ModelFileError(
            f"--base {name}: the model cannot be loaded ({type(error).__name__}). Give a model of "
            "`privasis models list`, a GGUF file, a folder, or the name of a hub that can be reached."
        ) from None
    if not tokenizer.chat_template:
        raise ModelFileError(f"--base {name} has no chat template. Take an instruction-tuned model.")
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token
    # What it was read from is no property of the model: a saved copy is neither GGUF nor quantised
    model.config.__dict__.pop("quantization_config", None)
    for mark in ("hf_quantizer", "quantization_method", "is_quantized"):
        vars(model).pop(mark, None)
    return Base(model, tokenizer, file)


def _gguf_file(name: str) -> Path | None:
    path = Path(name).expanduser()
    if path.suffix == ".gguf":
        if not path.is_file():
            raise ModelFileError(f"--base {name}: there is no such file.")
        return path
    if path.is_dir() or not any(weights.name == name for weights in installed()):
        if "/" not in name and not path.is_dir():
            return find(name).path  # no hub name: the store's error says how to get it
        return None
    return find(name).path
