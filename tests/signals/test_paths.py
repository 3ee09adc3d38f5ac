"""Questions that name a node and ask for what edges lead to: names, what words mean, the walk, the answer."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest

from fourfold import Edge, Node, Retriever
from fourfold.config import Paths
from fourfold.embed.static import bundled
from fourfold.errors import InvalidValueError
from fourfold.index.base import Allowed, Steps
from fourfold.index.names import Names, NameSegment, name_keys
from fourfold.language import name_matching
from fourfold.language.name_matching import named
from fourfold.relations.asked_types import Reader
from fourfold.relations.relations import Relations
from fourfold.signals import paths
from fourfold.signals.walks import Walker
from fourfold.tokenizer import make_tokenizer

FACTS = """
    Silent River|director|Ada Keller · Silent River|actor|Juri Novak · Silent River|writer|Mei Tanaka
    Golden Mirror|director|Ada Keller · Golden Mirror|actor|Omar Haddad · Golden Mirror|writer|Rosa Lind
    Broken Tide|director|Hugo Silva · Broken Tide|actor|Juri Novak · Broken Tide|writer|Rosa Lind
    Broken Tide|language|Spanish · Silent River|language|German · Golden Mirror|language|German
    Silent River|year|1984 · Golden Mirror|year|1991 · Broken Tide|year|2003
"""
NAMINGS = {
    "plain": {"director": "directed_by", "actor": "starred_actors", "writer": "written_by", "language": "in_language"},
    "freebase": {
        "director": "film.film.directed_by",
        "actor": "film.film.actor",
        "writer": "film.film.written_by",
        "language": "film.film.language",
        "year": "film.film.release_year",
    },
    "dbpedia": {"director": "dbo:director", "actor": "dbo:actor", "writer": "dbo:writer", "language": "dbo:language"},
    "camel": {"director": "hasDirector", "actor": "hasActor", "writer": "writtenBy", "language": "spokenLanguage"},
}
TOKENIZER = make_tokenizer("snowball-english")


class Edges:
    """Typed edges as lists: what an ``EdgePart`` must do, in the plainest way."""

    def __init__(self, edges):
        self.edges = edges
        self.type_names = list(dict.fromkeys(kind for _, kind, _ in edges))

    def __len__(self):
        return len(self.edges)

    def expand(self, nodes, *, forward=None, worth=None, weights="raw", cap=None, allowed=None):
        if forward is None:
            return Steps.joined([self.expand(nodes, forward=way, worth=worth, cap=cap) for way in (True, False)])
        found = []
        for place, node in enumerate(nodes):
            own = [(s, k, t) if forward else (t, k, s) for s, k, t in self.edges]
            own = [(place, t, self.type_names.index(k)) for s, k, t in own if s == node]
            own = [edge for edge in own if allowed is None or allowed.contains(np.array(edge[1]))]
            found += [edge for edge in own if worth is None or worth[edge[2]] > 0][:cap]
        origin, targets, types = np.array(found, np.int64).reshape(-1, 3).T
        ones = np.ones(len(found), np.float32)
        return Steps(origin, targets, types.astype(np.int32), ones, np.full(len(found), forward))


class Graph:
    def __init__(self, triples):
        self.names = sorted({end for s, _, t in triples for end in (s, t)})
        self.number = {name: 10 + 3 * place for place, name in enumerate(self.names)}
        self.edges = Edges([(self.number[s], kind, self.number[t]) for s, kind, t in triples])
        self.vocabulary = {}
        rows = [TOKENIZER.terms(name) for name in self.names]
        terms = np.array([self.vocabulary.setdefault(t, len(self.vocabulary)) for row in rows for t in row], np.int64)
        starts = np.concatenate(([0], np.cumsum([len(row) for row in rows])))
        keys = name_keys(terms, np.ones(len(terms), np.int64), starts)
        self.part = Names([NameSegment.build(np.array([self.number[name] for name in self.names]), keys)])
        types = self.edges.type_names
        self.relations = Relations(types, range(len(types)), bundled().embed_documents, TOKENIZER.terms)

    def named(self, question):
        return named(TOKENIZER.terms_of_words(question), self.vocabulary, self.part)

    def answer(self, question, settings=None, allowed=None):
        settings = settings or Paths()
        words = TOKENIZER.terms_of_words(question)
        meaning = Reader(self.relations, words, (), settings).meaning()
        content = np.array([bool(terms) for _, terms in words])
        found = self.named(question)
        walker = Walker(self.edges, self.relations.numbers, settings, self.ids, allowed)
        return paths.answer(walker, paths.PathQuestion(named=found, meaning=meaning, content=content))

    def ids(self, nodes):
        return [self.name(node) for node in nodes]

    def best(self, question, **options):
        found = self.answer(question, **options)
        if found is None:
            return set()
        return {self.name(node) for node in found.nodes[found.values >= found.values.max() - 1e-9]}

    def name(self, node):
        return next(name for name, number in self.number.items() if number == node)


def films(naming="plain"):
    rows = [fact.strip().split("|") for line in FACTS.strip().splitlines() for fact in line.split("·")]
    return Graph([(s, {"year": "release_year", **NAMINGS[naming]}[kind], t) for s, kind, t in rows])


ONE_STEP = [
    ("who directed Silent River", {"Ada Keller"}),
    ("who is the director of Silent River?", {"Ada Keller"}),
    ("which films did Ada Keller direct", {"Silent River", "Golden Mirror"}),
    ("what movies are directed by Ada Keller", {"Silent River", "Golden Mirror"}),
    ("who are the actors in Broken Tide", {"Juri Novak"}),
    ("which films were written by Rosa Lind", {"Golden Mirror", "Broken Tide"}),
    ("what language is Broken Tide in", {"Spanish"}),
    ("when was Silent River released", {"1984"}),
]
TWO_STEPS = [
    ("who directed the films written by Rosa Lind", {"Ada Keller", "Hugo Silva"}),
    ("the films directed by Hugo Silva were written by whom", {"Rosa Lind"}),
    ("what are the languages of the films directed by Hugo Silva", {"Spanish"}),
]


@pytest.mark.parametrize("naming", NAMINGS)
@pytest.mark.parametrize(("question", "expected"), ONE_STEP)
def test_one_step_whatever_the_relations_are_called(naming, question, expected):
    assert films(naming).best(question) == expected


@pytest.mark.parametrize("naming", NAMINGS)
@pytest.mark.parametrize(("question", "expected"), TWO_STEPS)
def test_the_second_step_outranks_the_first(naming, question, expected):
    assert films(naming).best(question) == expected


def test_several_named_nodes_are_answered_by_what_all_of_them_reach():
    graph = films()
    question = "which film directed by Ada Keller was written by Rosa Lind"
    assert graph.best(question) == {"Golden Mirror"}
    found = graph.answer(question)
    others = {graph.name(n): v for n, v in zip(found.nodes, found.values, strict=True)}
    assert others["Golden Mirror"] > 3 * others["Silent River"]
    assert "Ada Keller" not in others, "of several named nodes none is the answer"


def test_the_same_leads_back_along_the_step_before():
    assert films().best("which film has the same director as Silent River") == {"Golden Mirror"}


FAMILY = """
    Eva|child|Ben · Ada|spouse|Ben · Ben|spouse|Ada · Ada|child|Cleo · Cleo|child|Dora · Ben|child|Cleo
    Ada|gender|female · Ben|gender|male · Cleo|gender|female · Dora|gender|female
    Ben|profession|potter · Cleo|profession|pilot
"""


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("who is Cleo's son or daughter", {"Dora"}),
        ("who is the husband or wife of Ada", {"Ben"}),
        ("whose child is Cleo", {"Ada", "Ben"}),
        ("whose child is the spouse of Ada", {"Eva"}),
        ("what sex is Ada's spouse", {"male"}),
        ("which occupation does Ada's spouse have", {"potter"}),
    ],
    ids=["or", "or, words unlike the label", "whose", "whose, over two steps", "what", "which"],
)
def test_words_for_one_thing_and_words_turned_round(question, expected):
    graph = Graph([fact.strip().split("|") for line in FAMILY.strip().splitlines() for fact in line.split("·")])
    assert graph.best(question) == expected


def test_without_such_a_word_nothing_leads_back():
    found = films().answer("who directed Silent River")
    assert films().number["Golden Mirror"] not in found.nodes


def test_the_path_is_told_step_by_step():
    graph = films()
    found = graph.answer("who directed the films written by Mei Tanaka")
    start, steps = found.path(graph.number["Ada Keller"])
    assert graph.name(start) == "Mei Tanaka"
    told = [(graph.name(s.node), graph.edges.type_names[s.type], s.forward) for s in steps]
    assert told == [("Silent River", "written_by", False), ("Ada Keller", "directed_by", True)]
    assert found.path(-5) == (-1, [])


def test_sureness_follows_the_words():
    graph = films()
    assert graph.answer("who directed Silent River").sure > 0.9
    assert graph.answer("tell me about Silent River") is None, "no word asks for an edge"
    assert graph.answer("who directed anything") is None, "nothing is named"
    long = "a long story by somebody with many other things in it, mentioned beside the director of Silent River once"
    assert graph.answer(long).sure < 0.6 * graph.answer("who directed Silent River").sure


def test_what_a_filter_leaves_out_is_neither_reached_nor_passed():
    graph = films()
    everything = set(graph.number.values())
    allowed = Allowed(np.array(sorted(everything - {graph.number["Silent River"]})))
    assert graph.best("who directed the films written by Mei Tanaka", allowed=allowed) == set()
    assert graph.best("which films did Ada Keller direct", allowed=allowed) == {"Golden Mirror"}


def test_a_node_leads_on_to_the_ends_that_a_filter_allows():
    graph = films()
    narrow, question = replace(Paths(), fan=1), "which films did Ada Keller direct"
    every = graph.best(question)
    assert len(every) > 1
    for film in every:
        others = Allowed(np.array(sorted({graph.number[name] for name in graph.names if name not in every - {film}})))
        assert graph.best(question, settings=narrow, allowed=others) == {film}


def test_the_beam_bounds_what_is_followed_and_paths_stay_whole():
    graph = films()
    narrow = replace(Paths(), beam=1)
    found = graph.answer("who directed the films written by Rosa Lind", settings=narrow)
    ends = {graph.name(node) for node in found.nodes}
    assert len(ends & {"Ada Keller", "Hugo Silva"}) == 1
    end = next(iter(ends & {"Ada Keller", "Hugo Silva"}))
    assert [graph.name(s.node) for s in found.path(graph.number[end])[1]][-1] == end


def test_names_are_found_whole_longest_first_and_whatever_their_case():
    graph = Graph([("New York", "part_of", "New York State"), ("York", "twin_of", "New York")])
    found = graph.named("is YORK bigger than new york state")
    assert [[graph.name(node) for node in one.nodes] for one in found] == [["York"], ["New York State"]]
    assert [(one.start, one.end) for one in found] == [(1, 2), (4, 7)]
    assert graph.named("") == []
    assert graph.named("nothing that anybody knows") == []


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which allergy does Egg trigger?", {"Egg"}),
        ("Which egg allergy does it trigger?", {"Egg Allergy"}),
        ("What is an allergy to Egg?", {"Egg Allergy"}),
        ("Who directed Guess who is coming?", {"Guess Who is Coming"}),
        ("Did you guess that she is coming?", set()),
        ("the guess coming", {"Guess Who is Coming"}),
    ],
)
def test_a_name_does_not_go_on_over_a_verb_or_a_question_word_unless_it_holds_it(question, expected):
    graph = Graph([("Egg", "triggers", "Egg Allergy"), ("Guess Who is Coming", "mentions", "Egg")])
    words = TOKENIZER.terms_of_words(question)

    def names_of(nodes):
        return [tuple(graph.name(node).lower().split()) for node in nodes.tolist()]

    found = named(words, graph.vocabulary, graph.part, names_of)
    assert {graph.name(node) for one in found for node in one.nodes.tolist()} == expected


def test_nodes_of_one_name_are_all_named():
    keys = name_keys(np.array([4, 7, 4]), np.ones(3, np.int64), np.array([0, 1, 2, 3, 3]))
    part = Names([NameSegment.build(np.array([20, 25, 30, 40]), keys)])
    starts, nodes = part.holders(keys[:1])
    assert nodes[starts[0] : starts[1]].tolist() == [20, 30]
    assert keys[3] == 0, "a node without a name has no key"
    assert name_matching.LONGEST >= 8


def test_what_stands_in_most_labels_tells_no_type_from_another():
    types = ["film.film.directed_by", "film.film.genre", "film.film.country"]
    relations = Relations(types, range(3), bundled().embed_documents, TOKENIZER.terms)
    meaning = Reader(relations, TOKENIZER.terms_of_words("film director"), (), Paths()).meaning()
    assert meaning.trust[0] < 0.5
    assert meaning.asked[1].argmax() == 0
    assert meaning.trust[1] > 0.9, "director is of the family of directed"


@pytest.mark.parametrize("wrong", [{"weight": 1.5}, {"low": 0.5}, {"steps": 0}, {"price": -0.1}])
def test_constants_no_search_can_use_are_refused(wrong):
    with pytest.raises(InvalidValueError, match=next(iter(wrong))):
        Paths(**wrong)


def test_a_question_of_thousands_of_words_takes_no_more_memory_than_a_long_one():
    with Retriever() as graph:
        graph.add(
            [Node("x", "Mercury"), Node("film", "A film"), Node("d", "A director")],
            [Edge("film", "x", "written_by"), Edge("film", "d", "directed_by")],
        )
        graph.search("who directed the film that Mercury wrote?")
        tracemalloc.start()
        try:
            result = graph.search("Mercury " + "directed written " * 2_500)
            _, most = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert result.degraded == () and most < 200_000_000
