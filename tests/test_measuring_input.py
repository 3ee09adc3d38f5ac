"""Arguments of another kind to what measures, tunes, trains and writes: a sentence, before the work."""

from functools import partial

import numpy as np
import pytest

from fourfold import InvalidValueError, Node, Retriever
from fourfold.copying import copy
from fourfold.evaluate import (
    JudgedQuery,
    bootstrap_interval,
    compare,
    each_intent,
    evaluate,
    holm,
    ladder,
    lower_bound,
    run_variants,
    summarise,
    tune,
    weight_sweep,
)
from fourfold.ingest import Document, add_documents, index_paths
from fourfold.training import train_embedder

QUERIES = [JudgedQuery(str(number), f"text {number}", {f"n{number}": 1.0}) for number in range(3)]


@pytest.fixture(scope="module")
def retriever():
    with Retriever() as retriever:
        retriever.add(Node(f"n{number}", f"name {number}", text=f"some text {number}") for number in range(3))
        yield retriever


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (partial(bootstrap_interval, "x"), "The values are 'x'; they must be a list of finite numbers"),
        (partial(bootstrap_interval, None), "The values are None"),
        (partial(bootstrap_interval, [0.1, np.nan]), "finite numbers, one a query"),
        (partial(bootstrap_interval, [[0.1], [0.2]]), "a list of finite numbers"),
        (partial(bootstrap_interval, [0.1], samples=0), "samples is 0; it must be a whole number of at least 1"),
        (partial(bootstrap_interval, [0.1], samples=1e3), "samples is 1000.0"),
        (partial(bootstrap_interval, [0.1], seed=-1), "seed is -1; it must be a whole number of at least 0"),
        (partial(bootstrap_interval, [0.1, 0.2], groups=["a"]), "2 values and 1 groups; give each value its group"),
        (partial(bootstrap_interval, [0.1], groups=5), "groups is 5"),
        (partial(bootstrap_interval, [0.1], groups=[["a"]]), "A group can be no key: unhashable type: 'list'"),
        (partial(lower_bound, [0.1, 0.2], confidence=99), "confidence is 99; it must be between 0 and 1"),
        (partial(lower_bound, [0.1], seed="x"), "seed is 'x'"),
        (partial(compare, [0.1], 5), "others is 5; it must be a list of runs"),
        (partial(compare, [0.1], ["x"]), "The values are 'x'"),
        (partial(compare, [0.1], [[0.1]], seed=-1), "seed is -1"),
        (partial(holm, "x"), "p_values is 'x'; it must be a list of probabilities"),
        (partial(holm, [0.1, 5]), "A p-value is 5; it must be a finite number from 0 to 1"),
    ],
)
def test_a_statistic_of_what_is_none_is_refused(call, says):
    with pytest.raises(InvalidValueError, match=says):
        call()


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda r: evaluate(r, "probes.jsonl"), "judgements is 'probes.jsonl'; it must be a list of judged queries"),
        (lambda r: evaluate(r, None), "judgements is None"),
        (lambda r: summarise(evaluate(r, QUERIES), None), "judgements is None"),
        (lambda r: summarise(evaluate(r, QUERIES), QUERIES, measures=5), "measures is 5"),
        (lambda r: each_intent(r, 5), "judgements is 5"),
        (lambda r: run_variants(r, None, ladder(r.config)), "judgements is None"),
        (lambda r: run_variants(r, QUERIES, ladder(r.config), k=None), "k is None"),
        (lambda r: weight_sweep(r.config, "words", [0.1]), "component is 'words'; it must be one of 'embedding'"),
        (lambda r: weight_sweep(r.config, "text", ["x"]), "A weight is 'x'"),
        (lambda r: tune(r, 5), "queries is 5"),
        (lambda r: tune(r, QUERIES, seed=-1), "seed is -1"),
        (lambda r: train_embedder(r, settings={"seed": 1}), "settings is {'seed': 1}; it must be a Settings, or None"),
        (lambda r: train_embedder(r, base="minishlab/potion"), "base is 'minishlab/potion'; it must be a StaticEmb"),
    ],
)
def test_what_measures_and_trains_refuses_what_it_cannot_read(retriever, call, says):
    with pytest.raises(InvalidValueError, match=says):
        call(retriever)


@pytest.mark.parametrize(
    "call",
    [
        lambda r, told: evaluate(r, QUERIES, progress=told),
        lambda r, told: each_intent(r, QUERIES, progress=told),
        lambda r, told: run_variants(r, QUERIES, ladder(r.config)[:1], progress=told),
        lambda r, told: tune(r, QUERIES, progress=told),
        lambda r, told: train_embedder(r, progress=told),
        lambda r, told: add_documents(r, [Document(id="d", title="D", text="d")], progress=told),
        lambda r, told: index_paths(r, __file__, progress=told),
        lambda r, told: r.add([Node("new")], progress=told),
        lambda r, told: r.maintenance.reembed(progress=told),
        lambda r, told: copy(r, Retriever(), progress=told),
    ],
)
def test_a_progress_that_cannot_be_called_is_refused_before_the_work(retriever, call):
    """``progress=True`` is a bar elsewhere; it ended in a TypeError when the first step was done."""
    before = retriever.generation
    with pytest.raises(InvalidValueError, match="progress is True; it must be a function that is called on the way"):
        call(retriever, True)
    assert retriever.generation == before
