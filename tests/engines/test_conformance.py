"""The suite that ``fourfold.testing`` ships, over every engine there is."""

import pytest

from fourfold.testing import EngineSuite


class TestSqlite(EngineSuite):
    @pytest.fixture
    def address(self, tmp_path):
        return str(tmp_path / "kg.sqlite")


class TestPostgres(EngineSuite):
    @pytest.fixture
    def address(self, pg_url):
        return pg_url


@pytest.mark.engines
class TestMilvus(EngineSuite):
    @pytest.fixture
    def address(self, milvus_url):
        return milvus_url
