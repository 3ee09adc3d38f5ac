"""What benchmarks/soak/folders.py checks of a hundred folders holds of two."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "soak" / "folders.py"


@pytest.mark.parametrize("seed", [1, 2])
def test_a_hostile_folder_is_indexed_as_far_as_it_can_be_read(seed, tmp_path):
    command = [sys.executable, str(SCRIPT), "--seed", str(seed), "--one", str(tmp_path / "folder")]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=600)
    subprocess.run(["rm", "-rf", str(tmp_path / "folder")], check=True)  # what cleans up after tests recurses
    assert done.returncode == 0, done.stderr
    assert f'"seed": {seed}' in done.stdout
