"""Tool search: the published numbers, the form of the answer, and what must always hold."""

import json
import math
import sqlite3
from contextlib import closing
from random import Random

import networkx as nx
import numpy as np
import pytest
from scipy import sparse

from fourfold import Edge, InvalidValueError, Node, Retriever, StoreError, UnknownNodeError
from fourfold.tools import ToolCatalog, ToolConfig
from fourfold.tools import graph as tool_graph
from fourfold.tools.graph import betweenness
from fourfold.tools.search import fixed_score

FIELDS = {"id", "name", "server", "description", "score", "semantic_score", "graph_score"}


def plain(names, edges=()):
    """A catalogue over a graph whose ids are plain."""
    retriever = Retriever(":memory:")
    retriever.add(nodes=[Node(id=n, name=n) for n in names], edges=[Edge(*e) for e in edges])
    return ToolCatalog(retriever)


@pytest.mark.parametrize(
    ("edges", "alpha"), [(0, 1.0), (1, 0.8), (49, 0.8), (50, 0.6), (199, 0.6), (200, 0.5), (9999, 0.5)]
)
def test_alpha_adapts_to_the_number_of_edges(edges, alpha):
    assert ToolConfig().alpha(edges) == alpha


def test_alpha_counts_stored_edges():
    names = [f"n{i}" for i in range(26)]
    links = [(a, b, "uses") for a in names[:2] for b in names if a != b]
    catalog = plain(names, links)
    assert catalog.edge_count() == 50
    assert catalog.search_tools("n3")["meta"]["alpha"] == 0.6
    catalog.retriever.delete(edges=[Edge(*links[0])])
    assert catalog.search_tools("n3")["meta"]["alpha"] == 0.8
    assert catalog.search_tools("n3")["meta"]["graph_edges"] == 49


def test_what_is_printed_of_a_tool_is_the_beginning_of_what_it_says():
    """Of a long description 500 characters stood there, several lines of a terminal for each tool."""
    catalog = ToolCatalog()
    catalog.add_tools([{"name": "send", "description": "Send a mail. " + "long " * 500}])
    assert 150 < len(str(catalog.search_tools("send a mail"))) < 200


@pytest.mark.parametrize("weighting", ["adaptive", "fixed"])
def test_tools_stand_in_the_order_of_their_scores_those_that_fill_up_too(weighting):
    random = Random(1)
    words = ["file", "read", "json", "list", "net", "http", "get", "parse", "zip", "resize", "image", "mail", "send"]
    catalog = plain(sorted({"_".join(random.sample(words, 2)) for _ in range(14)}))
    for _ in range(5):
        catalog.record_use(random.sample(sorted(catalog.retriever.manifest()), 2))
    for query in ("resize image", "zip the json", "send"):
        scores = [tool.score for tool in catalog.search_tools(query, limit=10, weighting=weighting)]
        assert len(scores) == 10 and scores == sorted(scores, reverse=True)


@pytest.mark.parametrize(("semantic", "graph", "score"), [(0.75, 0.80, 0.765), (0.80, 0.40, 0.68), (0.60, 0.90, 0.69)])
def test_fixed_weights(semantic, graph, score):
    assert fixed_score(np.array(semantic), np.array(graph), ToolConfig()) == pytest.approx(score)


def test_fixed_variant_is_the_sum_it_says():
    catalog = plain("abcd", [("a", "b", "uses"), ("b", "c", "uses")])
    catalog.record_use(["a"])
    answer = catalog.search_tools("b c", context_tools=["a"], weighting="fixed")
    for tool in answer["tools"]:
        signals = answer["meta"]["signals"][tool["id"]]
        importance = (signals["pagerank"] + signals["same_community"] + signals["usage"]) / 3
        assert tool["graph_score"] == pytest.approx(importance)
        assert tool["score"] == pytest.approx(0.7 * tool["semantic_score"] + 0.3 * importance)


@pytest.mark.parametrize("seed", range(5))
def test_adamic_adar_is_networkx(seed):
    graph = nx.gnp_random_graph(30, 0.15, seed=seed, directed=True)
    graph.add_edge(0, 0)  # a loop is no neighbour
    names = [f"n{i}" for i in graph]
    catalog = plain(names, [(names[a], names[b], t) for a, b in graph.edges for t in ("x", "y")])
    simple = nx.Graph((a, b) for a, b in graph.edges if a != b)
    simple.add_nodes_from(graph)
    pairs = [(a, b) for a in simple for b in simple if a < b]
    for a, b, expected in nx.adamic_adar_index(simple, pairs):
        assert catalog.adamic_adar_between(names[a], names[b]) == pytest.approx(expected)
    best = catalog.adamic_adar(names[1], limit=5)
    expected = sorted(
        ((names[v], s) for _, v, s in nx.adamic_adar_index(simple, [(1, v) for v in simple if v != 1]) if s),
        key=lambda pair: (-round(pair[1], 9), pair[0]),
    )[:5]
    assert [name for name, _ in best] == [name for name, _ in expected]


@pytest.mark.parametrize("at_once", [1, 7, 1 << 16])
@pytest.mark.parametrize("seed", range(3))
def test_betweenness_is_networkx(seed, at_once, monkeypatch):
    monkeypatch.setattr(tool_graph, "_AT_ONCE", at_once)
    graph = nx.gnp_random_graph(40, 0.08, seed=seed)
    found = betweenness(sparse.csr_matrix(nx.to_scipy_sparse_array(graph, dtype=float)))
    expected = nx.betweenness_centrality(graph, normalized=False)
    assert found / 2 == pytest.approx([expected[n] for n in graph])


def test_relatedness():
    catalog = plain("abcdef", [("a", "c", "x"), ("b", "c", "x"), ("a", "d", "x"), ("b", "d", "x"), ("e", "d", "x")])
    assert catalog.relatedness("c", ["a"]) == 1.0
    assert catalog.relatedness("f", ["a"]) == 0.0
    assert catalog.relatedness("b", ["a"]) == 1.0  # the largest Adamic-Adar value of all
    assert catalog.relatedness("e", ["a"]) == pytest.approx((1 / math.log(3)) / (1 / math.log(2) + 1 / math.log(3)))
    assert catalog.relatedness("e", ["a", "d"]) == 1.0
    assert catalog.neighbors("c", "in") == ["a", "b"]
    assert catalog.neighbors("c", "out") == []
    assert catalog.neighbors("a") == ["c", "d"]
    with pytest.raises(UnknownNodeError, match="'zzz'"):
        catalog.relatedness("zzz", ["a"])
    with pytest.raises(InvalidValueError, match="direction"):
        catalog.neighbors("a", "up")


@pytest.fixture(scope="module")
def catalog():
    with ToolCatalog() as made:
        made.add_tools(
            [
                {"name": "git_clone", "server": "git", "description": "Clone a repository into a new directory."},
                {"name": "npm_install", "server": "npm", "description": "Fetch third-party packages."},
                {
                    "name": "deploy_prod",
                    "server": "ci",
                    "description": "Deploy the application to the prod environment.",
                },
                {"name": "playwright_screenshot", "server": "playwright", "description": "Take a picture of a page."},
                {"name": "list_directory", "server": "filesystem", "description": "Show files and folders."},
                *({"name": f"convert_{n}", "server": "units", "description": f"Convert {n}."} for n in range(30)),
            ]
        )
        made.bootstrap_from_templates([{"name": "release", "steps": ["git_clone", "npm_install", "deploy_prod"]}])
        yield made


def test_the_answer_has_exactly_the_published_fields(catalog):
    answer = catalog.search_tools("screenshot", limit=4)
    plain = answer.as_dict()
    assert set(plain) == {"tools", "meta"}
    assert all(set(tool) == FIELDS for tool in plain["tools"])
    assert {"query", "alpha", "graph_edges"} <= set(answer.meta)
    assert set(answer.meta["signals"]) == set(answer.ids) == {tool.id for tool in answer}
    assert json.loads(json.dumps(plain)) == plain
    assert answer["tools"] == plain["tools"] and len(answer) == 4
    assert "playwright:playwright_screenshot" in str(answer).splitlines()[0]
    scores = [tool["score"] for tool in answer["tools"]]
    assert scores == sorted(scores, reverse=True) and all(0 <= s <= 1 for s in scores)


def test_the_published_examples_are_found(catalog):
    assert catalog.search_tools("screenshot")["tools"][0]["id"] == "playwright:playwright_screenshot"
    assert catalog.search_tools("list files")["tools"][0]["id"] == "filesystem:list_directory"


def test_a_polite_request_finds_what_a_plain_one_does_with_the_same_scores(catalog):
    plain = catalog.search_tools("read a file from disk.")
    assert (
        catalog.search_tools("Hi! Could you please tell me: read a file from disk. Thanks!")["tools"] == plain["tools"]
    )


def test_there_is_no_threshold(catalog):
    for limit in (1, 5, 35):
        assert len(catalog.search_tools("screenshot", limit=limit)["tools"]) == limit
    assert len(catalog.search_tools("screenshot", limit=100)["tools"]) == len(catalog) == 35
    assert catalog.search_tools("")["tools"] == []


def test_the_score_is_what_it_is_made_of(catalog):
    answer = catalog.search_tools("clone and deploy")
    for tool in answer["tools"]:
        boost = answer["meta"]["signals"][tool["id"]]["boost"]
        total = 0.8 * tool["semantic_score"] + 0.2 * tool["graph_score"] + boost
        assert tool["score"] == pytest.approx(min(max(total, 0), 1))


def test_the_graph_brings_in_what_no_description_matched(catalog):
    found = [
        tool["id"] for tool in catalog.search_tools("clone the repository and deploy it to prod", limit=3)["tools"]
    ]
    assert set(found) == {"git:git_clone", "npm:npm_install", "ci:deploy_prod"}
    beside = [tool["id"] for tool in catalog.search_tools("picture", limit=5, context_tools=["git:git_clone"])["tools"]]
    assert "npm:npm_install" in beside


def test_unknown_context_tools_are_named(catalog):
    found = catalog.search_tools("clone", context_tools=["git:git_clone", "no:such"])
    assert found["meta"]["unknown_context_tools"] == ["no:such"]
    assert found["meta"]["context"] == {"git:git_clone": 1.0}
    plan = catalog.suggest_workflow("clone it", context_tools=["git:git_clone", "no:such"])
    assert found.notes == plan.notes == ("No one tool is called 'no:such'; it is left out of the context.",)
    assert all(f"Note: {found.notes[0]}" in str(answer) for answer in (found, plan))
    assert plan.as_dict()["notes"] == list(plan.notes)


@pytest.mark.parametrize("limit", [0, -1, 101, True, 2.5, "3"])
def test_a_limit_that_cannot_be_meant(catalog, limit):
    with pytest.raises(InvalidValueError, match="limit"):
        catalog.search_tools("x", limit=limit)


def test_without_edges_it_is_the_retrievers_own_ranking():
    catalog = plain([f"copy file{n} to place{n % 7}" for n in range(60)])
    for query in ("copy", "place3", "file12 place5", "nothing of this"):
        hits = catalog.retriever.search(query, k=10)
        found = [tool["id"] for tool in catalog.search_tools(query)["tools"]]
        assert found[: len(hits)] == hits.ids


def test_only_nodes_of_type_tool_where_there_are_any():
    retriever = Retriever(":memory:")
    nodes = [Node(id="t", name="send mail", type="tool"), Node(id="d", name="send mail", type="document")]
    retriever.add(nodes=nodes, edges=[Edge("t", "d", "described_in")])
    catalog = ToolCatalog(retriever)
    assert [tool["id"] for tool in catalog.search_tools("send mail")["tools"]] == ["t"]
    assert catalog.edge_count() == 0 and catalog.neighbors("t") == []


def test_use_is_learned():
    now = [0.0]
    with ToolCatalog(clock=lambda: now[0]) as catalog:
        catalog.add_tools([{"name": n, "server": "s"} for n in ("read", "parse", "store", "mail")])
        catalog.record_use(["read", "parse", "store"])
        assert catalog.edge_count() == 3 * 2 + 2
        edges = {(e.source, e.target, e.type): e.weight for e in catalog.retriever.edges(["s:read"])}
        assert edges["s:read", "s:parse", "followed_by"] == 1.0
        catalog.record_use(["read", "mail"])
        edges = {(e.source, e.target, e.type): e.weight for e in catalog.retriever.edges(["s:read"])}
        assert edges["s:read", "s:parse", "followed_by"] == edges["s:read", "s:mail", "followed_by"] == 0.5
        catalog.record_use(["read"], success=False)
        assert catalog.usage("s:read").uses == 3 and catalog.usage("s:read").successes == 2
        assert catalog.usage("s:read").success_rate == pytest.approx(3 / 5)
        answer = catalog.search_tools("read mail")
        assert answer["meta"]["signals"]["s:read"]["usage"] == 1.0
        for _ in range(80):
            catalog.record_use(["read", "mail"])
        gone = {(e.source, e.target, e.type) for e in catalog.retriever.edges(["s:read"])}
        assert ("s:read", "s:parse", "followed_by") not in gone
        now[0] = 30 * 86_400.0
        catalog.record_use(["store"])
        assert catalog.usage("s:store").recent == pytest.approx(1.5)  # half of the first use is left
        with pytest.raises(UnknownNodeError, match="'s:none'"):
            catalog.record_use(["read", "s:none"])
        with pytest.raises(InvalidValueError, match="names 0"):
            catalog.record_use([])


def test_what_is_learned_stays_in_the_file(tmp_path):
    path = tmp_path / "tools.sqlite"
    with ToolCatalog(path) as catalog:
        catalog.add_tools([{"name": "a"}, {"name": "b"}])
        catalog.record_use(["a", "b"])
    with ToolCatalog(Retriever(path, read_only=True)) as catalog:
        assert catalog.usage("a").uses == 1 and catalog.neighbors("a", "out") == ["b"]
        catalog.retriever.close()
    with ToolCatalog(path) as catalog:
        catalog.retriever.delete(["a"])
        catalog.add_tools([{"name": "a"}])
        assert catalog.usage("a").uses == 0


def test_what_means_nothing_scores_next_to_nothing(catalog):
    for query in ("zzzqqq xyzzy", "asdf", "blorp fnord", "????"):
        answer = catalog.search_tools(query)
        assert all(tool.score <= 0.3 and tool.semantic_score <= 0.2 for tool in answer), query
    clear = catalog.search_tools("deploy the application to the prod environment").tools[0]
    assert clear.semantic_score > 0.95 and clear.score > 0.95
    half = catalog.search_tools("deploy the zzzqqq xyzzy").tools[0]
    assert 0.2 < half.semantic_score < 0.8


def test_the_raw_cosine_stands_beside_the_score(catalog):
    answer = catalog.search_tools("take a picture of a page", limit=3)
    vector = catalog.retriever.query_vector(["take a picture of a page"])
    given = catalog.retriever.vectors(answer.ids)
    for tool in answer:
        cosine = float(given[tool.id] @ vector / np.linalg.norm(vector) / np.linalg.norm(given[tool.id]))
        assert answer.meta["signals"][tool.id]["cosine"] == pytest.approx(cosine)


@pytest.mark.parametrize("edges", [[], [("copy file", "move file", "uses")]])
def test_what_is_used_often_stands_higher_also_without_edges(edges):
    catalog = plain(["copy file", "move file", "file copy"], edges)
    first, second, *_ = catalog.search_tools("copy a file").ids
    assert {first, second} == {"copy file", "file copy"}
    for _ in range(3):
        catalog.record_use([second])
    answer = catalog.search_tools("copy a file")
    assert answer.ids[0] == second
    assert answer.meta["signals"][second]["usage"] == 1.0
    assert answer.tools[0].score <= 1.0


def test_nothing_need_stand_for_the_context():
    catalog = plain("abcd", [("a", "b", "uses"), ("b", "c", "uses")])
    catalog.config = ToolConfig(context_hits=0)
    answer = catalog.search_tools("a")
    assert answer.meta["context"] == {} and all(tool.graph_score == 0.0 for tool in answer)
    with pytest.raises(InvalidValueError, match="context_hits"):
        ToolConfig(context_hits=-1)


def test_context_tools_may_be_named_by_name(catalog):
    by_id = catalog.search_tools("picture", context_tools=["git:git_clone"])
    by_name = catalog.search_tools("picture", context_tools=["git_clone", "git:git_clone"])
    assert by_name.ids == by_id.ids and by_name.meta["context"] == {"git:git_clone": 1.0}
    retriever = Retriever(":memory:")
    nodes = [Node(id=f"{s}:run", name="run", type="tool", text="Run it.") for s in "ab"]
    nodes += [Node(id="d", name="walk", type="document"), Node(id="a:walk", name="walk", type="tool")]
    retriever.add(nodes=nodes, edges=[Edge("a:run", "a:walk", "uses")])
    meta = ToolCatalog(retriever).search_tools("run", context_tools=["run", "walk", "d"]).meta
    assert meta["unknown_context_tools"] == ["run", "d"]  # two tools are called "run"; d is no tool
    assert meta["context"] == {"a:walk": 1.0}


def test_nothing_is_learned_on_a_foreign_graph(tmp_path):
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE nodes (id TEXT PRIMARY KEY, name TEXT, type TEXT, description TEXT)")
        connection.execute("INSERT INTO nodes VALUES ('a', 'copy', 'tool', 'Copy.'), ('b', 'move', 'tool', 'Move.')")
    connection.close()
    with Retriever.open_foreign(path) as retriever:
        catalog = ToolCatalog(retriever)
        with pytest.raises(StoreError, match="other.db"):
            catalog.record_use(["a", "b"])
        assert catalog.usage("a").uses == 0 and catalog.edge_count() == 0


@pytest.mark.parametrize(
    "bad",
    [
        {"usage_boost": float("nan")},
        {"hub_boost": float("inf")},
        {"max_goals": "x"},
        {"tie": 2},
        {"half_life": 0},
        {"edge_meanings": 5},
        {"edge_meanings": {"a": "b"}},
        {"alpha_steps": ((1, "x"),)},
    ],
)
def test_constants_nothing_can_be_computed_with_are_refused_in_a_sentence(bad):
    with pytest.raises(InvalidValueError, match=next(iter(bad))):
        ToolConfig(**bad)
