"""Any call with any arguments: answered or refused with a sentence, within a second, with sound numbers.

Rounds of calls on small graphs, each round a child process with a seed of its own, so that a hang or a crash of one
is seen from outside and made again by its number (``--first 17 --rounds 1``). It must hold that no exception is raised
but FourfoldErrors, and TypeErrors for options that do not exist; that no call takes a second of computing; that no
number is NaN and every score of the default preset is in [0, 1]; that no component fails unseen; that answers can be
written as JSON, shown and pickled.
"""

from __future__ import annotations

import argparse
import faulthandler
import json
import logging
import os
import pickle
import resource
import subprocess
import sys
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from chaos import KEYS, TYPES, Chaos

from fourfold import FourfoldError, FourfoldWarning, RetrievalConfig, Retriever, SearchResult, arguments
from fourfold.questions import Questions
from fourfold.tools import ToolCatalog
from fourfold.types import Explanation

LONGEST = 1.0
"""Seconds of computing that a call may take."""

HUNG = 120
"""Seconds by the clock after which a call is a hang; the process ends with what it was doing."""

ROUND = 2_000
"""Calls of one round."""

MEMORY = 2 << 30
"""Bytes that a round may fill."""

DIMENSIONS = 3

Call = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]


class Logged(logging.Handler):
    """Keeps the last exception that was logged: an answer names the component that failed, not why."""

    exception = ""

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info:
            self.exception = logging.Formatter().formatException(record.exc_info)


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--calls", type=int, default=1_000_000, help="calls in all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="number of the first round")
    parser.add_argument("--rounds", type=int, help=f"rounds of {ROUND:,} calls, instead of --calls")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)


def run(given: argparse.Namespace) -> bool:
    """Run the rounds, print what broke, and return whether nothing did."""
    if given.one is not None:
        print(json.dumps(Round(given.seed, given.one).run()))
        return True
    rounds = given.rounds or -(-given.calls // ROUND)
    calls, faults, outcomes, slowest = 0, Counter[str](), Counter[str](), 0.0
    begin = time.perf_counter()
    with ThreadPoolExecutor(given.jobs) as pool:
        for number, found in enumerate(
            pool.map(lambda n: _child(given.seed, n), range(given.first, given.first + rounds))
        ):
            calls += found.get("calls", 0)
            outcomes.update(found.get("outcomes", {}))
            slowest = max(slowest, found.get("slowest", 0.0))
            for kind, fault in found["faults"]:
                faults[kind] += 1
                if faults[kind] == 1:  # each kind is told once, and counted
                    print(f"round {given.first + number}, {fault}\n", flush=True)
    took = time.perf_counter() - begin
    answered = ", ".join(f"{count:,} {name}" for name, count in outcomes.most_common())
    print(
        f"fuzz: {calls:,} calls in {took:.0f} s, seed {given.seed}: {answered}; slowest {slowest:.2f} s of computing."
    )
    print(
        f"{faults.total()} faults of {len(faults)} kinds",
        *(f"{count:6} × {kind}" for kind, count in faults.most_common()),
        sep="\n",
    )
    return not faults


def _child(seed: int, number: int) -> dict[str, Any]:
    """Return what a round tells; a round that tells nothing has crashed or hung."""
    command = [sys.executable, os.path.dirname(__file__), "fuzz", "--seed", str(seed), "--one", str(number)]
    same = {**os.environ, "PYTHONHASHSEED": "0"}  # sets in the same order
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", env=same)
    if done.returncode == 0:
        return json.loads(done.stdout.splitlines()[-1])
    return {"faults": [("no end", f"ended with {done.returncode}:\n{done.stderr[-3000:]}")]}


class Round:
    """One graph and the calls made to it.

    Args:
        seed: of the whole run.
        number: of the round; the two together make the same calls again.

    """

    def __init__(self, seed: int, number: int) -> None:
        self.chaos = Chaos(seed * 1_000_003 + number)
        self.faults: list[tuple[str, str]] = []
        self.outcomes: Counter[str] = Counter()
        self.slowest = 0.0
        self.logged = Logged()
        logging.getLogger("fourfold").addHandler(self.logged)
        own = number % 3 > 0  # a third searches with the model in the package, which is slower
        presets = (RetrievalConfig, RetrievalConfig, RetrievalConfig.published, RetrievalConfig.two_signal)
        config = presets[number % 4]()
        self.bounded = config == RetrievalConfig()
        self.graph = Retriever(embedder=_three if own else None, config=config)
        self.dimensions = DIMENSIONS if own else 256
        self.questions = Questions(self.graph)
        self.catalog = ToolCatalog(self.graph)
        self.calls: dict[str, tuple[float, Callable[[], Call]]] = {
            **self._calls_of_the_graph(),
            **self._calls_of_the_rooms(),
        }

    def run(self) -> dict[str, Any]:
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", FourfoldWarning)
        calm = Chaos(self.chaos.random.random(), wild=0)
        self.graph.add([n for n in (calm.node(self.dimensions) for _ in range(60)) if _sound(n)])
        names, weights = list(self.calls), [share for share, _ in self.calls.values()]
        for call in range(ROUND):
            name = self.chaos.random.choices(names, weights)[0]
            self._try(call, name)
        self.graph.close()
        return {"calls": ROUND, "faults": self.faults, "outcomes": self.outcomes, "slowest": self.slowest}

    def _try(self, call: int, name: str) -> None:
        function, given, options = self.calls[name][1]()
        shown = [*map(arguments.shown, given), *(f"{name}={arguments.shown(value)}" for name, value in options.items())]
        said = f"call {call}, {name}({', '.join(shown)})"
        faulthandler.dump_traceback_later(HUNG, exit=True)
        begin = time.thread_time()
        try:
            answer = function(*given, **options)
            outcome = "answered"
        except FourfoldError as error:
            outcome = "refused"
            str(error)
        except TypeError as error:
            outcome = "refused as TypeError"
            if "no_such_option" not in str(error):
                self._fault(said, error)
        except Exception as error:
            outcome = "failed"
            self._fault(said, error)
        took = time.thread_time() - begin
        self.outcomes[outcome] += 1
        self.slowest = max(self.slowest, took)
        if took > LONGEST:
            self.faults.append((f"slow {name}", f"{said}\ntook {took:.2f} s"))
        if outcome == "answered":
            try:
                self._check(answer)
            except Exception as error:
                self._fault(f"{said}\nthe answer is unsound:", error)
        faulthandler.cancel_dump_traceback_later()

    def _fault(self, said: str, error: Exception) -> None:
        """Keep what was called and what came of it; faults at one line of the source are of one kind."""
        where = traceback.extract_tb(error.__traceback__)[-1]
        kind = f"{type(error).__name__} at {os.path.basename(where.filename)}:{where.lineno}"
        self.faults.append((kind, f"{said}\n{''.join(traceback.format_exception(error, limit=-4))}"))

    def _check(self, answer: Any) -> None:
        """Raise an AssertionError where an answer is not sound."""
        if isinstance(answer, SearchResult):
            assert not answer.degraded, f"{answer.degraded} failed:\n{self.logged.exception}"
            scores = [hit.score for hit in answer]
            assert scores == sorted(scores, reverse=True), scores
            assert all(score >= 0 for score in scores) and (not self.bounded or all(score <= 1 for score in scores)), (
                scores
            )
            assert all(0 <= v <= 1 for hit in answer for v in hit.components.as_dict().values())
            assert len(set(answer.ids)) == len(answer)
        if isinstance(answer, Explanation):
            assert abs(sum(c.value for c in answer.contributions) - answer.score) < 1e-6
        if hasattr(answer, "as_dict"):
            json.dumps(answer.as_dict(), allow_nan=False)
            str(answer)
            assert pickle.loads(pickle.dumps(answer)) == answer
        if hasattr(answer, "_repr_html_"):
            answer._repr_html_().encode()
        if hasattr(answer, "as_documents"):
            json.dumps([document.metadata for document in answer.as_documents()], allow_nan=False)
        if isinstance(answer, np.ndarray):
            assert np.isfinite(answer).all()

    def _calls_of_the_graph(self) -> dict[str, Any]:
        c, g = self.chaos, self.graph
        return {
            "search": (30, lambda: (g.search, (c.text(),), c.options(self.dimensions))),
            "search again": (5, lambda: (g.search, (c.one("deploy", "read file"),), c.options(self.dimensions))),
            "explain": (8, lambda: (g.explain, (c.text(), c.identity()), c.options(self.dimensions))),
            "search_many": (
                1,
                lambda: (g.search_many, (c.one([c.text(), c.text()], c.anything()),), c.options(self.dimensions)),
            ),
            "matching": (4, lambda: (g.matching, (c.filter(),), {})),
            "query_vector": (1, lambda: (g.query_vector, (c.one([c.text()], c.anything()),), {})),
            "get": (2, lambda: (g.get, (c.ids(),), {})),
            "edges": (2, lambda: (g.edges, (c.ids(),), {})),
            "vectors": (1, lambda: (g.vectors, (c.ids(),), {})),
            "context": (2, lambda: (g.context, (c.identity(),), {"before": c.whole(), "after": c.whole()})),
            "feedback": (2, lambda: (g.learning.feedback, (c.text(), c.identity(), c.number()), {})),
            "judgements": (0.2, lambda: (g.learning.judgements, (), {})),
            "info": (0.2, lambda: (g.info, (), {})),
            "manifest": (0.2, lambda: (g.manifest, (), {})),
            "add nodes": (3, lambda: (g.add, ([c.node(self.dimensions) for _ in range(c.count(4))],), {})),
            "add edges": (3, lambda: (g.add, (), {"edges": [c.edge() for _ in range(c.count(6))]})),
            "add": (0.5, lambda: (g.add, (c.anything(), c.anything()), {})),
            "delete": (1, lambda: (g.delete, (c.ids(),), {})),
            "delete edges": (1, lambda: (g.delete, (), {"edges": [c.edge() for _ in range(c.count(3))]})),
            "config": (1, lambda: (self._with_config, (c.one(*_constants()), c.number()), {})),
            "apply_config": (
                0.2,
                lambda: (g.learning.apply_config, (c.one(g.config, c.anything()),), {"evidence": c.metadata()}),
            ),
            "rollback_config": (0.1, lambda: (g.learning.rollback_config, (c.whole(3),), {})),
            "open": (
                0.2,
                lambda: (self._opened, (c.one(c.anything(), "a\0b", "", ":memory:"), c.one(None, c.anything())), {}),
            ),
        }

    def _calls_of_the_rooms(self) -> dict[str, Any]:
        c, q, t = self.chaos, self.questions, self.catalog
        bounds = lambda: {c.one(*KEYS): {c.one("min", "max", "exact", "x"): c.number()}}  # noqa: E731
        tools = lambda: [{"name": c.text(), "description": c.text(), "inputSchema": c.metadata()} for _ in range(2)]  # noqa: E731
        return {
            "ask": (3, lambda: (q.ask, (c.text(),), {"k": c.whole()})),
            "ask about": (1, lambda: (q.ask, (c.text(),), {"node": c.identity(), "to": c.identity()})),
            "intent_search": (1, lambda: (q.intent_search, (c.text(),), {"filters": c.one(None, bounds())})),
            "want_to": (1, lambda: (q.want_to, (c.text(), c.whole()), {"max_depth": c.whole(5)})),
            "can_it": (1, lambda: (q.can_it, (c.text(),), {})),
            "compose_for": (1, lambda: (q.compose_for, (c.text(), c.whole()), {})),
            "similar_to": (1, lambda: (q.similar_to, (c.identity(), c.whole()), {})),
            "impact_analysis": (
                1,
                lambda: (
                    q.impact_analysis,
                    (c.identity(), c.one("both", "upstream", c.anything())),
                    {"max_depth": c.whole(5)},
                ),
            ),
            "trace_path": (1, lambda: (q.trace_path, (c.identity(), c.identity(), c.whole()), {})),
            "explore_smart": (1, lambda: (q.explore_smart, (c.identity(), c.whole(4)), {"width": c.whole()})),
            "edge_type_boost": (
                1,
                lambda: (q.edge_type_boost, (c.ids(), c.one([*TYPES[:3], c.text()], c.anything())), {}),
            ),
            "keyword_match": (1, lambda: (q.keyword_match, (c.text(), c.whole()), {})),
            "dimension_filter": (1, lambda: (q.dimension_filter, (c.one(bounds(), c.anything()),), {})),
            "classify_intent": (1, lambda: (q.classify_intent, (c.text(),), {})),
            "subjects": (1, lambda: (q.subjects, (c.text(), c.whole()), {})),
            "search_tools": (2, lambda: (t.search_tools, (c.text(), c.whole(), c.ids()), {})),
            "suggest_workflow": (1, lambda: (t.suggest_workflow, (c.text(), c.whole(), c.ids()), {})),
            "add_tools": (0.3, lambda: (t.add_tools, (c.one(tools(), c.anything()),), {})),
            "record_use": (0.5, lambda: (t.record_use, (c.ids(), c.one(True, False, c.anything())), {})),
            "templates": (
                0.3,
                lambda: (
                    t.bootstrap_from_templates,
                    (c.one([c.ids()], [{"tools": c.ids()}], c.anything()),),
                    {"skip_unknown": True},
                ),
            ),
            "neighbors": (0.5, lambda: (t.neighbors, (c.identity(), c.one("in", "out", "both", c.anything())), {})),
            "relatedness": (0.5, lambda: (t.relatedness, (c.identity(), c.ids()), {})),
            "adamic_adar": (0.5, lambda: (t.adamic_adar, (c.identity(), c.whole()), {})),
            "usage": (0.5, lambda: (t.usage, (c.identity(),), {})),
        }

    def _with_config(self, constant: tuple[str, str], value: Any) -> None:
        """Search a graph with one constant of the config set to anything."""
        group, name = constant
        config = RetrievalConfig().replace(**({group: {name: value}} if group else {name: value}))
        with Retriever(embedder=_three, config=config) as graph:
            graph.add(self.graph.get(f"n{number}" for number in range(6)))
            result = graph.search("deploy the database then read a file")
            assert not result.degraded
            json.dumps(result.as_dict(), allow_nan=False)
            config.fingerprint()

    def _opened(self, path: Any, config: Any) -> None:
        Retriever(path, must_exist=True, config=config).close()


def _constants() -> list[tuple[str, str]]:
    """Return (group, name) of every constant of the config."""
    plain = RetrievalConfig().as_dict()
    return [(group, name) for group, inner in plain.items() if isinstance(inner, dict) for name in inner] + [
        ("", "limit")
    ]


def _sound(node: Any) -> bool:
    """Whether a node can be stored at all."""
    try:
        arguments.text(node.id + node.name + node.type + node.text, "")
        return bool(node.id) and "\0" not in node.id
    except FourfoldError:
        return False


def _three(texts: list[str]) -> list[list[float]]:
    return [[len(text) % 7 + 1.0, text.count("a") + 0.5, 1.0] for text in texts]
