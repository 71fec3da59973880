"""Labelled data: items, pairs and a stream of events, as tensors' worth of token ids and labels."""

import datetime
import json
import re
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from bert import MOVES
from facts import fold, mark_facts, LEGAL_ENDING, LETTERS

HERE = Path(__file__).parent
IGNORED = -100


@dataclass
class Text:
    """One text: the encoder's input, and the labels that are known."""

    key: str
    date: datetime.date
    ids: list[int]
    types: list[int]
    words: list[dict]
    title_length: int
    raw: tuple[str, str]
    relevant: int = IGNORED
    move: int = IGNORED
    roles: list[int] = field(default_factory=list)
    tags: list[list[int]] = field(default_factory=list)
    """For each word, by `facts.TAGS`."""
    classes: dict[str, int] = field(default_factory=dict)
    group: int = -1
    """Texts of one group report the same event; -1: the only report, or unknown."""

    @property
    def week(self) -> str:
        """The ISO week of the text's day."""
        year, week, _ = self.date.isocalendar()
        return f"{year}-W{week:02}"


@dataclass
class Data:
    """`items` train relevance, move and roles; `stream` and `pairs` train the vector."""

    items: list[Text]
    records: list[dict]
    """The records of the items, with their labels."""
    stream: list[Text]
    pairs: list[tuple[Text, Text, bool]]
    pair_keys: list[str]

    @property
    def texts(self) -> list[Text]:
        return [*self.items, *self.stream, *(text for a, b, _ in self.pairs for text in (a, b))]


def read_lines(path: Path) -> list[dict]:
    """Reads JSON lines; a missing file has none."""
    return [json.loads(line) for line in path.read_text().splitlines() if line.strip()] if path.exists() else []


def tokenise(records: list[dict], vocabulary: Path) -> list[dict]:
    """Converts titles and summaries to tokens with the code that the service runs."""
    node = HERE.parents[1] / "node_modules/.bin/node"
    program = str(node) if node.exists() else shutil.which("node") or "node"
    command = [program, str(HERE / "list-tokens.ts"), str(vocabulary)]
    lines = "".join(json.dumps({"title": each["title"], "summary": each.get("summary")}) + "\n" for each in records)
    done = subprocess.run(command, input=lines, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def mark_roles(tokens: dict, primary: list[str], secondary: list[str]) -> list[int]:
    """
    Labels each word of a text: 0 none, 1 primary, 2 secondary. A name is marked wherever its words follow one another;
    without its legal ending where it is not written in full. Longer names win.
    """
    spelled = []
    for word in tokens["words"]:
        text = fold(tokens[word["part"]][word["start"] : word["end"]])
        spelled.append((text, word["part"]))
    # Punctuation between the words of a name is passed over: "Rothschild & Co", "H&M", "McDonald's".
    lettered = [(index, text, part) for index, (text, part) in enumerate(spelled) if LETTERS.match(text)]
    roles = [0] * len(spelled)
    taken = [False] * len(spelled)
    names = []
    for role, given in ((1, primary), (2, secondary)):
        for name in given:
            words = re.findall(r"[^\W_]+", fold(name))
            names.append((words, role))
            short = list(words)
            while len(short) > 1 and short[-1] in LEGAL_ENDING:
                short.pop()
            if len(short) < len(words):
                names.append((short, role))
    for words, role in sorted(names, key=lambda each: (-len(each[0]), each[1])):
        size = len(words)
        for place in range(len(lettered) - size + 1):
            window = lettered[place : place + size]
            if [text for _, text, _ in window] != words or len({part for _, _, part in window}) > 1:
                continue
            span = range(window[0][0], window[-1][0] + 1)
            if size and len(span) <= 2 * size and not any(taken[index] for index in span):
                for index in span:
                    roles[index] = role
                    taken[index] = True
    return roles


def to_text(record: dict, tokens: dict) -> Text:
    """A text without labels."""
    return Text(
        key=record["key"],
        date=datetime.date.fromisoformat(record["date"][:10]),
        ids=tokens["ids"],
        types=tokens["types"],
        words=tokens["words"],
        title_length=next((i for i, kind in enumerate(tokens["types"]) if kind == 1), len(tokens["ids"])),
        raw=(tokens["title"], tokens["summary"]),
    )


def read_data(folder: Path, vocabulary: Path) -> Data:
    """Reads `items*.jsonl`, `pairs*.jsonl` and `events*.jsonl` of a folder; the README says what they contain."""
    read = {
        kind: [line for path in sorted(folder.glob(f"{kind}*.jsonl")) for line in read_lines(path)]
        for kind in ("items", "pairs", "events")
    }
    sides = [{"key": f"{pair['key']}.{side}", **pair[side]} for pair in read["pairs"] for side in "ab"]
    records = [*read["items"], *read["events"], *sides]
    texts = []
    for record, tokens in zip(records, tokenise(records, vocabulary), strict=True):
        text = to_text(record, tokens)
        if "relevant" in record:
            text.relevant = int(record["relevant"])
            text.tags, text.classes = mark_facts(tokens, record)
            if record["relevant"] and record["move"]:
                text.move = MOVES.index(record["move"])
                text.roles = mark_roles(tokens, record["primary"], record["secondary"])
        texts.append(text)
    items, stream = len(read["items"]), len(read["items"]) + len(read["events"])
    data = Data(
        items=texts[:items],
        records=read["items"],
        stream=texts[items:stream],
        pairs=[
            (texts[stream + 2 * index], texts[stream + 2 * index + 1], pair["same"])
            for index, pair in enumerate(read["pairs"])
        ],
        pair_keys=[pair["key"] for pair in read["pairs"]],
    )
    group(data, [record["event"] for record in read["events"]])
    return data


def group(data: Data, events: list[int | None]) -> None:
    """Gives one group to texts of one event, to the sides of a pair of one event, and to equal titles within a week."""
    texts = data.texts
    parent = list(range(len(texts)))

    def find(index: int) -> int:
        while parent[index] != index:
            parent[index] = parent[parent[index]]
            index = parent[index]
        return index

    first: dict[object, int] = {}
    for index, text in enumerate(texts):
        parent[find(index)] = find(first.setdefault(("title", text.raw[0], text.week), index))
    offset = len(data.items)
    for index, event in enumerate(events):
        if event is not None:
            parent[find(offset + index)] = find(first.setdefault(("event", event), offset + index))
    offset += len(events)
    for index, (_, _, same) in enumerate(data.pairs):
        if same:
            parent[find(offset + 2 * index)] = find(offset + 2 * index + 1)
    for index, text in enumerate(texts):
        text.group = find(index)


def read_folds(path: Path) -> list[set[str]]:
    """Reads which weeks are left out together, `{"2026-W24": 0, …}`; a missing file has none."""
    given = json.loads(path.read_text()) if path.exists() else {}
    count = 1 + max(given.values(), default=-1)
    return [{week for week, fold in given.items() if fold == number} for number in range(count)]


def folds_of_weeks(data: Data, count: int) -> list[set[str]]:
    """Cuts the weeks of the items into runs of whole weeks with about as many items each."""
    weeks = sorted({text.week for text in data.texts})
    sizes = {week: sum(text.week == week for text in data.items) for week in weeks}
    folds: list[set[str]] = [set() for _ in range(count)]
    seen = 0
    for week in weeks:
        folds[min(count - 1, int((seen + sizes[week] / 2) * count / len(data.items)))].add(week)
        seen += sizes[week]
    return folds
