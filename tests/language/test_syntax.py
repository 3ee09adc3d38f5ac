"""What words do in a question: kinds of answers, deeds, roles, and the limits of each rule."""

import re

import pytest

from fourfold.language.name_matching import Named
from fourfold.language.syntax import Sentence
from fourfold.tokenizer import make_tokenizer

TOKENIZER = make_tokenizer("snowball-english")
LABELS = set("directed director written wrote developed company founder found border shares work breed label".split())


def sentence(question):
    """Return a sentence whose names are in brackets, and whose sure words are those of LABELS."""
    words, named = [], []
    for place, part in enumerate(re.split(r"[\[\]]", question)):
        start = len(words)
        words += TOKENIZER.terms_of_words(part)
        if place % 2:
            named.append(Named(None, start, len(words)))
    return Sentence(words, named, [word.lower() in LABELS for word, _ in words])


def place_of(word, question):
    return [each for each, _ in TOKENIZER.terms_of_words(question)].index(word)


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("who directed the film [Silent River]", "film"),
        ("who wrote films directed by [Ada Keller]", "films"),
        ("who wrote movies with [Ada Keller]", "movies"),
        ("who is the founder of the company that developed [Tetris]", "company"),
        ("which company developed [Tetris]", "company"),
        ("which company was developed by [Ada]", "company"),
        ("what company did [Ada Keller] found", "company"),
        ("which company does [Ada Keller] work for", "company"),
        ("[Rome] is the director of which company", "company"),
        ("what kind of film is [Silent River]", "film"),
        ("where is the man who directed [Silent River]", "man"),
        ("what is a film made by [Ada Keller]", "film"),
        ("name the software company whose founder is [Ada Keller]", "company"),
        ("name the software company whose founder is [Ada Keller]", "software"),
        ("what are some breed books written by [Ada Keller]", "books"),
        ("who found the breed that was developed by [Ada Keller]", "breed"),
        ("which company founder is [Ada Keller]", "company"),
        ("which city is the label of [Ada Keller]", "city"),
        ("the director of the label named [Ada Keller]", "label"),
        ("the director of the label with name [Ada Keller]", "label"),
    ],
)
def test_what_says_what_the_answer_is_is_no_step(question, word):
    assert sentence(question).is_kind(place_of(word, question), far=False)


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("who is the director of [Silent River]", "director"),
        ("which occupation does [Ada]'s wife have", "occupation"),
        ("what sex is [Ada]'s wife", "sex"),
        ("who is the wife of [Ada]", "wife"),
        ("who is the breed judge of [Ada]", "judge"),
        ("what is the nationality of the director of [Silent River]", "nationality"),
        ("the label that [Iron Lantern] is signed to", "label"),
        ("which company founder is [Ada Keller]", "founder"),
        ("which breed founder has [Ada Keller]", "founder"),
        ("in which company is the office of [Ada Keller]", "company"),
        ("what sex is the founder of [Ada Keller]", "sex"),
        ("which company was the director of [Silent River] founder of", "company"),
    ],
)
def test_what_asks_for_a_step_is_no_kind(question, word):
    assert not sentence(question).is_kind(place_of(word, question), far=False)


def test_a_word_behind_which_is_a_kind_where_no_edge_type_is_near():
    question = "which gadget has [Ada]"
    assert sentence(question).is_kind(1, far=True) and not sentence(question).is_kind(1, far=False)


@pytest.mark.parametrize(
    ("question", "word", "expected"),
    [
        ("films directed by [Ada]", "directed", True),
        ("what films did [Ada Keller] found", "found", True),
        ("which films has [Ada Keller] directed", "directed", True),
        ("which films did [Ada Keller] found together with [Mei]", "found", True),
        ("what did [Ada Keller] found in 1990", "found", True),
        ("where did [Ada Keller]'s director die", "director", False),
        ("who was [Silent River] directed by", "directed", False),
        ("when was [Silent River] directed", "directed", False),
        ("who directed [Silent River]", "directed", False),
    ],
)
def test_whether_the_named_node_does_it(question, word, expected):
    assert sentence(question).named_does(place_of(word, question)) is expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("who is [Ada] the founder of", True),
        ("[Rome] is the founder of which state", True),
        ("who is the founder of [Rome]", False),
    ],
)
def test_what_the_named_node_is_to_the_answer(question, expected):
    assert sentence(question).is_role(place_of("founder", question)) is expected


@pytest.mark.parametrize(
    ("question", "word", "expected"),
    [
        ("what is [bronze] made of", "made", "of"),
        ("[bronze] is made of what", "made", "of"),
        ("what is made of [bronze]", "made", ""),
        ("what is [bronze] made with care", "care", ""),
    ],
)
def test_a_preposition_with_nothing_behind_it(question, word, expected):
    assert sentence(question).hangs(place_of(word, question)) == expected


def test_what_leads_back_and_what_a_label_takes_for_itself():
    assert sentence("which films share the director of [Silent River]").mirrors(2)
    assert not sentence("which country shares a border with [Rome]").mirrors(2), "the label holds the word"
    assert sentence("who acted together with [Ada]").mirrors(2)
    assert not sentence("[Together Again] was directed").mirrors(0), "it is part of a name"


def test_what_happened_and_instances():
    assert sentence("when was [Silent River] published").event(0) == 4
    assert sentence("when was the [Silent River] published").event(0) == 5
    assert sentence("where did [Ada]'s daughter die").event(0) == -1, "it happened to another"
    assert sentence("where is the club that [Ada] plays for").event(0) == -1
    assert sentence("who is a [carpenter]").instances() == 2
    assert sentence("what is a [carpenter]").instances() == -1
    assert sentence("who is the [carpenter]").instances() == -1
    assert sentence("who has [gout]").instances() == 1
    assert sentence("who has a [carpenter] killed").instances() == 2
    assert sentence("what has [Ada] written").instances() == -1


def test_phrases_and_names_ask_nothing():
    assert sentence("name a [carpenter]").asks
    assert not sentence("tell me about [Ada]").asks
    assert not sentence("[Who Goes There]").asks
    assert sentence("").at(0) == "" and not sentence("").asks


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("prerequisites of [Optics]", True),
        ("movies with the [Ada Keller]", True),
        ("how many credits is [Optics] worth", True),
        ("how is [Optics] examined", True),
        ("how to read [Optics]", False),
        ("could you list everything [Ada] made", True),
        ("please explain [Ada]", False),
        ("tell me about [Ada]", False),
        ("of [Ada]", False),
        ("[Ada]", False),
        ("[Ada] director", False),
    ],
)
def test_phrases_that_ask(question, asks):
    assert sentence(question).asks is asks


def test_a_word_behind_a_name_may_ask():
    assert sentence("[Ada] director").may_ask() and sentence("[Ada] side effects").may_ask()
    assert not sentence("[Ada]").may_ask() and not sentence("[Ada] I need a token").may_ask()
    assert not sentence("send [Ada]").may_ask()


def test_what_asks_for_the_named_node_itself():
    for question in ("explain [Ada]", "what do you know about [Ada]", "[Ada] definition please"):
        assert sentence(question).about_itself(), question
    for question in ("explain the job of [Ada]", "[Ada]", "who knows [Ada] best"):
        assert not sentence(question).about_itself(), question


def test_which_firm_makes_x_and_where_something_stands():
    makes = "which firm makes the [Comet]"
    assert sentence(makes).is_subject(place_of("firm", makes))
    made = "which firm is the [Comet] made by"
    assert not sentence(made).is_subject(place_of("firm", made))
    flows = "which rivers flow into the [Sea]"
    assert sentence(flows).is_subject(place_of("rivers", flows))
    assert sentence("on which shelf is [Ada]").stands_at() and sentence("which shelf is [Ada] on").stands_at()
    assert not sentence("which shelf holds [Ada]").stands_at()


def test_in_what_raises_x_the_word_is_a_verb():
    assert sentence("what raises [Ada]").kinds() == []
    assert sentence("which errors does [Ada] raise").kinds() == [1]


@pytest.mark.parametrize(
    ("question", "asked_for", "verb"),
    [
        ("what team does [Ada] play for", ["team"], "play"),
        ("which sports team did the [Ada] play for in 2011", ["sports", "team"], "play"),
        ("what language [Arvenia] speak", ["language"], "speak"),
        ("what religion does [Ada]'s father have", [], ""),
        ("in what country was [Ada] born", [], ""),
        ("what killed [Ada]'s father", [], ""),
        ("what team does [Ada] play for and love", [], ""),
        ("what team do [Ada] and [Leo] play for", [], ""),
        ("who plays for [Ada]", [], ""),
        ("", [], ""),
    ],
)
def test_what_is_asked_for_and_the_verb_of_the_named_node(question, asked_for, verb):
    found = sentence(question)
    places, place = found.asked_for_by_verb()
    assert ([found.words[one] for one in places], found.at(place)) == (asked_for, verb)


@pytest.mark.parametrize(
    ("question", "telling"),
    [
        ("who produced the album that has [Night Ferry] on it", ["produced", "album"]),
        ("which films did [Ada] direct", ["direct"]),
        ("what kind of film is [Silent River]", []),
        ("who directed the film [Silent River]", ["directed"]),
        ("who leads the team [Ada] is on", ["leads", "team"]),
        ("name the owner of [Gull]", ["owner"]),
    ],
)
def test_words_that_tell_more_than_what_the_answer_or_the_named_node_is(question, telling):
    found = sentence(question)
    assert [word for place, word in enumerate(found.words) if found.tells(place)] == telling


@pytest.mark.parametrize(
    ("question", "when", "no_date"),
    [
        ("when was [Ada] born", True, False),
        ("what year did [Ada] die", True, False),
        ("release date of [Silent River]", True, False),
        ("what is the date of birth of [Ada]", True, False),
        ("which films have the date of [Ada]", False, False),
        ("who directed [Silent River]", False, True),
        ("to whom does [Ada] report", False, True),
        ("give me the number of the one who directed [Silent River]", False, False),
        ("[When Ada Died] director", False, False),
    ],
)
def test_whether_a_date_is_asked_for(question, when, no_date):
    found = sentence(question)
    assert (found.asks_when(), found.asks_no_date()) == (when, no_date)


def test_what_sort_of_thing_is_asked_for():
    assert sentence("what kind of film is [Silent River]").says_what_it_is(3)
    assert sentence("[Silent River] is what kind of film").says_what_it_is(6)
    assert not sentence("what kind of film has [Ada]").says_what_it_is(3)
    assert sentence("what type of company has [Ada]").sort_says_nothing(1)
    assert not sentence("what type of company did [Ada] found").sort_says_nothing(1)
    assert not sentence("[Ada] is what type of company").sort_says_nothing(3)
    assert not sentence("what type of gadget has [Ada]").sort_says_nothing(1)


def test_the_names_of_what_follows():
    assert sentence("names of the company in [Rome]").names_what_follows(0)
    assert not sentence("name of [Rome]").names_what_follows(0)


@pytest.mark.parametrize(
    ("question", "word", "expected"),
    [
        ("name the director of [Ada]", "name", True),
        ("list all directors of [Ada]", "list", True),
        ("name of the director of [Ada]", "name", False),
        ("who is the son named [Ada]", "named", True),
        ("who named [Ada]'s dog", "dog", False),
    ],
)
def test_what_only_bids_to_answer_or_stands_before_a_name_frames_it(question, word, expected):
    assert sentence(question).only_frames(place_of(word, question)) is expected


def test_what_is_asked_for_behind_kind_of_opens_where_a_label_has_it():
    assert sentence("what kind of company did [Ada] found").opens(3)
    assert not sentence("what kind of gadget did [Ada] found").opens(3)
    assert sentence("what kind of company did [Ada] found").sort_of(3) == 1
    assert sentence("which company did [Ada] found").sort_of(1) == -1


def test_do_asks_what_somebody_does():
    assert sentence("what did [Ada] do").asks_what_is_done(3)
    assert sentence("what does [Ada] do for a living").asks_what_is_done(3)
    assert not sentence("what can [Ada] do").asks_what_is_done(3)
    assert not sentence("what did the dog do").asks_what_is_done(4)


def test_from_asks_for_what_comes_from_the_name_behind_it():
    assert sentence("who comes from [Rome]").asks_whence(2)
    assert not sentence("where is [Ada] from").asks_whence(3)
    assert not sentence("[Ada] from [Rome]").asks_whence(1)


@pytest.mark.parametrize(
    ("question", "clause"),
    [
        ("the capital of the country where the author of [Tides] died", 5),
        ("who directed the film that [Ada] wrote", 4),
        ("where did the author of [Tides] die", -1),
        ("which film did [Ada] direct that won", -1),
    ],
)
def test_where_a_clause_begins_that_goes_on_behind_a_name(question, clause):
    assert sentence(question).clause() == clause
