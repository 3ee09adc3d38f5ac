"""What every engine must do, as tests to inherit (needs pytest): the same answers as a SQLite file, or a refusal.

    from fourfold.testing import EngineSuite

    class TestMyEngine(EngineSuite):
        @pytest.fixture
        def address(self):
            return "myengine://…"  # of an empty graph, a new one for each test

Every test writes the same to the engine and to a SQLite file in memory and compares what both tell. What
``backend.capabilities`` say an engine cannot do must be refused with a sentence; nothing may differ in silence.
"""

import pytest

pytest.register_assert_rewrite(
    *(f"fourfold.testing.{name}" for name in ("compared", "keeping", "parts", "searching", "together", "writing"))
)

from fourfold.testing.engine import EngineSuite  # noqa: E402  (after what makes its assertions tell their values)
from fourfold.testing.graphs import sample  # noqa: E402

__all__ = ["EngineSuite", "sample"]
