"""Everything shows itself in a notebook: left-aligned, with a snippet, the question's words marked, and safe."""

from html import unescape
from html.parser import HTMLParser

import pytest
from lens_graphs import hostile, tools

from fourfold import Node, RetrievalConfig, Retriever
from fourfold.markup import Piece, cut, marked
from fourfold.questions import Questions
from fourfold.tokenizer import make_tokenizer
from fourfold.tools import ToolCatalog


@pytest.fixture(scope="module")
def retriever():
    with hostile() as opened:
        yield opened


def shown(retriever):
    """Return everything that shows itself."""
    questions, catalog = Questions(retriever), ToolCatalog(retriever)
    result = retriever.search("save evil script")
    return {
        "Retriever": retriever,
        "SearchResult": result,
        "Hit": result.hits[0],
        "Explanation": retriever.explain("save evil script", result.ids[0]),
        "PathAnswer": questions.trace_path("write", "disk"),
        "ImpactAnswer": questions.impact_analysis("open"),
        "ExploreAnswer": questions.explore_smart("open"),
        "SimilarAnswer": questions.similar_to("write"),
        "AskAnswer": questions.ask("what breaks if open_file changes"),
        "ToolAnswer": catalog.search_tools("save evil script"),
        "Workflow": catalog.suggest_workflow("save a file and send it"),
    }


class Elements(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))


def test_everything_shows_itself_left_aligned_and_as_text(retriever):
    for name, thing in shown(retriever).items():
        html = thing._repr_html_()
        reader = Elements()
        reader.feed(html)
        tags = {tag for tag, _ in reader.found}
        assert {"table", "td"} <= tags, name
        assert tags <= {"table", "caption", "tr", "th", "td", "b", "small", "br", "mark", "p"}, (name, tags)
        for tag, attributes in reader.found:
            assert set(attributes) <= {"style"}, name
            if tag in ("td", "th", "caption"):
                assert attributes["style"].startswith("text-align:left"), name
        assert len(html) < 60_000, name
        html.encode("utf-8")


def test_a_hit_has_a_snippet_with_the_words_of_the_question(retriever):
    for thing in (retriever.search("saving data"), retriever.search("saving data").hits[0]):
        assert "<mark>Save</mark> <mark>data</mark> to disk." in thing._repr_html_()


def test_an_answer_says_that_nothing_is_known_or_passes(retriever):
    unknown = retriever.search("qwzx")
    assert "the graph seems to know nothing of this" in str(unknown)
    assert "the graph seems to know nothing of this</caption>" in unknown._repr_html_()
    assert "No node passes the filter" in str(retriever.search("x", filter={"no": 1}))
    known = retriever.search("save data")
    assert "seems to know" not in known._repr_html_() and not known.notes
    assert f"weights {known.weights}" in str(known) and str(known.weights).startswith("embedding 0.")


def test_words_are_marked_by_the_tokenizer_of_the_index():
    with Retriever(config=RetrievalConfig().replace(text={"language": "german"})) as opened:
        opened.add([Node(id="a", name="Häuser", text="Die alten Häuser stehen am Fluss.")])
        result = opened.search("Haus")
        assert result.tokenizer == "snowball-german"
        assert "<b><mark>Häuser</mark></b>" in result._repr_html_()


def test_an_answer_tells_its_rows_and_notes():
    with tools() as opened:
        html = unescape(Questions(opened).trace_path("write_file", "disk")._repr_html_())
        assert html.count("<tr>") == 4  # the head and three nodes
        assert "—requires→ open_file" in html
        assert "nodes" in opened._repr_html_() and "snowball-english" in opened._repr_html_()


@pytest.mark.parametrize(
    ("text", "question", "expected"),
    [
        ("Parses the command-line.", "parse commands", ["Parses", "command"]),
        ("readFile and read_file", "read", ["readFile", "read_file"]),
        ("nothing of it", "parse", []),
        ("東京都の天気です", "東京の天気", ["東京", "の天気"]),
        ("", "parse", []),
    ],
)
def test_whole_words_are_marked_as_they_stand(text, question, expected):
    terms = make_tokenizer("snowball-english").terms
    pieces = marked(text, frozenset(terms(question)), terms)
    assert "".join(piece.text for piece in pieces) == text
    assert [piece.text for piece in pieces if piece.marked] == expected


def test_long_text_is_cut_with_a_sentence():
    assert cut("abc", 3) == "abc"
    assert cut("a\u202eb\n\x1bc", 10) == "ab c"
    assert cut("x" * 5000, 10) == "xxxxxxxxxx… (the first 10 of 5,000 characters)"
    assert marked("a", frozenset(), lambda text: []) == [Piece("a")]
