"""Lens over a graph in PostgreSQL: every view answers as over a file, and what is judged and applied is kept there."""

import re
from html import unescape

import pytest
from lens_client import assert_harmless, client_of, form_token_of, names
from lens_graphs import hostile, tools

from fourfold import Retriever, Weights
from fourfold.lens import Lens
from fourfold.lens.server import open_beside

QUESTION = "save data to disk"


@pytest.fixture
def client(pg_url):
    with tools(pg_url) as retriever:
        lens = Lens(retriever)
        yield client_of(lens)
        lens.session.close()


@pytest.mark.parametrize(
    ("address", "holds"),
    [
        (f"/?q={QUESTION}&fk=lang&fo=is&fv=en", "write_file"),
        (f"/why?q={QUESTION}&node=open", "Where the score comes from"),
        (f"/why?q={QUESTION}&k=2&node=send", "What would have to change"),
        (f"/find?q={QUESTION}&expected=mail", "send_mail"),
        (f"/compare?q={QUESTION}&b=published", "in common"),
        (f"/judge?q={QUESTION}", "judge next"),
        ("/measure", "Configurations of this"),
        ("/graph?from=write_file&to=disk", "open_file"),
        ("/graph?node=disk", "open_file"),
        (f"/graph?task={QUESTION}", "write_file"),
    ],
)
def test_every_view_answers(client, address, holds):
    page = client.get(address)
    assert page.status_code == 200, page.text
    assert holds in page.text


def test_hits_judgements_and_configs_are_the_graphs_own(client, pg_url):
    with Retriever(pg_url) as other:
        page = client.get("/", params={"q": QUESTION})
        assert names(page.text) == [hit.node.name for hit in other.search(QUESTION).hits]
        page = client.get("/judge", params={"q": QUESTION}).text
        action = unescape(re.search(r'action="(/judge/mark[^"]*node=write)"', page)[1])
        assert client.post(action, data={"form_token": form_token_of(page), "grade": "1"}).status_code == 200
        assert other.learning.judgements() == [(QUESTION, "write", 1.0)]
        other.learning.apply_config(other.config.replace(fusion={"weights": Weights(0, 0, 1, 0)}))
        page = client.get("/measure").text
        assert "Version 1" in page
        assert (
            client.post("/measure/rollback", data={"form_token": form_token_of(page), "version": "0"}).status_code
            == 200
        )
    with Retriever(pg_url) as other:
        assert other.info()["config_version"] == 0


def test_a_hostile_node_is_only_text(pg_url):
    with hostile(pg_url) as retriever:
        lens = Lens(retriever)
        for address in ("/?q=save evil script", "/why?q=save&node=long", "/judge?q=save evil", "/graph?node=open_file"):
            assert_harmless(client_of(lens).get(address).text)
        lens.session.close()


def test_a_graph_at_an_address_stands_beside_another(pg_url, tmp_path):
    with tools(pg_url), tools(tmp_path / "kg.sqlite"):
        pass
    with open_beside([pg_url, str(tmp_path / "kg.sqlite"), pg_url]) as beside:
        assert len(beside) == 2 and "kg.sqlite" in beside
        assert [each.search(QUESTION).ids[0] for each in beside.values()] == ["write", "write"]
