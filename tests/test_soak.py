"""A little of what ``make soak`` does for hours."""

import subprocess
import sys
from pathlib import Path

import pytest

SOAK = Path(__file__).parent.parent / "benchmarks" / "soak"


@pytest.mark.slow
def test_any_call_with_any_arguments_is_answered_or_refused():
    command = [sys.executable, SOAK, "fuzz", "--rounds", "1", "--jobs", "1"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2,000 calls" in done.stdout and "0 faults" in done.stdout


@pytest.mark.slow
def test_nothing_is_lost_or_stale_where_one_writes_and_merges():
    command = [sys.executable, SOAK, "merges", "--kills", "4", "--seconds", "3"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "4 kills" in done.stdout and "0 lost or stale" in done.stdout and " 0 faults" in done.stdout


@pytest.mark.slow
def test_any_request_to_the_pages_is_answered_or_refused():
    done = subprocess.run([sys.executable, SOAK, "pages", "--requests", "300"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "300 requests" in done.stdout and " 0 faults" in done.stdout
