"""What several test files need."""

import sqlite3

import numpy as np
import pytest
from hypothesis import settings

# How long an example takes is the machine's affair; each run tries the same ones, so that red is a finding, not luck.
# pytest --hypothesis-profile=explore tries others.
settings.register_profile("any machine", deadline=None, derandomize=True)
settings.register_profile("explore", deadline=None, derandomize=False)
settings.load_profile("any machine")


@pytest.fixture
def check_file():
    """Return a function that raises unless a graph file and everything derived in it are consistent."""
    return _check_file


def _check_file(path):
    connection = sqlite3.connect(path)
    count = lambda sql, *values: connection.execute(f"SELECT count(*) FROM {sql}", values).fetchone()[0]  # noqa: E731
    try:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        connection.execute("INSERT INTO fts (fts, rank) VALUES ('integrity-check', 1)")
        assert count("tokens WHERE node NOT IN (SELECT num FROM nodes)") == 0
        assert count("vectors WHERE node NOT IN (SELECT num FROM nodes)") == 0
        assert count("nodes WHERE num NOT IN (SELECT node FROM tokens)") == 0
        record = [("term", "<i4"), ("field", "u1"), ("count", "<u2")]
        blobs = [row[0] for row in connection.execute("SELECT terms FROM tokens")]
        used = set(np.frombuffer(b"".join(blobs), record)["term"].tolist())
        assert used <= {row[0] for row in connection.execute("SELECT num FROM terms")}
        connection.rollback()
    finally:
        connection.close()
