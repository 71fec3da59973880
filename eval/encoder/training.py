"""The training of one encoder."""

import math
import random
import time
from dataclasses import dataclass, replace
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional

from bert import Encoder, load_base
from data import IGNORED, Data, Text


@dataclass(frozen=True)
class Options:
    epochs: int = 4
    batch: int = 16
    encoder_rate: float = 6e-5
    head_rate: float = 1e-3
    warm_up: float = 0.06
    weight_decay: float = 0.01
    dropout: float = 0.1
    role_weight: float = 2.0
    secondary_weight: float = 2.0
    """Words of secondary companies are few and hard to distinguish from primary ones."""
    vector_rate: float = 3e-4
    vector_weight: float = 1.0
    vector_every: int = 2
    """A batch of reports of events accompanies every second batch of items."""
    clusters: int = 4
    cluster_size: int = 4
    temperature: float = 0.05
    title_only: float = 0.1
    """The share of texts that are trained on without their summary."""
    seed: int = 1


Part = Literal["whole", "title", "summary"]


def pad(texts: list[Text], parts: list[Part] | None = None) -> tuple[Tensor, Tensor, Tensor]:
    """The ids, the mask and the types of texts, or of their parts, padded to the longest."""
    rows = []
    for index, text in enumerate(texts):
        part = parts[index] if parts and text.title_length < len(text.ids) else "whole"
        end = text.title_length if part == "title" else len(text.ids)
        ids, types = text.ids[:end], text.types[:end]
        if part == "summary":
            ids, types = ids[:1] + ids[text.title_length :], [0] * (1 + len(ids) - text.title_length)
        rows.append((ids, types))
    size = max(len(ids) for ids, _ in rows)
    ids, mask, types = (torch.zeros(len(texts), size, dtype=torch.long) for _ in range(3))
    for row, (row_ids, row_types) in enumerate(rows):
        length = len(row_ids)
        ids[row, :length] = torch.tensor(row_ids)
        types[row, :length] = torch.tensor(row_types)
        mask[row, :length] = 1
    return ids, mask, types


def role_targets(texts: list[Text], size: int) -> Tensor:
    """The role of each word at its first token; everything else is ignored."""
    targets = torch.full((len(texts), size), IGNORED, dtype=torch.long)
    for row, text in enumerate(texts):
        for word, role in zip(text.words, text.roles, strict=False):
            if word["token"] < size:
                targets[row, word["token"]] = role
    return targets


def item_batches(items: list[Text], size: int, rng: random.Random) -> list[list[Text]]:
    """One epoch of batches in random order, each of texts of similar length."""
    order = items[:]
    rng.shuffle(order)
    batches = []
    for start in range(0, len(order), size * 16):
        chunk = sorted(order[start : start + size * 16], key=lambda text: len(text.ids))
        batches += [chunk[at : at + size] for at in range(0, len(chunk), size)]
    rng.shuffle(batches)
    return batches


class Clusters:
    """
    Batches for the vector: reports of events that are alike. An event with several reports gives two of them; a text
    that is the only report of its event gives its title and its summary.
    """

    def __init__(self, data: Data, training: list[Text]):
        allowed = {id(text) for text in training}
        members: dict[int, dict[tuple[str, str], Text]] = {}
        for text in [*data.stream, *(text for a, b, _ in data.pairs for text in (a, b)), *data.items]:
            if id(text) in allowed:
                members.setdefault(text.group, {}).setdefault(text.raw, text)
        stream = {text.group for text in data.stream if id(text) in allowed}
        self.events = [list(texts.values()) for group, texts in members.items() if group in stream or len(texts) > 1]
        self.several = [index for index, texts in enumerate(self.events) if len(texts) > 1]
        """Only in the stream is it known that a text is the only report of its event."""
        self.near: list[list[int]] = []

    def mine(self, encoder: Encoder) -> None:
        """Finds for each event those whose titles are most alike by the encoder as it is now."""
        vectors = title_vectors(encoder, [texts[0] for texts in self.events])
        days = torch.tensor([texts[0].date.toordinal() for texts in self.events])
        scores = vectors @ vectors.T
        scores[(days[:, None] - days[None, :]).abs() > 21] = -2
        scores.fill_diagonal_(-2)
        self.near = scores.topk(12).indices.tolist()

    def batch(self, options: Options, rng: random.Random) -> tuple[list[Text], list[Part]]:
        """First one report of each event, then another."""
        chosen: dict[int, None] = {}
        while len(chosen) < options.clusters * options.cluster_size:
            seed = rng.choice(self.several) if rng.random() < 0.7 else rng.randrange(len(self.events))
            for index in [seed, *rng.sample(self.near[seed], options.cluster_size - 1)]:
                chosen.setdefault(index)
        first, second = [], []
        for index in list(chosen)[: options.clusters * options.cluster_size]:
            texts = self.events[index]
            if len(texts) > 1:
                a, b = rng.sample(texts, 2)
                first.append((a, "title" if rng.random() < 0.2 else "whole"))
                second.append((b, "title" if rng.random() < 0.2 else "whole"))
            else:
                first.append((texts[0], "title"))
                second.append((texts[0], "summary" if rng.random() < 0.7 else "whole"))
        return [text for text, _ in first + second], [part for _, part in first + second]


def vector_loss(vectors: Tensor, texts: list[Text], temperature: float) -> Tensor:
    """Each of two reports of an event has to be distinguished from every text of another event (InfoNCE)."""
    pairs = len(texts) // 2
    group = torch.tensor([text.group for text in texts])
    target = torch.cat([torch.arange(pairs, 2 * pairs), torch.arange(pairs)])
    hidden = group[:, None] == group[None, :]
    hidden[torch.arange(2 * pairs), target] = False
    return functional.cross_entropy((vectors @ vectors.T / temperature).masked_fill(hidden, -1e4), target)


@torch.no_grad()
def title_vectors(encoder: Encoder, texts: list[Text]) -> Tensor:
    """The vectors of titles."""
    encoder.eval()
    found = torch.zeros(len(texts), encoder.vector.out_features)
    order = sorted(range(len(texts)), key=lambda index: texts[index].title_length)
    for start in range(0, len(order), 64):
        places = order[start : start + 64]
        with torch.autocast("cpu", torch.bfloat16):
            said = encoder(*pad([texts[place] for place in places], ["title"] * len(places)))
        found[places] = said["vector"].float()
    encoder.train()
    return found


@torch.no_grad()
def prepare_vector(encoder: Encoder, texts: list[Text]) -> None:
    """Lets the vector begin as the principal components of what it is made of, over the titles of texts."""
    encoder.eval()
    pooled = []
    for start in range(0, len(texts), 32):
        ids, mask, types = pad(texts[start : start + 32], ["title"] * len(texts[start : start + 32]))
        with torch.autocast("cpu", torch.bfloat16):
            embedded = encoder.embed(ids, types)
            states = encoder.encode(embedded, mask)
        pooled.append(encoder.pool(embedded.float(), states.float(), mask))
    values = torch.cat(pooled)
    mean, spread = values.mean(0), values.std(0)
    _, _, components = torch.linalg.svd((values - mean) / spread, full_matrices=False)
    directions = components[: encoder.vector.out_features] / spread
    # About as long as a state, so that the learning rate means the same here.
    directions *= 1 / math.sqrt(encoder.vector.in_features)
    encoder.vector.weight.copy_(directions)
    encoder.vector.bias.copy_(-(directions @ mean))
    encoder.train()


def train(graph, data: Data, training: list[Text], items: list[Text], options: Options, seeds: int = 1) -> Encoder:
    """Trains once for each seed and averages the weights; all begin with the same heads, so they can be averaged."""
    encoder = train_once(graph, data, training, items, options)
    state = encoder.state_dict()
    for seed in range(1, seeds):
        other = train_once(graph, data, training, items, replace(options, seed=options.seed + seed)).state_dict()
        state = {name: value + (other[name] - value) / (seed + 1) for name, value in state.items()}
    encoder.load_state_dict(state)
    return encoder


def train_once(graph, data: Data, training: list[Text], items: list[Text], options: Options) -> Encoder:
    """
    Trains an encoder. Deterministic for one seed, one thread and one kind of processor.
    @param training all texts that may be seen, labelled or not
    @param items those of them that have labels for relevance
    """
    torch.manual_seed(0)
    rng = random.Random(options.seed)
    encoder = Encoder(options.dropout)
    with torch.no_grad():
        load_base(encoder, graph)
        for head in (encoder.relevance, encoder.move, encoder.roles, encoder.salience):
            nn.init.normal_(head.weight, std=0.02)
            nn.init.zeros_(head.bias)
    torch.manual_seed(options.seed)
    clusters = Clusters(data, training)
    # The same for every seed: weights of trainings that begin with other components could not be averaged.
    sample = random.Random(0).sample(clusters.events, min(600, len(clusters.events)))
    prepare_vector(encoder, [texts[0] for texts in sample])
    encoder.words.requires_grad_(False)
    rates = {name: options.head_rate for name in ("relevance", "move", "roles")}
    rates |= {"salience": options.vector_rate, "vector": options.vector_rate}
    by_rate: dict[float, list[nn.Parameter]] = {}
    for name, parameter in encoder.named_parameters():
        if parameter.requires_grad:
            by_rate.setdefault(rates.get(name.split(".")[0], options.encoder_rate), []).append(parameter)
    optimiser = torch.optim.AdamW(
        [{"params": parameters, "lr": rate} for rate, parameters in by_rate.items()],
        weight_decay=options.weight_decay,
        fused=True,
    )
    steps = options.epochs * math.ceil(len(items) / options.batch)
    warm = max(1, int(steps * options.warm_up))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min((step + 1) / warm, (steps - step) / max(1, steps - warm))
    )
    several = f"{len(clusters.events)} events, {len(clusters.several)} with several reports"
    print(f"{len(items)} items, {len(training)} texts, {several}, {steps} steps", flush=True)
    step, began, sums = 0, time.time(), [0.0] * 4
    encoder.train()
    for epoch in range(options.epochs):
        clusters.mine(encoder)
        for texts in item_batches(items, options.batch, rng):
            loss, parts = item_loss(encoder, texts, options, rng)
            loss.backward()
            if options.vector_weight and step % options.vector_every == 0:
                reports, chosen = clusters.batch(options, rng)
                with torch.autocast("cpu", torch.bfloat16):
                    said = encoder(*pad(reports, chosen))
                loss = vector_loss(said["vector"], reports, options.temperature)
                (options.vector_weight * loss).backward()
                parts = [*parts, *sums[len(parts) : 3], loss.item()]
            nn.utils.clip_grad_norm_(encoder.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            optimiser.zero_grad()
            step += 1
            sums = [0.95 * old + 0.05 * new for old, new in zip(sums, parts + sums[len(parts) :], strict=True)]
            if step % 20 == 0:
                figures = " ".join(f"{value:.3f}" for value in sums)
                print(f"epoch {epoch} step {step}/{steps} {(time.time() - began) / step:.2f} s: {figures}", flush=True)
    encoder.eval()
    return encoder


def item_loss(encoder: Encoder, texts: list[Text], options: Options, rng: random.Random) -> tuple[Tensor, list[float]]:
    """The loss over relevance, move and roles, and each part's figure."""
    parts: list[Part] = ["title" if rng.random() < options.title_only else "whole" for _ in texts]
    ids, mask, types = pad(texts, parts)
    with torch.autocast("cpu", torch.bfloat16):
        said = encoder(ids, mask, types)
    relevance = functional.binary_cross_entropy_with_logits(
        said["relevance"].float(), torch.tensor([float(text.relevant) for text in texts])
    )
    loss, figures = relevance, [relevance.item()]
    moves = torch.tensor([text.move for text in texts])
    known = moves != IGNORED
    if known.any():
        move = functional.cross_entropy(said["move"][known].float(), moves[known])
        targets = role_targets(texts, ids.shape[1])
        targets[~mask.bool()] = IGNORED
        roles = functional.cross_entropy(
            said["roles"].float().flatten(0, 1),
            targets.flatten(),
            weight=torch.tensor([1.0, 1.0, options.secondary_weight]),
            ignore_index=IGNORED,
        )
        loss = loss + move + options.role_weight * roles
        figures += [move.item(), roles.item()]
    return loss, figures


@torch.no_grad()
def predict(encoder: Encoder, texts: list[Text]) -> list[dict]:
    """What an encoder says of each text: logits as lists, the vector, and role logits by word."""
    encoder.eval()
    found: list[dict] = [{}] * len(texts)
    order = sorted(range(len(texts)), key=lambda index: len(texts[index].ids))
    for start in range(0, len(order), 32):
        places = order[start : start + 32]
        with torch.autocast("cpu", torch.bfloat16):
            said = encoder(*pad([texts[place] for place in places]))
        for row, place in enumerate(places):
            words = [word["token"] for word in texts[place].words]
            found[place] = {
                "relevance": said["relevance"][row].item(),
                "move": said["move"][row].tolist(),
                "vector": said["vector"][row].tolist(),
                "roles": said["roles"][row][words].tolist(),
            }
    return found
