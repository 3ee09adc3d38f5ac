"""The commands ``ask``, ``path`` and ``impact``."""

import json

import pytest
from typer.testing import CliRunner

from fourfold import Edge, Node, Retriever
from fourfold.cli import create_app


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    file = tmp_path_factory.mktemp("graph") / "kg.sqlite"
    with Retriever(file) as retriever:
        names = ("read_file", "edit_file", "run_tests")
        retriever.add(
            [Node(n, n, "tool", n.replace("_", " ")) for n in names],
            [Edge("edit_file", "read_file", "requires"), Edge("edit_file", "run_tests", "feeds_into")],
        )
    app = create_app()
    return lambda *words: CliRunner().invoke(app, [*words, "--db", str(file)])


def test_path(run):
    assert run("path", "read_file", "run_tests").output == "read_file ←requires— edit_file —feeds_into→ run_tests\n"
    assert json.loads(run("path", "read_file", "run_tests", "--json").output)["length"] == 2
    assert run("path", "read_file", "run_tests", "--mermaid").output.startswith("flowchart LR\n")
    assert "no path" in run("path", "read_file", "run_tests", "--depth", "1").output
    assert "not connected" in run("path", "read_file", "run_tests", "--directed").output


def test_impact(run):
    assert "touches 2 nodes" in run("impact", "read_file").output
    assert "Nothing is touched" in run("impact", "read_file", "--direction", "downstream").output


def test_ask(run):
    assert run("ask", "what depends on the read_file node").output.startswith("impact_analysis: ")
    assert (
        json.loads(run("ask", "trace it", "--node", "read_file", "--to", "run_tests", "--json").output)["method"]
        == "trace_path"
    )


def test_ask_tells_first_what_an_edge_leads_to(tmp_path):
    file = tmp_path / "kg.sqlite"
    with Retriever(file) as retriever:
        retriever.add(
            [Node("ada", "Ada"), Node("london", "London"), Node("tool", "Tool")],
            [Edge("ada", "london", "born_in"), Edge("ada", "tool", "made")],
        )
    told = CliRunner().invoke(create_app(), ["ask", "In which city was Ada born?", "--db", str(file)]).output
    assert told.splitlines()[0] == "London: Ada —born_in→ London" and "About Ada (1.00)." in told.splitlines()[1]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("path", "raed_file", "run_tests"), "nearest are 'read_file'"),
        (("impact", "read_file", "--direction", "sideways"), "must be one of 'dependents'"),
        (("ask", "create a file", "--mermaid"), "nothing to draw"),
        (("path", "read_file", "run_tests", "--directed", "--mermaid"), "nothing to draw: read_file and run_tests are"),
    ],
)
def test_what_cannot_be_answered_is_a_sentence_and_exit_code_1(run, words, said):
    result = run(*words)
    assert result.exit_code == 1 and said in result.output and "Traceback" not in result.output
