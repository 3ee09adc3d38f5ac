"""The pages and examples about LangChain and LlamaIndex run as they stand."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("langchain_fourfold", reason="the LangChain adapter is not installed")
pytest.importorskip("llama_index.retrievers.fourfold", reason="the LlamaIndex adapter is not installed")

ROOT = Path(__file__).parents[1]
PAGES = ("docs/langchain.md", "docs/llamaindex.md", "adapters/langchain/README.md", "adapters/llama_index/README.md")


@pytest.mark.parametrize("page", PAGES)
def test_the_code_of_a_page_runs(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert blocks
    names = {"__name__": "__page__"}
    for block in blocks:
        exec(compile(block, page, "exec"), names)
    assert capsys.readouterr().out


@pytest.fixture(scope="module")
def graph_file(tmp_path_factory):
    return tmp_path_factory.mktemp("stdlib") / "stdlib.sqlite"


@pytest.mark.parametrize("example", ["langchain_rag.py", "llamaindex_query_engine.py"])
def test_an_example_answers(example, graph_file):
    command = [sys.executable, str(ROOT / "examples" / example), str(graph_file), "how do I compress a file"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", env=environment, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "Question: how do I compress a file" in done.stdout
    assert "Intent: " in done.stdout
    assert "gzip" in done.stdout
    assert re.search(r"^0\.\d{3}  \S.*\[.*text.*\]  matches", done.stdout, re.MULTILINE)
    prompt = done.stdout.partition("Intent: ")[0]
    assert "components" not in prompt
    assert "fourfold" not in prompt
