"""What tool search reaches on public collections. FOURFOLD_DATASETS names the folder that holds them."""

import importlib
import json
import os
from collections import defaultdict
from pathlib import Path

import pytest

from fourfold import Edge, Node, RetrievalConfig, Retriever
from fourfold.tools import ToolCatalog, ToolConfig
from fourfold.tools.wording import EVERYDAY, as_tools_say

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
ROOT = os.environ.get("FOURFOLD_DATASETS")
pytestmark = pytest.mark.skipif(not ROOT, reason="FOURFOLD_DATASETS names no folder with the public collections.")


def load(name, config=None):
    folder = Path(ROOT) / name

    def lines(file):
        path = folder / file
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    retriever = Retriever(":memory:", config=config)
    retriever.add(
        nodes=[Node(id=d["_id"], name=d["title"], text=d["text"]) for d in lines("corpus.jsonl")],
        edges=[Edge(e["source"], e["target"], e["type"]) for e in lines("edges.jsonl")],
    )
    gold = defaultdict(dict)
    for line in (folder / "qrels.tsv").read_text().splitlines()[1:]:
        query, tool, grade = line.split("\t")
        gold[query][tool] = int(grade)
    return ToolCatalog(retriever), [(q["text"], gold[q["_id"]]) for q in lines("queries.jsonl")]


def test_tool_dependencies(monkeypatch):
    """All 1,569 requests of ToolLinkOS; its gold comes from its graph, so this tests the walk, not the text search."""
    monkeypatch.syspath_prepend(BENCHMARKS)
    found = importlib.import_module("tools").quality(Path(ROOT) / "toollinkos")
    assert found["questions"] == 1_569
    assert found["main tool among the first 5"] >= 0.94
    assert found["search_tools R@10"] >= 0.64
    assert found["workflow recall"] >= 0.918
    assert found["workflow precision"] >= 0.82
    assert found["workflow recall, main tool first"] >= 0.98
    assert found["workflow precision, main tool first"] >= 0.90


@pytest.mark.parametrize("name", ["livemcpbench", "metatool_single"])
def test_without_edges_it_is_the_retrievers_own_ranking(name):
    catalog, queries = load(name, RetrievalConfig().replace(diversity={"coverage": {"weight": 0.0}}))
    catalog = ToolCatalog(catalog.retriever, config=ToolConfig(other_deed=0.0))  # which asks what tools do, too
    analysis = catalog.retriever.analysis
    for text, _ in queries[:200]:
        said = as_tools_say(text, EVERYDAY, analysis.tokenizer.terms, analysis.snapshot().term_numbers)
        assert [t["id"] for t in catalog.search_tools(text)["tools"]] == catalog.retriever.search(said, k=10).ids
