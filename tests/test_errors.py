"""What errors say, and to whom."""

import pytest

from fourfold import Node, Retriever, StoreError, UnknownNodeError
from fourfold.errors import without_address


@pytest.mark.parametrize(
    ("address", "said", "told"),
    [
        ("/srv/kg.sqlite", "There is no node 'a' in '/srv/kg.sqlite'.", "There is no node 'a' in the graph."),
        ("/srv/kg.sqlite", "The file '/srv/kg.sqlite' is damaged.", "The graph is damaged."),
        ("/srv/kg.sqlite", "Write to /srv/kg.sqlite.", "Write to the graph."),
        ("./a", "There is no node './alpha' in './a'.", "There is no node './alpha' in the graph."),
        ("g/kg", "nearest are 'g/kg-notes', 'g/kg/1' and 'big/kg'", "nearest are 'g/kg-notes', 'g/kg/1' and 'big/kg'"),
        ("a", "A graph of a few nodes.", "A graph of a few nodes."),
    ],
)
def test_a_model_is_not_told_where_the_graph_lies(address, said, told):
    assert without_address(UnknownNodeError(said), address) == told


def test_the_words_of_a_server_are_for_the_log_alone(caplog):
    said = without_address(StoreError("connection to 10.0.0.7 failed"), "postgresql://me@host/kg")
    assert said == "The graph cannot be used at the moment; the log says why."
    assert "10.0.0.7" in caplog.text


@pytest.mark.parametrize("ask", ["explain", "feedback", "context"])
def test_a_node_given_by_its_name_is_told_that_it_is_given_by_its_id(ask):
    with Retriever() as retriever:
        retriever.add([Node("a", "Alpha", text="A letter.")])
        asks = {
            "explain": lambda: retriever.explain("letter", "Alpha"),
            "feedback": lambda: retriever.learning.feedback("letter", "Alpha"),
            "context": lambda: retriever.context("Alpha"),
        }
        with pytest.raises(
            UnknownNodeError, match=r"no node 'Alpha' in ':memory:'\. Give its id, as hit\.node\.id has it"
        ):
            asks[ask]()
