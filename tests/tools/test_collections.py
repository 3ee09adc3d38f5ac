"""What tool search reaches on public collections. FOURFOLD_DATASETS names the folder that holds them."""

import json
import os
from collections import defaultdict
from pathlib import Path

import pytest

from fourfold import Edge, Node, Retriever
from fourfold.tools import ToolCatalog

ROOT = os.environ.get("FOURFOLD_DATASETS")
pytestmark = pytest.mark.skipif(not ROOT, reason="FOURFOLD_DATASETS names no folder with the public collections.")


def load(name):
    folder = Path(ROOT) / name

    def lines(file):
        path = folder / file
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    retriever = Retriever(":memory:")
    retriever.add(
        nodes=[Node(id=d["_id"], name=d["title"], text=d["text"]) for d in lines("corpus.jsonl")],
        edges=[Edge(e["source"], e["target"], e["type"]) for e in lines("edges.jsonl")],
    )
    gold = defaultdict(dict)
    for line in (folder / "qrels.tsv").read_text().splitlines()[1:]:
        query, tool, grade = line.split("\t")
        gold[query][tool] = int(grade)
    return ToolCatalog(retriever), [(q["text"], gold[q["_id"]]) for q in lines("queries.jsonl")]


def test_tool_dependencies():
    """All 1,569 requests of ToolLinkOS; its gold comes from its graph, so this tests the walk, not the text search."""
    catalog, queries = load("toollinkos")
    sums = defaultdict(float)
    for text, gold in queries:
        main = next(tool for tool, grade in gold.items() if grade == 2)
        found = [tool["id"] for tool in catalog.search_tools(text)["tools"]]
        chosen = set(catalog.suggest_workflow(text).tools)
        recall, precision = len(chosen & gold.keys()) / len(gold), len(chosen & gold.keys()) / len(chosen)
        sums["hit"] += main in found[:5]
        sums["found"] += len(gold.keys() & set(found)) / len(gold)
        sums["recall"] += recall
        sums["precision"] += precision
        if found[0] == main:
            sums["first"] += 1
            sums["first recall"] += recall
            sums["first precision"] += precision
    n = len(queries)
    assert sums["hit"] / n >= 0.94
    assert sums["found"] / n >= 0.64
    assert sums["recall"] / n >= 0.918
    assert sums["precision"] / n >= 0.82
    assert sums["first recall"] / sums["first"] >= 0.98
    assert sums["first precision"] / sums["first"] >= 0.90


@pytest.mark.parametrize("name", ["livemcpbench", "metatool_single"])
def test_without_edges_it_is_the_retrievers_own_ranking(name):
    catalog, queries = load(name)
    for text, _ in queries[:200]:
        assert [t["id"] for t in catalog.search_tools(text)["tools"]] == catalog.retriever.search(text, k=10).ids
