"""A LoRA as GGUF: the embedded engine loads it, and then says what torch says with the LoRA."""

from __future__ import annotations

import json
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from privasis.errors import ModelFileError
from privasis.llm.engine import embedded_engine
from privasis.llm.weights import pull
from privasis.training.adapter import write_adapter
from privasis.training.base import load_base
from privasis.training.export import save_model

torch = pytest.importorskip("torch")
peft = pytest.importorskip("peft")

PROMPT = "The capital of France is"


def first_odds(url: str) -> dict[int, float]:
    fields = {"prompt": PROMPT, "n_predict": 1, "temperature": 0, "n_probs": 10, "repeat_penalty": 1}
    request = urllib.request.Request(
        f"{url}/completion", json.dumps(fields).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request) as answer:
        told: Any = json.load(answer)
    return {one["id"]: one["logprob"] for one in told["completion_probabilities"][0]["top_logprobs"]}


@pytest.mark.slow
@pytest.mark.timeout(400)
@pytest.mark.filterwarnings("ignore:.*is_gradient_checkpointing:FutureWarning")  # peft's use of transformers
def test_the_engine_with_an_adapter_says_what_torch_says(tmp_path: Path) -> None:
    weights = pull().path
    base = load_base(str(weights), "fp32")
    config = peft.LoraConfig(r=4, lora_alpha=8, target_modules="all-linear", task_type="CAUSAL_LM")
    torch.manual_seed(0)
    model = peft.get_peft_model(base.model, config)
    with torch.no_grad():  # a new LoRA changes nothing: its second half is zero
        for name, weight in model.named_parameters():
            if "lora_B" in name:
                weight.normal_(std=0.02)
    write_adapter(model, tmp_path / "adapter.gguf")

    asked = base.tokenizer(PROMPT, add_special_tokens=False, return_tensors="pt").input_ids
    with torch.no_grad():
        wanted = model(asked).logits[0, -1].log_softmax(-1)
    with embedded_engine(weights, parallel=1, context=512) as engine:
        plain = first_odds(engine.base_url.removesuffix("/v1"))
    with embedded_engine(weights, parallel=1, context=512, adapter=tmp_path / "adapter.gguf") as engine:
        adapted = first_odds(engine.base_url.removesuffix("/v1"))
    assert max(abs(odds - float(wanted[token])) for token, odds in adapted.items()) < 0.3
    assert max(abs(odds - float(wanted[token])) for token, odds in plain.items()) > 0.5


def test_an_adapter_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "base.gguf").write_bytes(b"GGUF")
    with pytest.raises(ModelFileError, match=r"there are no weights at .*a\.gguf"):
        with embedded_engine(tmp_path / "base.gguf", adapter=tmp_path / "a.gguf"):
            raise AssertionError


def test_weights_that_lie_apart_are_not_saved(tmp_path: Path) -> None:
    apart = torch.nn.ParameterList([torch.empty(0)])
    with pytest.raises(ModelFileError, match="ZeRO stage 3"):
        save_model(apart, None, tmp_path, "fp32")
    assert not list(tmp_path.iterdir())
