"""Writes a trained encoder as an ONNX graph: the base graph with the trained weights and four heads, in int8."""

import copy
import hashlib
import json
import tempfile
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic

from bert import MOVES, VECTOR, Encoder, parameter_names
from data import Text, to_text, tokenise
from meaning import add_meaning
from training import pad

STATES = "last_hidden_state"
OUTPUTS = ["relevance", "move", "roles", "vector"]
WORDS = "embeddings.word_embeddings.weight"


def to_graph(encoder: Encoder, base: onnx.ModelProto) -> onnx.ModelProto:
    """The base graph with the encoder's weights, and its heads as outputs."""
    model = copy.deepcopy(base)
    graph = model.graph
    state = {name: value.numpy() for name, value in encoder.state_dict().items()}
    names = parameter_names(base.graph)
    for tensor in graph.initializer:
        name = names.get(tensor.name)
        if name is not None:
            value = state[name].T if tensor.name.startswith("onnx::") else state[name]
            tensor.CopyFrom(numpy_helper.from_array(np.ascontiguousarray(value), tensor.name))

    def constant(name: str, value: np.ndarray) -> str:
        graph.initializer.append(numpy_helper.from_array(np.array(value, order="C"), name))
        return name

    def node(kind: str, inputs: list[str], output: str, **attributes: object) -> str:
        graph.node.append(helper.make_node(kind, inputs, [output], f"heads.{output}", **attributes))
        return output

    # The base graph has version 11 of the operators: axes are attributes.
    mask = node("Cast", ["attention_mask"], "mask", to=TensorProto.FLOAT)
    weight = node("Unsqueeze", [mask], "mask_by_token", axes=[2])
    total = node("ReduceSum", [node("Mul", [STATES, weight], "masked")], "total", axes=[1], keepdims=0)
    mean = node("Div", [total, node("ReduceSum", [weight], "count", axes=[1], keepdims=0)], "mean")
    start = node("Gather", [STATES, constant("heads.zero", np.array(0))], "first_token", axis=1)
    both = node("Concat", [start, mean], "first_and_mean", axis=1)
    product = node("MatMul", [STATES, constant("salience.weight", state["salience.weight"].T)], "salience_raw")
    logits = node("Add", [product, constant("salience.bias", state["salience.bias"])], "salience_logits")
    padding = node("Sub", [constant("heads.one", np.float32(1)), weight], "padding")
    hidden = node("Mul", [padding, constant("heads.far", np.float32(-1e4))], "hidden")
    flat = node("Squeeze", [node("Add", [logits, hidden], "salience_masked")], "salience_flat", axes=[2])
    salience = node("Unsqueeze", [node("Softmax", [flat], "salience_by_token", axis=1)], "salience", axes=[2])
    weighted = node("ReduceSum", [node("Mul", [STATES, salience], "states_weighted")], "states_pooled", axes=[1], keepdims=0)
    words = node("Mul", [embedded_states(base.graph, names), salience], "words_weighted")
    named = node("ReduceSum", [words], "words_pooled", axes=[1], keepdims=0)
    pooled = node("Concat", [both, weighted, named], "pooled", axis=1)
    for name, source in (("relevance", both), ("move", both), ("vector", pooled)):
        parameters = [constant(f"{name}.{kind}", state[f"{name}.{kind}"]) for kind in ("weight", "bias")]
        node("Gemm", [source, *parameters], name if name == "move" else f"{name}_raw", transB=1)
    node("Squeeze", ["relevance_raw"], "relevance", axes=[1])
    node("Div", ["vector_raw", node("ReduceL2", ["vector_raw"], "length", axes=[1], keepdims=1)], "vector")
    product = node("MatMul", [STATES, constant("roles.weight", state["roles.weight"].T)], "roles_raw")
    node("Add", [product, constant("roles.bias", state["roles.bias"])], "roles")
    shapes: dict[str, list[str | int]] = {
        "relevance": ["batch_size"],
        "move": ["batch_size", len(MOVES)],
        "roles": ["batch_size", "sequence_length", 3],
        "vector": ["batch_size", VECTOR],
    }
    del graph.output[:]
    graph.output.extend(helper.make_tensor_value_info(name, TensorProto.FLOAT, shapes[name]) for name in OUTPUTS)
    del model.metadata_props[:]
    onnx.checker.check_model(model)
    return model


def embedded_states(graph: onnx.GraphProto, names: dict[str, str]) -> str:
    """The name of what the first layer takes."""
    query = next(name for name, ours in names.items() if ours == "layers.0.query.weight")
    return next(node.input[0] for node in graph.node if node.op_type == "MatMul" and query in node.input)


def quantise_words(model: onnx.ModelProto) -> None:
    """Stores the word embeddings as int8 with a scale for each word, which costs less precision than one for all."""
    graph = model.graph
    tensor = next(each for each in graph.initializer if each.name == WORDS)
    table = numpy_helper.to_array(tensor)
    scale = np.maximum(np.abs(table).max(1, keepdims=True), 1e-8) / 127
    gather = next(each for each in graph.node if each.op_type == "Gather" and each.input[0] == WORDS)
    index, output = gather.input[1], gather.output[0]
    place = list(graph.node).index(gather)
    graph.initializer.remove(tensor)
    graph.initializer.append(numpy_helper.from_array(np.round(table / scale).astype(np.int8), f"{WORDS}.int8"))
    graph.initializer.append(numpy_helper.from_array(scale.astype(np.float32), f"{WORDS}.scale"))
    graph.node.remove(gather)
    for node in reversed(
        [
            helper.make_node("Gather", [f"{WORDS}.int8", index], ["words_int8"], "words.gather"),
            helper.make_node("Cast", ["words_int8"], ["words_float"], "words.cast", to=TensorProto.FLOAT),
            helper.make_node("Gather", [f"{WORDS}.scale", index], ["words_scale"], "words.scale"),
            helper.make_node("Mul", ["words_float", "words_scale"], [output], "words.scaled"),
        ]
    ):
        graph.node.insert(place, node)


def quantise(model: onnx.ModelProto, path: Path) -> None:
    """
    Writes the graph with int8 matrices, a scale for each column; the heads stay float. Seven bits are used, so that
    processors without VNNI instructions do not overflow and give the same answers.
    """
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / "plain.onnx"
        quantised = Path(folder) / "int8.onnx"
        onnx.save(model, plain)
        heads = [node.name for node in model.graph.node if node.name.startswith("heads.")]
        quantize_dynamic(
            plain,
            quantised,
            op_types_to_quantize=["MatMul"],
            nodes_to_exclude=heads,
            per_channel=True,
            reduce_range=True,
            weight_type=QuantType.QInt8,
        )
        done = onnx.load(quantised)
    quantise_words(done)
    onnx.save(done, path)


def with_meaning(path: Path, base: onnx.ModelProto) -> None:
    """Adds the output `meaning` to a written graph."""
    with tempfile.TemporaryDirectory() as folder:
        small = Path(folder) / "base.onnx"
        quantise(base, small)
        encoder = onnx.load(path)
        add_meaning(encoder, onnx.load(small))
        onnx.save(encoder, path)


def run(path: Path, texts: list[Text]) -> list[dict]:
    """What the written graph says of texts, in the form of `predict`; `all_roles` has the roles of every token."""
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(path, settings, providers=["CPUExecutionProvider"])
    found = []
    for text in texts:
        ids, mask, types = (tensor.numpy() for tensor in pad([text]))
        names = [each.name for each in session.get_outputs()]
        values = session.run(names, {"input_ids": ids, "attention_mask": mask, "token_type_ids": types})
        said = {name: value[0] for name, value in zip(names, values, strict=True)}
        relevance, move, roles, vector = (said[name] for name in OUTPUTS)
        words = [word["token"] for word in text.words]
        found.append(
            {
                "relevance": float(relevance),
                "move": move.tolist(),
                "roles": roles[words].tolist(),
                "vector": vector.tolist(),
                "all_roles": roles.tolist(),
                **({"meaning": said["meaning"].tolist()} if "meaning" in said else {}),
                **({"tags": said["tags"].tolist(), "classes": said["classes"].tolist()} if "tags" in said else {}),
            }
        )
    return found


INVENTED = [
    {
        "title": "Zudio opens its first store in Jaipur&#8217;s Malviya Nagar",
        "summary": "The Trent-owned value fashion chain has opened a 12,000 sq ft store, its fourth in Rajasthan.",
    },
    {"title": "Quick commerce startup Lemonfresh raises ₹48.4 Cr from Peak Ventures", "summary": None},
    {
        "title": "Nestlé India names Asha Menon as chief financial officer",
        "summary": "She succeeds R. Iyer, who leaves the maker of Maggi on 1 September.",
    },
    {
        "title": "Marico Q1 profit falls 12% to Rs 421 crore as copra prices bite",
        "summary": "Revenue from operations rose 3% to ₹2,780 crore &amp;amp; volumes in India grew 5%.",
    },
    {
        "title": "Five stocks to watch today: what analysts say about the market’s next move",
        "summary": "Benchmark indices may open lower after a weak close on Wall Street.",
    },
]


def write_golden(folder: Path) -> None:
    """Writes what the graph says of invented texts, for the test that the service says the same."""
    inputs = tokenise(INVENTED, folder / "vocabulary.txt")
    texts = [to_text({"key": "", "date": "2026-01-01"}, tokens) for tokens in inputs]

    def short(value: object) -> object:
        return [short(each) for each in value] if isinstance(value, list) else round(float(value), 4)

    lines = []
    for item, text, said in zip(INVENTED, texts, run(folder / "encoder.onnx", texts), strict=True):
        names = [*OUTPUTS, "meaning", *(name for name in ("tags", "classes") if name in said)]
        outputs = {name: short(said["all_roles" if name == "roles" else name]) for name in names}
        lines.append(json.dumps({**item, "ids": text.ids, "types": text.types, **outputs}, ensure_ascii=False))
    (folder / "golden.jsonl").write_text("\n".join(lines) + "\n")


def export(encoder: Encoder, base: onnx.ModelProto, folder: Path) -> None:
    """Writes `encoder.onnx` and `golden.jsonl`, and prints the size and the SHA-256 of the weights."""
    path = folder / "encoder.onnx"
    quantise(to_graph(encoder, base), path)
    with_meaning(path, base)
    write_golden(folder)
    print(f"{path}: {path.stat().st_size / 1e6:.1f} MB, sha256 {hashlib.sha256(path.read_bytes()).hexdigest()}")
