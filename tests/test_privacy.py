"""Nothing leaves the machine unless the program says so."""

import json
import subprocess
import sys
from pathlib import Path


def test_every_entry_point_runs_where_network_calls_are_refused():
    script = Path(__file__).with_name("no_network_process.py")
    run = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=600)
    assert run.returncode == 0, run.stderr
    told = json.loads(run.stdout.splitlines()[-1])
    assert told["unasked"] == []
    assert told["asked"], "the refusal of network calls does not work"
    for entry in ("open_foreign", "fourfold ask", "LangChain", "LlamaIndex", "MCP explain"):
        assert entry in told["entries"]
