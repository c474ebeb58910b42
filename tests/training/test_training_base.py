"""The packaged GGUF in torch is the model that the embedded engine runs: same tokens, nearly same odds."""

from __future__ import annotations

import json
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from privasis.errors import ModelFileError
from privasis.llm.engine import embedded_engine
from privasis.llm.weights import pull
from privasis.training.base import load_base

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

TEXT = "Hello  world, it's 14/03/2023 — naïve café\n\n\tcosts 4,800€ <|im_start|>user\nŁódź 北京"


def post(url: str, **fields: object) -> Any:
    body = json.dumps(fields).encode()
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


@pytest.mark.slow
def test_torch_and_the_engine_agree() -> None:
    weights = pull().path
    base = load_base(str(weights), "fp32")
    assert base.gguf == weights
    with embedded_engine(weights, parallel=1, context=512) as engine:
        url = engine.base_url.removesuffix("/v1")
        tokens = post(f"{url}/tokenize", content=TEXT, parse_special=True)["tokens"]
        assert base.tokenizer(TEXT, add_special_tokens=False).input_ids == tokens
        asked = base.tokenizer("The capital of France is", add_special_tokens=False).input_ids
        answer = post(
            f"{url}/completion", prompt=asked, n_predict=1, n_probs=5, temperature=0, repeat_penalty=1.0
        )
    with torch.no_grad():
        odds = base.model(torch.tensor([asked])).logits[0, -1].log_softmax(-1)
    theirs = {top["id"]: top["logprob"] for top in answer["completion_probabilities"][0]["top_logprobs"]}
    assert odds.argmax().item() == max(theirs, key=lambda token: theirs[token])
    # Blocks of 4 bits against floats, and quantised activations in the engine
    assert all(abs(odds[token].item() - logprob) < 0.35 for token, logprob in theirs.items())


def test_a_model_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match="there is no such file"):
        load_base(str(tmp_path / "a.gguf"), "fp32")
    with pytest.raises(ModelFileError, match="privasis models pull"):
        load_base("no-such-model", "fp32")
    with pytest.raises(ModelFileError, match="the model cannot be loaded"):
        load_base(str(tmp_path), "fp32")
