"""All tests of an engine, in one class to inherit."""

from __future__ import annotations

from fourfold.testing.keeping import KeepingTests
from fourfold.testing.parts import PartsTests
from fourfold.testing.searching import SearchingTests
from fourfold.testing.together import TogetherTests
from fourfold.testing.writing import WritingTests


class EngineSuite(WritingTests, PartsTests, SearchingTests, KeepingTests, TogetherTests):
    """Inherit this, and say in the fixture ``address`` where an empty graph is: a new one for each test."""
