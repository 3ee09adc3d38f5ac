"""What the log says of a graph in service: readings, rebuilt files, codes, slow searches; never what was asked."""

import logging
import math

import numpy as np
import pytest

from fourfold import Node, Retriever, deadline
from fourfold.index.quantised import FirstStageSettings
from fourfold.index.vector_segment import VectorSegment


@pytest.fixture
def told(caplog):
    caplog.set_level(logging.DEBUG, logger="fourfold")
    return lambda level: [r.getMessage() for r in caplog.records if r.levelno == level and r.name[:8] == "fourfold"]


def test_readings_and_slow_searches_are_told_at_info_and_others_at_debug(tmp_path, told, monkeypatch):
    """Nothing at all was told at INFO or DEBUG, though the page on slow searches said to look there."""
    monkeypatch.setattr(deadline, "SLOW", math.inf)
    with Retriever(tmp_path / "kg.sqlite") as retriever:
        retriever.add([Node("a", "Alpha", text="swordfish")])
        retriever.search("swordfish")
        retriever.add([Node("b", "Beta")])
        retriever.search("swordfish")
    (read,) = told(logging.INFO)
    assert read.startswith(f"Generation 1 of {str(tmp_path / 'kg.sqlite')!r} was read in ") and "nodes 1." in read
    searched, again, more = told(logging.DEBUG)
    assert "hits 1, intent" in searched and "hits 2, intent" in more and again.startswith("Generation 2 of")
    monkeypatch.setattr(deadline, "SLOW", 0.0)
    with Retriever(tmp_path / "kg.sqlite") as retriever:
        retriever.search("swordfish")
    assert "hits 2, intent goal_based, mode hybrid, generation 2." in told(logging.INFO)[-1]
    assert "swordfish" not in str(told(logging.INFO) + told(logging.DEBUG))


def test_it_is_told_where_codes_find_too_few_of_the_nearest(told):
    pytest.importorskip("faiss")
    rows = np.random.default_rng(1).normal(size=(2_000, 16)).astype(np.float32)
    VectorSegment.build(np.arange(2_000), rows, first_stage=FirstStageSettings(exact=False))
    assert "of the ten nearest" in told(logging.INFO)[0]
