from __future__ import annotations

import json

import pytest

from fourfold import InvalidValueError, encodings
from fourfold.encodings import marked
from fourfold.evaluate import Run, load_judgements
from fourfold.ingest import read_jsonl, read_triples
from fourfold.ingest.graphs import holds_documents
from fourfold.ingest.readers.parsed import decoded, reason
from fourfold.jsonl import read_graph
from fourfold.lens import exchange

MARKED = pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])


@MARKED
def test_a_byte_order_mark_says_how_a_file_is_read(tmp_path, encoding):
    def written(name, *lines):
        path = tmp_path / name
        path.write_bytes("\r\n".join(lines).encode(encoding))
        return path

    nodes, edges = read_graph(
        written("g.jsonl", '{"id": "été", "text": "a\u2028Ċ"}', "", '{"source": "été", "target": "b"}')
    )
    assert [(node.id, node.text) for node in nodes] == [("été", "a\u2028Ċ")]
    assert [edge.target for edge in edges] == ["b"]
    assert [edge.target for edge in read_triples(written("t.tsv", "été\tlikes\t日本"))[1]] == ["日本"]
    corpus = written("c.jsonl", '{"_id": "é", "text": "Ċ"}')
    assert holds_documents(corpus)
    assert [(document.id, document.text) for document in read_jsonl(corpus)] == [("é", "Ċ")]
    question = json.dumps({"_id": "1", "text": "où"}, ensure_ascii=False)
    written("queries.jsonl", question)
    written("qrels.tsv", "1\té\t1")
    assert load_judgements(tmp_path).queries[0].text == "où"
    assert exchange.read(question.encode(encoding), b"1\t0\t1").queries[0].text == "où"
    assert exchange.read("1\toù".encode(encoding), b"1\t0\t1").queries[0].text == "où"
    assert Run.load(written("run.txt", "1 Q0 é 1 .5 mine")).rankings == {"1": ["é"]}


def test_what_is_not_in_the_marked_encoding_is_told_by_its_line(tmp_path):
    path = tmp_path / "g.jsonl"
    path.write_bytes('{"id": "a"}\n'.encode("utf-16") + b"{")
    for read in (read_graph, lambda path: list(read_jsonl(path))):
        with pytest.raises(InvalidValueError, match=r"line 2: this is not UTF-16"):
            read(path)


@MARKED
def test_the_mark_of_utf_32_is_not_that_of_utf_16(encoding):
    assert marked("a".encode(encoding)) == encoding
    assert marked(b"") == marked(b"a") == "utf-8-sig"


@pytest.mark.parametrize("data", [b"ab\xff", b"\xff\xfea", "a".encode("utf-32") + b"\x00"])
def test_why_a_file_cannot_be_read_is_told_in_the_same_words_whoever_reads_it(tmp_path, data):
    path = tmp_path / "a.txt"
    path.write_bytes(data)
    with pytest.raises(UnicodeDecodeError) as caught:
        encodings.read(path)
    with pytest.raises(InvalidValueError) as told:
        decoded(data)
    assert str(told.value) == f"the file cannot be read: {encodings.unread(caught.value)}."


def test_an_error_of_the_disk_without_words_of_the_system_has_its_own():
    assert reason(OSError("odd\n disk")) == "the file cannot be read: odd disk."
    assert encodings.unread(OSError()) == "OSError"
