"""The encoder: BERT with four heads, in PyTorch, with weights read from an ONNX graph."""

import math

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import Tensor, nn
from torch.nn import functional

MOVES = ["stores", "deals", "people", "results", "launches", "strategy", "rules", "other"]
ROLES = ["none", "primary", "secondary"]
VECTOR = 128
HIDDEN = 384
LAYERS = 12
HEADS = 12


class Layer(nn.Module):
    """One transformer layer, with BERT's names so that weights load by name."""

    def __init__(self, dropout: float):
        super().__init__()
        self.query, self.key, self.value, self.out = (nn.Linear(HIDDEN, HIDDEN) for _ in range(4))
        self.attention_norm = nn.LayerNorm(HIDDEN, eps=1e-12)
        self.intermediate = nn.Linear(HIDDEN, 4 * HIDDEN)
        self.output = nn.Linear(4 * HIDDEN, HIDDEN)
        self.output_norm = nn.LayerNorm(HIDDEN, eps=1e-12)
        self.dropout = dropout

    def forward(self, x: Tensor, bias: Tensor) -> Tensor:
        def heads(y: Tensor) -> Tensor:
            return y.view(y.shape[0], y.shape[1], HEADS, -1).transpose(1, 2)

        drop = self.dropout if self.training else 0.0
        q, k, v = heads(self.query(x)), heads(self.key(x)), heads(self.value(x))
        scores = q @ k.transpose(-1, -2) / math.sqrt(HIDDEN // HEADS) + bias
        attended = scores.softmax(-1) @ v
        attended = attended.transpose(1, 2).reshape(x.shape)
        x = self.attention_norm(x + functional.dropout(self.out(attended), drop))
        y = self.output(functional.gelu(self.intermediate(x)))
        return self.output_norm(x + functional.dropout(y, drop))


class Encoder(nn.Module):
    """BERT, then `relevance`, `move`, `roles` and `vector` from its last layer."""

    def __init__(self, dropout: float = 0.1):
        super().__init__()
        self.words = nn.Embedding(30522, HIDDEN)
        self.positions = nn.Embedding(512, HIDDEN)
        self.types = nn.Embedding(2, HIDDEN)
        self.norm = nn.LayerNorm(HIDDEN, eps=1e-12)
        self.layers = nn.ModuleList(Layer(dropout) for _ in range(LAYERS))
        self.relevance = nn.Linear(2 * HIDDEN, 1)
        self.move = nn.Linear(2 * HIDDEN, len(MOVES))
        self.roles = nn.Linear(HIDDEN, len(ROLES))
        self.salience = nn.Linear(HIDDEN, 1)
        self.vector = nn.Linear(4 * HIDDEN, VECTOR)
        self.dropout = dropout

    def embed(self, ids: Tensor, types: Tensor) -> Tensor:
        """Returns the states below the first layer: what each token is, before any context."""
        return self.norm(self.words(ids) + self.positions.weight[: ids.shape[1]] + self.types(types))

    def encode(self, embedded: Tensor, mask: Tensor) -> Tensor:
        """Returns the last layer's states, [batch, tokens, 384]."""
        x = functional.dropout(embedded, self.dropout if self.training else 0.0)
        bias = (1.0 - mask[:, None, None, :].float()) * -1e4
        for layer in self.layers:
            x = layer(x, bias)
        return x

    def pool(self, embedded: Tensor, states: Tensor, mask: Tensor) -> Tensor:
        """
        What the vector is made of, [batch, 4 * 384]: the first token, the mean, and both the states and the embeddings
        weighted by how much each token distinguishes one event from another. The embeddings keep names apart that the last
        layer, which is trained to see kinds of news, takes for alike.
        """
        weight = mask.float()[:, :, None]
        mean = (states * weight).sum(1) / weight.sum(1)
        salience = (self.salience(states) + (1.0 - weight) * -1e4).softmax(1)
        return torch.cat([states[:, 0], mean, (salience * states).sum(1), (salience * embedded).sum(1)], 1)

    def forward(self, ids: Tensor, mask: Tensor, types: Tensor) -> dict[str, Tensor]:
        """Returns the logits of the heads and the normalised vector of each text."""
        embedded = self.embed(ids, types)
        x = self.encode(embedded, mask).float()
        pooled = self.pool(embedded.float(), x, mask)
        both = functional.dropout(pooled[:, : 2 * HIDDEN], self.dropout if self.training else 0.0)
        return {
            "relevance": self.relevance(both)[:, 0],
            "move": self.move(both),
            "roles": self.roles(x),
            "vector": functional.normalize(self.vector(pooled).float(), dim=1),
        }


HEAD_NAMES = ("relevance", "move", "roles", "salience", "vector")

NAMES = {
    "embeddings.word_embeddings": "words",
    "embeddings.position_embeddings": "positions",
    "embeddings.token_type_embeddings": "types",
    "embeddings.LayerNorm": "norm",
    "attention.self.query": "query",
    "attention.self.key": "key",
    "attention.self.value": "value",
    "attention.output.dense": "out",
    "attention.output.LayerNorm": "attention_norm",
    "intermediate.dense": "intermediate",
    "output.dense": "output",
    "output.LayerNorm": "output_norm",
}


def parameter_names(graph: onnx.GraphProto) -> dict[str, str]:
    """
    Maps each weight of the base graph to the name of the encoder's parameter that holds it. The matrices of linear
    layers have no names of their own: each is found by the addition of its named bias, and is stored transposed.
    """
    found: dict[str, str] = {}
    produced = {output: node for node in graph.node for output in node.output}
    weights = {tensor.name for tensor in graph.initializer}
    for name in weights:
        module, _, kind = name.rpartition(".")
        prefix = ""
        if module.startswith("encoder.layer."):
            _, _, number, module = module.split(".", 3)
            prefix = f"layers.{number}."
        if module in NAMES:
            found[name] = f"{prefix}{NAMES[module]}.{kind}"
    for node in graph.node:
        if node.op_type != "Add":
            continue
        bias = next((name for name in node.input if found.get(name, "").endswith(".bias")), None)
        product = next((produced[name] for name in node.input if name in produced), None)
        if bias and product and product.op_type == "MatMul" and product.input[1] in weights:
            found[product.input[1]] = found[bias].removesuffix("bias") + "weight"
    return found


def load_base(encoder: Encoder, graph: onnx.GraphProto) -> None:
    """Loads the weights of the base graph; every weight of the encoder below its heads must be in it."""
    names = parameter_names(graph)
    state = encoder.state_dict()
    missing = {name for name in state if name.split(".")[0] not in HEAD_NAMES}
    for tensor in graph.initializer:
        name = names.get(tensor.name)
        if name is None:
            continue
        value = torch.from_numpy(np.array(numpy_helper.to_array(tensor)))
        if tensor.name.startswith("onnx::"):
            value = value.T
        state[name].copy_(value)
        missing.discard(name)
    if missing:
        raise ValueError(f"the base graph has no weights for {sorted(missing)}")
