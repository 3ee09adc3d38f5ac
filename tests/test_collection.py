"""Collections, judgements and probes are read as they are meant; what cannot be is told with file and line."""

import json

import pytest

from fourfold import Edge, InvalidValueError, Retriever
from fourfold.evaluate import JudgedQuery, Run, evaluate, load_collection, load_judgements, save_probes, tune


def write(folder, corpus, queries, qrels, edges=None):
    for name, records in {"corpus": corpus, "queries": queries, "edges": edges}.items():
        if records is not None:
            lines = "".join(json.dumps(record) + "\n" for record in records)
            (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    (folder / "qrels.tsv").write_text(qrels, encoding="utf-8")
    return folder


CORPUS = [
    {"_id": "1", "title": "One", "text": "first", "metadata": {"year": 1}},
    {"_id": "2", "title": "", "text": "second\u2028line"},
    {"_id": "3", "text": "third"},
]
QUERIES = [{"_id": "a", "text": "one?"}, {"_id": "b", "text": "two?"}, {"_id": "c", "text": "three?"}]
QRELS = "query-id\tcorpus-id\tscore\na\t1\t2\na\t9\t1\nb\t8\t1\n"


def test_a_folder_is_read(tmp_path):
    edges = [
        {"source": "1", "target": "2", "type": "cites", "weight": 0.5},
        {"source": "2", "target": "3", "type": "near", "directed": False},
        {"source": "3", "target": "3", "type": "near"},
        {"source": "3", "target": "9", "type": "near"},
    ]
    found = load_collection(write(tmp_path, CORPUS, QUERIES, QRELS, edges))
    assert [(node.id, node.name, node.text) for node in found.nodes][1] == ("2", "", "second\u2028line")
    assert found.nodes[0].metadata == {"year": 1}
    assert set(found.edges) == {Edge("1", "2", "cites", 0.5), Edge("2", "3", "near"), Edge("3", "2", "near")}


def test_judgements_on_unknown_ids_are_counted_listed_and_skipped(tmp_path):
    judged = load_collection(write(tmp_path, CORPUS, QUERIES, QRELS)).judgements
    assert [(query.id, dict(query.relevant)) for query in judged] == [("a", {"1": 2.0})]
    assert judged.unknown == ("8", "9")
    without, unknown = judged.notes
    assert without == "Queries left out, as no node is relevant to them: 1."
    assert unknown == (
        "Judgements skipped, as their ids are not in the graph: 2 ('8', '9'). "
        "Queries left out, as they had no other judgement: 1."
    )


def test_judgements_without_a_query_and_two_grades_for_one_node_are_told(tmp_path):
    judged = load_judgements(write(tmp_path, CORPUS, QUERIES[:1], QRELS + "a\t1\t1\nz\t2\t1\n"))
    assert dict(judged.queries[0].relevant) == {"1": 1.0, "9": 1.0}
    assert judged.notes == (
        "Judgements skipped, as there are no such queries: 'b', 'z'.",
        "Queries with two grades for one node, of which the last counts: 'a'.",
    )


def test_a_query_without_words_is_left_out_of_a_folder(tmp_path):
    judged = load_judgements(write(tmp_path, CORPUS, [*QUERIES, {"_id": "n", "text": None}], QRELS + "n\t1\t1\n"))
    assert "n" not in [query.id for query in judged]
    assert "Queries left out, as they have no words: 'n'." in judged.notes


def test_two_queries_of_one_id_are_not_measured_as_one():
    queries = [JudgedQuery("1", "one", {"1": 1.0}), JudgedQuery("1", "two", {"2": 1.0})]
    for measured in (evaluate, tune):
        with pytest.raises(InvalidValueError, match="the id '1' is that of 2 queries"):
            measured(Retriever(":memory:"), queries)
        with pytest.raises(InvalidValueError, match="'one' is no JudgedQuery"):
            measured(Retriever(":memory:"), ["one"])


def test_the_form_of_trec_is_read_too(tmp_path):
    folder = write(tmp_path, CORPUS, QUERIES, "a 0 1 1\nb 0 2 0\n")
    assert [query.id for query in load_judgements(folder)] == ["a"]


def test_a_byte_order_mark_loses_no_judgement(tmp_path):
    for qrels in (QRELS, "a\t1\t1\n"):
        folder = write(tmp_path, CORPUS, QUERIES, "\ufeff" + qrels)
        assert [query.id for query in load_judgements(folder)][:1] == ["a"]


def test_probes_survive_saving(tmp_path):
    lines = [
        {"query": "x?", "expected": ["1", "2"], "intent": "workflow", "equivalents": {"1": ["3"]}},
        {"query": "y?", "expected": {"1": 2}, "synthetic": True},
    ]
    path = tmp_path / "mine.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines))
    probes = load_judgements(path)
    assert probes.name == "mine"
    assert probes.queries[0].equivalents == {"1": ("3",)} and probes.queries[0].intent == "workflow"
    save_probes(tmp_path / "again.jsonl", probes)
    assert load_judgements(tmp_path / "again.jsonl").queries == probes.queries


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ('{"query": "x"', "line 1 is no JSON"),
        ('{"query": "x"}', "line 1 has no 'expected'"),
        (
            '{"query": "x", "relevant": ["a"]}',
            r"""line 1 has no 'expected', but 'query', 'relevant'; a line is \{"query": …, "expected": …\}\.$""",
        ),
        ("[]", "line 1 has no 'query'"),
        ('{"query": null, "expected": ["a"]}', "probe 1: query is None; it must be a string"),
        ('{"query": " ", "expected": ["a"]}', "probe 1: query is ' '; a judged query needs words"),
        ('{"query": "x", "expected": []}', "no id is expected"),
        ('{"query": "x", "expected": {"a": 1e999}}', "grade of 'a' is inf"),
        ('{"query": "x", "expected": {"a": NaN}}', "grade of 'a' is nan"),
        ('{"query": "x", "expected": {"a": "much"}}', "grade of 'a' is 'much'"),
        ('{"query": "x", "expected": [["a"]]}', r"expected is \['a'\]; it must be a string"),
        ('{"query": "x", "expected": 5}', "expected is 5; it must be a list of ids"),
        ('{"query": "x", "expected": "abc"}', "expected is 'abc'; it must be a list of ids"),
        ('{"query": "x", "expected": ["a"], "equivalents": {"a": 5}}', "equivalent is 5"),
        ('{"query": "x", "expected": ["a"], "equivalents": [1]}', r"equivalents is \[1\]; it must be a mapping"),
        ('{"query": "x", "expected": ["a"], "intent": 5}', "intent of a judged query is 5"),
        (
            '{"id": 1, "query": "x", "expected": ["a"]}\n{"id": "1", "query": "y", "expected": ["b"]}',
            "'1' is that of 2",
        ),
        pytest.param("[" * 100_000, "line 1 is no JSON: maximum recursion", id="deep"),
        pytest.param(
            '{"query": "x", "expected": {"a": ' + "9" * 5000 + "}}", "is no JSON: Exceeds the limit", id="long"
        ),
    ],
)
def test_a_bad_probe_is_named_with_its_line(tmp_path, line, complaint):
    path = tmp_path / "probes.jsonl"
    path.write_text(line)
    with pytest.raises(InvalidValueError, match=complaint):
        load_judgements(path)


@pytest.mark.parametrize("read", [load_judgements, Run.load])
def test_a_file_that_cannot_be_read_is_named_once_with_the_reason(tmp_path, monkeypatch, read):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "half.jsonl").write_bytes(b"{\xff")
    with pytest.raises(InvalidValueError, match=r"'gone.jsonl' cannot be read: No such file or directory\.$"):
        read("gone.jsonl")
    with pytest.raises(InvalidValueError, match=r"'half.jsonl' cannot be read: it is no UTF-8 text \(byte 1: .+\)\.$"):
        read("half.jsonl")


@pytest.mark.parametrize("grade", ["nan", "inf", "-inf"])
def test_a_grade_is_finite(tmp_path, grade):
    with pytest.raises(InvalidValueError, match="line 1: .* is not query-id, corpus-id, score"):
        load_judgements(write(tmp_path, CORPUS, QUERIES, f"a\t1\t{grade}\n"))


def test_bad_qrels_are_named_with_their_line(tmp_path):
    with pytest.raises(InvalidValueError, match="line 2"):
        load_judgements(write(tmp_path, CORPUS, QUERIES, "query-id\tcorpus-id\tscore\na\t1\tmuch\n"))
    (tmp_path / "qrels.tsv").unlink()
    with pytest.raises(InvalidValueError, match="cannot be read"):
        load_judgements(tmp_path)
