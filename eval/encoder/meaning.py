"""
Adds the output `meaning` to the encoder's graph: `python eval/encoder/meaning.py [--base FILE.jar]`.

Fine-tuning for kinds of news and for events made the encoder forget what else words have in common: "who is shutting shop"
is no longer near "winds up operations". Its lower layers hardly changed, so a branch runs the upper layers of the base
encoder over them. Nothing is trained, and the other outputs stay as they are.
"""

import argparse
from pathlib import Path

import numpy as np
import onnx
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

from base import find_base

SHARED = 4
"""So many layers of the encoder are shared; from six on, headlines are found less well, and from eight on much less."""
HIDDEN = 384
PREFIX = "meaning/"
STATES = "last_hidden_state"


def layer_output(graph: onnx.GraphProto, number: int) -> str:
    """The name of what a layer, counted from 1, gives to the next."""
    bias = f"encoder.layer.{number - 1}.output.LayerNorm.bias"
    return next(node.output[0] for node in graph.node if node.op_type == "Add" and bias in node.input)


def branch_of(graph: onnx.GraphProto, shared: str) -> list[NodeProto]:
    """The nodes on the way from the output of the last shared layer to the states of the last layer, in their order."""
    produced = {output: node for node in graph.node for output in node.output}
    wanted, open_names = set(), [STATES]
    while open_names:
        name = open_names.pop()
        if name == shared or name not in produced or produced[name].output[0] in wanted:
            continue
        wanted.add(produced[name].output[0])
        open_names.extend(produced[name].input)
    return [node for node in graph.node if node.output[0] in wanted]


def add_meaning(encoder: ModelProto, base: ModelProto) -> None:
    """
    Adds the branch to the encoder's graph, in place; one that is there already is replaced.
    @param base the base graph, its matrices in int8
    """
    graph = encoder.graph
    for kept in (graph.node, graph.initializer, graph.output):
        names = [each for each in kept if each.name.startswith(PREFIX) or each.name == "meaning"]
        for each in names:
            kept.remove(each)
    shared, own = layer_output(base.graph, SHARED), layer_output(graph, SHARED)
    inputs = {each.name for each in base.graph.input}
    tensors = {tensor.name: tensor for tensor in base.graph.initializer}

    def renamed(name: str) -> str:
        return own if name == shared else name if name in inputs or name == "" else PREFIX + name

    used: set[str] = set()
    for node in branch_of(base.graph, shared):
        copy = NodeProto()
        copy.CopyFrom(node)
        copy.name = PREFIX + node.name
        used.update(node.input)
        copy.input[:] = [renamed(name) for name in node.input]
        copy.output[:] = [renamed(name) for name in node.output]
        graph.node.append(copy)
    for name in sorted(used & tensors.keys()):
        tensor = TensorProto()
        tensor.CopyFrom(tensors[name])
        tensor.name = PREFIX + name
        graph.initializer.append(tensor)

    graph.initializer.append(numpy_helper.from_array(np.array(0), f"{PREFIX}zero"))

    def node(kind: str, given: list[str], output: str, **attributes: object) -> None:
        graph.node.append(helper.make_node(kind, given, [output], f"{PREFIX}{output}", **attributes))

    first, length = f"{PREFIX}first_token", f"{PREFIX}length"
    node("Gather", [PREFIX + STATES, f"{PREFIX}zero"], first, axis=1)
    node("ReduceL2", [first], length, axes=[1], keepdims=1)
    node("Div", [first, length], "meaning")
    graph.output.append(helper.make_tensor_value_info("meaning", TensorProto.FLOAT, ["batch_size", HIDDEN]))
    onnx.checker.check_model(encoder)


def main() -> None:
    """Adds the branch to the shipped weights, and writes the golden file again."""
    # `export.py` imports this file.
    from export import with_meaning, write_golden

    parser = argparse.ArgumentParser()
    parser.add_argument("--base", type=Path)
    folder = Path(__file__).parents[2] / "ingest/understand/encoder"
    with_meaning(folder / "encoder.onnx", find_base(parser.parse_args().base).model)
    write_golden(folder)


if __name__ == "__main__":
    main()
