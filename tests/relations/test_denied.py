"""Edge types that say something is not so."""

import pytest
from fact_graphs import graph_of

FACTS = """
    Sorafin|treats|gout · Meltin|treats|gout · Ninaxol|not_indicated_for|gout · Ninaxol|treats|scurvy
    Sorafin|not_indicated_for|scurvy
"""


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("medication for gout", {"Sorafin", "Meltin"}),
        ("Which medicine should not be given for gout?", {"Ninaxol"}),
        ("Sorafin indications", {"gout"}),
        ("What is Sorafin not indicated for?", {"scurvy"}),
    ],
)
def test_what_denies_answers_only_what_denies(question, answers):
    with graph_of(FACTS) as drugs:
        assert set(drugs.search(question).ids[: len(answers)]) == answers
