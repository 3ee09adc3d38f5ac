"""One table says what an edge type means, and every room reads it there."""

import re

import pytest

from fourfold import Edge, Node, Retriever
from fourfold.edge_types import ROLES, Reading, denies, reading, type_weight, type_weights
from fourfold.questions import Questions
from fourfold.questions.results import Answer
from fourfold.tools import ToolCatalog, edge_meaning


@pytest.mark.parametrize(
    ("name", "role", "inverse", "meaning"),
    [
        ("requires", "requires", False, "needs"),
        ("uses", "requires", False, "needs"),
        ("imports", "requires", False, "needs"),
        ("calls", "requires", False, "needs"),
        ("reads_from", "requires", False, "needs"),
        ("SUBSCRIBES_TO", "requires", False, "needs"),
        ("writesTo", "feeds_into", False, "before"),
        ("publishes_to", "feeds_into", False, "before"),
        ("used_by", "requires", True, "needed_by"),
        ("importedBy", "requires", True, "needed_by"),
        ("prerequisite_for", "requires", True, "needed_by"),
        ("tool_directly_depends_on", "requires", False, "needs"),
        ("is_required_by", "requires", True, "needed_by"),
        ("feeds_into", "feeds_into", False, "before"),
        ("output_to", "feeds_into", False, "before"),
        ("OUTPUT_TO", "feeds_into", False, "before"),
        ("fed_by", "feeds_into", True, "after"),
        ("takes_input_from", "feeds_into", True, "after"),
        ("usually_followed_by", "feeds_into", False, "before"),
        ("next", "feeds_into", False, "before"),
        ("NEXT_CHUNK", "feeds_into", False, "before"),
        ("next_step", "feeds_into", False, "before"),
        ("hasNextPages", "feeds_into", False, "before"),
        ("next_chunk_id", "feeds_into", False, "before"),
        ("next_in_series", "feeds_into", False, "before"),
        ("is_next", "feeds_into", False, "before"),
        ("previous", "feeds_into", True, "after"),
        ("PREVIOUS_STEP", "feeds_into", True, "after"),
        ("previous_step_of", "feeds_into", False, "before"),
        ("is_previous_to", "feeds_into", False, "before"),
        ("isNextStepOf", "feeds_into", True, "after"),
        ("precedes", "feeds_into", False, "before"),
        ("followed_by", "feeds_into", False, "before"),
        ("leads_to", "feeds_into", False, "before"),
        ("next_leads_to", "feeds_into", False, "before"),
        ("directly_leads_to", "feeds_into", False, "before"),
        ("conflicts_with", "conflicts_with", False, "apart"),
        ("incompatible_with", "conflicts_with", False, "apart"),
        ("enables", "enables", False, "link"),
        ("does_not_support", "has_limitation", False, "link"),
    ],
)
def test_an_edge_type_means_the_same_in_every_room(name, role, inverse, meaning):
    assert reading(name) == Reading(role, inverse)
    assert edge_meaning(name) == meaning
    retriever = Retriever(":memory:")
    retriever.add(nodes=[Node("a", "alpha"), Node("b", "beta")], edges=[Edge("a", "b", name)])
    (match,) = Questions(retriever)._view().vocabulary.role(role)
    assert (match.type, match.inverse) == (name, inverse)


@pytest.mark.parametrize("name", ["does_not_need", "not_required", "no_longer_requires", "never_followed_by"])
def test_a_type_that_denies_a_need_is_none(name):
    assert denies(name) and reading(name).denied
    assert edge_meaning(name) == "apart"
    assert type_weight(name, {"requires": 0.8, "followed_by": 0.7}, 0.5, related=True) == 0.5
    retriever = Retriever(":memory:")
    retriever.add(nodes=[Node("a", "alpha"), Node("b", "beta")], edges=[Edge("a", "b", name)])
    assert not any(Questions(retriever)._view().vocabulary.role(role) for role in ROLES)
    catalog = ToolCatalog(retriever)
    assert catalog.suggest_workflow("alpha").tools == ["a"] and catalog.relatedness("b", ["a"]) == 0.0


def test_what_conflicts_is_not_related():
    retriever = Retriever(":memory:")
    nodes = [Node(identity, identity) for identity in "abc"]
    retriever.add(nodes=nodes, edges=[Edge("a", "b", "conflicts_with"), Edge("a", "c", "relates_to")])
    catalog = ToolCatalog(retriever)
    assert catalog.relatedness("b", ["a"]) == 0.0
    assert catalog.relatedness("c", ["a"]) == 1.0


@pytest.mark.parametrize(
    "name",
    [
        *("", "children", "afternoon", "co_used", "cause_of_death", "relates_to", "t0", "links"),
        *("leads", "leads_team", "next_of_kin", "isNextTo", "named_after", "looks_after"),
        *("previous_owner", "previousOwners", "former_employer", "previous_address", "next_owner_id"),
        *("has_previous_spouse", "previous_step_owner", "NEXT_PRESIDENT", "previous_owner_of"),
    ],
)
def test_what_the_table_does_not_hold_means_nothing(name):
    assert reading(name) is None or ROLES[reading(name).role].order == 0
    assert edge_meaning(name) == "link"


@pytest.mark.parametrize(
    ("name", "role", "told"),
    [
        ("usually_followed_by", "feeds_into", "for feeds_into, by a word in its name"),
        ("strongly_enables", "enables", r"for enables \(similarity 0\.[5-9]\d\)"),
    ],
)
def test_a_note_says_by_what_a_type_was_taken_for_a_role(name, role, told):
    retriever = Retriever(":memory:")
    retriever.add(nodes=[Node("a", "alpha"), Node("b", "beta")], edges=[Edge("a", "b", name)])
    (match,) = Questions(retriever)._view().vocabulary.role(role)
    note = Answer(edge_types=(match,)).told()
    assert re.search(f"Note: {name} taken {told}", note), note


def test_who_leads_a_team_is_no_step_before_it():
    retriever = Retriever(":memory:")
    nodes = [Node("dana", "Dana"), Node("operations", "Operations"), Node("kim", "Kim")]
    edges = [("operations", "leads"), ("kim", "next_of_kin"), ("kim", "previous_owner"), ("kim", "former_employer")]
    retriever.add(nodes, [Edge("dana", target, name) for target, name in edges])
    assert not Questions(retriever)._view().vocabulary.role("feeds_into")
    assert ToolCatalog(retriever).suggest_workflow("Operations, Dana").tools == ["operations", "dana"]


def test_names_and_aliases_are_read_once():
    for name, role in ROLES.items():
        assert reading(name) == Reading(name)
        assert all(reading(alias).role in ROLES for alias in (*role.aliases, *role.inverse))
        assert not set(role.aliases) & set(role.inverse)


@pytest.mark.parametrize("name", ["depends_on", "dependsOn", "DEPENDS-ON", "tool_directly_depends_on"])
def test_an_intent_follows_its_edge_types_however_they_are_written(name):
    nodes = [Node("pool", "fill the pool"), Node("pump", "start"), Node("sun", "umbrella")]
    with Retriever() as retriever:
        retriever.add(nodes, [Edge("pool", "pump", name), Edge("pool", "sun", "stands_beside")])
        result = retriever.search("how to fill the pool")
    assert result.intent == "workflow"
    by_id = {hit.node.id: hit.components for hit in result}
    assert by_id["pump"].intent == 1.0


def test_the_weights_of_all_types_are_remembered_and_cannot_be_written_to():
    types, known = ("requires", "tool_requires", "denied_by", "other"), (("requires", 0.8), ("other", 0.1))
    found = type_weights(types, known, 0.5, related=True)
    assert found.tolist() == [type_weight(name, dict(known), 0.5, related=True) for name in types]
    assert type_weights(types, known, 0.5, related=True) is found
    assert type_weights(types, known, 0.5, related=False).tolist() == [0.8, 0.5, 0.5, 0.1]
    with pytest.raises(ValueError, match="read-only"):
        found[0] = 1.0
