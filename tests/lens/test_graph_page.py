"""The graph view over HTTP: counts, paths, impacts and workflows, and how they are drawn."""

import re
from html import unescape

import pytest
from lens_client import assert_harmless, client_of
from lens_graphs import EDGES, TOOLS, hostile, tools

from fourfold import Node, Retriever
from fourfold.index import structure
from fourfold.lens import Lens
from fourfold.lens.drawing import WIDTH, Arrow, draw
from fourfold.tools import ToolCatalog


@pytest.fixture(scope="module")
def client():
    with tools() as retriever:
        yield client_of(Lens(retriever))


def picture(page: str) -> str:
    return unescape(page[page.index('<figure class="drawing">') : page.index("</figure>")])


def test_what_the_file_holds(client):
    page = client.get("/graph").text
    facts = dict(re.findall(r"<dt>(.*?)</dt><dd class=\"num\"><bdi>(.*?)</bdi>", page))
    assert facts["nodes"] == str(len(TOOLS)) and facts["edges"] == str(len(EDGES))
    assert facts["engine"] == "SQLite, in memory" and facts["communities"].isdigit()
    counted = dict(re.findall(r"<th scope=\"row\"><bdi>(\w+)</bdi></th><td class=\"right num\">(\d+)</td>", page))
    assert counted == {"requires": "3", "depends_on": "1", "followed_by": "1"}
    assert "workflow, comparison" in page


def test_communities_are_told_once_they_are_found(monkeypatch):
    monkeypatch.setattr(structure, "_PATIENCE", 3600.0)
    with tools() as retriever:
        found = retriever.analysis.snapshot().structure
        found._inline = 0
        client = client_of(Lens(retriever))
        assert "communities" not in client.get("/graph").text
        found._propagate_beside()
        assert re.search(r"communities</dt><dd class=\"num\"><bdi>[1-9]", client.get("/graph").text)


def test_a_path_is_drawn_from_left_to_right(client):
    page = client.get("/graph", params={"from": "write_file", "to": "disk"}).text
    drawn = picture(page)
    places = {name: float(x) for x, name in re.findall(r"<circle cx=\"([\d.]+)\".*?>(\w+)</text>", drawn, re.S)}
    assert list(places) == ["write_file", "open_file", "disk"]
    assert places["write_file"] < places["open_file"] < places["disk"]
    assert "<title>requires</title>" in drawn and "<title>depends_on</title>" in drawn


def test_an_impact_is_drawn_and_listed(client):
    page = client.get("/graph", params={"node": "open_file", "direction": "dependents"}).text
    assert {"write_file", "read_file", "compress"} <= set(re.findall(r">(\w+)</text>", picture(page)))
    assert re.search(r"write_file</a></span><span class=\"soft\"><bdi>risk 0\.\d+, depth 1", page)


def test_a_workflow_is_drawn_in_the_order_of_its_steps(client):
    with tools() as retriever:
        stages = ToolCatalog(retriever).suggest_workflow("make a file smaller").stages
    page = client.get("/graph", params={"task": "make a file smaller"}).text
    places = {name: float(x) for x, name in re.findall(r"<circle cx=\"([\d.]+)\".*?>(\w+)</text>", picture(page), re.S)}
    names = {node.id: node.name for node in TOOLS}
    columns = [places[names[tool]] for stage in stages for tool in stage]
    assert len(stages) > 1 and columns == sorted(columns)


@pytest.mark.parametrize("params", [{"from": "nobody", "to": "disk"}, {"node": "nobody"}])
def test_a_node_that_is_not_there_is_a_sentence_in_its_place(client, params):
    page = client.get("/graph", params=params)
    assert page.status_code == 200
    assert 'role="alert"' in page.text and "nobody" in page.text
    assert "What the file holds" in page.text


def test_a_direction_that_there_is_not_is_a_sentence_in_its_place(client):
    page = client.get("/graph", params={"node": "read", "direction": "sideways"}).text
    assert 'role="alert"' in page and "sideways" in page and "must be one of" in page


def test_nodes_that_nothing_joins():
    with Retriever() as retriever:
        retriever.add([Node("a", "a"), Node("b", "b")])
        page = client_of(Lens(retriever)).get("/graph", params={"from": "a", "to": "b"})
        assert page.status_code == 200 and "<figure" not in page.text
        assert "There are no edges" in page.text


def test_an_empty_graph():
    with Retriever() as retriever:
        page = client_of(Lens(retriever)).get("/graph", params={"task": "anything"})
        assert "No tool of this graph serves that" in page.text


@pytest.mark.parametrize(
    "params", [{}, {"from": "write", "to": "<b>bad</b>&?#\"'"}, {"node": "open_file"}, {"task": "save a file evil"}]
)
def test_what_a_node_holds_is_only_ever_text(params):
    with hostile() as retriever:
        page = client_of(Lens(retriever)).get("/graph", params=params)
        assert page.status_code == 200
        assert_harmless(page.text)


# -- drawing ------------------------------------------------------------------------------------------------------


def plain(labels, arrows, **options):
    return draw(labels, arrows, kinds={}, address=lambda node: None, label="a picture", **options)


def test_a_picture_is_the_same_each_time_and_inside_its_frame():
    labels = {str(n): f"node {n}" for n in range(14)}
    arrows = [Arrow(str(n), str(n * 3 % 14), "t", n / 14) for n in range(14)]
    one, two = plain(labels, arrows), plain(labels, arrows)
    assert one == two
    assert len({(spot.x, spot.y) for spot in one.spots}) == len(labels)
    assert all(0 < spot.x < one.width and 0 < spot.y < one.height for spot in one.spots)
    assert one.width == WIDTH


def test_thickness_is_what_flowed_and_two_edges_of_a_pair_are_apart():
    found = plain({"a": "a", "b": "b"}, [Arrow("a", "b", "x", 0.4), Arrow("a", "b", "y", 0.1), Arrow("b", "a", "z")])
    width = {line.label.partition(",")[0]: line.width for line in found.lines}
    assert width["x"] > width["y"] > width["z"]
    assert len({line.curve for line in found.lines}) == 3
    assert len({line.colour for line in found.lines}) == 3


def test_fewer_lines_cross_than_in_the_order_given():
    labels = {name: name for name in ("a1", "a2", "a3", "b1", "b2", "b3")}
    arrows = [Arrow("a1", "b3", "t"), Arrow("a2", "b2", "t"), Arrow("a3", "b1", "t")]
    found = plain(labels, arrows, layers={name: int(name[0] == "b") for name in labels})
    y = {spot.id: spot.y for spot in found.spots}
    assert all(y[arrow.source] == y[arrow.target] for arrow in arrows)


def test_in_columns_each_name_stands_close_below_its_node_and_inside_the_frame():
    labels = {name: name for name in ("a", "b1", "b2", "c")}
    arrows = [Arrow("a", "b1", "t"), Arrow("a", "b2", "t"), Arrow("b2", "c", "t")]
    found = plain(labels, arrows, layers={"a": 0, "b1": 1, "b2": 1, "c": 2})
    assert all(0 < spot.text_y - spot.y < 26 and spot.text_y + 6 < found.height for spot in found.spots)


def test_what_was_asked_stands_before_what_the_file_holds():
    with tools() as retriever:
        client = client_of(Lens(retriever))
        plainly, asked = client.get("/graph").text, client.get("/graph?node=open").text
        assert plainly.index("What the file holds") < plainly.index("What a change touches")
        assert asked.index("What a change touches") < asked.index("What the file holds")


def test_one_node_and_an_edge_to_itself_are_drawn():
    found = plain({"a": "a"}, [Arrow("a", "a", "t", 1.0), Arrow("a", "gone", "t")])
    assert len(found.spots) == 1 and not found.lines


def test_many_edge_types_share_the_last_colour():
    labels = {str(n): str(n) for n in range(12)}
    found = plain(labels, [Arrow("0", str(n), f"type {n}") for n in range(1, 12)])
    assert max(number for number, _ in found.types) == 7 and len(found.types) == 11
