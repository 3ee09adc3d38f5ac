"""What loads with the package, and what a search needs: numpy, SQLite and what the model inside is read by."""

import os
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

REFUSED = ("scipy", "networkx", "Stemmer", "model2vec", "huggingface_hub", "sklearn", "pandas", "torch")

HOOK = f"""
import sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {REFUSED!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Refuse())
"""

SEARCH = """
import warnings; warnings.simplefilter("error")
from fourfold import Edge, Node, RetrievalConfig, Retriever
config = RetrievalConfig().replace(text={"tokenizer": "suffix"})
path = sys.argv[1]
with Retriever(path, config=config) as r:
    r.add(
        [
            Node("a", "write file", "tool", "Saves text to a disk.", {"lang": "en"}),
            Node("b", "disk", "thing", "Keeps data."),
            Node("c", "editor", "tool", "Uses the disk."),
            Node("d", "pen", "thing", "Writes on paper."),
        ],
        [Edge("a", "b", "depends_on"), Edge("c", "b", "depends_on"), Edge("c", "a", "enables")],
    )
with Retriever(path, config=config) as r:
    for question in ("how do I save data", '"the disk"', "what does the editor need"):
        result = r.search(question, filter={"$type": {"$in": ["tool", "thing"]}})
        print([(hit.node.id, round(hit.score, 6), hit.why) for hit in result])
        print(r.explain(question, "b").text)
    r.delete(["d"])
    print(r.search("paper").ids, r.info()["tokenizer"])
"""


def run(script, *arguments):
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        [sys.executable, "-c", script, *map(str, arguments)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_loading_the_package_loads_neither_scipy_nor_networkx_nor_the_stemmer():
    script = "from fourfold import Retriever; import sys; print(*{name.partition('.')[0] for name in sys.modules})"
    assert not {*REFUSED, "asyncio", "tokenizers", "safetensors"} & set(run(script).split())


def test_what_searches_is_loaded_when_it_is_first_named():
    script = "import fourfold, sys; print(*sys.modules); fourfold.Retriever; print(*sys.modules)"
    before, after = (line.split() for line in run(script).splitlines())
    searching = {"fourfold.retriever", "fourfold.pipeline", "fourfold.engines"}
    assert not searching & set(before) and searching <= set(after)


def test_what_a_search_loads_is_what_the_package_asks_for():
    asked = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    known = {"fourfold", *(re.split("[^\\w.-]", each)[0] for each in asked["dependencies"])}
    search = "r = fourfold.Retriever(); r.add([fourfold.Node('a', 'zebra')]); r.search('zebra')"
    loaded = run(f"import fourfold, sys; {search}; print(*{{name.partition('.')[0] for name in sys.modules}})").split()
    of = packages_distributions()
    found = {distribution for name in loaded if name[0] != "_" for distribution in of.get(name, ())}
    assert "tokenizers" in found and found <= known


def test_a_search_answers_the_same_where_nothing_but_numpy_and_the_model_is_installed(tmp_path):
    alone = run(HOOK + SEARCH, tmp_path / "alone.sqlite")
    assert alone == run("import sys" + SEARCH, tmp_path / "whole.sqlite")
    assert "suffix" in alone and "save" in alone


def test_what_is_missing_is_told_with_what_does_as_well(tmp_path):
    said = run(
        HOOK
        + """
from fourfold import Edge, MissingExtraError, Node, RetrievalConfig, Retriever
def told(call):
    try:
        call()
    except MissingExtraError as error:
        print(error)
    else:
        print("nothing was missing")

told(lambda: Retriever())
config = RetrievalConfig().replace(text={"tokenizer": "suffix"})
r = Retriever(config=config.replace(diversity={"exact_communities": True}))
r.add([Node("a", "alpha"), Node("b", "beta"), Node("c", "gamma")], [Edge("a", "b", "uses"), Edge("b", "c", "uses")])
told(lambda: r.analysis.snapshot().communities(exact=True))
from fourfold.embed.contextual.neighbour_mixing import Neighbours
import numpy as np
told(lambda: Neighbours(np.array([[0, 1]]), np.ones(1), 2))
"""
    ).splitlines()
    assert (
        "'snowball-english' needs the package PyStemmer, which is not installed; run: pip install PyStemmer" in said[0]
    )
    assert 'RetrievalConfig().replace(text={"tokenizer": "suffix"})' in said[0]
    assert said[1] == "nothing was missing"  # communities by greedy modularity, which networkx found once
    assert said[2].startswith("Training an embedder needs the package scipy")
