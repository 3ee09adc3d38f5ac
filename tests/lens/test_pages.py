"""The pages over HTTP, without a browser: what they say, what they refuse, and what they never let through."""

import re
from dataclasses import replace
from html import unescape

import numpy as np
import pytest
from lens_client import assert_harmless, client_of, names
from lens_graphs import HOSTILE_NAME, TOOLS, documents, hostile, tools
from starlette.testclient import TestClient

from fourfold import Edge, InvalidValueError, Node, Retriever
from fourfold.lens import Lens
from fourfold.lens.session import Session
from fourfold.lens.state import Asked


@pytest.fixture(scope="module")
def client():
    with tools() as retriever:
        yield client_of(Lens(retriever))


@pytest.fixture(scope="module")
def hostile_client():
    with hostile() as retriever:
        yield client_of(Lens(retriever))


# -- search -------------------------------------------------------------------------------------------------------


def test_an_answer_is_the_retrievers_own(client):
    with tools() as retriever:
        hits = retriever.search("save data").hits
    page = client.get("/", params={"q": "save data"})
    assert page.status_code == 200
    assert names(page.text) == [hit.node.name for hit in hits]
    assert [f"{hit.score:.3f}" for hit in hits] == re.findall(r'class="value">([\d.]+)<', page.text)


@pytest.mark.parametrize("name", [" ", "\t\n", "\u200e\u2066"])
def test_a_node_of_whose_name_nothing_can_be_seen_is_called_by_its_id(name):
    """A link without a letter can be neither seen nor followed."""
    with Retriever() as retriever:
        retriever.add([Node("row-7", name, text="Save data to disk.")])
        assert names(client_of(Lens(retriever)).get("/", params={"q": "save data"}).text) == ["row-7"]
        assert str(retriever.explain("save data", "row-7")).startswith("row-7 stands at rank 1")


def test_words_of_the_question_are_marked_as_they_stand_in_the_text(client):
    page = client.get("/", params={"q": "saving data"}).text
    assert "<mark>Save</mark> <mark>data</mark> to disk." in page


def test_weights_in_the_address_re_rank_and_ranks_tell_how_far(client):
    usual = names(client.get("/", params={"q": "save data to disk"}).text)
    page = client.get("/", params={"q": "save data to disk", "weights": "0,0,1,0", "fragment": "1"}).text
    assert "<html" not in page
    moved = names(page)
    assert moved != usual
    assert 'class="change up"' in page or 'class="change new"' in page
    for name in set(usual) - set(moved):
        assert f">{name}</a>" in page.split("No longer in the list")[1]


def test_a_question_is_embedded_once_whatever_is_moved():
    asked = []

    def embed(texts):
        asked.extend(texts)
        return np.array([[len(text), text.count("a"), 1.0] for text in texts], np.float32)

    with Retriever(embedder=embed) as retriever:
        retriever.add(TOOLS)
        client = client_of(Lens(retriever))
        asked.clear()
        for weight in (0.1, 0.2, 0.3):
            assert names(client.get("/", params={"q": "save data", "weights": f"{weight},.2,.3,.1"}).text)
        assert asked == ["save data"]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([("lang", "is", "de")], {"open_file", "disk"}),
        ([("lang", "not", "de"), ("cost", "max", "2")], {"write_file", "read_file"}),
        ([("cost", "is", "5")], {"compress"}),
        ([("safe", "is", "true")], {"disk"}),
        ([("cost", "none", "")], {"disk", "send_mail"}),
        ([("$type", "is", "place")], {"disk"}),
    ],
)
def test_the_filter_binds(client, rows, expected):
    params = [("q", "file"), *(pair for row in rows for pair in zip(("fk", "fo", "fv"), row, strict=True))]
    assert set(names(client.get("/", params=params).text)) == expected


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (("year", "is", "2020"), {"number", "word"}),
        (("year", "not", "2020"), {"later", "unknown"}),
        (("year", "min", "2021"), {"later"}),
        (("year", "is", "nan"), set()),
        (("year", "is", "9" * 400), set()),  # a number beyond all floats
        (("year", "max", "9" * 400), {"number", "later"}),
        (("date", "min", "2020"), {"word"}),
        (("flag", "is", "true"), {"number"}),
        (("source.page", "is", "3"), {"later"}),
    ],
)
def test_a_value_is_found_whatever_it_is_where_a_key_has_several_kinds(row, expected):
    with Retriever() as retriever:
        retriever.add(
            [
                Node("number", "number", text="a year", metadata={"year": 2020, "flag": True}),
                Node("word", "word", text="a year", metadata={"year": "2020", "date": "2020-05-01"}),
                Node("later", "later", text="a year", metadata={"year": 2021.5, "source": {"page": 3}, "$odd": 1}),
                Node("unknown", "unknown", text="a year", metadata={"year": "unknown", "flag": "maybe"}),
            ]
        )
        client = client_of(Lens(retriever))
        params = {"q": "year", **dict(zip(("fk", "fo", "fv"), row, strict=True))}
        assert set(names(client.get("/", params=params).text)) == expected
        keys = [name for name, _ in client.get("/keys").json()["keys"]]
        assert keys == ["year", "flag", "date", "source.page"]
        assert client.get("/values", params={"key": "source.page"}).json() == {"values": ["3"]}


def test_what_was_asked_for_in_vain_is_told(client):
    row = {"q": "save", "fk": "lang", "fo": "is", "fv": "fr"}
    page = unescape(client.get("/", params=row).text)
    assert "Nothing was found" in page and "No node passes the filter" in page and "the graph is empty" not in page
    assert "No node passes the filter" in client.get("/compare", params=row).text
    assert "so nothing was grouped" in client.get("/", params={"q": "save", "group_by": "no such key"}).text


def test_the_filter_knows_keys_and_values(client):
    for key in ("$type", "lang", "cost", "safe"):
        assert f'<option value="{key}"' in client.get("/", params={"q": "file"}).text
    assert client.get("/values", params={"key": "lang"}).json() == {"values": ["en", "de"]}
    assert client.get("/values", params={"key": "safe"}).json() == {"values": ["true"]}
    assert client.get("/values", params={"key": "no such"}).json() == {"values": []}


def test_the_first_page_does_not_wait_for_what_the_filter_knows():
    with tools() as retriever:
        lens = Lens(retriever)
        client = client_of(lens)
        first = client.get("/").text
        assert 'data-keys="later"' in first and '<option value="lang"' not in first
        assert client.get("/keys").json()["keys"][0] == ["$type", "type"]
        second = client.get("/").text
        assert 'data-keys="later"' not in second and '<option value="lang"' in second
        lens.session.close()


def test_one_hit_for_each_value(client):
    page = client.get("/", params={"q": "file", "group_by": "lang"}).text
    assert len(names(page)) == 2


@pytest.mark.parametrize(
    ("params", "sentence"),
    [
        ({"k": "0"}, "it must be a whole number from 1 to 100"),
        ({"k": "many"}, "it must be a whole number"),
        ({"weights": "1,2"}, "it must be four numbers"),
        ({"weights": "0,0,0,0"}, "at least one of them must be above 0"),
        ({"weights": "nan,1,1,1"}, "embedding"),
        ({"mode": "magic"}, "it must be one of"),
        ({"fk": "lang", "fo": "like", "fv": "e"}, "it must be one of"),
    ],
)
def test_what_cannot_be_meant_is_a_sentence(client, params, sentence):
    for more in ({}, {"fragment": "1"}):
        page = client.get("/", params={"q": "save", **params, **more})
        assert page.status_code == 400
        assert sentence in unescape(page.text)
        assert "Traceback" not in page.text


@pytest.mark.parametrize("k", ["00000000190000", "000000001" + "9" * 4500], ids=["behind zeros", "thousands of digits"])
def test_no_more_hits_than_a_page_shows_whatever_stands_before_the_number(client, k):
    answer = client.get("/", params={"q": "save", "k": k})
    assert answer.status_code == 400 and "from 1 to 100" in answer.text


def test_an_empty_question_and_an_empty_graph_are_no_errors():
    with Retriever() as retriever:
        client = client_of(Lens(retriever))
        assert client.get("/").status_code == 200
        assert client.get("/", params={"q": "  "}).status_code == 200
        assert "Nothing was found" in client.get("/", params={"q": "anything"}).text


def test_an_unknown_page_is_a_page(client):
    page = client.get("/no-such-page")
    assert page.status_code == 404
    assert "There is no such page." in page.text


# -- text stays text ----------------------------------------------------------------------------------------------

VIEWS = ["/?q=save", "/?q=script+javascript&fragment=1", "/find?q=save&expected=script"]


@pytest.mark.parametrize("address", VIEWS)
def test_what_a_node_holds_is_only_ever_text(hostile_client, address):
    page = hostile_client.get(address)
    assert page.status_code == 200
    assert_harmless(page.text)


@pytest.mark.parametrize("address", ["/", "/find", "/why", "/compare", "/judge", "/measure", "/graph"])
def test_what_an_address_holds_is_only_ever_text(hostile_client, address):
    bad = "\u202e\x07\x1b\0<script>x</script>"
    usual = {"q": "save", "node": "write", "expected": "disk", "from": "write", "to": "open", "fk": "lang", "fo": "is"}
    names = "q k mode intent weights pin group_by node expected a b from to direction task fk fo fv".split()
    for name in names:
        page = hostile_client.get(address, params={**usual, name: bad})
        assert page.status_code < 500
        assert_harmless(page.text)


def test_a_name_of_a_megabyte_is_cut_with_a_sentence(hostile_client):
    page = hostile_client.get("/?q=save+megabyte").text
    assert "(the first 120 of 1,000,005 characters)" in page


def test_the_hostile_name_is_there_as_text(hostile_client):
    page = hostile_client.get("/", params={"q": "evil script owned"}).text
    shown = [name for name in names(page) if "script" in name]
    assert shown and shown[0].startswith(HOSTILE_NAME[:30])


# -- who may ask --------------------------------------------------------------------------------------------------


def test_every_answer_carries_the_policy(client):
    for address in ("/", "/static/lens.css", "/no-such-page"):
        headers = client.get(address).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy and "script-src 'self'" in policy and "style-src 'self'" in policy
        assert "unsafe" not in policy and "http" not in policy
        assert headers["x-content-type-options"] == "nosniff"
    assert "content-security-policy" in client.get("/", headers={"Host": "evil.example"}).headers


def test_a_page_whose_name_leads_here_is_refused(client):
    assert client.get("/", headers={"Host": "evil.example"}).status_code == 421
    assert client.get("/", headers={"Origin": "https://evil.example"}).status_code == 403


def test_beyond_loopback_a_token_is_needed():
    with tools() as retriever:
        lens = Lens(retriever)
        with pytest.raises(InvalidValueError, match="set a token"):
            lens.app(host="0.0.0.0")
        client = TestClient(lens.app(host="0.0.0.0", token="s3cret"), base_url="http://lens.example")
        assert client.get("/").status_code == 401
        assert client.get("/?token=wrong").status_code == 401
        assert client.get("/static/lens.js").status_code == 401
        first = client.get("/?q=save+data&token=s3cret", follow_redirects=False)
        assert first.status_code == 303
        assert first.headers["location"] == "/?q=save+data"
        cookie = first.headers["set-cookie"]
        assert "HttpOnly" in cookie and "SameSite=Lax" in cookie and "s3cret" not in cookie
        assert client.get("/?q=save+data").status_code == 200
        fresh = TestClient(lens.app(host="0.0.0.0", token="s3cret"), base_url="http://lens.example")
        assert fresh.get("/", headers={"Cookie": "fourfold_lens=s3cret"}).status_code == 401
        assert fresh.get("/", headers={"Authorization": "Bearer s3cret"}).status_code == 200
        elsewhere = fresh.get("http://lens.example//evil.example/?token=s3cret", follow_redirects=False)
        assert elsewhere.headers["location"] == "/evil.example/"


def test_lens_shows_retrievers_only():
    with pytest.raises(InvalidValueError, match="shows a Retriever"):
        Lens("kg.sqlite")


# -- why ----------------------------------------------------------------------------------------------------------


def test_every_piece_of_evidence_is_a_line_and_the_lines_add_up(client):
    with tools() as retriever:
        explanation = retriever.explain("save data to disk", "write")
    page = unescape(client.get("/why", params={"q": "save data to disk", "node": "write"}).text)
    lines = re.findall(r"<tr><td><span class=\"dot b-(\w+)\">.*?</span></td>\s*<td><bdi>(.*?)</bdi></td>"
                       r"<td class=\"num right\">([+−][\d.]+)</td>", page)  # fmt: skip
    assert len(lines) == len(explanation.evidence)
    total = sum(float(value.replace("−", "-")) for _, _, value in lines)
    assert total == pytest.approx(explanation.score, abs=0.0005 * len(lines))
    assert f"Rank {explanation.rank}, score {explanation.score:.3f}" in page
    for item in explanation.evidence:
        if item.kind == "term":
            assert any(component == "text" and f"'{item.word}'" in told for component, told, _ in lines)


def test_the_picture_shows_the_paths_that_carried_score(client):
    with tools() as retriever:
        explanation = retriever.explain("save data to disk", "open")
    carried = [item.path for item in explanation.evidence if item.path and item.value > 0]
    page = unescape(client.get("/why", params={"q": "save data to disk", "node": "open"}).text)
    picture = page[page.index('<figure class="drawing">') : page.index("</figure>")]
    for path in carried:
        for step in path:
            assert f">{step.source_name}</text>" in picture and f">{step.target_name}</text>" in picture
            assert re.search(rf'class="edge t\d flows"><title>{step.type}, gave ', picture)
    seeds = {path[0].source_name for path in carried} - {"open_file"}
    for seed in seeds:
        assert re.search(rf'class="spot seed"[^>]*aria-label="{seed} \(seed\)"', picture)
    assert f'href="/why?q=save+data+to+disk&node={carried[0][0].source}"' in picture


def test_why_not_says_what_is_lacking_and_what_would_help(client):
    page = unescape(client.get("/why", params={"q": "save data", "node": "send", "k": "2"}).text)
    assert "Not among the 2 hits" in page
    assert "It does not hold “save”, “data”." in page
    helps = re.findall(r'<li><a href="(/\?[^"]*)">(.*?)</a></li>', page)
    assert helps
    for address, told in helps:  # each does what it says
        shown = names(client.get(address).text)
        assert "send_mail" in shown, told
        if rank := re.search(r"rank (\d+)", told):
            assert shown.index("send_mail") + 1 == int(rank[1])


def test_why_not_names_the_row_of_the_filter(client):
    rows = {"fk": "lang", "fo": "is", "fv": "de"}
    page = unescape(client.get("/why", params={"q": "save data", "node": "write", **rows}).text)
    assert "The filter asks that lang is de; it does not have that." in page
    assert "Without “lang is de”" in page


def test_why_not_names_every_row_of_the_filter_that_must_go(client):
    rows = [("fk", "lang"), ("fo", "is"), ("fv", "de"), ("fk", "cost"), ("fo", "min"), ("fv", "5")]
    page = unescape(client.get("/why", params=[("q", "save data"), ("node", "write"), *rows]).text)
    (address,) = re.findall(r'<a href="([^"]*)">Without “lang is de” and “cost is at least 5”: rank 1</a>', page)
    assert names(client.get(address).text)[0] == "write_file"
    page = client.get("/why", params=[("q", "save data"), ("node", "send"), ("k", "1"), *rows[:3]]).text
    (address,) = re.findall(r'<a href="([^"]*)">Without “lang is de”, though it is no hit then either</a>', page)
    assert "Ask for" in client.get(unescape(address)).text


def test_why_not_names_the_hit_that_stands_for_the_node(client):
    params = {"q": "read data from disk", "group_by": "lang", "node": "write"}
    page = unescape(client.get("/why", params=params).text)
    assert "The hit at rank 1 stands for it: there is one for each lang." in page
    ((address, rank),) = re.findall(r'<a href="([^"]*)">Without one hit for each lang: rank (\d+)</a>', page)
    assert names(client.get(address).text)[int(rank) - 1] == "write_file"


def test_more_hits_are_offered_only_where_they_hold_the_node(monkeypatch):
    with tools() as retriever:
        lens = Lens(retriever)
        search = lens.session.search
        rank = retriever.search("save data to disk").ids.index("open") + 1

        def shy(asked, retriever=None):
            result = search(asked, retriever)
            if asked.k == rank:  # of so many hits it is none: another one has the bonus of its community
                return replace(result, hits=tuple(hit for hit in result.hits if hit.node.id != "open"))
            return result

        monkeypatch.setattr(lens.session, "search", shy)
        params = {"q": "save data to disk", "k": "1", "node": "open"}
        page = client_of(lens).get("/why", params=params).text
        assert f"Ask for {2 * rank} hits" in page and f"Ask for {rank} hits" not in page


def test_an_expected_node_is_found_by_its_name(client):
    page = unescape(client.get("/find", params={"q": "save data", "expected": "send mail"}).text)
    assert 'href="/why?q=save+data&node=send"' in page


def test_a_node_that_is_not_there_is_a_sentence(client):
    page = client.get("/why", params={"q": "save", "node": "nobody"})
    assert page.status_code == 404
    assert "There is no node 'nobody'" in unescape(page.text)
    assert client.get("/why", params={"q": "save"}).status_code == 400


@pytest.mark.parametrize("node", ["<b>bad</b>&?#\"'", "long", "write"])
def test_why_shows_hostile_nodes_as_text(hostile_client, node):
    for question in ("save evil", "<script>", "\x00\x1b[0m\u202e"):
        page = hostile_client.get("/why", params={"q": question, "node": node})
        assert page.status_code == 200
        assert_harmless(page.text)


def test_a_chunk_stands_between_its_neighbours(tmp_path):
    with documents(tmp_path / "pages") as retriever:
        client = client_of(Lens(retriever))
        hit = retriever.search("who built the lighthouse").hits[0]
        page = client.get("/why", params={"q": "who built the lighthouse", "node": hit.node.id}).text
        assert "<mark>Lighthouse</mark> was <mark>built</mark>" in page


def test_of_a_large_graph_no_page_reads_every_id(monkeypatch):
    monkeypatch.setattr("fourfold.lens.session._MOST_EDGES_COUNTED", 20)
    monkeypatch.setattr("fourfold.lens.session._READ_FOR_KEYS", 10)
    with Retriever() as retriever:
        retriever.add([Node(f"n{i}", f"word {i}", metadata={"lang": "en"}) for i in range(50)], [Edge("n1", "n2", "x")])
        monkeypatch.setattr(Retriever, "manifest", None)
        client = client_of(Lens(retriever))
        assert "word" in client.get("/", params={"q": "word"}).text
        assert [name for name, _ in client.get("/keys").json()["keys"]][-1] == "lang"
        assert client.get("/graph").status_code == 200


def test_an_empty_file_beside_answers_with_nothing(tmp_path):
    with Retriever() as retriever, Retriever(tmp_path / "other.sqlite") as other:
        retriever.add([Node("a", "word")])
        session = Session(retriever, beside={"other": other})
        assert session.search(Asked(question="word")).ids == ["a"]
        assert session.search(Asked(question="word"), other).ids == []
