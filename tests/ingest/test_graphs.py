from __future__ import annotations

import bz2
import gzip
import json

import networkx as nx
import pytest

from fourfold import FourfoldWarning, InvalidValueError, Node, Retriever, filters
from fourfold.ingest import (
    Document,
    IngestConfig,
    add_documents,
    from_networkx,
    join_triples,
    read_graphml,
    read_jsonl,
    read_triples,
    unpacking,
)
from fourfold.jsonl import read_graph


def test_json_lines_of_documents(tmp_path):
    path = tmp_path / "d.jsonl"
    path.write_bytes(b'{"_id": "a", "text": "x", "title": "A", "metadata": {"n": 1}}\n\n'
        b'{"id": 7, "text": "y"}\n[1]\n{\n{"text": "x"}\n'
                     b'{"id": "b", "text": "\xff"}\n{"id": "c", "text": 3}\n{"id": "last", "text": "z"}')  # fmt: skip
    problems = []
    documents = list(read_jsonl(path, problems=problems))
    assert [d.id for d in documents] == ["a", "7", "last"]
    assert documents[0].source == str(path) and documents[0].metadata == {"n": 1}
    assert [p.where for p in problems] == [f"{path}:{n}" for n in (4, 5, 6, 7, 8)]
    assert add_documents(Retriever(":memory:", embedder=lambda t: [[1.0, 2.0]] * len(t)), documents).added == 3
    with pytest.raises(InvalidValueError, match=":4: "):
        list(read_jsonl(path))


def test_what_stands_beside_the_fields_of_a_document_is_metadata(tmp_path):
    path = tmp_path / "products.jsonl"
    path.write_text('{"_id": "a", "title": "Trail boot", "text": "For mud.", "lang": "en", "metadata": {"n": 1}}')
    with Retriever() as retriever:
        add_documents(retriever, read_jsonl(path))
        assert retriever.matching({"lang": "en", "n": 1}) == ["a"]


@pytest.mark.parametrize(
    "content", ["subject,relation,object\na,likes,b\nb,likes,c,0.5\n", "a,likes,b\n\nb,likes,c,0.5"]
)
def test_triples(tmp_path, content):
    path = tmp_path / "t.csv"
    path.write_text(content)
    nodes, edges = read_triples(path)
    assert [n.id for n in nodes] == ["a", "b", "c"]
    assert [(e.source, e.type, e.target, e.weight) for e in edges] == [
        ("a", "likes", "b", 1.0),
        ("b", "likes", "c", 0.5),
    ]


@pytest.mark.parametrize(
    ("names", "row", "edge"),
    [
        ("source,target,type", "A,B,knows", ("A", "B", "knows", 1.0)),
        ("Source;Target;Weight", "A;B;2,5", None),
        ("Source;Target;Weight", "A;B;2.5", ("A", "B", "relates_to", 2.5)),
        ("id,from,to,label", "7,A,B,knows", ("A", "B", "knows", 1.0)),
        ("tail, rel, head", "B,knows,A", ("A", "B", "knows", 1.0)),
        (":START_ID,since,:END_ID,:TYPE", "A,1999,B,knows", ("A", "B", "knows", 1.0)),
        (":START_ID,:END_ID,:TYPE", "A,B,", ("A", "B", "", 1.0)),
        ("source_id,target_id", "A,B", ("A", "B", "relates_to", 1.0)),
    ],
)
def test_columns_are_read_as_the_first_line_names_them(tmp_path, names, row, edge):
    """``source,target,type``, as most programs write edges, was refused."""
    path = tmp_path / "t.csv"
    path.write_text(f"{names}\n{row}\n")
    if edge is None:
        with pytest.raises(InvalidValueError, match="t.csv:2: the weight '2,5' is no number"):
            read_triples(path)
        return
    for header in (None, True):
        nodes, [found] = read_triples(path, header=header)
        assert (found.source, found.target, found.type, found.weight) == edge and [n.id for n in nodes] == ["A", "B"]
    path.write_text("source,target,type\nA,B,knows\n,B,knows\n")
    with pytest.raises(InvalidValueError, match=r"t.csv:3: \['', 'B', 'knows'\] is no edge: an end is missing"):
        read_triples(path)
    path.write_text("source,target,type\nA,B,knows\n")
    assert len(read_triples(path, header=False)[1]) == 2
    path.write_text("A,head,tail of B\nB,from,C\n")
    assert len(read_triples(path)[1]) == 2


def test_triples_are_joined_to_the_nodes_whose_names_they_say(tmp_path):
    """A folder of documents and a file of edges between their titles were two graphs in one file."""
    retriever = Retriever(":memory:")
    config = IngestConfig(whole_length=200, chunk_length=100)
    long = Document("ledger.md", "Keeps the books. " * 30, "Ledger", source="x")
    add_documents(retriever, [Document("pay.md", "Charges cards.", "Payments", source="x"), long], config=config)
    retriever.add([Node("t1", "Twin"), Node("t2", "Twin"), Node("Ann", "Ann Lee")])
    (tmp_path / "t.csv").write_text("Payments,depends_on,Ledger\nAnn,owns,Payments\nTwin,knows,Novel\nPan,runs,Ann\n")
    nodes, edges = join_triples(retriever, *read_triples(tmp_path / "t.csv"), beside=[Node("p1", "Pan")])
    assert [node.id for node in nodes] == ["Twin", "Novel"]  # of two of a name neither is meant
    ends = [("pay.md", "ledger.md"), ("Ann", "pay.md"), ("Twin", "Novel"), ("p1", "Ann")]
    assert [(edge.source, edge.target) for edge in edges] == ends
    retriever.add([*nodes, Node("p1", "Pan")], edges)


def test_more_triples_are_joined_than_a_filter_may_have_values(tmp_path, monkeypatch):
    """The filter by which names are looked up holds 100,000: a file of more new nodes was refused."""
    monkeypatch.setattr(filters, "MOST_VALUES", 3)
    monkeypatch.setattr(filters, "LONGEST_FILTER", 60)
    retriever = Retriever(":memory:")
    retriever.add([Node("n1", "Nine"), Node("n2", "a name of more than twenty characters")])
    lines = "Nine,likes,One\nTwo,likes,Three\nFour,likes,a name of more than twenty characters\n"
    (tmp_path / "t.csv").write_text(lines)
    nodes, edges = join_triples(retriever, *read_triples(tmp_path / "t.csv"))
    assert [node.id for node in nodes] == ["One", "Two", "Three", "Four"]
    assert [(edge.source, edge.target) for edge in edges] == [("n1", "One"), ("Two", "Three"), ("Four", "n2")]


@pytest.mark.parametrize("names", ["sku,name,price", "ID,Title,author", "product_id,colour,size", "name,type,status"])
def test_a_table_of_things_is_refused_by_the_names_of_its_columns(tmp_path, names):
    path = tmp_path / "products.csv"
    rows = "B1,Boot,9\nB2,Shoe,12\n"
    path.write_text(f"{names}\n{rows}")
    with pytest.raises(
        InvalidValueError, match=r"products.csv:1: .* look like the columns of a table of things; a line"
    ):
        read_triples(path)
    assert len(read_triples(path, header=False)[1]) == 3 and len(read_triples(path, header=True)[1]) == 2
    path.write_text(f"subject,relation,object\n{names}\n{rows}")
    assert len(read_triples(path)[1]) == 3
    path.write_text(f"{names}\norder,{names.split(',')[1]},{names.split(',')[2]}\n")  # a graph of columns
    assert len(read_triples(path)[1]) == 2


def test_a_table_of_figures_is_refused(tmp_path):
    """Each year became a node, and what was sold in a year a relation to what was sold in the next."""
    path = tmp_path / "sales.csv"
    path.write_text("Region;2024;2025\nNorth;10,5;20,1\nSouth;5,2;7,3\n")
    with pytest.raises(InvalidValueError, match=r"numbers for relations, such as '5,2'.* where its folder is indexed"):
        read_triples(path)
    path.write_text("1,2,3\n4,2,5\n")  # whose ends are numbers, too
    assert len(read_triples(path)[1]) == 2
    path.write_text("subject,relation,object\nNorth,2024,South\nSouth,2025,North\n")
    assert len(read_triples(path)[1]) == 2


def test_of_a_table_with_a_caption_it_is_said_how_it_is_read(tmp_path):
    (tmp_path / "t.csv").write_text("Customers of 2026\n\nid;name\n1;Ann\n")
    with pytest.raises(InvalidValueError, match="is no triple .* read as a document where its folder is indexed"):
        read_triples(tmp_path / "t.csv")


def test_lines_with_a_relation_each_are_warned_of(tmp_path):
    path = tmp_path / "products.csv"
    path.write_text("".join(f"B{n},Boot {n},{n}\n" for n in range(12)))
    with pytest.warns(FourfoldWarning, match="has 12 relations in 12 lines, as a table of things has"):
        assert len(read_triples(path)[1]) == 12
    path.write_text("".join(f"a{n},likes,b{n}\n" for n in range(12)))
    assert len(read_triples(path)[1]) == 12


@pytest.mark.parametrize("line", ["a,likes", ",likes,b", "a,likes,b,much"])
def test_a_line_that_is_no_triple_is_named(tmp_path, line):
    path = tmp_path / "t.csv"
    path.write_text(f"a,likes,b\n{line}\n")
    with pytest.raises(InvalidValueError, match="t.csv:2: "):
        read_triples(path)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"a,likes," + b"x" * 200_000, "t.csv:1: the line cannot be read: field larger"),
        (b'a,likes,b\nc,likes,"' + b"x\n" * 100_000, "t.csv:2: the line cannot be read: field larger"),
        (b"a" + b"," * 1_000_000, r"t.csv:1: \['a', '', .* is no triple"),
        (b"a,likes,b," + b"x" * 100_000, "weight 'xx.* is no number; a line is subject, relation, object, weight."),
        (b"a,likes,b\n\xff\xfe,likes,b", "t.csv is not UTF-8; save it as UTF-8."),
    ],
    ids=["a long field", "a quote that is not closed", "many columns", "a long weight", "no UTF-8"],
)
def test_a_hostile_csv_is_a_sentence_that_names_the_file(tmp_path, content, says):
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    with pytest.raises(InvalidValueError, match=says) as caught:
        read_triples(path)
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize("delimiter", [";;", "", 5])
def test_a_delimiter_is_one_character(tmp_path, delimiter):
    with pytest.raises(InvalidValueError, match="delimiter is .*; it must be one character"):
        read_triples(tmp_path / "t.csv", delimiter=delimiter)


def test_a_weight_that_is_no_number_and_what_is_no_graph(tmp_path):
    graph = nx.DiGraph([("a", "b", {"weight": "much"})])
    nx.write_graphml(graph, tmp_path / "g.graphml")
    for read in (lambda: from_networkx(graph), lambda: read_graphml(tmp_path / "g.graphml")):
        with pytest.raises(InvalidValueError, match="weight of the edge 'a' → 'b' is 'much'"):
            read()
    for what in (None, 5, [("a", "b")]):
        with pytest.raises(InvalidValueError, match="it must be a graph of NetworkX"):
            from_networkx(what)


def test_networkx_and_graphml(tmp_path):
    graph = nx.MultiDiGraph()
    graph.add_node("a", label="Ann", type="person", text="Ann lives here.", age=40)
    graph.add_node(2)
    graph.add_edge("a", 2, key="knows", weight=0.5)
    graph.add_edge("a", 2)
    nodes, edges = from_networkx(graph)
    assert (nodes[0].name, nodes[0].type, nodes[0].metadata) == ("Ann", "person", {"age": 40})
    assert [(e.source, e.target, e.type, e.weight) for e in edges] == [
        ("a", "2", "knows", 0.5),
        ("a", "2", "relates_to", 1.0),
    ]
    Retriever(":memory:", embedder=lambda t: [[1.0]] * len(t)).add(nodes, edges)
    plain = nx.Graph([("a", "b")])
    assert len(from_networkx(plain)[1]) == 2
    nx.write_graphml(plain, tmp_path / "g.graphml")
    assert {n.id for n in read_graphml(tmp_path / "g.graphml")[0]} == {"a", "b"}
    (tmp_path / "bad.graphml").write_text("<graphml><graph>")
    with pytest.raises(InvalidValueError, match="no GraphML"):
        read_graphml(tmp_path / "bad.graphml")


def test_two_nodes_that_would_have_one_id_are_refused():
    with pytest.raises(InvalidValueError, match="The nodes 1 and '1' would both have the id '1'; rename one of them"):
        from_networkx(nx.Graph([(1, "1")]))


@pytest.mark.parametrize("inside", ["<node/>", '<node id=""/>', '<edge source="a"/>', '<edge target="a"/>'])
def test_graphml_without_ids_is_refused(tmp_path, inside):
    path = tmp_path / "g.graphml"
    path.write_text(
        f'<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph><node id="a"/>{inside}</graph></graphml>'
    )
    with pytest.raises(InvalidValueError, match=r"g\.graphml has a node without an id"):
        read_graphml(path)


def test_of_several_graphs_in_graphml_it_is_said_that_the_first_was_read(tmp_path):
    path = tmp_path / "g.graphml"
    graphs = "".join(f'<graph edgedefault="directed"><node id="{name}"/><node id="both"/></graph>' for name in "ab")
    path.write_text(f'<graphml xmlns="http://graphml.graphdrawing.org/xmlns">{graphs}</graphml>')
    with pytest.warns(FourfoldWarning, match=r"g\.graphml holds several graphs.*and 1 nodes of others"):
        assert [node.id for node in read_graphml(path)[0]] == ["a", "both"]


@pytest.mark.parametrize(("ending", "pack"), [(".gz", gzip), (".bz2", bz2)])
def test_of_a_compressed_graphml_no_more_is_unpacked_than_its_size_can_mean(tmp_path, monkeypatch, ending, pack):
    path = tmp_path / f"g.graphml{ending}"
    graph = '<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph><node id="a"/>%s</graph></graphml>'
    path.write_bytes(pack.compress((graph % "").encode()))
    assert [node.id for node in read_graphml(path)[0]] == ["a"]
    monkeypatch.setattr(unpacking, "SMALL", 1_000)
    bomb = pack.compress((graph % (" " * 10_000_000)).encode())
    path.write_bytes(bomb)
    most = max(100 * len(bomb), 1_000)
    with pytest.raises(InvalidValueError, match=f"unpacks to more than {most:,} bytes"):
        read_graphml(path)
    for broken in (b"none of that", bomb[:-20]):
        path.write_bytes(broken)
        with pytest.raises(InvalidValueError, match="cannot be unpacked|unpacks to more"):
            read_graphml(path)


def test_triples_whose_first_line_never_ends_are_refused(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a" * 10_000_001)
    with pytest.raises(InvalidValueError, match=r"t\.csv has a line of more than 10,000,000 characters"):
        read_triples(path)


def test_the_ids_of_edges_in_graphml_are_no_types_unless_edges_share_them(tmp_path):
    lines = [f'<edge id="e{n}" source="a" target="{end}"/>' for n, end in enumerate("bbc")]
    namespace = 'xmlns="http://graphml.graphdrawing.org/xmlns"'
    (tmp_path / "ids.graphml").write_text(
        f'<graphml {namespace}><graph edgedefault="directed"><node id="a"/><node id="b"/><node id="c"/>'
        f"{''.join(lines)}</graph></graphml>"
    )
    edges = read_graphml(tmp_path / "ids.graphml", edge_type="near")[1]
    assert [(e.target, e.type) for e in edges] == [("b", "near"), ("b", "near"), ("c", "near")]
    keyed = nx.MultiDiGraph([("a", "b", "knows"), ("a", "b", "likes"), ("b", "c", "knows")])
    nx.write_graphml(keyed, tmp_path / "keys.graphml")
    assert [e.type for e in read_graphml(tmp_path / "keys.graphml")[1]] == ["knows", "likes", "knows"]


def test_between_tabs_a_quotation_mark_is_one(tmp_path):
    path = tmp_path / "facts.tsv"
    path.write_text('"Weird Al" Yankovic\tborn_in\tDowney\nA\tsize\t"7\nB\tr\t"C ""x"""\nD\tsize\t7"\n')
    nodes, edges = read_triples(path)
    assert [(e.source, e.target) for e in edges] == [
        ('"Weird Al" Yankovic', "Downey"),
        *(("A", '"7'), ("B", 'C "x"'), ("D", '7"')),
    ]


@pytest.mark.parametrize(
    ("read", "line"),
    [
        (read_graph, {"id": "a", "k" * 100_000: 1}),
        (read_graph, {"id": "a", "kind": "k" * 100_000}),
        (lambda path: list(read_jsonl(path)), {"id": ["k" * 100_000]}),
        (lambda path: list(read_jsonl(path)), {"id": "k" * 100_000, "text": 1}),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence_however_long_it_is(tmp_path, read, line):
    (tmp_path / "g.jsonl").write_text(json.dumps(line))
    with pytest.raises(InvalidValueError, match="g.jsonl") as raised:
        read(tmp_path / "g.jsonl")
    assert len(str(raised.value)) < 1_000


def test_nodes_that_are_nothing_but_their_ids_are_called_by_them(tmp_path):
    path = tmp_path / "graph.jsonl"
    nodes = [{"id": "Ann Moe"}, {"id": "Rovers", "type": "club"}, {"id": "n7", "text": "A page about rain."}]
    edges = [
        {"source": "Ann Moe", "target": end, "type": kind} for end, kind in (("Rovers", "plays for"), ("n7", "reads"))
    ]
    path.write_text("\n".join(map(json.dumps, [*nodes, *edges])), encoding="utf-8")
    with Retriever() as retriever:
        retriever.add(*read_graph(path))
        assert retriever.search("who plays for Rovers").ids[0] == "Ann Moe"
        named, unnamed = retriever.get(["Ann Moe", "n7"])
        assert named.name == "Ann Moe"
        assert unnamed.name == "", "a text speaks for itself, and an id may say nothing"


def test_what_graphml_says_of_all_is_said_of_those_that_say_nothing_else(tmp_path):
    path = tmp_path / "g.graphml"
    path.write_text(
        """<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
        <key id="t" for="node" attr.name="type" attr.type="string"><default>service</default></key>
        <key id="w" for="edge" attr.name="weight" attr.type="double"><default>0.5</default></key>
        <graph edgedefault="directed"><node id="a"/><node id="b"><data key="t">team</data></node>
        <edge source="a" target="b"/><edge source="b" target="a"><data key="w">2</data></edge></graph></graphml>"""
    )
    nodes, edges = read_graphml(path)
    assert [node.type for node in nodes] == ["service", "team"]
    assert [edge.weight for edge in edges] == [0.5, 2.0]


def test_defaults_of_graphml_that_are_far_more_than_its_size_when_written_out_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(unpacking, "SMALL", 1_000)
    path = tmp_path / "g.graphml"

    def write(*, count, length):
        keys = f'<key id="t" for="node" attr.name="t" attr.type="string"><default>{"x" * length}</default></key>'
        nodes = "".join(f'<node id="{number}"/>' for number in range(count))
        path.write_text(
            f'<graphml xmlns="http://graphml.graphdrawing.org/xmlns">{keys}'
            f'<graph edgedefault="directed">{nodes}</graph></graphml>'
        )

    write(count=300, length=9_000)
    with pytest.raises(InvalidValueError, match=r"each node .* all 300 .* far more than its size"):
        read_graphml(path)
    write(count=300, length=100)
    assert len(read_graphml(path)[0]) == 300


def _within_itself():
    within = []
    within.append(within)
    return within


def _deep():
    deep = []
    for _ in range(100_000):
        deep = [deep]
    return deep


@pytest.mark.parametrize("value", [10**5000, _within_itself(), _deep()], ids=["digits", "circle", "deep"])
def test_attributes_of_networkx_that_are_no_json_are_told_with_their_node(value):
    graph = nx.DiGraph()
    graph.add_node("a", size=value)
    with pytest.raises(InvalidValueError, match=r"attributes of the node 'a' cannot be metadata: .*\.$"):
        from_networkx(graph)
