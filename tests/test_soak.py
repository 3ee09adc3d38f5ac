"""A little of what ``make soak`` does for hours."""

import subprocess
import sys
from pathlib import Path

import pytest

SOAK = Path(__file__).parent.parent / "benchmarks" / "soak"


@pytest.mark.slow
def test_any_call_with_any_arguments_is_answered_or_refused():
    command = [sys.executable, SOAK, "fuzz", "--rounds", "2", "--jobs", "1"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "4,000 calls" in done.stdout and "0 faults" in done.stdout
