"""The span finder: which places of a text belong to what a phrase names; onnxruntime only, no torch.

Several phrases are read together with one window of the text; a token belongs to a phrase as far as its state
agrees with the mean state of the phrase's tokens. So the cost hardly grows with the phrases.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.abc import Traversable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from tokenizers import Encoding, Tokenizer

from privasis.llm.network import Network, open_network
from privasis.types import Span

WINDOW = 224  # tokens of text read at once
OVERLAP = 32  # tokens that two neighbouring windows share, at least
PHRASE = 14  # tokens of a phrase that are read
PHRASES = 12  # read at once with a window
PHRASE_PLACES = 256  # where the table of places goes over to those of phrases
_FIRST, _LAST, _MARK = 101, 102, 103  # [CLS], [SEP], [MASK]

_SPECIAL = re.compile(r"\[(CLS|SEP|MASK|PAD|UNK)\]")

Ids = NDArray[np.int64]


class Header(NamedTuple):
    """What stands before the text: the phrases, each behind a mark."""

    ids: list[int]
    places: list[int]
    phrases: list[Span]  # where each stands, its mark included


@dataclass(frozen=True, slots=True, eq=False)
class Finder:
    """An opened finder; safe to call from several threads at once."""

    network: Network

    def find(self, text: str, phrases: Sequence[str]) -> tuple[tuple[Span, ...], ...]:
        """Find what phrases name.

        A window of 224 tokens takes about 35 ms on one core. Languages are those of the encoder: good in
        English, poor in scripts that its vocabulary lacks.

        Args:
            text: Any text, of any length.
            phrases: What to find, one thing each: "date of birth", "the sister's name".

        Returns:
            For each phrase its places: in order, disjoint, of whole words.
        """
        tokens = encoded(self.network.tokenizer, text)
        found: list[tuple[Span, ...]] = []
        for first in range(0, len(phrases), PHRASES):
            some = phrases[first : first + PHRASES]
            logits = self._logits(tokens.ids, some)
            found += [tuple(_spans(tokens, logits[:, place])) for place in range(len(some))]
        return tuple(found)

    def _logits(self, tokens: list[int], phrases: Sequence[str]) -> NDArray[np.float32]:
        """Shape (tokens, phrases); of two windows, that one counts in which a token stands deeper."""
        before = header([encoded(self.network.tokenizer, phrase).ids for phrase in phrases])
        best = np.full((len(tokens), len(phrases)), -np.inf, np.float32)
        depths = np.full(len(tokens), -1)
        for window in windows(len(tokens)):
            length = window.end - window.start
            frame = framed(before, tokens[window.start : window.end])
            (logits,) = self.network.session.run(None, frame._asdict() | {"ids": frame.ids[None]})
            depth = np.minimum(
                np.arange(length) + (len(tokens) if window.start == 0 else 0),
                np.arange(length)[::-1] + (len(tokens) if window.end == len(tokens) else 0),
            )
            deeper = depth > depths[window.start : window.end]
            text_logits = logits[0, len(before.ids) : -1]
            best[window.start : window.end][deeper] = text_logits[deeper]
            depths[window.start : window.end][deeper] = depth[deeper]
        return best


def open_finder(folder: Traversable | Path, threads: int) -> Finder:
    """Open a finder.

    Args:
        folder: Holds model.onnx, tokenizer.json and SHA256SUMS, as ``privasis train --preset finder`` writes.
        threads: Cores that one call may use.

    Raises:
        ModelFileError: A file is missing or damaged.
    """
    return Finder(open_network(folder, "the span finder", threads))


def encoded(tokenizer: Tokenizer, text: str) -> Encoding:
    """Encode a text without frames; a special token written in it is text like any other.

    What looks like ``[SEP]`` gets round brackets of the same length; offsets stay true.
    """
    sound = text.encode("utf-8", "replace").decode("utf-8")  # lone surrogates have no bytes
    return tokenizer.encode(_SPECIAL.sub(lambda found: f"({found[1]})", sound), add_special_tokens=False)


def header(phrases: Sequence[Sequence[int]]) -> Header:
    """Lay phrases one after another; their places go on, so that a phrase's tokens know one another."""
    made = Header([_FIRST], [PHRASE_PLACES], [])
    for phrase in phrases:
        first = len(made.ids)
        made.ids.extend((_MARK, *phrase[:PHRASE]))
        made.phrases.append(Span(first, len(made.ids)))
    made.ids.append(_LAST)
    made.places.extend(range(PHRASE_PLACES + 1, PHRASE_PLACES + len(made.ids)))
    return made


class Frame(NamedTuple):
    """What the network is given: a header, a window of text, and the end."""

    ids: Ids  # (tokens,)
    places: Ids  # (tokens,)
    shares: NDArray[np.float32]  # (phrases, tokens): rows whose product with the states is a phrase's mean


def framed(before: Header, tokens: Sequence[int]) -> Frame:
    """Frame a window of text."""
    ids = np.array([*before.ids, *tokens, _LAST], np.int64)
    places = np.array([*before.places, *range(1, len(tokens) + 2)], np.int64)
    shares = np.zeros((len(before.phrases), len(ids)), np.float32)
    for row, span in zip(shares, before.phrases, strict=True):
        row[span.start : span.end] = 1 / (span.end - span.start)
    return Frame(ids, places, shares)


def windows(tokens: int) -> list[Span]:
    """Cut a text of so many tokens into windows of one length, evenly laid, that share OVERLAP or more."""
    if tokens <= WINDOW:
        return [Span(0, tokens)] if tokens else []
    count = -(-(tokens - OVERLAP) // (WINDOW - OVERLAP))
    starts = np.linspace(0, tokens - WINDOW, count).astype(int)
    return [Span(int(start), int(start) + WINDOW) for start in starts]


def _spans(tokens: Encoding, logits: NDArray[np.float32]) -> Iterator[Span]:
    words = list(_words(tokens, logits))
    chosen = [score > 0 for _, score in words]
    for place in range(1, len(words) - 1):  # "02/03", "a.b@c": a sign between two found parts goes with them
        (left, _), (here, _), (right, _) = words[place - 1 : place + 2]
        closed = left.end == here.start and here.end == right.start
        if closed and chosen[place - 1] and chosen[place + 1]:
            chosen[place] = True
    span: Span | None = None
    for (word, _), inside in zip(words, chosen, strict=True):
        if not inside:
            if span:
                yield span
            span = None
        else:
            span = Span(span.start, word.end) if span else word
    if span:
        yield span


def _words(tokens: Encoding, logits: NDArray[np.float32]) -> Iterator[tuple[Span, float]]:
    """Walk the words of the tokenizer with their scores: the mean over their pieces."""
    first = 0
    ids = tokens.word_ids
    for place in range(1, len(ids) + 1):
        if place == len(ids) or ids[place] != ids[first]:
            yield (
                Span(tokens.offsets[first][0], tokens.offsets[place - 1][1]),
                float(logits[first:place].mean()),
            )
            first = place
