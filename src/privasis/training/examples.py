"""Pieces -> examples: the prompt of the Cleaner and the answer that it should have given."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from privasis.cleaner.answers import edits_answer, rewrite_answer
from privasis.prompts.registry import render
from privasis.training.pieces import Piece, pieces
from privasis.training.presets import Preset, Prompt
from privasis.types import Request, Triplet

IGNORED = -100  # the label of a token that the loss does not see; the value is torch's
_STEPS: dict[Prompt, str] = {
    "edits": "clean.edits",
    "rewrite": "clean.rewrite",
    "cleaner": "evaluate.cleaner",
}


@dataclass(frozen=True, slots=True)
class Example:
    """One question and its answer."""

    id: str
    request: Request
    answer: str

    @property
    def words(self) -> tuple[str, ...]:
        """Everything that is learnt from."""
        return (self.id, self.request.system, self.request.user, self.answer)


class Worded(Protocol):
    """An example of any kind of training."""

    @property
    def words(self) -> tuple[str, ...]:
        """Everything that is learnt from."""


@dataclass(frozen=True, slots=True)
class Encoded:
    """An example as token ids; a label is its token, or IGNORED up to the answer's first token."""

    ids: tuple[int, ...]
    labels: tuple[int, ...]


def examples(triplets: Iterable[Triplet], preset: Preset) -> Iterator[Example]:
    """Yield the examples of triplets in their order.

    Of the pieces in which nothing changes only a part is kept, ``preset.unchanged`` for each piece with a
    change, chosen by a hash of their ids: a model that saw them all would learn to change nothing.
    """
    for triplet in triplets:
        made = list(pieces(triplet, preset.chunk_size))
        changed = [piece for piece in made if piece.edits]
        still = sorted((piece for piece in made if not piece.edits), key=_by_hash)
        kept = {piece.id for piece in still[: round(preset.unchanged * len(changed))]}
        yield from (_example(p, preset.prompt) for p in made if p.edits or p.id in kept)


def example_of(text: str, instruction: str, prompt: Prompt) -> Request:
    """Return the prompt in which a trained model is asked."""
    return render(_STEPS[prompt], text=text, instruction=instruction)


def _example(piece: Piece, prompt: Prompt) -> Example:
    answer = edits_answer if prompt == "edits" else rewrite_answer
    request = example_of(piece.text, piece.instruction, prompt)
    return Example(piece.id, request, answer(piece.text, piece.edits))


def _by_hash(piece: Piece) -> bytes:
    return hashlib.blake2b(piece.id.encode("utf-8", "surrogatepass"), digest_size=8).digest()


def data_hash(parts: Iterable[Iterable[Worded]]) -> str:
    """Return 16 hex digits that stand for every letter of every example, part by part."""
    digest = hashlib.blake2b(digest_size=8)
    for part in parts:
        digest.update(b"\x1d")
        for example in part:
            for word in example.words:
                digest.update(word.encode("utf-8", "surrogatepass") + b"\x1f")
    return digest.hexdigest()


def encode(example: Example, tokenizer: Any, most: int) -> Encoded | None:
    """Write an example in a model's chat template, the loss on the answer and its end only.

    Args:
        example: What is asked and answered.
        tokenizer: Of transformers, with a chat template. A template that can think is told not to.
        most: Tokens that an example may have.

    Returns:
        None where it is longer.
    """
    request = example.request
    messages = [{"role": "system", "content": request.system}] if request.system else []
    messages.append({"role": "user", "content": request.user})
    prompt = tokenizer.apply_chat_template(
        messages, add_generation_prompt=True, tokenize=False, enable_thinking=False
    )
    asked = tokenizer(prompt, add_special_tokens=False).input_ids
    answered = tokenizer(example.answer + tokenizer.eos_token, add_special_tokens=False).input_ids
    if len(asked) + len(answered) > most:
        return None
    return Encoded((*asked, *answered), (*[IGNORED] * len(asked), *answered))
