"""What documents gain from their derived graph, and what deriving it costs.

    python benchmarks/ingest.py [quality] [scale] [folder] [--documents 100000] [--files 5000]
                                [--chunk 250] [--json out.json]

Quality needs the collections of FOURFOLD_DATASETS (BEIR form); scale and folder make their own texts. Prints a
table and, with ``--json``, writes the figures. All times are of one process on the machine that is named.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from shared import facts, folders

from fourfold import RetrievalConfig, Retriever, Weights
from fourfold.ingest import Document, IngestConfig, add_documents, delete_documents, index_folder

QUALITY = ("hotpotqa_train100", "musique_train100", "scifact", "fiqa_pool")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "parts", nargs="*", choices=["quality", "scale", "folder"], default=["quality", "scale", "folder"]
    )
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--files", type=int, default=5_000)
    parser.add_argument("--collections", nargs="*", default=QUALITY)
    parser.add_argument("--chunk", type=int, help="quality: cut what has more characters into chunks of so many")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    figures: dict[str, object] = {"machine": facts()}
    if "quality" in options.parts:
        figures["quality"] = quality(options.collections, options.chunk)
    if "scale" in options.parts:
        figures["scale"] = scale(options.documents)
    if "folder" in options.parts:
        figures["folder"] = folder(options.files)
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1))


# -- quality ------------------------------------------------------------------------------------------------------


def quality(names: list[str], chunk: int | None) -> list[dict[str, object]]:
    """Compare the two-signal base, no edges, with the default config over the derived graph."""
    rows: list[dict[str, object]] = []
    cut = IngestConfig() if chunk is None else IngestConfig(whole_length=chunk, chunk_length=chunk)
    wanted = folders(names)
    if not wanted:
        return rows
    print(f"\n{'collection':20} {'documents':>9} {'edges':>6} {'R@5':>6} {'base':>6} {'nDCG@10':>8} {'base':>6}")
    for path in wanted:
        name = path.name
        documents, queries, judged = load(path)
        with Retriever() as retriever:
            add_documents(retriever, documents, config=cut)
            linked = measure(retriever, queries, judged)
            edges = retriever.info()["edges"]
            given = RetrievalConfig().fusion.weights
        base_config = RetrievalConfig().replace(fusion={"weights": Weights(given.embedding, given.text, 0, 0)})
        with Retriever(config=base_config) as retriever:
            add_documents(retriever, documents, config=replace(cut, mentions=False))
            base = measure(retriever, queries, judged)
        rows.append({"collection": name, "documents": len(documents), "edges": edges, "linked": linked, "base": base})
        print(
            f"{name:20} {len(documents):9,} {edges:6,} {linked['recall@5']:6.3f} {base['recall@5']:6.3f} "
            f"{linked['ndcg@10']:8.4f} {base['ndcg@10']:6.4f}",
            flush=True,
        )
    return rows


def load(folder: Path) -> tuple[list[Document], dict[str, str], dict[str, dict[str, float]]]:
    with open(folder / "corpus.jsonl") as lines:
        rows = [json.loads(line) for line in lines]
    documents = [Document(r["_id"], r["text"], r["title"], metadata=r.get("metadata") or {}) for r in rows]
    documents = [d for d in documents if d.text.strip() or d.title.strip()]
    judged: dict[str, dict[str, float]] = {}
    for line in (folder / "qrels.tsv").read_text().splitlines()[1:]:
        query, document, grade = line.split("\t")[:3]
        judged.setdefault(query, {})[document] = float(grade)
    with open(folder / "queries.jsonl") as lines:
        queries = {r["_id"]: r["text"] for r in map(json.loads, lines) if r["_id"] in judged}
    return documents, queries, judged


def measure(retriever: Retriever, queries: dict[str, str], judged: dict[str, dict[str, float]]) -> dict[str, float]:
    """Return mean recall@5 and nDCG@10; a chunk counts as its document."""
    recall = ndcg = 0.0
    for query, text in queries.items():
        found = [
            hit.node.metadata.get("document", hit.node.id) for hit in retriever.search(text, k=10, group_by="document")
        ]
        relevant = {document: grade for document, grade in judged[query].items() if grade > 0}
        recall += sum(document in relevant for document in found[:5]) / len(relevant)
        gain = sum(relevant.get(document, 0) / math.log2(rank + 2) for rank, document in enumerate(found))
        best = sum(g / math.log2(rank + 2) for rank, g in enumerate(sorted(relevant.values(), reverse=True)[:10]))
        ndcg += gain / best
    return {"recall@5": round(recall / len(queries), 4), "ndcg@10": round(ndcg / len(queries), 4)}


# -- scale --------------------------------------------------------------------------------------------------------


def scale(count: int) -> dict[str, float]:
    """Time the linking of documents of 100 words, each with a title of its own, beside their embedding."""
    print(f"\n{count:,} documents of 100 words, {count:,} titles")
    documents = made_up(count)
    seconds: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder, Retriever(Path(folder) / "scale.db") as retriever:
        embed, linking = watched(retriever.embedder, "embed_documents"), watched_link()
        start = time.perf_counter()
        add_documents(retriever, documents)
        seconds["all"] = time.perf_counter() - start
        seconds["embedding"], seconds["linking"] = embed[0], linking[0]
        retriever.search("warm")
        new = [
            Document(
                "new", f"This names {documents[7].title} and {documents[9].title}.", documents[3].text[10:40].title()
            ),
            Document("plain", documents[0].text, "A Title Nobody Names"),
        ]
        for document in new:
            start = time.perf_counter()
            add_documents(retriever, [document])
            seconds[f"adding one ({document.id})"] = time.perf_counter() - start
        start = time.perf_counter()
        delete_documents(retriever, [documents[7].id])
        seconds["deleting one"] = time.perf_counter() - start
        edges = retriever.info()["edges"]
    for name, value in seconds.items():
        print(f"{name:24} {value:9.3f} s   {value / seconds['embedding']:8.4f} of embedding")
    print(f"{'edges':24} {edges:9,}")
    return {**{name: round(value, 4) for name, value in seconds.items()}, "edges": edges}


def watched(owner: object, method: str) -> list[float]:
    """Add up the seconds spent in a method of an object."""
    spent = [0.0]
    plain = getattr(owner, method)

    def timed(*given: object, **named: object) -> object:
        start = time.perf_counter()
        try:
            return plain(*given, **named)
        finally:
            spent[0] += time.perf_counter() - start

    setattr(owner, method, timed)
    return spent


def watched_link() -> list[float]:
    from fourfold.ingest import writing

    return watched(writing, "link")


def made_up(count: int) -> list[Document]:
    """Documents of words with natural frequencies; titles of two or three rarer words; every third text names one."""
    rng = random.Random(7)
    syllables = [c + v for c in "bcdfghjklmnprstvz" for v in "aeiou"]
    vocabulary = sorted({"".join(rng.choices(syllables, k=rng.randint(1, 4))) for _ in range(60_000)})
    rng.shuffle(vocabulary)
    weights = [1 / (rank + 5) for rank in range(len(vocabulary))]
    cumulative = [sum(weights[:1])]
    for weight in weights[1:]:
        cumulative.append(cumulative[-1] + weight)
    titles = [" ".join(rng.choices(vocabulary[1000:], k=rng.randint(2, 3))).title() for _ in range(count)]
    documents = []
    for number, title in enumerate(titles):
        words = rng.choices(vocabulary, cum_weights=cumulative, k=98)
        if number % 3 == 0:
            words[rng.randrange(90)] = rng.choice(titles)
        documents.append(Document(f"d{number}", " ".join(words), title))
    return documents


# -- folder -------------------------------------------------------------------------------------------------------


def folder(count: int) -> dict[str, object]:
    """Time the second run over a folder of Markdown of which five files changed, and compare it with a fresh index."""
    print(f"\n{count:,} Markdown files, then 3 changed, 1 added, 1 removed")
    texts = made_up(count)
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary) / "notes"
        for number, document in enumerate(texts):
            path = root / f"part{number % 20}" / f"note{number}.md"
            path.parent.mkdir(parents=True, exist_ok=True)
            link = f"[next](note{number + 20}.md)" if number + 20 < count else ""
            path.write_text(f"# {document.title}\n\n{document.text}\n\n## More\n\n{link} {document.text[::-1]}\n")
        with Retriever(Path(temporary) / "grown.db") as grown, Retriever(Path(temporary) / "fresh.db") as fresh:
            first = timed(grown, root)
            for number in (3, 333, count - 2):
                path = root / f"part{number % 20}" / f"note{number}.md"
                path.write_text(f"# {texts[number].title} Again\n\nAll new, naming {texts[1].title}.\n")
            (root / "part0" / "extra.md").write_text(f"# An Extra Note\n\nNames {texts[50].title}.\n")
            (root / "part1" / "note1.md").unlink()
            second = timed(grown, root)
            timed(fresh, root)
            queries = [document.title for document in texts[:: count // 40]] + [texts[3].text[:80]]
            difference = max(compare(grown, fresh, query) for query in queries)
            same_edges = all_edges(grown) == all_edges(fresh)
    print(f"first {first:.2f} s, again {second:.3f} s: {second / first:.2%}")
    print(f"largest difference of a score to a fresh index: {difference:.1e}; same edges: {same_edges}")
    return {
        "first": first,
        "again": second,
        "ratio": second / first,
        "difference": difference,
        "same edges": same_edges,
    }


def timed(retriever: Retriever, root: Path) -> float:
    start = time.perf_counter()
    report = index_folder(retriever, root)
    print(f"  {report}")
    return time.perf_counter() - start


def compare(one: Retriever, other: Retriever, query: str) -> float:
    scores = [{hit.node.id: hit.score for hit in r.search(query, k=10_000)} for r in (one, other)]
    if scores[0].keys() != scores[1].keys():
        return math.inf
    return max(abs(score - scores[1][identity]) for identity, score in scores[0].items())


def all_edges(retriever: Retriever) -> list[object]:
    return sorted((e.source, e.target, e.type, e.weight) for e in retriever.edges(retriever.manifest()))


if __name__ == "__main__":
    main()
