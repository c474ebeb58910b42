"""The span finder in torch: the packaged encoder, and two projections that are compared. Needs torch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from transformers import BertConfig, BertModel

from privasis.training.encoder import (
    HEADS,
    LAYERS,
    POSITIONS,
    WIDTH,
    Graph,
    QuickGraph,
    encode,
    model_bytes,
    read_encoder,
)
from privasis.training.examples import IGNORED

_HEAD = 128  # dimensions in which tokens and phrases are compared
_SELDOM = -4.0  # the first odds: few tokens belong to a phrase
_POSITIVE = 2.0  # weight of a token that belongs: a value overseen costs more than a word too many


class FinderNetwork(nn.Module):
    """Ids, places, shares -> how far each token belongs to each phrase."""

    def __init__(self, encoder: BertModel) -> None:
        super().__init__()
        self.encoder = encoder
        self.token = nn.Linear(WIDTH, _HEAD)
        self.phrase = nn.Linear(WIDTH, _HEAD)
        self.odds = nn.Parameter(torch.tensor(_SELDOM))

    def forward(
        self, ids: Tensor, places: Tensor, mask: Tensor, shares: Tensor, labels: Tensor
    ) -> dict[str, Tensor]:
        """Compute the logits and the loss.

        Args:
            ids: Token ids, (rows, tokens).
            places: Their places: below POSITIONS in the text, from there on in phrases.
            mask: 1 where there is a token.
            shares: Which tokens make a phrase's mean, (rows, phrases, tokens).
            labels: (rows, tokens, phrases): 0, 1, or IGNORED.
        """
        state = self.encoder(
            input_ids=ids,
            position_ids=places % POSITIONS,
            token_type_ids=places // POSITIONS,
            attention_mask=mask,
        ).last_hidden_state
        agreement = self.token(state) @ self.phrase(shares @ state).transpose(1, 2)
        logits = agreement * _HEAD**-0.5 + self.odds
        counted = labels != IGNORED
        loss = nn.functional.binary_cross_entropy_with_logits(
            logits[counted], labels[counted].float(), pos_weight=logits.new_tensor(_POSITIVE)
        )
        return {"loss": loss, "logits": logits}


def new_network() -> FinderNetwork:
    """Build a network from the packaged encoder; the projections are new."""
    config = BertConfig(
        vocab_size=30522, hidden_size=WIDTH, num_hidden_layers=LAYERS, num_attention_heads=HEADS,
        intermediate_size=4 * WIDTH, max_position_embeddings=POSITIONS,
    )  # fmt: skip
    encoder = BertModel(config, add_pooling_layer=False)
    raw = (files("privasis") / "data" / "minilm" / "model.onnx").read_bytes()
    tensors = {name: torch.tensor(np.ascontiguousarray(one)) for name, one in read_encoder(raw).items()}
    # The packaged places hold the first token type; that of phrases starts from the same
    tensors["embeddings.token_type_embeddings.weight"] = torch.zeros(2, WIDTH)
    encoder.load_state_dict(tensors)
    return FinderNetwork(encoder)


def collate(rows: Sequence[Mapping[str, Any]]) -> dict[str, Tensor]:
    """Pad rows to one length and one number of phrases."""
    tokens = max(len(row["ids"]) for row in rows)
    phrases = max(len(row["shares"]) for row in rows)
    ids, places, mask = (torch.zeros(len(rows), tokens, dtype=torch.int64) for _ in range(3))
    shares = torch.zeros(len(rows), phrases, tokens)
    labels = torch.full((len(rows), tokens, phrases), IGNORED)
    for place, row in enumerate(rows):
        count, length = row["shares"].shape
        ids[place, :length] = torch.from_numpy(row["ids"])
        places[place, :length] = torch.from_numpy(row["places"])
        mask[place, :length] = 1
        shares[place, :count, :length] = torch.from_numpy(row["shares"])
        labels[place, :length, :count] = torch.from_numpy(row["labels"]).long()
    return {"ids": ids, "places": places, "mask": mask, "shares": shares, "labels": labels}


def export_network(network: FinderNetwork) -> bytes:
    """Write the network as ONNX, quantised to int8: ids, places, shares -> logits."""
    tensors = {name: one.detach().cpu().numpy() for name, one in network.encoder.state_dict().items()}
    graph = QuickGraph()
    words = graph.gather_rows(tensors["embeddings.word_embeddings.weight"], "ids")
    types = tensors["embeddings.token_type_embeddings.weight"]
    table = np.concatenate([tensors["embeddings.position_embeddings.weight"] + kind for kind in types])
    places = graph.op("Gather", graph.constant(table), "places")
    state = encode(graph, graph.op("Add", words, places), tensors)
    token, phrase = (
        Graph.linear(graph, value, layer.weight.detach().numpy(), layer.bias.detach().numpy())
        for value, layer in (
            (state, network.token),
            (graph.op("MatMul", "shares", state), network.phrase),
        )
    )
    agreement = graph.op("MatMul", token, graph.op("Transpose", phrase, perm=[0, 2, 1]))
    scaled = graph.op("Mul", agreement, graph.constant(np.array(_HEAD**-0.5, np.float32)))
    logits = graph.op("Add", scaled, graph.constant(network.odds.detach().numpy()))
    inputs = {"ids": ["texts", "tokens"], "places": ["tokens"], "shares": ["phrases", "tokens"]}
    return model_bytes(graph, "privasis-finder", inputs, (logits, ["texts", "tokens", "phrases"]))
