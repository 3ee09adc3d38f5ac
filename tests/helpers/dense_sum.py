"""The weighted sum of the four components over all nodes, by the formula: nothing is left to candidates."""

import math
from collections import defaultdict

import networkx as nx
import numpy as np

from fourfold.intent import classify, find_spec
from fourfold.signals.text import term_weights

PLAIN = {
    "text": {"topic": False, "called": False},
    "fusion": {"late": {"depth": 0}, "fill": False, "foreign": 1.0},
    "graph": {"bridge": {"weight": 0.0}},
    "intents": {"chosen_types": 0.0, "paths": {"weight": 0.0}},
    "diversity": {"bonus": 0.0, "coverage": {"weight": 0.0}, "sides": False},
    "index": {"cache_size": 0},
}
"""What is left is the weighted sum of the four components."""


def standard(raw, population, background):
    """Return standard scores from a full pass, 0 where the raw score is 0."""
    padded = np.append(raw, np.zeros(population + background - len(raw)))
    deviation = padded.std()
    if not deviation > 1e-7:
        return np.zeros(len(raw))
    return np.where(raw == 0, 0.0, np.maximum((raw - padded.mean()) / deviation, 0.0))


class Dense:
    """One graph, read whole.

    Args:
        retriever: holds it.
        config: that of the retriever; but for what ``PLAIN`` turns off, the default's or the published method's.

    """

    def __init__(self, retriever, config):
        self.config, self.backend = config, retriever.backend
        self.snapshot = retriever.analysis.snapshot()
        self.nodes = retriever.get(sorted(retriever.manifest()))
        self.ids = [node.id for node in self.nodes]
        nums = self.backend.nums(self.ids)
        self.at = np.array([nums[identity] for identity in self.ids])
        self.place = {identity: n for n, identity in enumerate(self.ids)}
        self.edges = retriever.edges(self.ids)
        self.steps = defaultdict(list)
        for edge in self.edges:
            a, b = self.place[edge.source], self.place[edge.target]
            self.steps[a].append((b, edge.type, True, edge.weight))
            self.steps[b].append((a, edge.type, False, edge.weight))

    def sums(self, words, question, vector, allowed, k):
        """Return {id: score} of all allowed nodes.

        Args:
            words: each word of the question with its terms.
            question: as it was typed.
            vector: the question's.
            allowed: (n_nodes,) which nodes pass the filter, in the order of the ids.
            k: how many hits are asked for.

        """
        config = self.config
        spec = find_spec(classify(question, config.intents.specs), config.intents.specs)
        scaled, base = self.scaled(words, question, vector, allowed, k, spec), np.zeros(len(self.ids))
        weights = self.weights(spec, vector)
        for name, values in scaled.items():
            base = base + weights[name] * values
        seeds = set()
        for values in scaled.values():
            order = sorted((-values[n], self.ids[n], n) for n in range(len(self.ids)) if allowed[n])
            seeds |= {n for value, _, n in order[: config.seeds.per_component] if value < 0}
        gives = dict.fromkeys(seeds, 1.0)
        strongest = max((base[n] for n in seeds), default=0.0)
        if config.seeds.sharpness is not None and strongest > 0:
            gives = {n: math.exp(config.seeds.sharpness * (base[n] / strongest - 1.0)) for n in seeds}
        near = self.near(gives, spec, allowed)
        asked = self.spread(gives, {name: float(name in spec.edge_types) for name in self.types()}, allowed)
        asked = asked / asked.max() if asked.max(initial=0.0) > 0 else asked
        total = base + weights["graph"] * near + weights["intent"] * asked
        if config.fusion.clip:
            total = np.minimum(total, 1.0)
        return {identity: value for identity, value, keep in zip(self.ids, total, allowed, strict=True) if keep}

    def scaled(self, words, question, vector, allowed, k, spec):
        """Return text and embedding, (n_nodes,) each, on their scales."""
        config, size = self.config, len(self.ids)
        text = config.text
        counted = term_weights(words, spec.keywords, text.keyword_boost, prefix=text.keyword_prefix)
        numbers = self.snapshot.term_numbers(counted)
        known = {numbers[term]: weight for term, weight in counted.items() if term in numbers}
        raw = {"text": self.snapshot.text.ask(known).at(self.at).astype(float)}
        raw["embedding"] = self.snapshot.vectors.ask(np.asarray(vector)).at(self.at).astype(float)
        keep = config.fusion.candidate_multiplier * k
        if config.fusion.scaling == "max":
            # of the embedding the best few among the allowed have a score at all
            order = sorted((-raw["embedding"][n], self.ids[n], n) for n in range(size) if allowed[n])
            kept = np.isin(np.arange(size), [n for value, _, n in order[:keep] if value < 0])
            raw["embedding"] = raw["embedding"] * kept
            return {name: values / (values[allowed].max(initial=0.0) or np.inf) for name, values in raw.items()}
        found = {name: standard(values, size, config.fusion.background) for name, values in raw.items()}
        top = max(values.max() for values in found.values()) or 1.0
        found = {name: values / top for name, values in found.items()}
        if text.phrase != "never" and len(counted) > 1 and counted.keys() <= numbers.keys():
            found["text"] = np.maximum(found["text"], self.phrase(question, allowed, keep))
        return found

    def phrase(self, question, allowed, count):
        """Return the best ranks of the whole question as a phrase, divided by the largest."""
        found = dict(self.backend.phrase(question, None))
        ranks = np.array([found.get(num, 0.0) for num in self.at.tolist()]) * allowed
        kept = ranks >= np.sort(ranks)[::-1][:count][-1]
        return ranks * kept / (ranks.max() or 1.0)

    def weights(self, spec, vector):
        """Return the four weights by name; by default without an intent's tilt, and only of what has data."""
        if self.config.fusion.intent_tilt is None:
            return (spec.profile or self.config.fusion.weights).as_dict()
        weights = self.config.fusion.weights.as_dict()
        weights["graph"] *= bool(self.edges)
        weights["intent"] *= any(self.types())
        return {name: value / sum(weights.values()) for name, value in weights.items()}

    def types(self):
        """Return the types of the edges there are."""
        return sorted({edge.type for edge in self.edges})

    def spread(self, gives, worth, allowed):
        """Return what each node is given along the edges, where each gives to its strongest of each direction."""
        graph, found = self.config.graph, np.zeros(len(self.ids))
        for start, value in gives.items():
            ways = {True: [], False: []}
            for end, kind, along, weight in self.steps[start]:
                back = graph.untyped_backward if kind == "" else graph.backward
                worthy = worth[kind] * (graph.forward if along else back)
                if allowed[end] and worthy:
                    counts = 1.0 if graph.edge_weights == "none" else math.log2(1 + weight)
                    ways[along].append((-worthy * counts, self.ids[end], kind, end))
            share = value * max(len(self.steps[start]), 1) ** -graph.degree_exponent
            for of_one in ways.values():
                for gain, _, _, end in sorted(of_one)[: graph.hub_cap]:
                    found[end] -= share * gain
        return found

    def near(self, gives, spec, allowed):
        """Return the graph component, (n_nodes,)."""
        graph, types = self.config.graph, self.types()
        worth = dict(zip(types, graph.weights_of(types), strict=True))
        proximity = self.spread(gives, worth, allowed)
        if graph.second_hop:
            further = {n: graph.second_hop * v for n, v in enumerate(proximity) if v > 0}
            proximity = proximity + self.spread(further, worth, allowed)
        if graph.published_second_hop and spec.second_hop:
            order = sorted((-value, self.ids[n], n) for n, value in enumerate(proximity) if value > 0)
            for _, _, start in order[:20]:
                for end, _, along, _ in self.steps[start]:
                    if along and end not in gives and allowed[end]:
                        proximity[end] += 0.15
        if not gives:
            return np.zeros(len(self.ids))
        if graph.pagerank_share and len(self.edges) >= graph.pagerank_min_edges:
            ranks = self.pagerank()
            proximity = (1 - graph.pagerank_share) * proximity + graph.pagerank_share * ranks * allowed
        if self.config.fusion.scaling == "max":
            return proximity / (proximity.max() or 1.0)
        share = np.minimum(proximity / (sum(gives.values()) or 1.0), 1.0)
        mean = share.sum() / (len(self.ids) + self.config.fusion.background)
        return np.maximum(share - graph.background * mean, 0.0)

    def pagerank(self):
        """Return the PageRank of each node by networkx, divided by the largest; 0 for nodes without edges."""
        graph = nx.DiGraph([(edge.source, edge.target) for edge in self.edges])
        ranks = nx.pagerank(graph, alpha=0.85, max_iter=100)  # to the tolerance of the method
        found = np.array([ranks.get(identity, 0.0) for identity in self.ids])
        return found / found.max()
