"""Figures over texts that an encoder was not trained on."""

import numpy as np
from sklearn.metrics import average_precision_score, f1_score

from bert import MOVES
from data import Data

DAYS = 5
"""Reports of one event are looked for among the texts of this many days."""


def best_f1(truth: np.ndarray, score: np.ndarray, positives: int | None = None) -> tuple[float, float, float, float]:
    """The threshold with the best F1, with its precision and recall."""
    order = np.argsort(-score)
    hits = np.cumsum(truth[order])
    said = np.arange(1, len(order) + 1)
    total = truth.sum() if positives is None else positives
    f1 = 2 * hits / (said + total)
    best = int(f1.argmax())
    return float(f1[best]), float(score[order][best]), float(hits[best] / said[best]), float(hits[best] / total)


def rounded(figures: dict) -> dict:
    return {name: round(value, 4) if isinstance(value, float) else value for name, value in figures.items()}


def measure_items(data: Data, said: dict[int, dict], tested: set[int]) -> dict:
    """Relevance, moves and roles of the labelled items that were tested."""
    items = [text for text in data.items if id(text) in tested]
    truth = np.array([text.relevant for text in items])
    logit = np.array([said[id(text)]["relevance_logit"] for text in items])
    best, threshold, _, _ = best_f1(truth, logit)
    found = {
        "items": len(items),
        "relevance_f1": f1_score(truth, logit > 0),
        "relevance_best_f1": best,
        "relevance_threshold": threshold,
        "relevance_ap": average_precision_score(truth, logit),
    }
    moved = [text for text in items if text.move >= 0]
    moves = np.array([text.move for text in moved])
    guess = np.array([int(np.argmax(said[id(text)]["move_logits"])) for text in moved])
    found["move_accuracy"] = float((moves == guess).mean())
    found["move_macro_f1"] = f1_score(moves, guess, average="macro", labels=sorted(set(moves)))
    found["move_f1"] = dict(
        zip(MOVES, f1_score(moves, guess, average=None, labels=range(len(MOVES))).round(3).tolist(), strict=True)
    )
    for role, name in ((1, "primary"), (2, "secondary")):
        hits = claimed = wanted = 0
        for text in moved:
            gold = {(w["part"], w["start"]) for w, r in zip(text.words, text.roles, strict=True) if r == role}
            spans = [span for span in said[id(text)]["roles"] if span["role"] == name]
            guessed = {
                (w["part"], w["start"])
                for w in text.words
                if any(s["part"] == w["part"] and s["start"] <= w["start"] < s["end"] for s in spans)
            }
            hits, claimed, wanted = hits + len(gold & guessed), claimed + len(guessed), wanted + len(gold)
        found[f"{name}_word_f1"] = 2 * hits / max(1, claimed + wanted)
    return rounded(found)


def measure_stream(data: Data, said: dict[int, dict], tested: set[int]) -> dict:
    """Pairs of reports of one event, by the cosine of their vectors. All vectors must be of one encoder."""
    stream = [text for text in data.stream if id(text) in tested]
    vectors = np.array([said[id(text)]["vector"] for text in stream])
    days = np.array([text.date.toordinal() for text in stream])
    group = np.array([text.group for text in stream])
    rows, columns = np.triu_indices(len(stream), 1)
    near = abs(days[rows] - days[columns]) <= DAYS
    rows, columns = rows[near], columns[near]
    same = group[rows] == group[columns]
    if not same.any():
        return {}
    cosine = (vectors[rows] * vectors[columns]).sum(1)
    f1, threshold, precision, recall = best_f1(same, cosine)
    figures = {
        "stream_pairs": int(same.sum()),
        "stream_ap": average_precision_score(same, cosine),
        "stream_f1": f1,
        "stream_threshold": threshold,
        "stream_precision": precision,
        "stream_recall": recall,
    }
    return rounded(figures)
