"""Networks as the package carries them and training writes them: model.onnx, tokenizer.json, their sums."""

from __future__ import annotations

import hashlib
from importlib.abc import Traversable
from importlib.resources import as_file
from pathlib import Path
from typing import NamedTuple

import onnxruntime
from tokenizers import Tokenizer

from privasis.errors import ModelFileError

MODEL, TOKENIZER, SUMS = "model.onnx", "tokenizer.json", "SHA256SUMS"


class Network(NamedTuple):
    """An opened network and its tokenizer; safe to use from several threads at once."""

    session: onnxruntime.InferenceSession
    tokenizer: Tokenizer


def open_network(folder: Traversable | Path, title: str, threads: int) -> Network:
    """Open a network.

    Args:
        folder: Holds model.onnx, tokenizer.json and SHA256SUMS.
        title: What it is called in errors: "the sentence encoder".
        threads: Cores that one call may use. With 1, a call runs on its caller's thread alone, and several
            calls at once scale better than one call with several cores.

    Raises:
        ModelFileError: A file is missing or is not the one that SHA256SUMS names.
    """
    sums = dict(line.split()[::-1] for line in _read(folder, SUMS, title).decode("ascii").splitlines())
    tokenizer = Tokenizer.from_buffer(_read_checked(folder, TOKENIZER, title, sums))
    _read_checked(folder, MODEL, title, sums)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False  # 40 MB less, and no slower
    # Idle workers sleep instead of spinning: the cores belong to the run's other work.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    # From the path rather than from bytes, of which the network would keep a copy.
    with as_file(folder.joinpath(MODEL)) as path:
        session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    return Network(session, tokenizer)


def _read(folder: Traversable | Path, name: str, title: str) -> bytes:
    try:
        return folder.joinpath(name).read_bytes()
    except OSError as error:
        raise ModelFileError(
            f"{title}'s {name} cannot be read ({error.strerror}). Install privasis again."
        ) from error


def _read_checked(folder: Traversable | Path, name: str, title: str, sums: dict[str, str]) -> bytes:
    content = _read(folder, name, title)
    if hashlib.sha256(content).hexdigest() != sums.get(name):
        raise ModelFileError(f"{title}'s {name} is damaged. Install privasis again.")
    return content
