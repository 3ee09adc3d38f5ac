"""What the words of a question mean among edge types, seen through whole questions over small graphs."""

import sys
from string import ascii_lowercase
from time import thread_time

import numpy as np
import pytest
from fact_graphs import graph_of
from hypothesis import given
from hypothesis import strategies as st

from fourfold import Edge, Node, Retriever
from fourfold.config import Paths
from fourfold.edge_types import label
from fourfold.embed.static import bundled
from fourfold.language.name_matching import Named
from fourfold.language.syntax import Sentence, may_ask
from fourfold.relations.asked_types import Reader
from fourfold.relations.relations import Relations
from fourfold.tokenizer import make_tokenizer

TOKENIZER = make_tokenizer("snowball-english")


FILMS = graph_of("""
    Silent River|directed_by|Ada Keller · Silent River|written_by|Mei Tanaka · Silent River|starred_actors|Juri Novak
    · Golden Mirror|directed_by|Ada Keller · Golden Mirror|written_by|Mei Tanaka · Golden Mirror|written_by|Rosa Lind
    · Golden Mirror|starred_actors|Omar Haddad · Broken Tide|directed_by|Hugo Silva · Broken Tide|written_by|Rosa Lind
    · Broken Tide|starred_actors|Juri Novak · Silent River|has_genre|Western · Golden Mirror|has_genre|Comedy
    · Broken Tide|has_genre|Thriller · The Mirror|directed_by|Hugo Silva · Mirror|directed_by|Omar Haddad
    · A Mirror|directed_by|Rosa Lind
""")
PEOPLE = graph_of("""
    Ada Weiss|place_of_birth|Altmar · Ada Weiss|place_of_death|Zadar · Ada Weiss|cause_of_death|stroke
    · Ada Weiss|profession|carpenter · Bo Weiss|profession|carpenter · Ada Weiss|children|Bo Weiss
    · Bo Weiss|children|Cy Weiss · Bo Weiss|place_of_birth|Zadar · Altmar|containedby|Borduria
    · Borduria|capital|Altmar · Bo Weiss|influenced_by|Ada Weiss · Cy Weiss|influenced_by|Bo Weiss
    · Omnia|headquarters|Altmar · Omnia|founders|Bo Weiss · Omnia|industry|food
    · Ada Weiss|education_institution|Dunmere · Almanac|author|Ada Weiss · Almanac|subjects|beekeeping
    · Almanac|publication_date|1931 · Almanac|publisher|Omnia · Borduria|shares_border_with|Carpathia
    · Zadar|containedby|Carpathia · Cy Weiss|spouse|Ada Weiss · Cy Weiss|profession|pilot
""")


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("who wrote Broken Tide", {"Rosa Lind"}),
        ("Rosa Lind wrote which films", {"Golden Mirror", "Broken Tide"}),
        ("who is the screenwriter of Broken Tide", {"Rosa Lind"}),
        ("who directed the movie Silent River", {"Ada Keller"}),
        ("what kind of film is Silent River", {"Western"}),
        ("who wrote the films directed by Hugo Silva", {"Rosa Lind"}),
        ("which films did Ada Keller direct", {"Silent River", "Golden Mirror"}),
        ("who co-wrote films with Mei Tanaka", {"Rosa Lind"}),
        ("which person wrote movies together with Mei Tanaka", {"Rosa Lind"}),
        ("the director of Silent River also directed which movies", {"Golden Mirror"}),
        ("which films share the same director with Silent River", {"Golden Mirror"}),
        ("which films share the same writer with Broken Tide", {"Golden Mirror"}),
        ("who starred in the films directed by the director of Silent River", {"Juri Novak", "Omar Haddad"}),
        ("who directed the mirror", {"Hugo Silva"}),
        ("who directed a mirror", {"Rosa Lind"}),
        ("who directed the movie Mirror", {"Omar Haddad"}),
    ],
)
def test_films(question, expected):
    assert FILMS.search(question).ids[0] in expected


DEEDS = graph_of("""
    Alphacorp|acquired|Betasoft · Betasoft|acquired|Gammanet · Alphacorp|founded_by|Mia Lund
    · Betasoft|founded_by|Sol Ek · Kim Doe|reports_to|John Poe · John Poe|reports_to|Ann Moe · flask|depends_on|werkzeug
    · werkzeug|depends_on|markupsafe · numpy|forked_from|numeric · numeric|forked_from|matrix · Lion|eats|Zebra
    · Zebra|eats|Grass · wheel|part_of|car · car|part_of|fleet
""")


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("who acquired Betasoft", "Alphacorp"),
        ("who was Betasoft acquired by", "Alphacorp"),
        ("who was acquired by Betasoft", "Gammanet"),
        ("what did Betasoft acquire", "Gammanet"),
        ("who founded the company that acquired Betasoft", "Mia Lund"),
        ("who founded the company that Alphacorp acquired", "Sol Ek"),
        ("who reports to John Poe", "Kim Doe"),
        ("who does John Poe report to", "Ann Moe"),
        ("what depends on werkzeug", "flask"),
        ("what does werkzeug depend on", "markupsafe"),
        ("which project was forked from numeric", "numpy"),
        ("what was numeric forked from", "matrix"),
        ("what eats the zebra", "Lion"),
        ("what does the zebra eat", "Grass"),
        ("what is part of the car", "wheel"),
    ],
)
def test_whether_the_named_does_it_or_it_is_done_to_the_named(question, expected):
    assert DEEDS.search(question).ids[0] == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("where was Ada Weiss born", "Altmar"),
        ("what is the birthplace of Ada Weiss", "Altmar"),
        ("in which city did Ada Weiss die", "Zadar"),
        ("how did Ada Weiss die", "stroke"),
        ("who is the father of Bo Weiss", "Ada Weiss"),
        ("who is Ada Weiss the mother of", "Bo Weiss"),
        ("who was influenced by Bo Weiss", "Cy Weiss"),
        ("who influenced Bo Weiss", "Ada Weiss"),
        ("who did Ada Weiss influence", "Bo Weiss"),
        ("where is Omnia headquartered", "Altmar"),
        ("where was the founder of Omnia born", "Zadar"),
        ("which country contains Altmar", "Borduria"),
        ("Altmar is the capital of which country", "Borduria"),
        ("which countries share a border with Borduria", "Carpathia"),
        ("where did Ada Weiss study", "Dunmere"),
        ("what is the book Almanac about", "beekeeping"),
        ("when was Almanac published", "1931"),
        ("who published Almanac", "Omnia"),
        ("what company did Bo Weiss found", "Omnia"),
        ("where did Cy Weiss's darling die", "Zadar"),
        ("what caused Cy Weiss's darling's death", "stroke"),
    ],
)
def test_people(question, expected):
    assert PEOPLE.search(question).ids[0] == expected


def test_a_name_made_of_the_words_of_labels_answers_no_question_word_and_takes_no_mirror():
    relations = Relations(["headquarters", "director"], range(2), bundled().embed_documents, TOKENIZER.terms)
    words = TOKENIZER.terms_of_words("where is the Headquarters Band from")
    assert Reader(relations, words, [Named(np.array([7]), 3, 5)], Paths()).meaning().trust[0] > 0
    assert Reader(relations, words, (), Paths()).meaning().trust[0] == 0, "beside a step of that type it asks for none"
    words = TOKENIZER.terms_of_words("who directed with Director Films together")
    assert Reader(relations, words, [Named(np.array([7]), 3, 5)], Paths()).meaning().mirrors.tolist().index(True) == 1


def test_instances_of_what_is_named():
    assert set(PEOPLE.search("who is a carpenter").ids[:2]) == {"Ada Weiss", "Bo Weiss"}
    assert PEOPLE.search("what is a carpenter").ids[0] == "carpenter"


OF_THE_NAMED = graph_of("""
    Psychic|strong_against|Fighting · Bug|strong_against|Psychic · statue|made_of|bronze · bronze|made_of|copper
    · Ada|allergic_to|Bo · Bo|allergic_to|Cy · Ada|jealous_of|Bo · Bo|jealous_of|Cy · Ada|child_of|Bo
    · Bo|child_of|Cy · Psychic|discovered_in|1931 · Dov|suffers_from|gout · gout|treated_with|colchicine
""")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("what is Psychic strong against?", "Fighting"),
        ("Psychic is strong against what?", "Fighting"),
        ("what is strong against Psychic?", "Bug"),
        ("what is bronze made of?", "copper"),
        ("what is made of bronze?", "statue"),
        ("who is Bo allergic to?", "Cy"),
        ("who is allergic to Bo?", "Ada"),
        ("who is Bo jealous of?", "Cy"),
        ("who is jealous of Bo?", "Ada"),
        ("who is Bo the child of?", "Cy"),
        ("who is the child of Bo?", "Ada"),
        ("who has gout?", "Dov"),
    ],
)
def test_what_is_said_of_the_named_node_by_a_word_and_a_preposition_behind_it(question, answer):
    result = OF_THE_NAMED.search(question)
    assert result.ids[0] == answer
    assert result.hits[0].score > 1.5 * max(hit.score for hit in result if hit.node.id != answer)


def test_where_no_word_asks_for_an_edge_the_neighbours_come_first():
    found = PEOPLE.search("who blabbered Omnia up?").ids
    assert set(found[:4]) == {"Altmar", "Bo Weiss", "food", "Almanac"}, "what its edges lead to, and from"


def test_a_long_question_is_read_in_time_that_grows_with_it():
    types = ["directed_by", "place_of_death", "spouse", "contained_by"]
    relations = Relations(types, range(4), bundled().embed_documents, TOKENIZER.terms)

    def seconds(times):
        words = TOKENIZER.terms_of_words("which country where did Ada Weiss die together also directed by " * times)
        began = thread_time()
        Reader(
            relations, words, [Named(np.array([7]), 11 * n + 4, 11 * n + 6) for n in range(times)], Paths()
        ).meaning()
        return thread_time() - began

    few, many = (min(seconds(times) for _ in range(3)) for times in (200, 3200))
    assert many < 50 * few, "16 times as long; 256 by its square"
    assert PEOPLE.search("which country where did Ada Weiss die together also directed by " * 700).degraded == ()


def test_pages_that_mention_what_is_asked_about_change_no_answer():
    facts = [("Ada Keller", "lives_in", "Altmar"), ("Ada Keller", "works_for", "Omnia"), ("Omnia", "based_in", "Zadar")]
    ends = sorted({end for source, _, target in facts for end in (source, target)})
    pages = [Node(f"page-{n}", text=f"{s} {label(kind)} {t}.") for n, (s, kind, t) in enumerate(facts)]
    mentions = [Edge(f"page-{n}", end, "mentions") for n, (s, _, t) in enumerate(facts) for end in (s, t)]
    with Retriever() as retriever:
        retriever.add([Node(end, end) for end in ends], [Edge(s, t, kind) for s, kind, t in facts])
        retriever.add(pages, mentions)
        assert retriever.search("where does Ada Keller live").ids[0] == "Altmar"
        assert retriever.search("where is the company that Ada Keller works for based").ids[0] == "Zadar"


def test_what_documents_are_read_into_is_no_fact():
    kinds = ("mentions", "relates_to", "part_of", "followed_by")
    names = ["Garden", "Spring Garden", "Summer Garden", "Autumn", "Winter"]
    with Retriever() as retriever:
        retriever.add(
            [Node(name, name, text=f"All about {name}.") for name in names],
            [Edge("Garden", name, kind) for name, kind in zip(names[1:], kinds, strict=True)],
        )
        assert retriever.search("what is Garden related to").ids[0] == "Garden", "the named page"


@pytest.mark.parametrize("ends", [("Altmar", "Zadar"), ("Zadar", "Altmar")])
@pytest.mark.parametrize("types", [("birthPlace", "deathPlace"), ("place_of_birth", "place_of_death")])
def test_a_compound_means_the_type_that_has_all_of_it(types, ends):
    born, died = (f"Ada Weiss|{kind}|{end}" for kind, end in zip(types, ends, strict=True))
    graph = graph_of(f"{born} · {died} · Ada Weiss|spouse|Bo Weiss · Bo Weiss|profession|pilot · Bo Weiss|gender|male")
    assert graph.search("what is the birthplace of Ada Weiss").ids[0] == ends[0]
    assert graph.search("what is the deathplace of Ada Weiss").ids[0] == ends[1]


def test_a_stop_word_that_a_label_is_made_of_asks_for_it():
    graph = graph_of("Alphacorp|owns|Zedphone · Alphacorp|supplies|Deltaworks · Alphacorp|ceo|Bo Weiss")
    assert graph.search("what does Alphacorp own").ids[0] == "Zedphone"


def test_a_type_without_words_takes_none_of_anothers():
    relations = Relations(["acquired", "*", ""], range(3), bundled().embed_documents, TOKENIZER.terms)
    acquired, star, untyped = Reader(relations, TOKENIZER.terms_of_words("acquired"), (), Paths()).meaning().asked[0]
    assert acquired == 1 and star < 0.5 and untyped < 0.5


PLACES = graph_of("""
    Red Film|director|Ana Cole · Red Film|author|Bo Dane · Ana Cole|birthPlace|Turin · Ana Cole|deathPlace|Nice
    · Bo Dane|birthPlace|Lyon · Turin|country|Italia · Lyon|country|Franco · Albert Park|city|Turin
    · Turin Club|city|Nice · Turin Club|location|Lyon · Albert Park|location|Turin · Turin|sports club|Turin Club
""")


def test_the_country_of_what_the_rest_of_a_question_leads_to():
    assert PLACES.search("in what country was the director of Red Film born").ids[0] == "Italia"
    assert PLACES.search("which country was the author of Red Film born in").ids[0] == "Franco"


def test_a_kind_of_answer_asks_for_no_step_beside_another_word_for_the_same():
    assert PLACES.search("In which city is Albert Park located?").ids[0] == "Turin"


NATIONS = graph_of("""
    Iskra|capital|Reyk · Reyk|country|Iskra · Reyk|located in|Iskra County · Iskra|continent|Eurasia
    · Old Tale|narrative location|Eurasia · Iskra|form of government|republic · Old Tale|genre|saga
    · Juri Lenn|genre|rock music · Juri Lenn|genre|pop music · Old Tale|cast member|Juri Lenn · Old Tale|location|Reyk
""")


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("which city is the capital of Iskra", {"Reyk"}),
        ("what continent is Iskra located on", {"Eurasia"}),
        ("what kind of government is Iskra", {"republic"}),
        ("what kind of music did Juri Lenn play", {"rock music", "pop music"}),
    ],
)
def test_what_is_asked_for_is_no_second_step(question, answers):
    assert set(NATIONS.search(question).ids[: len(answers)]) == answers


def steps_of(run):
    """Return how many bytecode instructions the interpreter takes for a call: a count, no clock."""
    steps = 0

    def count(frame, event, _):
        nonlocal steps
        frame.f_trace_opcodes = True
        steps += event == "opcode"
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        run()
    finally:
        sys.settrace(before)
    return steps


def test_a_new_word_is_compared_with_thousands_of_types_at_once():
    words = [word + letter for word in ("place", "owner", "author", "city") for letter in ascii_lowercase]
    types = [f"{one}_of_{other}" for one in words for other in words]

    def steps(n_types):
        relations = Relations(types[:n_types], range(n_types), bundled().embed_documents, TOKENIZER.terms)
        Reader(relations, [("river", ("river",))], (), Paths()).meaning()  # what is done once
        return steps_of(lambda: Reader(relations, [("mountain", ("mountain",))], (), Paths()).meaning())

    steps(500)
    few, many = steps(500), steps(5000)
    assert few > 100 and many < few + 500, "the types are gone through by NumPy, not one by one"


WORDS = (
    "the of in by with who which what how when where together same co list show and is did X Keller gnathol vreed zzyq "
    "directed director birthplace mother wife needs movies actors author weather state kind profession"
).split()
SOME = Relations(
    ["directed_by", "place_of_birth", "depends_on", "parent"],
    [0, 1, 2, 3],
    bundled().embed_documents,
    TOKENIZER.terms,
    bundled().is_word,
)


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=7), st.tuples(st.integers(0, 6), st.integers(1, 2)))
def test_where_no_word_may_ask_nothing_is_read_whatever_is_named(typed, span):
    words = TOKENIZER.terms_of_words(" ".join(typed))
    start = min(span[0], len(words) - 1)
    named = [Named(np.array([0]), start, min(start + span[1], len(words)))]
    asked = [Reader(SOME, words, names, Paths()).meaning().trust.any() for names in ([], named)]
    assert SOME.may_be_asked(words, Paths()) or not any(asked)
    assert may_ask(words) or not any(Sentence(words, names).asks_beside() for names in ([], named))


@pytest.mark.parametrize("question", ["Mirror zzyq", "who directed Mirror; " * 100])
def test_what_asks_for_no_edge_or_is_a_text_looks_up_no_name(monkeypatch, question):
    read = []
    monkeypatch.setattr("fourfold.naming.Naming.words_of", lambda self, nodes: read.append(nodes))
    assert "Mirror" in FILMS.search(question).ids[0]
    assert not read


LANDS = graph_of("""
    Angria|continent|Boreas · Angria|diplomatic_relation|Gondal · Gondal|diplomatic_relation|Angria
    · Angria|official_language|Angrian · Mo Lark|languages_spoken|Angrian · Mo Lark|country_of_citizenship|Angria
    · Mo Lark|place_of_birth|Verdopolis · Mo Lark|occupation|glazier · Mo Lark|place_of_death|Sneachie
    · Mo Lark|cause_of_death|fever · Night Glass|cast_member|Mo Lark · Night Glass|genre|melodrama
    · Hoth Base|homeworld|Hoth · Ann Ice|homeworld|Hoth · Hoth|terrain|tundra · Ann Ice|rank|captain
    · Apollo 2|previous_mission|Apollo 1 · Zoe Lark|unmarried_partner|Abe Roe · Zoe Lark|spouse|Dov Lark
    · Apollo 2|next_mission|Apollo 3 · Bea Luna|mission|Apollo 2 · Ulf Borg|place_of_death|Aldan
    · Ulf Borg|cause_of_death|typhus
""")


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("what did Mo Lark do", {"glazier"}),
        ("what does Mo Lark do for a living", {"glazier"}),
        ("what did Ulf Borg die of", {"typhus"}),
        ("where did Mo Lark die", {"Sneachie"}),
        ("where is Mo Lark from", {"Verdopolis"}),
        ("where is Angria", {"Boreas"}),
        ("where is Angria located", {"Boreas"}),
        ("what movies did Mo Lark play in", {"Night Glass"}),
        ("what kind of language does Angria speak", {"Angrian"}),
        ("who comes from Hoth", {"Hoth Base", "Ann Ice"}),
        ("whose mission was Apollo 2", {"Bea Luna"}),
        ("name the mission of Bea Luna", {"Apollo 2"}),
        ("what is the most common language spoken in Angria", {"Angrian"}),
        ("who is Zoe Lark married to", {"Dov Lark"}),
    ],
)
def test_lands(question, expected):
    assert set(LANDS.search(question).ids[: len(expected)]) == expected


def test_a_preposition_asks_for_no_edge_that_merely_holds_it():
    graph = graph_of("Bowl|tie_ins|Jar · Bowl|owner|Ann Vey · Cup|tie_ins|Mug · Cup|maker|Rex · Cup|owner|Kim")
    assert graph.search("who in Bowl is owner").ids[:2] == ["Ann Vey", "Bowl"]


ATLAS = graph_of("""
    Tides|author|Rae Finn · Rae Finn|spouse|Noor Bly · Noor Bly|country_of_citizenship|Soria · Soria|capital|Pell
    · Moths|author|Lev Orr · Lev Orr|country_of_citizenship|Quay · Quay|capital|Ostia · Rae Finn|genre|verse
    · Tides|publisher|Gull · Gull|headquarters|Brill
""")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is the capital of the country where the spouse of the author of Tides holds citizenship?", "Pell"),
        ("Which city is the capital of the country that the author of Moths was a citizen of?", "Ostia"),
        ("What is the capital of the country of the author of Moths", "Ostia"),
    ],
)
def test_what_goes_on_behind_the_name_in_a_clause_is_walked_before_what_stands_before_it(question, answer):
    assert ATLAS.search(question).ids[0] == answer


SQUADS = graph_of("""
    Kim Oda|plays_position|Keeper · Kim Oda|plays_in_club|Ajax · Kim Oda|plays_for_country|Ghana
    · Lee Vu|plays_position|Keeper · Lee Vu|plays_in_club|Leeds · Lee Vu|plays_for_country|Wales
    · Bo Lind|plays_position|Winger · Bo Lind|plays_in_club|Leeds · Bo Lind|plays_for_country|Ghana
    · Ajax|is_in_country|Holland · Leeds|is_in_country|England
""")


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("who plays at position Keeper ?", {"Kim Oda", "Lee Vu"}),
        ("who plays at position Keeper for country Ghana ?", {"Kim Oda"}),
        ("who plays for Leeds ?", {"Lee Vu", "Bo Lind"}),
    ],
)
def test_a_word_of_most_labels_is_no_step_beside_another_of_one_of_them(question, answers):
    assert set(SQUADS.search(question).ids[: len(answers)]) == answers


CRAFTS = graph_of("""
    Light Dye|crafted_from|Azure Bluet · Light Dye|material|dye · Azure Bluet|material|plant · Vine|material|plant
    · Spade|harvested_with|Shears · Vine|harvested_with|Shears · Rope|crafted_from|Vine · Rope|category|tool
""")


@pytest.mark.parametrize(
    ("question", "answer"),
    [("What can be made from Azure Bluet?", "Light Dye"), ("what is made from Vine", "Rope")],
)
def test_a_verb_rather_asks_for_labels_with_its_preposition(question, answer):
    assert CRAFTS.search(question).ids[0] == answer


MODELS = graph_of("""
    Bertha|benchmarked_in|QuizSet · Gepetto|benchmarked_in|QuizSet · Gepetto|benchmarked_in|WordPile
    · QuizSet|benchmarks|answering · WordPile|benchmarks|prediction · Bertha|has_size|large · QuizSet|metric|F1
""")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("the models that have been benchmarked on WordPile", "Gepetto"),
        ("What was Bertha benchmarked on?", "QuizSet"),
        ("what does QuizSet benchmark?", "answering"),
    ],
)
def test_of_labels_with_the_same_verb_that_with_its_preposition_is_meant(question, answer):
    assert MODELS.search(question).ids[0] == answer


def test_a_kind_of_something_and_that_thing_are_one_step_and_surely_so():
    graph = graph_of("""
        Angria | type | republic
        Angria | language | Angrian
        Gondal | type | kingdom
        Gondal | language | Gondalic
        Angria | capital | Verre
    """)
    best = graph.search("what kind of language does Angria speak").hits[0]
    assert best.node.id == "Angrian" and best.score > 0.8
