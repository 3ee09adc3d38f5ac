"""Side by side, Judge, and Measure and tune over HTTP: what they compute, what they keep, and what they refuse."""

import json
import re
import shutil
import sqlite3
import threading
from contextlib import closing
from dataclasses import replace
from html import unescape

import pytest
from lens_client import assert_harmless, client_of, form_token_of
from lens_graphs import VILLAGE, hostile, tools, village

from fourfold import ForeignSchema, Node, RetrievalConfig, Retriever, Weights
from fourfold.evaluate import load_judgements
from fourfold.ingest import index_paths
from fourfold.lens import Lens, measure_view, measuring
from fourfold.lens.state import Asked

QUESTION = "save data to disk"


@pytest.fixture
def retriever(tmp_path):
    with tools(tmp_path / "kg.sqlite") as opened:
        yield opened


@pytest.fixture
def lens(retriever):
    made = Lens(retriever)
    yield made
    made.session.close()


@pytest.fixture
def client(lens):
    return client_of(lens)


# -- side by side -------------------------------------------------------------------------------------------------


def columns(page: str) -> list[list[str]]:
    sides = page.split('<section class="side"')[1:]
    return [re.findall(r'class="one">(?:<a[^>]*>)?<bdi>(.*?)</bdi>', side.replace("<mark>", "").replace("</mark>", ""))
            for side in sides]  # fmt: skip


def test_two_ways_of_asking_stand_beside_each_other(client, retriever):
    page = client.get("/compare", params={"q": QUESTION, "a": "in force", "b": "text only"}).text
    usual = [hit.node.name for hit in retriever.search(QUESTION).hits]
    text = [hit.node.name for hit in retriever.search(QUESTION, weights=Weights(0, 1, 0, 0)).hits]
    assert columns(page) == [usual, text]
    common = len(set(usual) & set(text))
    assert f"{common} of {max(len(usual), len(text))} hits in common" in page
    assert page.count('<path class="') == common
    assert "Where the difference comes from" in page


def test_a_difference_names_the_signals_that_make_it(client, retriever):
    page = client.get("/compare", params={"q": QUESTION, "a": "in force", "b": "text only"}).text
    moved = re.search(r"<th scope=\"row\"><bdi>open_file</bdi></th>.*?</tr>", page, re.S)
    assert moved
    told = dict(re.findall(r"</span>(\w+) <span class=\"num\">([+−][\d.]+)</span>", moved[0]))
    hit = next(hit for hit in retriever.search(QUESTION).hits if hit.node.name == "open_file")
    graph = sum(item.value for item in hit.evidence if item.component == "graph")
    assert float(told["graph"].replace("−", "-")) == pytest.approx(-graph, abs=0.0006)


@pytest.mark.parametrize("way", ["as in Search", "default", "published", "embedding only", "no graph"])
def test_every_way_answers(client, way):
    page = client.get("/compare", params={"q": QUESTION, "a": way, "b": "in force", "weights": "1,0,0,0"})
    assert page.status_code == 200
    assert columns(page.text)[0]


def test_the_published_method_does_not_look_for_communities_for_minutes(client, lens, monkeypatch):
    sentence = "communities take long"
    params = {"q": QUESTION, "b": "published"}
    assert sentence not in client.get("/compare", params=params).text
    exact = lens.session.by("published", Asked())[0].config.diversity
    lens.session.close()
    monkeypatch.setattr("fourfold.lens.session._MOST_EXACT", 3)
    assert sentence in client.get("/compare", params=params).text
    assert exact.exact_communities and not lens.session.by("published", Asked())[0].config.diversity.exact_communities


def test_the_published_method_over_words_that_are_not_its_own_says_so(client, tmp_path):
    sentence = "here it has those of this file"
    assert sentence in client.get("/compare", params={"q": QUESTION, "a": "published", "b": "published"}).text
    assert sentence not in client.get("/compare", params={"q": QUESTION, "b": "default"}).text
    with Retriever(tmp_path / "published.sqlite", config=RetrievalConfig.published()) as made_so:
        made_so.add([Node("a", "save data", text="to disk")])
        lens = Lens(made_so)
        assert sentence not in client_of(lens).get("/compare", params={"q": QUESTION, "b": "published"}).text
        lens.session.close()


def test_an_applied_version_and_another_file_can_be_asked(retriever, tmp_path):
    retriever.learning.apply_config(retriever.config.replace(fusion={"weights": Weights(0, 0, 1, 0)}))
    retriever.learning.rollback_config(0)
    with Retriever(tmp_path / "other.sqlite") as other:
        other.add(retriever.get(["write", "disk"]))
        lens = Lens(retriever, beside={"other.sqlite": other})
        page = client_of(lens).get("/compare", params={"q": QUESTION, "a": "version 1", "b": "other.sqlite"}).text
        lens.session.close()
    left, right = columns(page)
    assert set(right) <= {"write_file", "disk"}
    assert left != right


def test_tables_of_another_application_are_read_by_the_same_schema(tmp_path):
    with closing(sqlite3.connect(tmp_path / "theirs.db")) as theirs, theirs:
        theirs.executescript(
            "CREATE TABLE items (id TEXT PRIMARY KEY, title TEXT, body TEXT, remark TEXT);"
            "INSERT INTO items VALUES ('a', 'first', 'saves data', 'red'), ('b', 'second', 'reads data', 'green');"
        )
    theirs.close()
    schema = ForeignSchema(node_table="items", id="id", name="title", text=("remark",))
    with Retriever.open_foreign(tmp_path / "theirs.db", schema) as retriever:
        before = retriever.get(["a", "b"])
        lens = Lens(retriever)
        page = client_of(lens).get("/compare", params={"q": "green", "a": "in force", "b": "default"}).text
        lens.session.close()
        left, right = columns(page)
        assert left == right
        assert retriever.search("green").hits[0].node.id == "b"
        assert retriever.get(["a", "b"]) == before


def test_an_unknown_way_and_a_graph_in_memory_are_sentences(client):
    page = client.get("/compare", params={"q": QUESTION, "b": "magic"})
    assert page.status_code == 400
    assert "There is no configuration 'magic'" in unescape(page.text)
    with tools() as memory:
        page = client_of(Lens(memory)).get("/compare", params={"q": QUESTION, "b": "published"})
        assert "cannot be opened a second time" in unescape(page.text)


# -- judge --------------------------------------------------------------------------------------------------------


def test_a_judgement_is_kept_in_the_file(client, retriever):
    page = client.get("/judge", params={"q": QUESTION}).text
    assert "Nothing is judged yet. The tuner wants 20 questions" in page
    action = unescape(re.search(r'action="(/judge/mark[^"]*node=write)"', page)[1])
    answer = client.post(action, data={"form_token": form_token_of(page), "grade": "1"}, follow_redirects=False)
    assert answer.status_code == 303
    client.post(action.replace("write", "disk"), data={"form_token": form_token_of(page), "grade": "0"})
    assert retriever.learning.judgements() == [(QUESTION, "write", 1.0), (QUESTION, "disk", 0.0)]
    page = client.get(answer.headers["location"]).text
    assert "2 judgements on 1 question; 1 of them with a relevant hit. The tuner wants 20: 19 more questions." in page
    assert "judged-yes" in page and "judged-no" in page


def test_what_the_signals_disagree_on_is_proposed_first(client, retriever):
    page = client.get("/judge", params={"q": QUESTION}).text
    proposed = [part for part in page.split('<li class="hit ')[1:] if "proposed" in part.partition(">")[0]]
    assert 0 < len(proposed) <= 5
    for part in proposed:
        ranks = re.search(r"rank by embedding (\S+), text (\S+), graph (\S+)", part).groups()
        assert len(set(ranks)) > 1


def test_a_form_of_another_page_is_refused(client, retriever):
    page = client.get("/judge", params={"q": QUESTION}).text
    other = client_of(Lens(retriever)).get("/judge", params={"q": QUESTION}).text
    measured = (
        form_token_of(client.get("/measure").text) if 'name="form_token"' in client.get("/measure").text else "0" * 64
    )
    for word in ("", "wrong", form_token_of(other), measured):
        for address in (f"/judge/mark?q={QUESTION}&node=write", "/judge/import"):
            answer = client.post(address, data={"form_token": word, "grade": "1"})
            assert answer.status_code == 403, address
    for address in ("run", "stop", "apply", "rollback"):
        assert (
            client.post(f"/measure/{address}", data={"form_token": form_token_of(page), "kind": "tune"}).status_code
            == 403
        )
    assert client.get(f"/judge/mark?q={QUESTION}&node=write").status_code == 405
    assert retriever.learning.judgements() == []


def test_a_judgement_that_cannot_be_meant_is_a_sentence(client, retriever):
    word = form_token_of(client.get("/judge", params={"q": QUESTION}).text)
    for params, data in (
        ({"q": QUESTION, "node": "nobody"}, {"grade": "1"}),
        ({"q": "", "node": "write"}, {"grade": "1"}),
        ({"q": QUESTION, "node": "write"}, {"grade": "-1"}),
        ({"q": QUESTION, "node": "write"}, {"grade": "often"}),
    ):
        assert client.post("/judge/mark", params=params, data={"form_token": word, **data}).status_code in (400, 404)
    assert retriever.learning.judgements() == []


def test_nothing_is_written_when_lens_only_reads(retriever):
    writable = client_of(Lens(retriever))
    lens = Lens(retriever, read_only=True)
    client = client_of(lens)
    page = client.get("/judge", params={"q": QUESTION}).text
    assert 'name="form_token"' not in page and "read only" in page
    for name, address, data in (
        ("judge", f"/judge/mark?q={QUESTION}&node=write", {"grade": "1"}),
        ("measure", "/measure/rollback", {"version": "0"}),
    ):
        answer = client.post(address, data={"form_token": lens.pages.form_token(name), **data})
        assert answer.status_code == 400
        assert "opened to read only" in unescape(answer.text)
    assert retriever.learning.judgements() == [] and not retriever.learning.config_versions()
    assert writable.get("/judge", params={"q": QUESTION}).status_code == 200


@pytest.mark.parametrize("names", [("queries.jsonl", "qrels.tsv"), ("topics.tsv", "qrels.txt")])
def test_judgements_go_out_and_come_in_again(client, retriever, tmp_path, names):
    given = [(QUESTION, "write", 1.0), (QUESTION, "disk", 0.0), ("ein „Gruß“ über\tTab", "send", 0.1 + 0.2)]
    for question, node, grade in given:
        retriever.learning.feedback(question, node, grade)
    files = [client.get(f"/judge/export/{name}") for name in names]
    assert all("attachment" in file.headers["content-disposition"] for file in files)
    if names[0] == "queries.jsonl":  # it is what fourfold itself reads
        for name, file in zip(names, files, strict=True):
            (tmp_path / name).write_bytes(file.content)
        assert {query.text: dict(query.relevant) for query in load_judgements(tmp_path)} == {
            QUESTION: {"write": 1.0, "disk": 0.0}, given[2][0]: {"send": 0.1 + 0.2}}  # fmt: skip
    with tools() as other:
        fresh = client_of(Lens(other))
        word = form_token_of(fresh.get("/judge", params={"q": "x"}).text)
        sent = {"questions": (names[0], files[0].content), "qrels": (names[1], files[1].content)}
        page = fresh.post("/judge/import", data={"form_token": word}, files=sent)
        assert "3 judgements on 2 questions were taken in." in page.text
        wanted = {(" ".join(q.split()) if names[0] == "topics.tsv" else q, n, g) for q, n, g in given}
        assert set(other.learning.judgements()) == wanted


def test_judgements_as_others_write_them_come_in(client, retriever):
    """With a byte order mark, and with the grades below 0 that TREC gives to what is worse than not relevant."""
    word = form_token_of(client.get("/judge", params={"q": "x"}).text)
    qrels = b"1 0 write 1\n1 0 disk -2\n2 0 zip 1\n"
    for questions in (
        b"\xef\xbb\xbf1\tsave data\n2\tmake it small\n",
        b'\xef\xbb\xbf{"_id": 1, "text": "save data"}\n{"_id": 2, "text": "make it small"}\n',
    ):
        files = {"questions": ("q", questions), "qrels": ("r", qrels)}
        page = client.post("/judge/import", data={"form_token": word}, files=files)
        assert "3 judgements on 2 questions were taken in." in page.text
    given = {("save data", "write", 1.0), ("save data", "disk", 0.0), ("make it small", "zip", 1.0)}
    assert set(retriever.learning.judgements()) == given


def test_an_import_that_ends_early_says_what_it_kept(client, retriever):
    word = form_token_of(client.get("/judge", params={"q": "x"}).text)
    probes = b'{"query": "save data", "expected": ["write", "disk"]}\n{"query": "\\ud800", "expected": ["zip"]}\n'
    answer = client.post("/judge/import", data={"form_token": word}, files={"questions": ("p", probes)})
    assert answer.status_code == 400
    assert "2 judgements were taken in, then this stopped the rest: The query holds a lone" in answer.text
    assert len(retriever.learning.judgements()) == 2


def test_probes_come_in_and_unknown_nodes_are_counted(client, retriever):
    word = form_token_of(client.get("/judge", params={"q": "x"}).text)
    probes = "\n".join(
        json.dumps({"query": q, "expected": e}) for q, e in ((QUESTION, ["write", "gone"]), ("b", ["zip"]))
    )
    page = client.post("/judge/import", data={"form_token": word}, files={"questions": ("p.jsonl", probes.encode())})
    assert "2 judgements on 2 questions were taken in. 1 name nodes that are not in this graph" in page.text
    assert set(retriever.learning.judgements()) == {(QUESTION, "write", 1.0), ("b", "zip", 1.0)}


@pytest.mark.parametrize(
    ("questions", "qrels", "sentence"),
    [
        (b"", b"", "No questions were sent"),
        (b"\xff no text", b"1\t0\ta\t1\n", "no UTF-8 text"),
        (b"no tab\n", b"1\t0\ta\t1\n", "Line 1 of the questions"),
        (b'{"_id": 1}\n', b"1\t0\ta\t1\n", "line 1 has no 'text'"),
        (b'{"_id": 1, "text": "a"}\n', b"1 a\n", "is not query-id, corpus-id, score"),
        (b"{broken", b"", "is no JSON"),
    ],
)
def test_what_cannot_be_imported_is_a_sentence_without_a_path(client, questions, qrels, sentence):
    word = form_token_of(client.get("/judge", params={"q": "x"}).text)
    files = {"questions": ("q", questions), "qrels": ("r", qrels)}
    answer = client.post("/judge/import", data={"form_token": word}, files=files)
    assert answer.status_code == 400
    assert sentence in unescape(answer.text)
    assert "/tmp" not in answer.text


# -- measure and tune ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    """Return the path of a village whose hits are judged."""
    root = tmp_path_factory.mktemp("village")
    with Retriever(root / "kg.sqlite") as retriever:
        index_paths(retriever, [village(root / "pages")])
        for question, right in VILLAGE.items():
            for hit in retriever.search(question, k=6).hits:
                retriever.learning.feedback(question, hit.node.id, hit.node.name == right)
            retriever.learning.feedback(question, retriever.search(right, k=1).ids[0])
    return root / "kg.sqlite"


def run(client, lens, kind: str) -> str:
    page = client.get("/measure").text
    client.post("/measure/run", data={"form_token": form_token_of(page), "kind": kind})
    lens.session.jobs.wait(120)
    return unescape(client.get("/measure", params={"fragment": "1"}).text)


def test_measuring_tells_means_with_intervals_and_every_question(judged):
    with Retriever(judged) as retriever:
        lens = Lens(retriever)
        page = run(client_of(lens), lens, "measure")
    assert re.search(
        r"ndcg@10</th><td class=\"right\"><strong class=\"num\">0\.\d+</strong> <span[^>]*>\[0\.\d+, \d\.\d+\]", page
    )
    for question in VILLAGE:
        assert f'href="/?q={question.replace(" ", "+")}"' in page


def test_each_part_is_switched_off_in_turn(judged):
    with Retriever(judged) as retriever:
        lens = Lens(retriever)
        page = run(client_of(lens), lens, "parts")
    part = page[page.index("What each part is worth</h2>") :]
    for name in ("graph", "sharp seeds"):
        assert re.search(
            rf'<th scope="row">{name}</th><td class="right num">0\.\d+</td><td class="right"><span[^>]*>−', part
        )
    idle = part.split("No question is answered differently without:")[1]
    assert "bridges" in idle and "graph," not in idle.partition("</p>")[0]


def test_tuning_is_applied_only_on_purpose_and_rolled_back(judged, tmp_path):
    (tmp_path / "kg.sqlite").write_bytes(judged.read_bytes())
    with Retriever(tmp_path / "kg.sqlite") as retriever:
        lens = Lens(retriever)
        client = client_of(lens)
        page = run(client, lens, "tune")
        assert "Not applied:" in page and "I want it although the gate says no" in page
        assert re.search(r"at least, at ([\d.]+) %", page)[1] == re.search(r"at least \S+ at ([\d.]+)%", page)[1]
        data = {"form_token": form_token_of(page), "job": re.search(r'name="job" value="(\d+)"', page)[1]}
        refused = client.post("/measure/apply", data=data)
        assert refused.status_code == 400 and "The gate did not let it pass" in refused.text
        assert retriever.info()["config_version"] == 0
        assert client.post("/measure/apply", data={**data, "job": "77", "anyway": "yes"}).status_code == 400
        client.post("/measure/apply", data={**data, "anyway": "yes"})
        assert retriever.info()["config_version"] == 1
        assert retriever.learning.config_versions()[0].evidence["verdict"].startswith("Not applied:")
        assert client.post("/measure/apply", data={**data, "anyway": "yes"}).status_code == 400  # once only
        client.post("/measure/rollback", data={"form_token": data["form_token"], "version": "0"})
        assert retriever.info()["config_version"] == 0
        assert (
            client.post("/measure/rollback", data={"form_token": data["form_token"], "version": "9"}).status_code == 400
        )


def test_tuning_compares_with_what_it_measured_whatever_priors_do(judged, tmp_path):
    path = shutil.copy(judged, tmp_path)
    with Retriever(path) as retriever:
        config = retriever.config.replace(fusion={"priors": {"pinned": "keep", "pinned_gain": 1.0}})
        retriever.learning.apply_config(config)
        for node in retriever.get(list(retriever.manifest())):
            if node.name in ("Bells", "Boats", "Walls"):
                retriever.add([replace(node, metadata={**node.metadata, "keep": True})])
        tuned = measuring.learn(Lens(retriever).session, lambda done, total: None)
    change = sum(line.change for line in (*tuned.wins, *tuned.losses))
    assert change / len(VILLAGE) == pytest.approx(tuned.result.gain.mean)


def test_two_clicks_at_once_apply_once(judged, tmp_path, monkeypatch):
    (tmp_path / "kg.sqlite").write_bytes(judged.read_bytes())
    with Retriever(tmp_path / "kg.sqlite") as retriever:
        lens = Lens(retriever)
        client, other = client_of(lens), client_of(lens)
        page = run(client, lens, "tune")
        data = {
            "form_token": form_token_of(page),
            "job": re.search(r'name="job" value="(\d+)"', page)[1],
            "anyway": "yes",
        }
        reasons = measuring.reasons

        def while_another_clicks(*given):
            monkeypatch.setattr(measuring, "reasons", reasons)
            other.post("/measure/apply", data=data)
            return reasons(*given)

        monkeypatch.setattr(measuring, "reasons", while_another_clicks)
        late = client.post("/measure/apply", data=data)
        assert late.status_code == 400 and "no longer the latest tuning" in late.text
        assert retriever.info()["config_version"] == 1


def test_what_was_learnt_under_another_config_is_not_applied(judged, tmp_path):
    (tmp_path / "kg.sqlite").write_bytes(judged.read_bytes())
    with Retriever(tmp_path / "kg.sqlite") as retriever:
        lens = Lens(retriever)
        client = client_of(lens)
        page = run(client, lens, "tune")
        retriever.learning.apply_config(retriever.config.replace(limit=7))
        data = {
            "form_token": form_token_of(page),
            "job": re.search(r'name="job" value="(\d+)"', page)[1],
            "anyway": "yes",
        }
        answer = client.post("/measure/apply", data=data)
        assert "Another config has come into force" in answer.text
        assert retriever.config.limit == 7


def test_one_piece_of_work_at_a_time_and_it_can_be_stopped(judged):
    go = threading.Event()

    def work(progress):
        for step in range(1, 4):
            progress(step, 3)
            go.wait(30)
        return "never"

    with Retriever(judged) as retriever:
        lens = Lens(retriever)
        client = client_of(lens)
        job = lens.session.jobs.start("tune", work)
        page = client.get("/measure").text
        assert 'data-running="yes"' in page and "Tuning" in page
        refused = client.post("/measure/run", data={"form_token": form_token_of(page), "kind": "measure"})
        assert "already being measured" in refused.text
        client.post("/measure/stop", data={"form_token": form_token_of(page)})
        assert "stopping at the next step" in client.get("/measure").text
        go.set()
        lens.session.jobs.wait(30)
        assert job.state == "stopped"
        page = client.get("/measure").text
        assert "Tuning was stopped; nothing was changed." in page and "What tuning learnt" not in page


def test_a_page_written_while_the_work_ends_goes_on_looking(judged, monkeypatch):
    go = threading.Event()
    told = measure_view._told

    with Retriever(judged) as retriever:
        lens = Lens(retriever)

        def and_then_it_ends(job):
            sentence = told(job)
            go.set()
            lens.session.jobs.wait(30)
            return sentence

        lens.session.jobs.start("tune", lambda progress: go.wait(30) and 1 / 0)
        monkeypatch.setattr(measure_view, "_told", and_then_it_ends)
        page = client_of(lens).get("/measure").text
    assert "Tuning …" in page and 'data-running="yes"' in page and "/measure/stop" in page


def test_work_that_fails_is_a_sentence(judged):
    def work(progress):
        raise ZeroDivisionError("by hand")

    with Retriever(judged) as retriever:
        lens = Lens(retriever)
        lens.session.jobs.start("measure", work)
        lens.session.jobs.wait(30)
        assert "Measuring failed: ZeroDivisionError: by hand" in client_of(lens).get("/measure").text


def test_without_judgements_nothing_is_begun(client, lens):
    page = client.get("/measure").text
    assert 'value="tune"' not in page
    assert lens.session.jobs.latest is None


# -- hostile nodes ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("address", ["/compare?q=save+evil&b=text+only", "/judge?q=save+evil+script", "/measure"])
def test_what_a_node_holds_is_only_ever_text(address):
    with hostile() as retriever:
        retriever.learning.feedback("<script>window.owned=1</script>\u202e", "<b>bad</b>&?#\"'")
        page = client_of(Lens(retriever)).get(address)
        assert page.status_code == 200
        assert_harmless(page.text)


def test_the_history_says_of_what_was_applied_by_force_that_it_was(judged, tmp_path):
    (tmp_path / "kg.sqlite").write_bytes(judged.read_bytes())
    with Retriever(tmp_path / "kg.sqlite") as retriever:
        evidence = {"verdict": "Not applied: the gain may be chance."}
        retriever.learning.apply_config(retriever.config.replace(limit=7), evidence=evidence)
        page = client_of(Lens(retriever)).get("/measure").text
        assert "Applied by force, against the verdict: the gain may be chance." in page and "Not applied" not in page
