"""The first tutorial, walked from its own words: a folder is indexed, an agent and an engine answer with sources."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("langchain_fourfold", reason="the LangChain adapter is not installed")
pytest.importorskip("llama_index.retrievers.fourfold", reason="the LlamaIndex adapter is not installed")

SCRIPT = Path(__file__).parents[1] / "scripts" / "newcomer.py"


def test_the_newcomer_s_path(tmp_path):
    command = [sys.executable, str(SCRIPT), "--here", "--json", str(tmp_path / "told.json")]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=500)
    assert done.returncode == 0, done.stderr
    told = json.loads((tmp_path / "told.json").read_text())
    assert [step["command"] for step in told["steps"]] == [
        "python",
        "fourfold index notes/ --db notes.sqlite",
        'fourfold search "when does the ferry leave?" --db notes.sqlite',
        "python",
    ]
    *_, asked, answered = (step["printed"] for step in told["steps"])
    assert "Ferry to Oslo" in asked
    assert "0 added or changed, 6 unchanged" in answered, "the command line has read the whole folder"
    assert answered.count("notes/ferry.md") >= 3 and answered.count("leaves Bergen at 6:40") == 1
