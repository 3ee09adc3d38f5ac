"""Whether questions about facts are answered by the fact, not by the node they name: hit@1 and nDCG@10, by steps.

    FOURFOLD_DATASETS=… python benchmarks/facts.py [--collections pathquestion …] [--max-queries 200] [--results FOLDER]

Beside the questions that the collections bring, some are made of their edges: of one step ("where was X born?") and of
two ("what is the nationality of X's wife?"), from the phrases of facts.json, so many of each, drawn by a fixed seed.
A question is answered by every node that these steps reach. The graphs of facts_made.json are small and made up, with
questions in words that their edges have not, written before any was asked; once as they are, once with texts that list
the edges. Those of facts_graphs.py are larger, in the edge types of well-known graphs; facts_asked.json holds what is
asked of them. Those of facts_eight.json and their questions were written by somebody who had not seen the rules; a
second batch of questions is about what had failed in the first. So were the twenty graphs of facts_twenty.json, by two
others: the first ten were looked at while rules were made, of the second ten no question was before their first
measurement, which docs/facts.md has. The eight of facts_everyday.json, mostly in the edge types of Wikidata, are asked
as people ask; rules were made from their failures. facts_shared.json asks graphs of one relation, and who shares
something with whom, and rules were made of these. The graphs of facts_topics.json hold things and texts, six each by
three who had not seen the rules; rules were made of these, too, but of half of the third six. Those of
facts_assistants.json are memories of assistants and what a language model extracts of texts, six each by three again;
of the third six every second graph was read. Both have types of nodes, of which searches of two words are made, too: a
name, and the type of what stands beside it. All are left out where collections are named. Prints Markdown with 95 %
intervals and writes facts.json to the folder of results, with every question.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import facts_graphs
import numpy as np
from shared import add_collection_options, facts, figure, folders, markdown_table

from fourfold import Edge, Node, Retriever
from fourfold.edge_types import label
from fourfold.evaluate import Collection, JudgedQuery, Run, bootstrap_interval, evaluate, load_collection
from fourfold.evaluate.tune import answer_groups

PHRASES = Path(__file__).parent / "facts.json"
MADE = Path(__file__).parent / "facts_made.json"
EIGHT = Path(__file__).parent / "facts_eight.json"
TWENTY = Path(__file__).parent / "facts_twenty.json"
EVERYDAY = Path(__file__).parent / "facts_everyday.json"
SHARED = Path(__file__).parent / "facts_shared.json"
TOPICS = Path(__file__).parent / "facts_topics.json"
ASSISTANTS = Path(__file__).parent / "facts_assistants.json"
ASKED = Path(__file__).parent / "facts_asked.json"
EACH = 3
"""Questions of each way to ask, …"""
OF_TWO_WORDS = 12
"""… and searches of two words in each form, of one graph."""

STEPS = {1: "of one step", 2: "of two steps", 3: "of three steps"}
MEASURES = ("hit@1", "ndcg@10", "recall@10")
QUESTIONS = 200

Phrases = Mapping[str, Mapping[str, Sequence[str]]]
"""Of each edge type, how its end is ``asked`` for, and how it is ``called`` inside another question."""

Sets = dict[str, list[JudgedQuery]]
"""Questions by where they come from."""

Values = list[list[float]]
"""Of each question what ``MEASURES`` are."""

Reader = Callable[[Mapping[str, Any]], tuple[list[Node], list[Edge], Sets]]
"""A graph as it is written down → its nodes, edges and questions."""

Told = dict[str, dict[str, Any]]
"""What was answered, by question, by graph and kind of question."""


def one_step(collection: Collection, phrases: Phrases) -> Iterator[JudgedQuery]:
    """Make a question of each node and edge type, in each phrase."""
    names = {node.id: node.name for node in collection.nodes}
    for (source, kind), ends in _ends(collection).items():
        for phrase in phrases.get(kind, {}).get("asked", ()):
            yield _judged(phrase.format(names[source]), ends - {source})


def two_steps(collection: Collection, phrases: Phrases) -> Iterator[JudgedQuery]:
    """Make a question of each node and pair of edge types that leads on from it, in each pair of phrases."""
    names = {node.id: node.name for node in collection.nodes}
    ends = _ends(collection)
    kinds = sorted({kind for _, kind in ends})
    for (source, first), between in ends.items():
        for second in kinds:
            found = {end for node in between for end in ends.get((node, second), ())} - {source}
            for called in phrases.get(first, {}).get("called", ()):
                for phrase in phrases.get(second, {}).get("asked", ()):
                    yield _judged(phrase.format(called.format(names[source])), found)


def _ends(collection: Collection) -> dict[tuple[str, str], set[str]]:
    ends = defaultdict(set)
    for edge in collection.edges:
        ends[edge.source, edge.type].add(edge.target)
    return dict(ends)


def _judged(text: str, answers: set[str]) -> JudgedQuery:
    return JudgedQuery(text, text, dict.fromkeys(sorted(answers), 1.0))


def made(graph: Mapping[str, Any], *, listing: bool) -> tuple[list[Node], list[Edge], Sets]:
    """Return one of the made graphs, its nodes with texts that list their edges or without, and its questions."""
    called = {node: name for node, (name, _) in graph["nodes"].items()}
    texts: dict[str, list[str]] = {node: [] for node in called}
    for source, target, kind in graph["edges"] if listing else ():
        texts[source].append(f"{label(kind)}: {called[target]}")
    nodes = [Node(node, called[node], kind, "; ".join(texts[node])) for node, (_, kind) in graph["nodes"].items()]
    sets = {kind: [_judged(text, {answer}) for text, answer in graph[kind]] for kind in ("of one step", "of two steps")}
    return nodes, [Edge(*edge) for edge in graph["edges"]], sets


def written(graph: Mapping[str, Any]) -> tuple[list[Node], list[Edge], Sets]:
    """Return a graph that somebody wrote, some of whose nodes have texts, and its questions."""
    names = dict.fromkeys(name for source, _, target in graph["edges"] for name in (source, target))
    nodes = [Node(name, name, text=graph["texts"].get(name, "")) for name in names]
    asked = {kind: questions for kind, questions in graph.items() if kind not in ("edges", "texts")}
    sets = {kind: [_judged(text, set(answers)) for text, answers in questions] for kind, questions in asked.items()}
    return nodes, [Edge(source, target, kind) for source, kind, target in graph["edges"]], sets


def of_texts(graph: Mapping[str, Any]) -> tuple[list[Node], list[Edge], Sets]:
    """Return a graph of things and texts that somebody wrote, and its questions, whose answers have grades."""
    nodes = [Node(node, name, kind, text) for node, name, kind, text in graph["nodes"]]
    sets = {
        kind: [
            JudgedQuery(text, text, {node: float(grade) for node, grade in sorted(answers.items())})
            for text, answers in several
        ]
        for kind, several in graph["questions"].items()
    }
    return nodes, [Edge(source, target, kind) for source, kind, target in graph["edges"]], sets


def of_two_words(graph: Mapping[str, Any]) -> tuple[list[Node], list[Edge], Sets]:
    """Return a graph, and searches made of its edges: a name that one node has, and the type of what is beside that."""
    nodes, edges, _ = of_texts(graph)
    by_id, names = {node.id: node for node in nodes}, Counter(node.name for node in nodes)
    beside: dict[tuple[str, str], set[str]] = defaultdict(set)
    for edge in edges:
        for one, other in ((edge.source, edge.target), (edge.target, edge.source)):
            if names[by_id[one].name] == 1 and by_id[one].type != by_id[other].type:
                beside[one, by_id[other].type].add(other)
    sets: dict[str, list[JudgedQuery]] = {"X things": [], "things X": [], "things of X": []}
    for (node, kind), answers in beside.items():
        name, word = by_id[node].name.lower(), label(kind).lower()
        if len(answers) > 1:
            word = word[:-1] + "ies" if word.endswith("y") else word + "s"
        for form, text in zip(sets, (f"{name} {word}", f"{word} {name}", f"{word} of {name}"), strict=True):
            sets[form].append(_judged(text, answers))
    return nodes, edges, {form: drawn(judged, OF_TWO_WORDS) for form, judged in sets.items()}


def drawn(questions: Iterable[JudgedQuery], count: int) -> list[JudgedQuery]:
    """Return so many of the questions that have an answer, drawn by a fixed seed."""
    every = sorted({one.text: one for one in questions if one.relevant}.values(), key=lambda one: one.text)
    return random.Random(0).sample(every, min(count, len(every)))


def measured(
    graph: tuple[Sequence[Node], Sequence[Edge], Sets],
) -> Iterator[tuple[str, list[JudgedQuery], Run, Values]]:
    """Yield the questions of each kind about a graph, their run, and the values of ``MEASURES`` by question."""
    nodes, edges, sets = graph
    with Retriever() as retriever:
        retriever.add(nodes, edges)
        for kind, judged in sets.items():
            if judged:
                run = evaluate(retriever, judged)
                yield kind, judged, run, np.stack([run.values(judged, one) for one in MEASURES], axis=1).tolist()


def pooled(name: str, graphs: Mapping[str, Any], told: Told, read: Reader) -> list[tuple[str, ...]]:
    """Return a row of each kind of question over many small graphs; what each was answered goes into ``told``."""
    values: dict[str, list[tuple[JudgedQuery, Sequence[float]]]] = defaultdict(list)
    for graph, content in graphs.items():
        for kind, judged, run, own in measured(read(content)):
            values[kind] += zip(judged, own, strict=True)
            told[f"{name}, {graph}, {kind}"] = answered(judged, run, own)
    values["all"] = [one for own in values.values() for one in own]
    return [row(name, kind, *map(list, zip(*own, strict=True))) for kind, own in values.items()]


def answered(judged: Sequence[JudgedQuery], run: Run, values: Values) -> dict[str, Any]:
    """Return of each question whether its first hit is right, what is, and what was found."""
    return {
        one.text: {"hit@1": own[0], "answers": sorted(one.relevant), "found": run.rankings[one.id]}
        for one, own in zip(judged, values, strict=True)
    }


def row(name: str, kind: str, judged: Sequence[JudgedQuery], values: Sequence[Sequence[float]]) -> tuple[str, ...]:
    """Return the cells of one line; ``values`` are those of ``MEASURES``, by question."""
    groups = answer_groups(judged)
    found = [bootstrap_interval(np.array(own), groups=groups) for own in zip(*values, strict=True)]
    cells = [f"{figure(one.mean)} {figure(one.lower, 2)}–{figure(one.upper, 2)}" for one in found]
    return (name, kind, str(len(judged)), *cells)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_collection_options(parser)
    options = parser.parse_args()
    phrases = json.loads(PHRASES.read_text(encoding="utf-8"))
    count = options.max_queries or QUESTIONS
    graphs: list[tuple[str, Sequence[Node], Sequence[Edge], Sets]] = []
    for folder in folders(options.collections or list(phrases)):
        collection = load_collection(folder)
        own = phrases.get(folder.name, {})
        sets = {
            "its own": list(collection.judgements.first(count)),
            "of one step": drawn(one_step(collection, own), count),
            "of two steps": drawn(two_steps(collection, own), count),
        }
        graphs.append((folder.name, collection.nodes, collection.edges, sets))
    made_up = {} if options.collections else json.loads(MADE.read_text(encoding="utf-8"))
    for name, graph in made_up.items():
        graphs += [(f"{name}{how}", *made(graph, listing=bool(how))) for how in ("", ", edges in texts")]
    eight = {} if options.collections else json.loads(EIGHT.read_text(encoding="utf-8"))
    graphs += [(f"eight, {name}", *written(graph)) for name, graph in eight.items()]
    asked = {} if options.collections else json.loads(ASKED.read_text(encoding="utf-8"))
    for name, paths in asked.items():
        nodes, edges, triples = facts_graphs.drawn(name)
        every = list(facts_graphs.asked(triples, paths, EACH))
        by_steps = {STEPS[n]: [one for steps, one in every if steps == n] for n in sorted({n for n, _ in every})}
        graphs.append((name, nodes, edges, by_steps))
    rows = [("collection", "questions", "number", *MEASURES)]
    told: Told = {}
    for name, nodes, edges, sets in graphs:
        for kind, judged, run, values in measured((nodes, edges, sets)):
            rows.append(row(name, kind, judged, values))
            told[f"{name}, {kind}"] = answered(judged, run, values)
    readers = {TWENTY: written, EVERYDAY: written, SHARED: written, TOPICS: of_texts, ASSISTANTS: of_texts}
    for written_down, read in {}.items() if options.collections else readers.items():
        for name, several in json.loads(written_down.read_text(encoding="utf-8")).items():
            rows += pooled(name, several, told, read)
            if read is of_texts:
                rows += pooled(f"{name}: a name and a type", several, told, of_two_words)
    options.results.mkdir(parents=True, exist_ok=True)
    (options.results / "facts.json").write_text(json.dumps({"facts": facts(), "questions": told}, indent=1), "utf-8")
    print(markdown_table(rows))


if __name__ == "__main__":
    main()
