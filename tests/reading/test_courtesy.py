"""What is said to whoever answers is no part of what is asked."""

import pytest

from fourfold import Edge, Node, RetrievalConfig, Retriever
from fourfold.intent import DEFAULT_INTENTS, classify
from fourfold.reading.courtesy import without_courtesy

PROMPT = """You are a helpful assistant that knows films. Use the following context to answer the question.

Context: Heat is a film of 1995.

Question: {question}
Helpful Answer:"""


@pytest.mark.parametrize(
    "said",
    [
        *("Hi! {}", "hello there, {}", "Hey {}", "Good morning. {}", "Excuse me, {}", "Hello, {}"),
        *("Could you please tell me {}", "can you tell me: {}", "Would someone kindly let me know {}", "tell me {}"),
        *("please tell us {}", "Ok, so just tell me {}", "Hi! Could you please tell me: {}", "COULD YOU TELL ME {}"),
        *("I would like to know {}", "I'd really love to find out {}", "we want to ask {}", "I'm wondering {}"),
        *(
            "I was just wondering {}",
            "I wonder if you could tell me {}",
            "i’m curious {}",
            "we are trying to figure out {}",
        ),
        *("Do you know {}", "does anyone happen to know {}", "Any idea {}", "do you remember {}"),
        *("Quick question: {}", "I have a question. {}", "Here's my question: {}", "I've got another question - {}"),
        *(
            "{} Thanks!",
            "{} Thank you so much for your help.",
            "{} Thanks in advance! :)",
            "{} Please.",
            "{} Thanks. Cheers!",
        ),
        *("{} Any help would be greatly appreciated.", "{} If you don't mind.", "{} thanks in advance", "{}, please"),
        *("Answer the following question: {}", "Please answer this question. {}", "Answer briefly: {}"),
        *("{} Answer in one sentence.", "{} Be concise.", "{} Think step by step.", "{} Keep the answer short."),
        *("Based on the context, {}", "Using only the provided documents, {}", "Given the information above: {}"),
        *("Use the knowledge base to answer the following question. Question: {} Answer:", "Question: {}\nAnswer:"),
        *("User question: {}\nAnswer: ", "Query: {}", PROMPT.replace("{question}", "{}")),
        "Question: who?\nAnswer: nobody\nQuestion: {}\nAnswer:",
    ],
)
def test_courtesy_is_left_out(said):
    assert without_courtesy(said.format("who directed Heat?")).rstrip("?") == "who directed Heat"


def test_courtesy_of_a_later_sentence_is_left_out():
    asked = "I watched Heat yesterday. Could you tell me who directed it? Any help is appreciated."
    assert without_courtesy(asked) == "I watched Heat yesterday. who directed it?"


@pytest.mark.parametrize(
    ("asked", "left"),
    [
        ("can you please export a table", "export a table"),
        ("Please find flights to Paris.", "find flights to Paris."),
        ("Tell me all about Heat", "Heat"),
        ("Hi! Could you please tell me the director of Heat?", "tell me the director of Heat?"),
        ("I want to know about packet routing, please", "packet routing"),
        ("Can you tell me if it exports tables?", "if it exports tables?"),
    ],
)
def test_what_is_asked_for_stays(asked, left):
    assert without_courtesy(asked) == left


@pytest.mark.parametrize(
    "asked",
    [
        *("Who wrote Tell Me Why?", "Tell Me Why was written by whom?", "Please Please Me was recorded when?"),
        *(
            "please me",
            "who recorded please please me",
            "Please Mr. Postman lyrics",
            "Hello, Dolly! was written by whom?",
        ),
        *("hello is a song by whom", "Hey Jude lyrics", "Do you know the Muffin Man?", "Dear Evan Hansen cast"),
        *(
            "Can you export tables?",
            "can it answer a question",
            "Can you remind me to call home?",
            "help me find flights",
        ),
        *(
            "how do I say thank you in French?",
            "What is the meaning of: thank you?",
            "the song Thanks",
            "answer a question",
        ),
        *("Using the database connector, copy files", "Elasticsearch query: match all", "question answering"),
        *("Hello", "Thanks!", "please", "Question:", "Question: Answer:", "", "?"),
        *("I like to read about routing", "we need to ask for permission", "what is a good question to ask"),
    ],
)
def test_what_is_no_courtesy_stays_as_it_is(asked):
    assert without_courtesy(asked) == asked


def made(config=None):
    nodes = [
        Node("heat", "Heat", "film", "A thief and a policeman in Los Angeles."),
        Node("mann", "Michael Mann", "person", "Writes and directs."),
        Node("kilmer", "Val Kilmer", "person", "Plays the thief's friend."),
        Node(
            "manners", "Good manners", "book", "Please say hello, say thank you and answer every question in advance."
        ),
        *(Node(f"n{i}", f"Film {i}", "film", f"It is about subject {i}.") for i in range(20)),
    ]
    retriever = Retriever(config=config)
    retriever.add(nodes, [Edge("heat", "mann", "directed_by"), Edge("heat", "kilmer", "has_actor")])
    return retriever


@pytest.fixture
def films():
    return made()


@pytest.mark.parametrize(
    "said", ["Hi! Could you please tell me: {} Thanks in advance!", PROMPT.replace("{question}", "{}")]
)
def test_a_polite_question_is_answered_as_a_plain_one(films, said):
    plain = films.search("Who directed Heat?")
    polite = films.search(said.format("Who directed Heat?"))
    assert plain.hits[0].node.id == "mann"
    assert [(hit.node.id, hit.score) for hit in polite] == [(hit.node.id, hit.score) for hit in plain]
    assert polite.query == said.format("Who directed Heat?")
    assert films.explain(said.format("Who directed Heat?"), "mann").query == said.format("Who directed Heat?")


def test_can_you_tell_me_does_not_ask_what_something_can_do(films):
    asked = "Can you tell me who directed Heat?"
    assert classify(asked, DEFAULT_INTENTS) == "capability_check"
    assert films.search(asked).intent == films.search("who directed Heat?").intent != "capability_check"


def test_the_published_method_reads_every_word():
    published = made(RetrievalConfig.published())
    assert published.search("Can you tell me who directed Heat?").intent == "capability_check"
