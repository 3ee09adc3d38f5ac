import importlib.util
import itertools
import os

import pytest
from pg_server import running

# Where the tests run as root a server is started by a fork. Once Milvus is loaded, gRPC's handlers begin a thread in
# the child, which now and then ends it before it is a server.
os.environ["GRPC_ENABLE_FORK_SUPPORT"] = "0"

_numbers = itertools.count()


@pytest.fixture(scope="session")
def pg_server():
    """A real PostgreSQL server."""
    with running() as server:
        yield server


@pytest.fixture
def pg_url(pg_server):
    """The address of an empty graph of its own."""
    return pg_server.url(f"graph_{next(_numbers)}")


@pytest.fixture(scope="session")
def milvus():
    """Milvus Lite, which make test-engines installs."""
    if importlib.util.find_spec("milvus_lite") is None:
        assert not os.environ.get("CI"), "make test-engines has not installed Milvus Lite."
        pytest.skip("Milvus Lite is not installed; make test-engines installs it where the platform has one.")


@pytest.fixture
def milvus_url(milvus, tmp_path):
    """The address of an empty graph in a local file of its own."""
    return f"milvus://{tmp_path}/kg.db"
