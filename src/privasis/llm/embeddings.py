"""Sentence embeddings from the encoder that the package ships: all-MiniLM-L6-v2 in onnxruntime.

A text longer than the encoder's window is read through several windows of equal length, laid
evenly from its first token to its last, whose vectors are averaged: a record's end counts as
much as its letterhead, and a text costs at most ``windows`` windows however long it is.

Texts go through the encoder one by one, the windows of one text together. They are never padded,
so a text's vector is the same to the last bit whatever stands beside it in the call.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.abc import Traversable
from importlib.resources import files

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from tokenizers import Tokenizer

from privasis.llm.network import open_network

DIMENSION = 384
WINDOW = 254  # tokens of text; the model was made for 256 with the two that frame them
_FIRST, _LAST = 101, 102  # [CLS], [SEP]


@dataclass(frozen=True, slots=True, eq=False)
class Encoder:
    """An opened encoder; safe to call from several threads at once.

    Attributes:
        session: The network.
        tokenizer: Its tokenizer.
        windows: At most so many windows of a text are read.
    """

    session: onnxruntime.InferenceSession
    tokenizer: Tokenizer
    windows: int

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed texts, giving up the interpreter lock while the network runs.

        A window takes about 30 ms on one core, so a record of 500 words about 60 to 90 ms. Call it
        through ``asyncio.to_thread`` from a coroutine.

        Args:
            texts: Any texts; an empty one has a vector too.

        Returns:
            Shape (len(texts), 384), rows of length one.
        """
        vectors = np.empty((len(texts), DIMENSION), dtype=np.float32)
        for row, text in enumerate(texts):
            vectors[row] = self._embed_one(text)
        return vectors

    def _embed_one(self, text: str) -> NDArray[np.float32]:
        sound = text.encode("utf-8", "replace").decode("utf-8")  # lone surrogates have no bytes
        tokens = self.tokenizer.encode(sound, add_special_tokens=False).ids
        (vectors,) = self.session.run(None, {"ids": _cut_windows(tokens, self.windows)})
        mean: NDArray[np.float32] = vectors.mean(axis=0)
        length = np.linalg.norm(mean)
        return mean / length


def open_encoder(threads: int, windows: int = 4, folder: Traversable | None = None) -> Encoder:
    """Open the packaged encoder; takes about 0.15 s and 130 MB of memory.

    Args:
        threads: Cores that one call may use. With 1, a call runs on its caller's thread alone,
            and several calls at once scale better than one call with several cores.
        windows: At most so many windows of 254 tokens are read of one text; 1 reads its
            beginning only, which is what sentence-transformers does.
        folder: Holds model.onnx, tokenizer.json and SHA256SUMS; the packaged ones by default.

    Raises:
        ModelFileError: A file is missing or is not the one that SHA256SUMS names.
        ValueError: ``threads`` or ``windows`` is below 1.
    """
    if threads < 1 or windows < 1:
        raise ValueError("threads and windows must be at least 1")
    source = folder if folder is not None else files("privasis").joinpath("data", "minilm")
    network = open_network(source, "the sentence encoder", threads)
    return Encoder(session=network.session, tokenizer=network.tokenizer, windows=windows)


def _cut_windows(tokens: Sequence[int], most: int) -> NDArray[np.int64]:
    """Cut token ids into at most so many framed windows of one length, evenly laid.

    Returns:
        Shape (windows, length + 2). Every token is in a window when ``most`` windows can hold
        them all; otherwise the windows are full and equally far apart.
    """
    ids = np.asarray(tokens, dtype=np.int64)
    count = min(most, max(1, -(-len(ids) // WINDOW)))
    length = min(WINDOW, -(-len(ids) // count))
    starts = np.linspace(0, len(ids) - length, count).astype(np.int64)
    framed = np.empty((count, length + 2), dtype=np.int64)
    framed[:, 0], framed[:, -1] = _FIRST, _LAST
    framed[:, 1:-1] = ids[starts[:, np.newaxis] + np.arange(length)]
    return framed
