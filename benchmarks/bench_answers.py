"""Edits against rewrite, and rewrite with n-gram speculation, in the embedded engine.

    python benchmarks/bench_answers.py [CHUNKS]      # of gold records, each with a change; 100 if not given

A grammar forces each answer to be the right one, so that both forms say the same and what is measured is the
engine's work alone: a small model's own answers would differ in what they leave out.
"""

from __future__ import annotations

import json
import sys
import time
import urllib.request
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from privasis.cleaner.answers import edits_answer, rewrite_answer
from privasis.gold.source import packaged_gold
from privasis.gold.triplets import triplets_of
from privasis.llm.engine import Speculation, embedded_engine
from privasis.llm.weights import pull
from privasis.training.examples import example_of
from privasis.training.pieces import Piece, pieces
from privasis.training.presets import Prompt

CHUNK = 512  # characters (§3.1, item 1)


class Cost(NamedTuple):
    tokens: int
    seconds: float


def chunks() -> Iterator[Piece]:
    for record in packaged_gold():
        if record.language == "en":
            for triplet in islice(triplets_of(record), 1):
                yield from (piece for piece in pieces(triplet, CHUNK) if piece.edits)


def ask(url: str, piece: Piece, form: Prompt, answer: str) -> int:
    request = example_of(piece.text, piece.instruction, form)
    fields = {
        "prompt": f"{request.system}\n\n{request.user}\n\n",
        "grammar": f"root ::= {json.dumps(answer)}",  # its escapes are JSON's
        "temperature": 0,
        "cache_prompt": False,
        "n_predict": 1024,
    }
    body = json.dumps(fields).encode()
    made = urllib.request.Request(f"{url}/completion", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(made) as reply:
        told = json.load(reply)
    if told["content"].strip() != answer.strip():
        raise SystemExit(f"the grammar did not hold: {len(told['content'])} of {len(answer)} characters came")
    return int(told["tokens_predicted"])


def cost(some: list[Piece], form: Prompt, speculation: Speculation) -> Cost:
    written = edits_answer if form == "edits" else rewrite_answer
    with embedded_engine(pull().path, parallel=1, context=2048, speculation=speculation) as engine:
        url = engine.base_url.removesuffix("/v1")
        began = time.perf_counter()
        tokens = sum(ask(url, piece, form, written(piece.text, piece.edits)) for piece in some)
        return Cost(tokens, time.perf_counter() - began)


def main() -> None:
    some = list(islice(chunks(), int(sys.argv[1]) if len(sys.argv) > 1 else 100))
    print(f"{len(some)} chunks of {sum(len(piece.text) for piece in some)} characters", flush=True)
    edits = cost(some, "edits", "none")
    print(f"edits: {edits.tokens} tokens, {edits.seconds:.1f} s", flush=True)
    rewrite = cost(some, "rewrite", "none")
    print(f"rewrite: {rewrite.tokens} tokens, {rewrite.seconds:.1f} s", flush=True)
    guessed = cost(some, "rewrite", "ngram")
    print(f"rewrite, n-gram speculation: {guessed.tokens} tokens, {guessed.seconds:.1f} s")
    tokens, seconds = edits.tokens / rewrite.tokens, edits.seconds / rewrite.seconds
    print(f"edits / rewrite: tokens {tokens:.2f}, time {seconds:.2f}")
    print(f"speculation on / off: time {guessed.seconds / rewrite.seconds:.2f}")


if __name__ == "__main__":
    main()
