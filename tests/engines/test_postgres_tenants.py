"""Row-level security: whoever asks by a role sees, counts and is told of its own rows only."""

import json

import pytest

from fourfold import Edge, Node, RetrievalConfig, Retriever
from fourfold.questions import Questions
from fourfold.testing import sample
from fourfold.testing.compared import Both
from fourfold.testing.graphs import QUESTIONS

CONFIG = RetrievalConfig().replace(text={"phrase": "never"})


@pytest.fixture
def tenants(pg_server, pg_url):
    """One graph of two tenants, and beside each what a graph of its own would be."""
    graphs = {}
    for name, seed in (("anna", 1), ("bert", 2)):
        nodes, edges = sample(70, seed)
        own = {node.id: f"{name}:{node.id}" for node in nodes}
        renamed = [
            Node(own[n.id], n.name, n.type, f"{n.text} {name}word", {**n.metadata, "tenant": name}) for n in nodes
        ]
        graphs[name] = renamed, [Edge(own[e.source], own[e.target], f"{name}_{e.type}", e.weight) for e in edges]
    schema = pg_url.partition("schema=")[2]
    with Retriever(pg_url, config=CONFIG) as owner, pg_server.connect() as connection:
        for nodes, edges in graphs.values():
            owner.add(nodes, edges)
        for name, (nodes, _) in graphs.items():
            owner.learning.feedback(f"asked by {name}", nodes[7].id)
        connection.execute("SELECT set_config('search_path', %s, false)", (schema,))
        connection.execute(
            "ALTER TABLE nodes ENABLE ROW LEVEL SECURITY;"
            "CREATE POLICY tenant ON nodes USING (metadata ->> 'tenant' = current_setting('app.tenant', true));"
            "DO $$ BEGIN CREATE ROLE tenants LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$"
        )
        connection.execute(f"GRANT USAGE ON SCHEMA {schema} TO tenants")
        connection.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO tenants")
    return {
        name: (pg_server.url(schema, user="tenants", options=f"-c app.tenant={name}"), graph)
        for name, graph in graphs.items()
    }


@pytest.mark.parametrize("name", ["anna", "bert"])
def test_a_tenant_has_the_graph_it_would_have_alone(tenants, name):
    url, (nodes, edges) = tenants[name]
    other = "bert" if name == "anna" else "anna"
    with Retriever(url, config=CONFIG, read_only=True) as own, Retriever(":memory:", config=CONFIG) as alone:
        alone.add(nodes, edges)
        both = Both(own, alone)
        both.same_state()
        for question in (*QUESTIONS, f"{other}word", f"{name}word"):
            both.agree(question)
            both.agree(question, filter={"lang": {"$ne": "en"}})
        both.agree(f"{other}word", mode="text")
        assert own.search(f"{other}word", mode="text").hits == ()
        for question in QUESTIONS[:3]:
            for identity in own.search(question, k=3).ids:
                told, expected = own.explain(question, identity), alone.explain(question, identity)
                assert told.score == pytest.approx(expected.score, abs=1e-4)
                assert [i.value for i in told.evidence] == pytest.approx([i.value for i in expected.evidence], abs=1e-4)
        for question in (*QUESTIONS, name, other):
            mine, theirs = (Questions(one).keyword_match(question, 100) for one in (own, alone))
            assert (mine.matches, mine.total) == (theirs.matches, theirs.total)
        everything = [own.info(), own.learning.judgements(), own.matching({}), own.backend.wording.metadata()]
        everything += [own.backend.usage(), own.get([f"{other}:n1"])]
        assert other not in json.dumps(everything, default=str)
        assert own.info()["nodes"] == len(nodes)


def test_a_cached_answer_is_nobody_elses(tenants):
    answers = {}
    with (
        Retriever(tenants["anna"][0], config=CONFIG, read_only=True) as anna,
        Retriever(tenants["bert"][0], config=CONFIG, read_only=True) as bert,
    ):
        for _ in range(2):
            for name, one in (("anna", anna), ("bert", bert)):
                answers[name] = one.search("deploy the release").ids
                assert all(identity.startswith(name) for identity in answers[name])
    assert answers["anna"] and answers["bert"]


def test_without_a_tenant_nothing_is_seen(pg_server, tenants):
    url = tenants["anna"][0].replace("app.tenant%3Danna", "app.tenant%3Dnobody")
    with Retriever(url, config=CONFIG, read_only=True) as nobody:
        assert len(nobody) == 0
        assert nobody.search("deploy the release").hits == ()
        assert nobody.manifest() == {}
