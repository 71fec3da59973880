"""
Trains the heads that read facts, and adds them to a written encoder as the outputs `tags` and `classes`:

    python eval/encoder/heads.py --data DIR                        # the shipped weights
    python eval/encoder/heads.py --data DIR --weeks-left-out OUT   # the encoders of folds that train.py wrote to OUT

The encoder stays as it is: its vectors, and what it says of relevance and kind, do not change. Fine-tuning it for facts as
well read them no better, and a branch of its own upper layers read them worse: there are too few labelled facts.
"""

import argparse
import random
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch
from onnx import ModelProto, TensorProto, helper, numpy_helper
from torch import Tensor, nn
from torch.nn import functional

from data import Data, Text, read_data, read_folds, to_text, tokenise
from facts import CLASSES, TAGS, Swaps, mark_facts
from meaning import layer_output
from training import pad

LAYERS = (6, 9, 12)
"""Their states are what the heads read: names and figures are nearer to the surface than what an item is about."""
HIDDEN = 384
WIDTH = 128
PREFIX = "facts/"
EPOCHS = 12
COPIES = 3
"""Copies of each item with a fact, with other names: mean average precision of the tags .70 instead of .67; more add nothing."""
BATCH = 512
RATE = 1e-3
ITEM_BATCH = 64
SIZES = [len(names) for names in CLASSES.values()]


def mlp(inputs: int, outputs: int) -> nn.Sequential:
    """Two layers, with dropout while they are trained."""
    return nn.Sequential(
        nn.Dropout(0.2), nn.Linear(inputs, WIDTH), nn.ReLU(), nn.Dropout(0.3), nn.Linear(WIDTH, outputs)
    )


def states_of(path: Path, texts: list[Text]) -> list[np.ndarray]:
    """What the heads read of each text: the states of its tokens, [tokens, 3 * 384]."""
    model = onnx.load(path)
    names = [layer_output(model.graph, number) for number in LAYERS]
    kept = {each.name for each in model.graph.output}
    model.graph.output.extend(
        helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", "tokens", HIDDEN])
        for name in names
        if name not in kept
    )
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = torch.get_num_threads()
    session = onnxruntime.InferenceSession(model.SerializeToString(), settings, providers=["CPUExecutionProvider"])
    states = []
    for text in texts:
        ids, mask, types = (tensor.numpy() for tensor in pad([text]))
        values = session.run(names, {"input_ids": ids, "attention_mask": mask, "token_type_ids": types})
        states.append(np.concatenate([value[0] for value in values], 1).astype(np.float32))
    return states


class Standard:
    """Brings inputs to mean 0 and deviation 1; a layer that was trained on them takes them as they are afterwards."""

    def __init__(self, inputs: Tensor):
        self.mean, self.deviation = inputs.mean(0), inputs.std(0) + 1e-3

    def __call__(self, inputs: Tensor) -> Tensor:
        return (inputs - self.mean) / self.deviation

    @torch.no_grad()
    def fold_into(self, head: nn.Sequential) -> None:
        """Changes the first layer of a head so that it takes inputs that were not standardised."""
        first = head[1]
        first.bias -= first.weight @ (self.mean / self.deviation)
        first.weight /= self.deviation


def pooled(states: np.ndarray) -> np.ndarray:
    """What the classes of a text are read from: its first token and the mean."""
    return np.concatenate([states[0], states.mean(0)])


def rate_at(optimiser: torch.optim.Optimizer, epoch: int) -> None:
    """Lowers the learning rate from epoch to epoch."""
    for group in optimiser.param_groups:
        group["lr"] = RATE * (1 - epoch / EPOCHS) + 1e-5


def train_tags(states: list[np.ndarray], texts: list[Text]) -> nn.Sequential:
    """The head of words. Rare tags weigh more; half of the words without one are seen in each epoch."""
    words, targets = [], []
    for own, text in zip(states, texts, strict=True):
        for word, tags in zip(text.words, text.tags, strict=True):
            if word["token"] < len(own):
                words.append(own[word["token"]])
                targets.append(tags)
    inputs, labels = torch.tensor(np.array(words)), torch.tensor(targets, dtype=torch.float)
    standard = Standard(inputs)
    inputs = standard(inputs)
    counts = labels.sum(0)
    weight = ((len(labels) - counts) / counts.clamp(min=1)).clamp(max=20).sqrt()
    tagged, plain = labels.any(1).nonzero()[:, 0], (~labels.any(1)).nonzero()[:, 0]
    head = mlp(inputs.shape[1], len(TAGS))
    optimiser = torch.optim.AdamW(head.parameters(), lr=RATE, weight_decay=0.05)
    for epoch in range(EPOCHS):
        rate_at(optimiser, epoch)
        chosen = torch.cat([tagged, plain[torch.randperm(len(plain))[: len(plain) // 2]]])
        for rows in chosen[torch.randperm(len(chosen))].split(BATCH):
            loss = functional.binary_cross_entropy_with_logits(head(inputs[rows]), labels[rows], pos_weight=weight)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
    standard.fold_into(head)
    return head.eval()


def train_classes(states: list[np.ndarray], texts: list[Text]) -> nn.Sequential:
    """The head of texts."""
    inputs = torch.tensor(np.array([pooled(own) for own in states]))
    labels = torch.tensor([[text.classes[name] for name in CLASSES] for text in texts])
    standard = Standard(inputs)
    inputs = standard(inputs)
    head = mlp(inputs.shape[1], sum(SIZES))
    optimiser = torch.optim.AdamW(head.parameters(), lr=RATE, weight_decay=0.05)
    for epoch in range(EPOCHS):
        rate_at(optimiser, epoch)
        for rows in torch.randperm(len(inputs)).split(ITEM_BATCH):
            parts = head(inputs[rows]).split(SIZES, 1)
            loss = sum(functional.cross_entropy(part, labels[rows, index]) for index, part in enumerate(parts))
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
    standard.fold_into(head)
    return head.eval()


def add_heads(model: ModelProto, tags: nn.Sequential, classes: nn.Sequential) -> None:
    """Adds the heads to an encoder's graph, in place; those that are there already are replaced."""
    graph = model.graph
    for kept in (graph.node, graph.initializer, graph.output):
        for each in [each for each in kept if each.name.startswith(PREFIX) or each.name in ("tags", "classes")]:
            kept.remove(each)

    def constant(name: str, value: np.ndarray) -> str:
        graph.initializer.append(numpy_helper.from_array(np.array(value, order="C"), PREFIX + name))
        return PREFIX + name

    def node(kind: str, inputs: list[str], output: str, **attributes: object) -> str:
        graph.node.append(helper.make_node(kind, inputs, [output], PREFIX + output, **attributes))
        return output

    def add_head(head: nn.Sequential, source: str, output: str) -> None:
        for index, layer in ((1, head[1]), (2, head[4])):
            weight = constant(f"{output}.{index}.weight", layer.weight.detach().numpy().T)
            bias = constant(f"{output}.{index}.bias", layer.bias.detach().numpy())
            product = node("MatMul", [source, weight], f"{PREFIX}{output}.{index}.product")
            source = node("Add", [product, bias], output if index == 2 else f"{PREFIX}{output}.{index}")
            if index == 1:
                source = node("Relu", [source], f"{PREFIX}{output}.hidden")

    # The graph has version 11 of the operators: axes are attributes.
    states = node("Concat", [layer_output(graph, number) for number in LAYERS], f"{PREFIX}states", axis=2)
    add_head(tags, states, "tags")
    mask = node("Cast", ["attention_mask"], f"{PREFIX}mask", to=TensorProto.FLOAT)
    weight = node("Unsqueeze", [mask], f"{PREFIX}weight", axes=[2])
    total = node("ReduceSum", [node("Mul", [states, weight], f"{PREFIX}masked")], f"{PREFIX}total", axes=[1], keepdims=0)
    count = node("ReduceSum", [weight], f"{PREFIX}count", axes=[1], keepdims=0)
    mean = node("Div", [total, count], f"{PREFIX}mean")
    first = node("Gather", [states, constant("zero", np.array(0))], f"{PREFIX}first", axis=1)
    add_head(classes, node("Concat", [first, mean], f"{PREFIX}pooled", axis=1), "classes")
    graph.output.extend(
        [
            helper.make_tensor_value_info("tags", TensorProto.FLOAT, ["batch_size", "sequence_length", len(TAGS)]),
            helper.make_tensor_value_info("classes", TensorProto.FLOAT, ["batch_size", sum(SIZES)]),
        ]
    )
    onnx.checker.check_model(model)


def swapped_texts(records: list[dict], vocabulary: Path) -> list[Text]:
    """Copies of items with facts or cities, with other names."""
    swaps = Swaps(records, random.Random(1))
    facts = ("deal", "openings", "result", "people", "cities")
    labelled = [record for record in records if record["relevant"] and any(record[name] for name in facts)]
    copies = [copy for _ in range(COPIES) for record in labelled if (copy := swaps.swap(record))]
    texts = []
    for record, tokens in zip(copies, tokenise(copies, vocabulary), strict=True):
        text = to_text(record, tokens)
        text.tags, text.classes = mark_facts(tokens, record)
        texts.append(text)
    return texts


def with_heads(path: Path, data: Data, allowed: list[Text], vocabulary: Path) -> None:
    """Trains heads over the encoder of a file on the items that may be seen, and writes them into the file."""
    torch.manual_seed(1)
    seen = {id(text) for text in allowed}
    items = [text for text in data.items if id(text) in seen]
    records = [record for record, text in zip(data.records, data.items, strict=True) if id(text) in seen]
    items += swapped_texts(records, vocabulary)
    states = states_of(path, items)
    tags, classes = train_tags(states, items), train_classes(states, items)
    model = onnx.load(path)
    add_heads(model, tags, classes)
    onnx.save(model, path)
    print(f"{path}: heads of {len(items)} items, {path.stat().st_size / 1e6:.1f} MB", flush=True)


def main() -> None:
    """Adds the heads to the shipped weights and writes the golden file again, or to the encoders of folds."""
    from export import write_golden
    from train import SHIPPED, held_out

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="the folder of labelled data")
    parser.add_argument("--weeks-left-out", type=Path, metavar="OUT", help="the folder with encoders of folds")
    parser.add_argument("--threads", type=int, default=1)
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    vocabulary = SHIPPED / "vocabulary.txt"
    data = read_data(given.data, vocabulary)
    if not given.weeks_left_out:
        with_heads(SHIPPED / "encoder.onnx", data, data.texts, vocabulary)
        write_golden(SHIPPED)
        return
    for fold, weeks in enumerate(read_folds(given.weeks_left_out / "folds.json")):
        path = given.weeks_left_out / f"encoder.{fold}.onnx"
        if path.exists():
            with_heads(path, data, held_out(data, weeks)[1], vocabulary)


if __name__ == "__main__":
    main()
