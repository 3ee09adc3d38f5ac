"""``fourfold index FOLDER`` in a process of its own."""

import json
import subprocess
import sys

import pytest

pytest.importorskip("typer")


def test_a_folder_is_indexed_and_indexed_again(tmp_path):
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("# Ann\n\nAnn knows Bob.")
    (notes / "b.md").write_text("# Bob\n\nBob builds boats.")
    (notes / "empty.md").write_text("")

    def run():
        command = [sys.executable, "-m", "fourfold", "index", str(notes), "--db", str(tmp_path / "n.sqlite"), "--json"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    first = run()
    assert (first["added"], first["nodes"], first["edges"]) == (2, 2, 1)
    assert [problem["where"] for problem in first["problems"]] == [str(notes / "empty.md")]
    (notes / "b.md").unlink()
    again = run()
    assert (again["added"], again["unchanged"], again["removed"], again["edges"]) == (0, 1, 1, 0)
