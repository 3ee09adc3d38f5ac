"""All that Lens asks of a retriever, and what it remembers between two pages: the one module that knows it."""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from fourfold import Edge, EmbedderError, Explanation, InvalidValueError, Node, RetrievalConfig, Retriever, SearchResult
from fourfold.arguments import shown
from fourfold.cache import Cache
from fourfold.config_history import ConfigHistory, ConfigVersion
from fourfold.handle import opened_beside
from fourfold.intent import NO_INTENT
from fourfold.lens.jobs import Jobs
from fourfold.lens.metadata_keys import Key, keys_of
from fourfold.lens.state import Asked
from fourfold.snippets import snippet
from fourfold.threads import begun
from fourfold.types import Evidence, FloatArray, Weights

if TYPE_CHECKING:  # loaded when a page first needs them: the first page is there half a second earlier
    from fourfold.questions import Questions
    from fourfold.tools import ToolCatalog

logger = logging.getLogger(__name__)

_REMEMBERED_QUESTIONS = 256
_REMEMBERED_SNIPPETS = 4096
_REMEMBERED_WORDS = 50_000
_READ_FOR_KEYS = 2000
"""Nodes whose metadata is read to know which keys and values there are."""

_MOST_EDGES_COUNTED = 50_000
"""Nodes up to which the edges of each type are counted."""

_MOST_EXACT = 10_000
"""Nodes up to which communities are found by greedy modularity."""

FOREVER = 24 * 3600.0

AS_ASKED, IN_FORCE, NO_GRAPH = "as in Search", "in force", "no graph"
_ALONE = {"text only": Weights(0, 1, 0, 0), "embedding only": Weights(1, 0, 0, 0)}
_VERSION = "version "
WAYS = (AS_ASKED, IN_FORCE, "default", "published", *_ALONE, NO_GRAPH)
"""How a question can be asked of one file; applied configs and further files come on top."""


class Session:
    """One graph as the pages ask it, and further ones ``beside`` it, by the name they are shown by, to compare with."""

    def __init__(
        self, retriever: Retriever, *, read_only: bool = False, beside: Mapping[str, Retriever] | None = None
    ) -> None:
        self.retriever = retriever
        self.read_only = read_only or bool(retriever.backend.read_only)
        self.beside = dict(beside or {})
        self._vectors: Cache[FloatArray | None] = Cache(_REMEMBERED_QUESTIONS, FOREVER)
        self._snippets: Cache[str] = Cache(_REMEMBERED_SNIPPETS, FOREVER)
        self._facts: Cache[Any] = Cache(16, FOREVER)
        self._others: dict[str, Retriever] = {}
        self.jobs = Jobs()
        self._preparing: threading.Thread | None = None
        self._lock = threading.Lock()

    @property
    def place(self) -> str:
        """Where the graph lives: a file, or an address without its password."""
        return self.retriever.path

    @property
    def name(self) -> str:
        """What the graph is called in short: the file's name."""
        return self.place.replace("\\", "/").rstrip("/").rpartition("/")[2]

    @property
    def engine(self) -> str:
        """What keeps the graph, in a word or two."""
        return "SQLite, in memory" if self.place == ":memory:" else self.retriever.backend.capabilities.engine

    @property
    def terms(self) -> Callable[[str], tuple[str, ...]]:
        """What the graph's tokenizer makes of a text, or of a word; remembered."""
        found: Callable[[str], tuple[str, ...]] = self._known("terms", self._terms)
        return found

    def _terms(self) -> Callable[[str], tuple[str, ...]]:
        tokenizer = self.retriever.analysis.tokenizer
        return lru_cache(_REMEMBERED_WORDS)(lambda text: tuple(tokenizer.terms(text)))

    def prepare(self) -> None:
        """Read the index in the background, while the first question is being typed; nothing is embedded for it."""
        with self._lock:
            if self._preparing is None:
                self._preparing = begun(threading.Thread(target=self._prepared), "lens prepare")

    def _prepared(self) -> None:
        try:
            self.retriever.search("anything", k=1, mode="text")
        except Exception as error:  # a question that is really asked says what is wrong
            logger.info("Nothing was prepared: %s", error)

    # -- asking -------------------------------------------------------------------------------------------------

    def search(self, asked: Asked, retriever: Retriever | None = None) -> SearchResult:
        """Return the answer; a question is embedded once, whatever is asked of it later."""
        retriever = self.retriever if retriever is None else retriever
        return retriever.search(asked.question, **self.options(asked, retriever))

    def explain(
        self, asked: Asked, node_id: str, *, k: int | None = None, retriever: Retriever | None = None
    ) -> Explanation:
        """Return why a node stands where it does under the same options as ``search``."""
        retriever = self.retriever if retriever is None else retriever
        options = self.options(asked, retriever)
        return retriever.explain(asked.question, node_id, **(options if k is None else {**options, "k": k}))

    def options(self, asked: Asked, retriever: Retriever) -> dict[str, Any]:
        """Return what ``Retriever.search`` takes beside the question."""
        return {
            "k": asked.k,
            "filter": self.filter_of(asked),
            "intent": asked.intent,
            "weights": asked.weights,
            "query_vector": None if asked.mode == "text" else self._vector(asked.question, retriever),
            "mode": asked.mode,
            "group_by": asked.group_by,
        }

    def filter_of(self, asked: Asked) -> dict[str, Any] | None:
        """Return the filter of a question in the form ``Retriever.search`` takes."""
        if not asked.conditions:
            return None
        kinds = {key.name: key.kind for key in self.metadata_keys()}
        return {"$and": [row.as_filter(kinds.get(row.key, "mixed")) for row in asked.conditions]}

    def passes(self, asked: Asked, node_id: str) -> bool:
        """Return whether the filter of a question lets a node pass."""
        conditions = self.filter_of(asked)
        return conditions is None or bool(self.retriever.matching({"$and": [conditions, {"$id": node_id}]}))

    def _vector(self, question: str, retriever: Retriever) -> FloatArray | None:
        """Return the question's embedding, from memory if it was asked before; None leaves it to the search."""
        if not question.strip():
            return None
        key = (retriever.path, retriever.embedder.name, question)
        if (known := self._vectors.get(key)) is not None:
            return known
        try:
            vector = retriever.query_vector([question])
        except (EmbedderError, InvalidValueError):  # the search says what failed, and answers without it
            return None
        self._vectors.put(key, vector)
        return vector

    def snippet(self, node: Node, question: str, length: int = 240) -> str:
        """Return the passage of a node's text that the question is about."""
        key = (self.write, node.id, question, length)
        return self._snippets.of(key, lambda: snippet(node.text, question, self.terms, length=length))

    # -- the graph ----------------------------------------------------------------------------------------------

    @property
    def write(self) -> tuple[int, str]:
        """The state of the graph, which is another one where another file was put in its place."""
        return self.retriever.backend.write()

    def node(self, node_id: str) -> Node | None:
        """Return a node, or None."""
        return next(iter(self.retriever.get([node_id])), None)

    def nodes(self, ids: Sequence[str]) -> dict[str, Node]:
        """Return nodes by id; unknown ones are left out."""
        return {node.id: node for node in self.retriever.get(list(dict.fromkeys(ids)))}

    def edges(self, ids: Sequence[str]) -> list[Edge]:
        """Return every edge that leaves or enters one of these nodes."""
        return self.retriever.edges(ids)

    def around(self, node: Node, count: int) -> list[Node]:
        """Return a chunk between its neighbours in the document, in reading order; alone where it is in none."""
        return self.retriever.context(node, before=count, after=count)

    def find(self, text: str, count: int = 8) -> list[Node]:
        """Return the nodes that a person may mean by some letters: the one of that id first, then by search."""
        exact = self.node(text)
        found = [hit.node for hit in self.retriever.search(text, k=count, mode="text")] if text.strip() else []
        return ([exact] if exact else []) + [node for node in found if exact is None or node.id != exact.id]

    def metadata_keys(self) -> tuple[Key, ...]:
        """Return the metadata keys in use, the most frequent first, with node type before them.

        Of large graphs, those of nodes spread evenly over it.
        """
        found: tuple[Key, ...] = self._known("keys", self._keys)
        return found

    def keys_at_hand(self) -> tuple[Key, ...] | None:
        """Return the metadata keys if they are known already; reading them would hold up the first page."""
        known: tuple[tuple[Key, ...]] | None = self._facts.get(("keys", self.write))
        return None if known is None else known[0]

    def _keys(self) -> tuple[Key, ...]:
        sample = self.retriever.backend.sample(_READ_FOR_KEYS)
        nodes = self.retriever.backend.nodes(sample)
        return keys_of(nodes[number] for number in sample if number in nodes)

    def intents(self) -> tuple[str, ...]:
        """Return the names of the intents that a question can be read as, and the one that is none."""
        return (*(str(spec.name) for spec in self.retriever.config.intents.specs), NO_INTENT)

    def facts(self) -> dict[str, Any]:
        """Return what the file holds and what is in force."""
        return self.retriever.info()

    def edge_counts(self) -> list[tuple[str, int]] | None:
        """Return how many edges there are of each type, the most frequent first; None where that takes too long."""
        found: list[tuple[str, int]] | None = self._known("edges", self._edge_counts)
        return found

    def _edge_counts(self) -> list[tuple[str, int]] | None:
        if len(self.retriever) > _MOST_EDGES_COUNTED:
            return None
        return Counter(edge.type for edge in self.retriever.edges(self.retriever.manifest())).most_common()

    def community_count(self) -> int:
        """Return how many communities the graph falls into."""
        analysis, exact = self.retriever.analysis, self.retriever.config.diversity.exact_communities
        return analysis.from_whole_files(lambda: analysis.snapshot().communities(exact=exact).count)

    @cached_property
    def questions(self) -> Questions:
        """Structural questions over the graph."""
        from fourfold.questions import Questions

        return Questions(self.retriever)

    @cached_property
    def catalog(self) -> ToolCatalog:
        """The graph's tools."""
        from fourfold.tools import ToolCatalog

        return ToolCatalog(self.retriever)

    # -- judgements ---------------------------------------------------------------------------------------------

    def judgements(self) -> dict[str, dict[str, float]]:
        """Return all feedback: node id → grade by question, in the order of their first mention."""
        found: dict[str, dict[str, float]] = {}
        for question, node_id, grade in self.retriever.learning.judgements():
            found.setdefault(question, {})[node_id] = grade
        return found

    @property
    def wanted_questions(self) -> int:
        """How many questions with a relevant node the tuner asks for before its gate may open."""
        from fourfold.evaluate.tune import FEW_QUERIES

        return FEW_QUERIES

    def judge(self, question: str, node_id: str, grade: float) -> None:
        """Keep a judgement."""
        self._require_writable()
        self.retriever.learning.feedback(question, node_id, grade)

    # -- configs ------------------------------------------------------------------------------------------------

    def versions(self) -> tuple[list[ConfigVersion], int]:
        """Return every config ever applied, and the number of the one in force (0: the defaults)."""
        return self.retriever.learning.config_versions(), int(self.facts()["config_version"])

    def apply(self, config: RetrievalConfig, evidence: Mapping[str, Any]) -> int:
        """Put a config in force; return its number."""
        self._require_writable()
        return self.retriever.learning.apply_config(config, evidence=evidence)

    def roll_back(self, version: int) -> int:
        """Go back to an applied config; 0 is the defaults."""
        self._require_writable()
        return self.retriever.learning.rollback_config(version)

    def ways(self) -> list[str]:
        """Return the names of the ways in which a question can be asked: configs, single signals, further files."""
        versions, _ = self.versions()
        return [*WAYS, *(f"{_VERSION}{version.number}" for version in versions), *self.beside]

    def by(self, way: str, asked: Asked) -> tuple[Retriever, Asked]:
        """Return whom to ask, and what, for one of ``ways``.

        Raises:
            InvalidValueError: there is no such way, or the graph is in memory and cannot be opened with another config.

        """
        if way not in self.ways():
            raise InvalidValueError(f"There is no configuration {shown(way)}; there are {', '.join(self.ways())}.")
        if way == AS_ASKED:
            return self.retriever, asked
        plain = asked.untouched()
        if way in self.beside:
            return self.beside[way], plain
        if way == IN_FORCE:
            return self.retriever, plain
        if way in _ALONE:
            return self.retriever, replace(plain, weights=_ALONE[way])
        if way == NO_GRAPH:
            weights = replace(self.retriever.config.fusion.weights, graph=0.0, intent=0.0)
            return self.retriever, replace(plain, weights=weights)
        return self._with(way), plain

    def _config(self, way: str) -> RetrievalConfig:
        """Return another config as far as the file allows: its words and vectors are made already."""
        here = self.retriever.config
        if way.startswith(_VERSION):
            versions, in_force = self.versions()
            found = ConfigHistory(tuple(versions), in_force).version(int(way.removeprefix(_VERSION)))
        else:
            found = RetrievalConfig.published() if way == "published" else RetrievalConfig()
        text = {"language": here.text.language, "tokenizer": here.text.tokenizer}
        if self._large:
            found = found.replace(diversity={"exact_communities": False})
        return replace(found.replace(text=text), embedding=here.embedding)

    def notes(self, way: str) -> list[str]:
        """Return what the reader of a way's answer should know, a sentence each; mostly nothing."""
        if way != "published":
            return []
        told, published = [], RetrievalConfig.published()
        wanted = published.text.tokenizer_name, published.embedding
        if (self.retriever.analysis.tokenizer.name, self.retriever.config.embedding) != wanted:
            told.append(
                "The published method reads words and makes vectors otherwise; here it has those of this file. "
                "fourfold search --preset published answers from a copy that has its own."
            )
        if self._large:
            told.append(
                f"Of more than {_MOST_EXACT:,} nodes the published method's communities take long; here they are found "
                "the quick way, which touches only the bonus for the first hit of each."
            )
        return told

    @property
    def _large(self) -> bool:
        return len(self.retriever) > _MOST_EXACT

    def _with(self, way: str) -> Retriever:
        """Return the same graph opened with another config; kept open."""
        config = self._config(way)
        with self._lock:
            if way not in self._others:
                if self.retriever.path == ":memory:":
                    raise InvalidValueError(
                        f"This graph is in memory, and cannot be opened a second time with the config {way!r}; "
                        "keep it in a file, or compare by single signals."
                    )
                self._others[way] = opened_beside(Retriever, self.retriever, config)
            return self._others[way]

    def close(self) -> None:
        """Stop what runs in the background and close what was opened here; the retriever itself stays open."""
        self.jobs.stop()
        self.jobs.wait(10)
        if self._preparing is not None:
            self._preparing.join(10)
        with self._lock:
            for other in self._others.values():
                other.close()
            self._others.clear()

    # -- helpers ------------------------------------------------------------------------------------------------

    def _known(self, name: str, compute: Any) -> Any:
        """Return something about this state of the graph, computed once."""
        return self._facts.of((name, self.write), lambda: (compute(),))[0]  # in a tuple: it may be None

    def _require_writable(self) -> None:
        if self.read_only:
            raise InvalidValueError("Lens was opened to read only (--read-only); nothing is written.")


def share_by_component(evidence: Sequence[Evidence]) -> dict[str, float]:
    """Return how much of a score each component gave; what changes the sum afterwards stands under its own name."""
    found: dict[str, float] = {}
    for item in evidence:
        found[item.component] = found.get(item.component, 0.0) + item.value
    return found
