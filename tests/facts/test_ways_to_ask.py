"""Ways to ask of a fact that labels say otherwise: causes, kinds, who made what, names that no node has."""

import pytest
from fact_graphs import graph_of

from fourfold import Node

ILLNESS = """
    Ash dust|located_in|lung · Ash dust|has_symptom|cough · Lung spray|located_in|lung
    Marsh fever|is_a|fever illness · Vale fever|is_a|Marsh fever · Hill fever|is_a|Marsh fever
    Marsh fever|has_material_basis_in|Paludo virus · Marsh fever|transmitted_by|marsh fly
    Marsh fever|located_in|spleen · Marsh fever|has_symptom|chills · Grey rot|transmitted_by|sneezing
    Grey rot|has_material_basis_in|Rot mould · Grey rot|located_in|lung · Grey rot|has_symptom|cough
"""
TYPES = {
    **dict.fromkeys(("Marsh fever", "Vale fever", "Hill fever", "Grey rot", "fever illness"), "disease"),
    **dict.fromkeys(("Paludo virus", "Rot mould"), "organism"),
    **dict.fromkeys(("spleen", "lung"), "body part"),
    **dict.fromkeys(("Ash dust", "Lung spray"), "substance"),
    **dict.fromkeys(("chills", "cough"), "symptom"),
    **dict.fromkeys(("marsh fly", "sneezing"), "way of transmission"),
}


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("what causes Grey rot?", {"Rot mould"}),
        ("how do you catch Grey rot?", {"sneezing"}),
        ("infections of the lung", {"Grey rot"}),
        ("what kind of disease is Marsh fever?", {"fever illness"}),
        ("what are the types of Marsh fever?", {"Vale fever", "Hill fever"}),
        ("which kinds of Marsh fever are there?", {"Vale fever", "Hill fever"}),
        ("how is the illness that Rot mould causes passed on?", {"sneezing"}),
        ("what part of the body does Grey rot affect?", {"lung"}),
        ("which germs are behind diseases transmitted by sneezing?", {"Rot mould"}),
        ("how is the disease caused by Paludo virus transmitted?", {"marsh fly"}),
    ],
)
def test_illnesses_are_asked_of_in_other_words_than_ontologies_have(question, answers):
    with graph_of(ILLNESS, TYPES) as illnesses:
        also = [
            Node("Grey rot", "Grey rot", "disease", "also called: rot of the greys, monk's cough"),
            Node("Marsh fever", "Marsh fever", "disease", "also called: paludism, bog fever"),
        ]
        illnesses.add(also)
        assert set(illnesses.search(question).ids[: len(answers)]) == answers


FILM = """
    Salt Road|directed_by|Ann Vey · Salt Road|film_casting_director|Bo Lind · Salt Road|film_art_direction_by|Cy Moe
    Salt Road|written_by|Dee Orr · Salt Road|music|Eva Roe · Salt Road|gross_revenue|3100000 · Salt Road|genre|Western
    Salt Road|featured_film_locations|Zadar · Ann Vey|place_of_birth|Split · Bo Lind|place_of_death|Pula
    Salt Road|estimated_budget|900000 · Ann Vey|place_of_death|Rijeka
"""


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("who is the director of Salt Road?", "Ann Vey"),
        ("who was the art director for Salt Road?", "Cy Moe"),
        ("who wrote the soundtrack for Salt Road?", "Eva Roe"),
        ("who wrote Salt Road?", "Dee Orr"),
        ("how much did Salt Road make?", "3100000"),
        ("where was Salt Road made?", "Zadar"),
    ],
)
def test_who_made_what_of_a_film(question, answer):
    with graph_of(FILM) as films:
        assert films.search(question).ids[0] == answer


COURT = """
    Orr v. Lind|majority_opinion|Judge Ames · Orr v. Lind|lower_court|Court of the North · Orr v. Lind|advocate|Bea Holt
    Orr v. Lind|winning_party|Lind · Judge Ames|appointed_by|President Dole · Vey v. Moe|majority_opinion|Judge Ames
    Vey v. Moe|lower_court|Northern Supreme Court · Vey v. Moe|dissent|Judge Crane · Vey v. Moe|advocate|Abe Stone
    Judge Crane|appointed_by|President Fox · Orr v. Lind|dissent|Judge Crane
"""
COURT_TYPES = {
    **dict.fromkeys(("Court of the North", "Northern Supreme Court"), "court"),
    **dict.fromkeys(("Judge Ames", "Judge Crane"), "justice"),
    **dict.fromkeys(("Bea Holt", "Abe Stone"), "advocate"),
}


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("who wrote the opinion of the court in Orr v. Lind?", "Judge Ames"),
        ("which lawyers argued Orr v. Lind?", "Bea Holt"),
    ],
)
def test_cases_of_a_court(question, answer):
    with graph_of(COURT, COURT_TYPES) as court:
        assert court.search(question).ids[0] == answer


def test_a_name_that_no_node_has_asks_for_no_edge():
    courts = [f"{where} Supreme Court" for where in ("Eastern", "Western", "Southern", "Upper", "Lower", "Old", "New")]
    more = " · ".join(f"Case {number}|lower_court|{one}" for number, one in enumerate(courts))
    more += " · " + " · ".join(f"Case {number}|majority_opinion|Judge Crane" for number in range(len(courts)))
    with graph_of(f"{COURT} · {more}", COURT_TYPES | dict.fromkeys(courts, "court")) as court:
        assert court.search("who put Judge Crane on the Supreme Court?").ids[0] == "President Fox"


FIRMS = """
    Axo|headquarters|Evry · Brill|headquarters|Evry · Coda|headquarters|Dublin · Evry|country|France
    Axo|became_unicorn|2019-02-21 · Brill|became_unicorn|2021-05-20 · Coda|became_unicorn|2020-01-09
    Axo|valuation|$2B · Brill|valuation|$5B · Coda|valuation|$3B · Dublin|country|Ireland
    Axo|revenue|$40M · Coda|revenue|$90M
"""
FIRM_TYPES = {**dict.fromkeys(("Axo", "Brill", "Coda"), "company"), "Evry": "city", "Dublin": "city"}


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("name unicorns headquartered in Evry", {"Axo", "Brill"}),
        ("list the unicorns in Evry", {"Axo", "Brill"}),
        ("which startup in Evry is worth the most?", {"Brill"}),
        ("what is the most valuable startup in Evry?", {"Brill"}),
        ("which is worth more, Axo or Coda?", {"Coda"}),
        ("which is worth more, Brill or Coda?", {"Brill"}),
        ("which earned more, Axo or Coda?", {"Coda"}),
        ("when did Axo become a unicorn?", {"2019-02-21"}),
    ],
)
def test_companies_by_what_they_became_and_are_worth(question, answers):
    with graph_of(FIRMS, FIRM_TYPES) as firms:
        assert set(firms.search(question).ids[: len(answers)]) == answers


def test_what_two_steps_lead_to_is_no_noun_alone():
    facts = "Ark|leader|Ann Vey · Ann Vey|spouse|Bo Lind · Ark|capital|Zadar · Bo Lind|born_in|Split"
    with graph_of(facts) as lands:
        assert lands.search("who married the leader of Ark?").ids[0] == "Bo Lind"


STORES = """
    Rye loaf|contains|rye flour · Rye loaf|contains|salt · Rye loaf|baked_by|Kari · White loaf|contains|wheat flour
    drill|stored_in|Box 4 · hammer|stored_in|Box 4 · saw|stored_in|Box 5 · Box 4|owned_by|Kari · Box 5|owned_by|Ola
    carts|part_of|Platform · logins|part_of|Platform · Platform|version|2 · Kari|lives_in|Bergen · Bergen|country|Norway
    Kari|member_of|Crew · Ola|member_of|Crew · Crew|led_by|Ann
    Kari|reports_to|Ann · Ola|reports_to|Ann · Ann|knows|Bo
"""


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("what is in the Rye loaf?", {"rye flour", "salt"}),
        ("what's in box 4?", {"drill", "hammer"}),
        ("what is there in Box 4", {"drill", "hammer"}),
        ("What is in Platform", {"carts", "logins"}),
        ("who is in Bergen?", {"Kari"}),
        ("who's on the Crew", {"Kari", "Ola"}),
        ("who is under Ann?", {"Kari", "Ola"}),
        ("who works under Ann", {"Kari", "Ola"}),
        ("who is above Ola", {"Ann"}),
    ],
)
def test_what_is_in_something(question, answers):
    """Before, "in" asked for nothing, and the loaf itself stood first."""
    with graph_of(STORES) as stores:
        assert set(stores.search(question).ids[: len(answers)]) == answers


def test_what_is_in_a_text_is_told_by_the_text():
    with graph_of(
        "Autumn report|written_by|Ann · Autumn report|about|Finance · Summer report|written_by|Bo"
    ) as reports:
        text = "Revenue grew by 12 %, led by the north. Costs of freight rose."
        reports.add([Node("Autumn report", "Autumn report", text=text)])
        assert reports.search("what is in the autumn report?").ids[0] == "Autumn report"


@pytest.mark.parametrize(
    "label", ["based_in", "lives_in", "stored_in", "parked_at", "found_in", "lies_in", "office", "desk", "location"]
)
def test_where_something_is(label):
    """Before, "where" asked only for labels near to "place" and "location"."""
    with graph_of(
        f"Rig|{label}|Quay · Rig|reports_to|Boss · Rig|based_on|Plan · Rig|born_in|Cove · Boss|leads|Crew"
    ) as rigs:
        assert rigs.search("where is the Rig?").ids[0] == rigs.search("where's Rig").ids[0] == "Quay"


def test_where_asks_for_no_model():
    with graph_of("Rig|based_on|Plan · Rig|reports_to|Boss · Boss|leads|Crew") as rigs:
        assert rigs.search("where is the Rig?").ids[0] == "Rig"


@pytest.mark.parametrize(
    "question", ["who should I ask about the Rig?", "whom do I talk to about Rig", "who can we contact about the Rig"]
)
def test_whom_to_ask_about_something(question):
    """Before, the first hit was what the Rig is written in: "ask" is near to no label."""
    people = dict.fromkeys(("Ann", "Bo", "Cy"), "person")
    with graph_of(
        "Ann|works_on|Rig · Rig|written_in|Go · Bo|works_on|Web · Web|written_in|Go · Ann|reports_to|Cy", people
    ) as rigs:
        assert rigs.search(question).ids[0] == "Ann"


def test_whom_somebody_talked_to_is_no_advice():
    people = dict.fromkeys(("Ann", "Bo", "Cy"), "person")
    with graph_of("Ann|talked_to|Bo · Cy|works_on|Rig · Cy|reports_to|Bo", people) as rigs:
        assert rigs.search("who did Ann talk to about the Rig?").ids[0] == "Bo"
