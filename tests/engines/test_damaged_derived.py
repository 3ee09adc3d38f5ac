"""A flipped block in a derived file: no door raises, and none answers from it, whichever is the first to read it."""

import json
import logging
import os
import shutil
import sqlite3
import subprocess
import sys
import threading
import zlib
from contextlib import closing

import numpy as np
import pytest

from fourfold import Edge, Node, Retriever
from fourfold.engines.sqlite import parts
from fourfold.evaluate import JudgedQuery, Variant, each_intent, evaluate, run_variants, suggest_probes, tune
from fourfold.index import files, structure
from fourfold.lens.session import Session as LensSession
from fourfold.listing import by_filter
from fourfold.questions import Questions
from fourfold.tools import ToolCatalog
from fourfold.training.embedder import bundled, read_lessons

COUNT = 40
WORDS = ("save", "file", "disk", "read", "node", "edge", "parse", "tree")
NODES = [
    Node(
        f"n{n:02d}",
        f"{WORDS[n % 8]} {WORDS[n // 5 % 8]}",
        "tool",
        f"It can {WORDS[(3 * n) % 8]} and {WORDS[(5 * n + 1) % 8]} the {WORDS[n // 8]} number {n}.",
        {"n": n},
    )
    for n in range(COUNT)
]
TYPES = ("requires", "part_of", "followed_by")
EDGES = [Edge(f"n{n:02d}", f"n{(n * 7 + 1) % COUNT:02d}", TYPES[n % 3]) for n in range(COUNT)]
JUDGED = [JudgedQuery(f"q{n}", f"{WORDS[n]} the {WORDS[(n + 3) % 8]}", {f"n{n:02d}": 1.0}) for n in range(6)]


def rounded(answer):
    """Return what an answer says, floats to six digits."""
    if isinstance(answer, float):
        return round(answer, 6)
    if isinstance(answer, dict):
        return {str(key): rounded(value) for key, value in answer.items()}
    if isinstance(answer, (list, tuple)):
        return [rounded(value) for value in answer]
    return answer


def scores(retriever):
    _, found = retriever.analysis.scores("save a file", np.arange(1, 20))
    return {name: values.tolist() for name, values in found.components.items()}


def variants(retriever):
    config = retriever.config
    other = config.replace(text={"k1": 0.9, "fields": config.text.fields[:1]})
    return [run.scores for run in run_variants(retriever, JUDGED, [Variant("a", config), Variant("b", other)])]


def lens(retriever):
    session = LensSession(retriever)
    return [session.community_count(), session.edge_counts()]


DOORS = {
    "search": lambda r: [(hit.node.id, hit.score) for hit in r.search("save a file")],
    "explain": lambda r: r.explain("save a file", "n07").score,
    "explain what no search finds": lambda r: r.explain("save a file", "n39", k=1).as_dict(),
    "filtered": lambda r: r.search("read the tree", filter={"n": {"$gt": 5}}).ids,
    "by meaning": lambda r: r.search("keep a document", mode="embedding").ids,
    "matching": lambda r: r.matching({"n": {"$lt": 7}}),
    "listing": lambda r: by_filter(r, r.search("", filter={"n": 3}), {"n": 3}).ids,
    "context": lambda r: [node.id for node in r.context("n07")],
    "get": lambda r: [node.text for node in r.get(["n01", "n02"])],
    "vectors": lambda r: r.vectors(["n01"])["n01"].tolist(),
    "edges": lambda r: [(edge.source, edge.target) for edge in r.edges(["n01"])],
    "manifest": lambda r: r.manifest(),
    "info": lambda r: {name: value for name, value in r.info().items() if name != "path"},
    "analysis.scores": scores,
    "analysis.prepare": lambda r: [query.text for query in r.analysis.prepare(["save a file"])[1]],
    "compact": lambda r: [r.maintenance.compact(), r.search("save a file").ids],
    "add": lambda r: [r.add([Node("new", "save a file")]), r.search("save a file").ids],
    "delete": lambda r: [r.delete(["n07"]), r.search("save a file").ids],
    "ask": lambda r: Questions(r).ask("what depends on n07?").as_dict(),
    "intent_search": lambda r: Questions(r).intent_search("save a file").as_dict(),
    "subjects": lambda r: [subject.node.id for subject in Questions(r).subjects("save a file")],
    "want_to": lambda r: Questions(r).want_to("save a file").as_dict(),
    "can_it": lambda r: Questions(r).can_it("save a file").as_dict(),
    "compose_for": lambda r: Questions(r).compose_for("read the file and save the tree").as_dict(),
    "similar_to": lambda r: Questions(r).similar_to("n07").as_dict(),
    "impact_analysis": lambda r: Questions(r).impact_analysis("n07", "both").as_dict(),
    "trace_path": lambda r: Questions(r).trace_path("n01", "n20", 9).as_dict(),
    "explore_smart": lambda r: Questions(r).explore_smart("n07").as_dict(),
    "edge_type_boost": lambda r: Questions(r).edge_type_boost(["n07"], ["requires"]).as_dict(),
    "keyword_match": lambda r: Questions(r).keyword_match("save file").as_dict(),
    "dimension_filter": lambda r: Questions(r).dimension_filter({"n": {"min": 30}}).as_dict(),
    "search_tools": lambda r: ToolCatalog(r).search_tools("save a file").as_dict(),
    "suggest_workflow": lambda r: ToolCatalog(r).suggest_workflow("read the file and save the tree").as_dict(),
    "neighbors": lambda r: ToolCatalog(r).neighbors("n07"),
    "adamic_adar": lambda r: ToolCatalog(r).adamic_adar("n07"),
    "relatedness": lambda r: ToolCatalog(r).relatedness("n07", ["n01"]),
    "record_use": lambda r: [ToolCatalog(r).record_use(["n01", "n02"]), ToolCatalog(r).usage("n01").uses],
    "evaluate": lambda r: [evaluate(r, JUDGED[:2]).scores, each_intent(r, JUDGED[:1]).means],
    "run_variants": variants,
    "tune": lambda r: tune(r, JUDGED[:2], folds=2).config.fingerprint(),
    "suggest_probes": lambda r: [probe.text for probe in suggest_probes(r, count=5)],
    "lessons": lambda r: read_lessons(r, bundled(), seed=0).edges.tolist(),
    "lens": lens,
}


@pytest.fixture(scope="module")
def small_files():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parts, "_DERIVED_FROM", 10)
        logging.getLogger("fourfold").setLevel(logging.ERROR)
        yield
        logging.getLogger("fourfold").setLevel(logging.NOTSET)


@pytest.fixture(scope="module")
def folder(tmp_path_factory, small_files):
    folder = tmp_path_factory.mktemp("whole")
    with Retriever(folder / "kg.sqlite") as retriever:
        retriever.add(NODES, EDGES)
        retriever.search("save")
    return folder


def manifest(folder):
    """Return the file of each derived array by the array's name."""
    (derived,) = (folder / "kg.sqlite.index").iterdir()
    content = (derived / "manifest.json").read_text().partition("\n")[2]
    return {name: derived / of["file"] for name, of in json.loads(content)["arrays"].items()}


def flip(file):
    content = bytearray(file.read_bytes())
    if content:
        content[len(content) // 2] ^= 0x40
        file.write_bytes(content)
    return bool(content)


@pytest.mark.parametrize(
    "door", [pytest.param(door, marks=pytest.mark.slow) if door == "tune" else door for door in DOORS]
)
def test_no_door_raises_or_answers_from_a_damaged_block(folder, tmp_path, monkeypatch, door):
    read = set()
    verify = files.Mapped._verify

    def spy(mapped, key):
        read.add(mapped.path.name)
        verify(mapped, key)

    shutil.copytree(folder, tmp_path / "as-written")
    with monkeypatch.context() as patch, Retriever(tmp_path / "as-written" / "kg.sqlite") as retriever:
        patch.setattr(files.Mapped, "_verify", spy)
        expected = rounded(DOORS[door](retriever))
    for name in (name for name, file in manifest(folder).items() if file.name in read):
        copy = tmp_path / name
        shutil.copytree(folder, copy)
        if flip(manifest(copy)[name]):
            with Retriever(copy / "kg.sqlite") as retriever:
                assert rounded(DOORS[door](retriever)) == expected, name
        shutil.rmtree(copy)


@pytest.mark.parametrize("door", ["search", "similar_to", "search_tools", "analysis.scores"])
def test_what_was_held_before_the_damage_showed_is_taken_anew(folder, tmp_path, door):
    """A view or a state of a catalogue that was made while the damaged block was not yet read."""
    for name in manifest(folder):
        copy = tmp_path / name
        shutil.copytree(folder, copy)
        with Retriever(folder / "kg.sqlite") as retriever:
            expected = rounded(DOORS[door](retriever))
        if flip(manifest(copy)[name]):
            with Retriever(copy / "kg.sqlite") as retriever:
                retriever.analysis.snapshot()
                assert rounded(DOORS[door](retriever)) == expected, name
                assert rounded(DOORS[door](retriever)) == expected, name
        shutil.rmtree(copy)


def test_damaged_files_beside_a_graph_opened_for_reading_are_left_aside(folder, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    for name in manifest(copy):
        flip(manifest(copy)[name])
    before = sorted(file.read_bytes() for file in manifest(copy).values())
    with Retriever(folder / "kg.sqlite") as retriever:
        expected = [rounded(DOORS[door](retriever)) for door in ("search", "impact_analysis")]
    with Retriever(copy / "kg.sqlite", read_only=True) as retriever:
        assert [rounded(DOORS[door](retriever)) for door in ("search", "impact_analysis")] == expected
    assert sorted(file.read_bytes() for file in manifest(copy).values()) == before


@pytest.mark.parametrize("strange", [{"generation": "1"}, {"token": 5}, {"own_share": "all"}, {"parts": 3}])
def test_derived_files_that_say_strange_things_of_themselves_are_derived_again(folder, tmp_path, strange):
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    (derived,) = (copy / "kg.sqlite.index").iterdir()
    said = json.loads((derived / "manifest.json").read_text().partition("\n")[2])
    content = json.dumps(said | {"facts": said["facts"] | strange})
    (derived / "manifest.json").write_text(f"{zlib.crc32(content.encode())}\n{content}")
    with Retriever(folder / "kg.sqlite") as whole, Retriever(copy / "kg.sqlite") as retriever:
        assert retriever.search("save the file").ids == whole.search("save the file").ids


@pytest.mark.parametrize(
    ("name", "strange"),
    [
        ("text.totals", {"shape": [3, 1]}),
        ("text.pairs", {"shape": [-1]}),
        ("tokens.counts", {"dtype": "<f4"}),
        ("tokens.nums", {"dtype": "<f8"}),
        ("vectors.nums", {"dtype": "<u8"}),
        ("edges.starts", {"shape": [1, 41]}),
        ("text.common", "text.own_starts"),
        ("vectors.vectors", "edges.weights"),
        ("text.lengths", "edges.sources"),
        ("edges.nums", "tokens.counts"),
        ("edges.order", "names.nums"),
        ("tokens.live", None),
        ("vectors.nums", None),
    ],
)
def test_arrays_that_are_described_otherwise_under_a_right_checksum_are_derived_again(folder, tmp_path, name, strange):
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    (derived,) = (copy / "kg.sqlite.index").iterdir()
    said = json.loads((derived / "manifest.json").read_text().partition("\n")[2])
    arrays = said["arrays"]
    if strange is None:
        del arrays[name]
    elif isinstance(strange, dict):
        arrays[name] |= strange
    else:
        arrays[name], arrays[strange] = arrays[strange], arrays[name]
    content = json.dumps(said)
    (derived / "manifest.json").write_text(f"{zlib.crc32(content.encode())}\n{content}")
    with Retriever(folder / "kg.sqlite") as whole, Retriever(copy / "kg.sqlite") as retriever:
        for door in ("search", "explain", "impact_analysis", "similar_to"):
            assert rounded(DOORS[door](retriever)) == rounded(DOORS[door](whole)), door


@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("edges.types", lambda own: np.full_like(own, 2**31 - 1)),  # 16 GB were asked for
        ("edges.types", lambda own: -own),
        ("edges.sources", lambda own: own + 2**40),
        ("edges.weights", lambda own: own * np.float32(np.nan)),
        ("edges.starts", lambda own: own[::-1]),
        ("edges.order", lambda own: own * 2),
        ("text.df", lambda own: -own),
        ("text.nums", lambda own: own - 2**62),
        ("text.starts", lambda own: np.zeros_like(own)),
        ("text.starts", lambda own: np.minimum(own, 1)),
        ("text.nodes", lambda own: own + 1),
        ("text.codes", lambda own: np.full_like(own, 60_000)),
        ("text.common", lambda own: own[::-1]),
        ("text.columns", lambda own: own + 999),
        ("tokens.pieces", lambda own: own * 0 + 65_535),
        ("tokens.starts", lambda own: own[::-1]),
        ("names.order", lambda own: own + 7),
    ],
)
def test_values_that_nobody_can_have_meant_are_derived_again_whatever_their_checksum(folder, tmp_path, name, made):
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    (derived,) = (copy / "kg.sqlite.index").iterdir()
    said = json.loads((derived / "manifest.json").read_text().partition("\n")[2])
    array = said["arrays"][name]
    own = np.frombuffer((derived / array["file"]).read_bytes(), array["dtype"]).reshape(array["shape"])
    raw = np.ascontiguousarray(made(own), own.dtype).tobytes()
    assert len(raw) <= array["block"] and raw != own.tobytes()
    (derived / array["file"]).write_bytes(raw)
    array["crc"] = [zlib.crc32(raw)]
    content = json.dumps(said)
    (derived / "manifest.json").write_text(f"{zlib.crc32(content.encode())}\n{content}")
    for door in ("search", "impact_analysis", "adamic_adar", "delete", "compact"):
        shutil.copytree(copy, tmp_path / door)
        shutil.copytree(folder, tmp_path / f"whole-{door}")
        with (
            Retriever(tmp_path / door / "kg.sqlite") as retriever,
            Retriever(tmp_path / f"whole-{door}" / "kg.sqlite") as whole,
        ):
            assert rounded(DOORS[door](retriever)) == rounded(DOORS[door](whole)), door


OUT_OF_DESCRIPTORS = """
import os, resource, sys
from fourfold import Node, Retriever
from fourfold.engines.sqlite import parts

parts._DERIVED_FROM = 10
with Retriever(":memory:") as warm:  # what a first search loads is loaded
    warm.add([Node("a", "save")])
    warm.search("save")
with Retriever(sys.argv[1]) as retriever:
    retriever.get(["n01"])
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
    held = []
    try:
        while True:
            held.append(os.open(os.devnull, os.O_RDONLY))
    except OSError:
        os.close(held.pop()), os.close(held.pop())
    print(retriever.search("save").ids)
    for descriptor in held:
        os.close(descriptor)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no limit of descriptors")
def test_a_process_without_descriptors_leaves_derived_files_to_others(folder, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    (derived,) = (copy / "kg.sqlite.index").iterdir()
    made = derived.stat().st_ino
    script = [sys.executable, "-c", OUT_OF_DESCRIPTORS, copy / "kg.sqlite"]
    done = subprocess.run(script, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "Too many open files" in done.stderr  # it was short of them
    with Retriever(folder / "kg.sqlite") as retriever:
        assert done.stdout == f"{retriever.search('save').ids}\n"
    assert derived.stat().st_ino == made


def test_damage_that_is_met_while_communities_are_found_beside_the_questions(folder, tmp_path, monkeypatch):
    raised = []
    monkeypatch.setattr(threading, "excepthook", raised.append)
    monkeypatch.setattr(structure, "_PATIENCE", 0.0)
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    assert flip(manifest(copy)["edges.targets"])
    with Retriever(copy / "kg.sqlite") as retriever:
        session = LensSession(retriever)
        retriever.analysis.snapshot().structure._inline = 0
        assert session.community_count() == 0
        while retriever.analysis.snapshot().structure.busy:
            pass
        assert session.community_count() > 0
    assert not raised


def test_what_somebody_else_keeps_where_derived_files_are_written_stays(tmp_path, small_files):
    kept = ["2024-holiday/a.jpg", "partial-results/a.csv", "2023.txt"]
    for name in kept:
        (tmp_path / "mine" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "mine" / name).write_text("mine")
    os.utime(tmp_path / "mine" / "partial-results", (0, 0))
    (tmp_path / "kg.sqlite.index").symlink_to(tmp_path / "mine", target_is_directory=True)
    with Retriever(tmp_path / "kg.sqlite") as retriever:
        retriever.add(NODES, EDGES)
        retriever.search("save")
    assert len(list((tmp_path / "mine").iterdir())) == len(kept) + 1  # derived files were written there
    assert all((tmp_path / "mine" / name).is_file() for name in kept)


@pytest.mark.parametrize("token", ["x/../../../elsewhere", "x/../../000000000001-0123456789abcdef", "/elsewhere", ""])
def test_derived_files_are_written_beside_the_file_whatever_it_says(tmp_path, small_files, token):
    path = tmp_path / "in" / "kg.sqlite"
    path.parent.mkdir()
    with Retriever(path) as retriever:
        retriever.add(NODES, EDGES)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE writes SET token = ?", (token,))
    with Retriever(path) as retriever:
        assert retriever.search("save a file").ids
    assert {place.name for place in tmp_path.iterdir()} == {"in"}
    assert {place.name for place in path.parent.iterdir()} <= {"kg.sqlite", "kg.sqlite.index"}
    assert list((path.parent / "kg.sqlite.index").iterdir()) == []
