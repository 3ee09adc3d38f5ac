"""The methods that follow meanings, words and numbers; routing; results; bad input."""

import json
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from fourfold import Edge, FilterError, FourfoldError, InvalidValueError, Node, Retriever, UnknownNodeError
from fourfold import questions as public
from fourfold.questions import Questions, Verdict, view


def node(identity, text="", kind="tool", **metadata):
    return Node(identity, identity, kind, text, metadata)


NODES = [
    node("read_file", "Read the contents of a text file.", cost=1, speed={"p95": 2.5}),
    node("edit_file", "Edit a file in place.", cost=2),
    node("run_tests", "Run the unit tests of the project.", cost=5, runtime="pytest"),
    node("install_packages", "Install the dependencies."),
    node("network", "A working connection."),
    node("write_file", "Write a file."),
    node("send_mail", "Send a mail to somebody.", cost=2.0),
    node("no_binary", "Binary files cannot be read.", "limitation"),
    node("no_symlinks", "Symbolic links are not followed when editing.", "limitation"),
    node("hexdump", "Dump bytes as text first.", "workaround"),
]
EDGES = [
    Edge("read_file", "no_binary", "has_limitation"),
    Edge("no_binary", "hexdump", "has_workaround"),
    Edge("edit_file", "no_symlinks", "has_limitation"),
    Edge("edit_file", "read_file", "requires"),
    Edge("run_tests", "install_packages", "requires"),
    Edge("install_packages", "network", "requires"),
    Edge("edit_file", "write_file", "conflicts_with"),
    Edge("read_file", "edit_file", "feeds_into"),
    Edge("read_file", "run_tests", "enables", 0.5),
]


@pytest.fixture(scope="module")
def asked():
    with Retriever() as retriever:
        retriever.add(NODES, EDGES)
        yield Questions(retriever)


def graph(nodes, edges, **options):
    retriever = Retriever()
    retriever.add([Node(n, n, text=n.replace("_", " ")) for n in nodes], [Edge(*e) for e in edges])
    return Questions(retriever, **options)


# -- can_it -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "denied"),
    [
        ("is it impossible to read binary files?", True),
        ("is read_file unable to read binary files?", True),
        ("can read_file not read binary files?", True),
        ("can read_file read binary files?", False),
        ("can read_file read files that are not binary?", False),
    ],
)
def test_a_capability_that_is_asked_for_in_the_negative_is_told_of(asked, question, denied):
    answer = asked.can_it(question)
    assert answer.verdict == Verdict.YES_WITH_LIMITATIONS and answer.subject.id == "read_file"
    assert [note for note in answer.notes if "in the negative" in note] == ["The question is put in the negative; the "
        "verdict tells whether it can."] * denied  # fmt: skip


def test_a_goal_that_the_graph_knows_nothing_of_is_told_of(asked):
    answer = asked.want_to("bake sourdough bread")
    assert not answer.known and answer.serving
    assert answer.notes[-1].startswith("The graph seems to know nothing of 'bake sourdough bread' (confidence 0.")
    assert asked.want_to("read a text file").known and not asked.want_to("read a text file").notes
    asked_for = asked.ask("find a tool to bake sourdough bread")
    assert asked_for.method == "search" and not asked_for.ids and "know nothing of 'bake sourd" in asked_for.why


def test_what_a_goal_denies_is_told_to_be_looked_for(asked):
    (note,) = asked.want_to("edit a file but do not send a mail").notes
    assert note == "What stands after 'not' is looked for like the rest, not left out."


def test_can_it_yes(asked):
    answer = asked.can_it("run tests")
    assert (answer.verdict, answer.subject.id) == (Verdict.YES, "run_tests")
    assert [n.id for n in answer.prerequisites] == ["install_packages"]


def test_can_it_yes_with_limitations(asked):
    answer = asked.can_it("can it handle binary files?")
    assert (answer.verdict, answer.subject.id) == ("yes_with_limitations", "read_file")
    assert [(found.node.id, [w.id for w in found.workarounds]) for found in answer.limitations] == [
        ("no_binary", ["hexdump"])
    ]


def test_can_it_no(asked):
    answer = asked.can_it("edit a file")
    assert (answer.verdict, answer.subject.id) == (Verdict.NO, "edit_file")
    assert answer.limitations[0].workarounds == ()


def test_can_it_unknown(asked):
    assert asked.can_it("translate Portuguese poetry").verdict is Verdict.UNKNOWN


def test_can_it_takes_the_subject_s_own_workaround_for_a_limitation_without_one():
    answer = graph(
        ["print_page", "no_colour", "convert_first"],
        [("print_page", "no_colour", "has_limitation"), ("print_page", "convert_first", "has_workaround")],
    ).can_it("print a page")
    assert answer.verdict is Verdict.YES_WITH_LIMITATIONS


def test_can_it_says_when_the_graph_has_none_of_the_edge_types():
    answer = graph(["print_page", "paper"], [("print_page", "paper", "touches")]).can_it("print a page")
    assert answer.verdict is Verdict.UNKNOWN
    assert "no edges that mean has_limitation, has_workaround, requires" in answer.notes[0]


def test_can_it_of_a_given_node(asked):
    assert asked.can_it("anything at all", node="edit_file").verdict is Verdict.NO


# -- compose_for ------------------------------------------------------------------------------------------------------


def test_compose_for_finds_missing_prerequisites_and_conflicts(asked):
    plan = asked.compose_for("edit the file after reading a file and then run the tests, and write a file")
    assert plan.ids == ["read_file", "edit_file", "run_tests", "write_file"]
    assert [(m.node.id, m.required_by.id) for m in plan.missing] == [
        ("install_packages", "run_tests"),
        ("network", "install_packages"),
    ]
    assert [{c.one.id, c.other.id} for c in plan.conflicts] == [{"edit_file", "write_file"}]
    assert Edge("read_file", "edit_file", "feeds_into") in plan.edges


def test_compose_for_puts_what_is_required_first():
    questions = graph(["bake_bread", "grind_flour"], [("bake_bread", "grind_flour", "requires")])
    assert questions.compose_for("bake bread and grind flour").ids == ["grind_flour", "bake_bread"]


def test_compose_for_keeps_the_goal_s_order_where_requirements_go_in_circles():
    questions = graph(
        ["bake_bread", "grind_flour"],
        [("bake_bread", "grind_flour", "requires"), ("grind_flour", "bake_bread", "requires")],
    )
    plan = questions.compose_for("bake bread and grind flour")
    assert plan.ids == ["bake_bread", "grind_flour"] and "circle" in plan.notes[0]


def test_compose_for_stops_at_max_tools_and_says_so(asked):
    plan = asked.compose_for("read a file, edit a file, run the tests", max_tools=2)
    assert len(plan.steps) == 2 and plan.truncated and "3 parts" in " ".join(plan.notes)


# -- want_to ----------------------------------------------------------------------------------------------------------


def test_want_to_goes_out_along_enables_in_along_requires_and_along_optimizes():
    questions = graph(
        ["compile_code", "ship_release", "linker", "cache", "unrelated"],
        [
            ("compile_code", "ship_release", "enables"),
            ("linker", "compile_code", "requires"),
            ("compile_code", "cache", "optimizes"),
            ("unrelated", "compile_code", "part_of"),
        ],
    )
    answer = questions.want_to("compile code", 10)
    ways = {found.node.id: [(e.source, e.target) for e in found.edges] for found in answer.serving if found.edges}
    assert ways == {
        "ship_release": [("compile_code", "ship_release")],
        "linker": [("linker", "compile_code")],
        "cache": [("compile_code", "cache")],
    }
    assert answer.serving[0].node.id == "compile_code"
    assert all(0 < found.score <= 1 for found in answer.serving)


def test_want_to_gives_the_whole_path():
    questions = graph(
        ["fry_eggs", "a1", "a2", "a3"],
        [("fry_eggs", "a1", "enables"), ("a1", "a2", "enables"), ("a2", "a3", "enables")],
    )
    answer = questions.want_to("fry eggs", 10, max_depth=3)
    path = next(found.path for found in answer.serving if found.node.id == "a3")
    assert [n.id for n in path] == ["fry_eggs", "a1", "a2", "a3"]


# -- edge types by meaning --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "how"),
    [
        ("requires", "name"),
        ("REQUIRES", "name"),
        ("dependsOn", "alias"),
        ("depends-on", "alias"),
        ("strictly_requires", "word"),
        ("tool_depends_on", "word"),
    ],
)
def test_a_role_is_found_by_name_alias_or_label(kind, how):
    plan = graph(["bake_bread", "flour"], [("bake_bread", "flour", kind)]).compose_for("bake bread")
    assert [m.node.id for m in plan.missing] == ["flour"]
    assert [(match.type, match.role, match.how) for match in plan.edge_types] == [(kind, "requires", how)]


def test_a_role_is_found_by_a_label_close_to_its_words():
    answer = graph(["bake_bread", "no_oven"], [("bake_bread", "no_oven", "constraint")]).can_it("bake bread")
    assert [(match.type, match.role, match.how) for match in answer.edge_types] == [
        ("constraint", "has_limitation", "similar")
    ]


def test_an_inverse_alias_is_read_with_its_ends_swapped():
    plan = graph(["bake_bread", "flour"], [("flour", "bake_bread", "required_by")]).compose_for("bake bread")
    assert [m.node.id for m in plan.missing] == ["flour"]
    assert plan.missing[0].edge == Edge("flour", "bake_bread", "required_by")


def test_aliases_can_be_declared():
    edges = [("bake_bread", "flour", "zorp"), ("yeast", "bake_bread", "blip")]
    assert graph(["bake_bread", "flour", "yeast"], edges).compose_for("bake bread").missing == ()
    plan = graph(["bake_bread", "flour", "yeast"], edges, aliases={"requires": ["zorp", "~blip"]}).compose_for(
        "bake bread"
    )
    assert sorted(m.node.id for m in plan.missing) == ["flour", "yeast"]


def test_an_alias_for_no_role_is_refused():
    with pytest.raises(InvalidValueError, match="'needs', which is no role"):
        Questions(Retriever(), aliases={"needs": ["x"]})


@pytest.mark.parametrize("kind", ["directed_by", "starred_actors", "release_year", "does_not_require", "t0"])
def test_a_label_that_means_something_else_is_not_taken(kind):
    plan = graph(["bake_bread", "flour"], [("bake_bread", "flour", kind)]).compose_for("bake bread")
    assert plan.missing == () and plan.edge_types == ()
    assert "no edges that mean" in plan.notes[0]


def test_dependents_follow_meaning():
    questions = graph(
        ["library", "app", "report", "friend"],
        [("app", "library", "depends_on"), ("app", "report", "feeds_into"), ("library", "friend", "admires")],
    )
    answer = questions.impact_analysis("library")
    assert [t.node.id for t in sorted(answer.touched, key=lambda t: t.depth)] == ["app", "report"]


def test_what_a_change_comes_from_is_called_by_its_name():
    retriever = Retriever()
    names = {"1f": "orders", "2a": "payments", "3c": "shop", "4d": "twin", "5e": "twin", "6b": "page"}
    needs = ["2a 1f", "3c 2a", "4d 1f", "5e 1f", "6b 5e"]
    retriever.add([Node(*pair) for pair in names.items()], [Edge(*pair.split(), "requires") for pair in needs])
    told = {node.id: why for node, _, why in Questions(retriever).impact_analysis("orders").rows()}
    assert told["2a"] == "depth 1, from orders against requires"
    assert told["3c"] == "depth 2, from payments against requires"
    assert told["6b"] == "depth 2, from 5e against requires", "two are called twin"


def test_dependencies_go_the_other_way():
    questions = graph(
        ["library", "app", "report", "friend"],
        [("app", "library", "depends_on"), ("app", "report", "feeds_into"), ("report", "friend", "admires")],
    )
    answer = questions.impact_analysis("report", "dependencies")
    assert [t.node.id for t in sorted(answer.touched, key=lambda t: t.depth)] == ["app", "library"]
    assert answer.headline().startswith("report depends on 2 nodes (1 at depth 1, 1 at depth 2); critical path: report")
    nothing = questions.impact_analysis("library", "dependencies").headline()
    assert nothing == "library depends on nothing that the graph tells of (dependencies, 3 steps)."
    lacking = graph(["a", "b"], [("a", "b", "admires")]).impact_analysis("a", "dependencies")
    assert "dependencies cannot be told" in lacking.notes[0]


def test_where_nothing_is_touched_the_edges_not_followed_are_named():
    questions = graph(["app", "library", "page"], [("app", "library", "uses"), ("page", "library", "mentions")])
    assert questions.impact_analysis("library").notes == ()
    answer = questions.impact_analysis("page")
    assert answer.total == 0 and answer.notes[0].startswith("Along mentions effects are not known to travel;")
    assert questions.impact_analysis("app").notes == ()  # app is what depends


@pytest.mark.parametrize(
    "question",
    [
        "what are the dependencies of billing",
        "which dependencies does billing have?",
        "what are billing's dependencies?",
        "Prerequisites for billing",
        "what does billing need?",
        "What does billing require",
    ],
)
def test_dependencies_are_asked_for_by_their_name(question):
    asked = graph(
        ["billing", "ledger", "database", "invoices"],
        [
            ("billing", "ledger", "depends_on"),
            ("ledger", "database", "depends_on"),
            ("invoices", "billing", "depends_on"),
        ],
    )
    answer = asked.ask(question)
    assert (answer.method, answer.ids) == ("impact_analysis", ["ledger", "database"])
    assert asked.ask("what are the reverse dependencies of billing").ids == ["invoices"]


def test_dependents_cannot_be_told_without_such_edges():
    answer = graph(["a", "b"], [("a", "b", "admires")]).impact_analysis("a")
    assert answer.total == 0 and "dependents cannot be told" in answer.notes[0]


def test_seeds_without_an_end_are_refused_at_the_first_that_is_none(asked):
    with pytest.raises(InvalidValueError, match="seed|node"):
        asked.edge_type_boost(range(10**12), ["requires"])


def test_edge_type_boost_looks_an_unknown_type_up_by_meaning(asked):
    answer = asked.edge_type_boost(["edit_file"], ["depends_on", "zzz"])
    assert [b.node.id for b in answer.boosted] == ["read_file"]
    assert [(m.type, m.role) for m in answer.edge_types] == [("requires", "requires")]
    assert "no edge type 'zzz'" in answer.notes[0]


# -- words and numbers ------------------------------------------------------------------------------------------------


def test_keyword_match_counts_terms_in_name_type_and_metadata(asked):
    answer = asked.keyword_match("pytest tools that run")
    best = answer.matches[0]
    assert (best.node.id, best.count, best.score) == ("run_tests", 3, 1.0)
    assert best.terms == {"name": ("run",), "type": ("tool",), "metadata": ("pytest",)}
    assert answer.total == 7  # all of type tool


def test_keyword_match_does_not_read_the_text(asked):
    assert asked.keyword_match("contents").matches == ()


def test_keyword_match_sees_what_was_written_since(asked):
    with Retriever() as retriever:
        retriever.add([node("a", colour="green")])
        questions = Questions(retriever)
        assert questions.keyword_match("green").ids == ["a"]
        retriever.add([node("b", shade="green")])
        assert questions.keyword_match("green").ids == ["a", "b"]
        retriever.delete(["a"])
        assert questions.keyword_match("green").ids == ["b"]


@pytest.mark.parametrize(
    ("filters", "ids"),
    [
        ({"cost": {"min": 2}}, ["edit_file", "run_tests", "send_mail"]),
        ({"cost": {"min": 2, "max": 2}}, ["edit_file", "send_mail"]),
        ({"cost": {"exact": 2}}, ["edit_file", "send_mail"]),
        ({"cost": 1}, ["read_file"]),
        ({"cost": {"max": 5}, "speed.p95": {"min": 2}}, ["read_file"]),
        ({"nothing": 1}, []),
    ],
)
def test_dimension_filter(asked, filters, ids):
    assert asked.dimension_filter(filters).ids == ids


def test_dimension_filter_shows_the_numbers_and_its_bound(asked):
    answer = asked.dimension_filter({"speed.p95": {"min": 0}})
    assert dict(answer.measured[0].values) == {"speed.p95": 2.5}
    assert asked.dimension_filter({"cost": {"min": 0}}, limit=1).truncated
    assert asked.dimension_filter({"cost": 1e9, "cots": 1}).notes == ("No node has 'cots' in its metadata.",)


@pytest.mark.parametrize(
    "filters",
    [
        {"cost": "2"},
        {"cost": True},
        {"cost": float("nan")},
        {"cost": {}},
        {"cost": {"over": 1}},
        {"cost": {"min": 3, "max": 1}},
        {3: 1},
        {"$id": 1},
        [1],
    ],
)
def test_dimension_filter_refuses_what_is_no_number(asked, filters):
    with pytest.raises(FilterError):
        asked.dimension_filter(filters)
    with pytest.raises(FilterError):
        asked.intent_search("what can it do", filters=filters)


@pytest.mark.parametrize("filters", [(), 0, np.array([1, 2]), np.array([])])
def test_an_intent_search_refuses_filters_that_are_none(asked, filters):
    with pytest.raises(FilterError, match="must map a metadata key to a number"):
        asked.intent_search("what can it do", filters=filters)


# -- routing ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "method"),
    [
        ("trace the path from read_file to send_mail", "trace_path"),
        ("what depends on the read_file node", "impact_analysis"),
        ("can it handle binary files?", "can_it"),
        ("edit the file and then run the tests", "compose_for"),
        ("find a tool for reading files", "want_to"),
        ("show me everything about run_tests", "explore_smart"),
        ("compare read_file vs write_file", "similar_to"),
        ("error when editing a file", "edge_type_boost"),
        ("create a new function for validation", "search"),
        ("what breaks if I delete the flux capacitor?", "search"),
    ],
)
def test_ask_runs_the_method_that_fits(asked, question, method):
    answer = asked.ask(question)
    assert answer.method == method
    assert answer.why and json.loads(answer.to_json())["method"] == method


def test_ask_finds_the_ends_of_a_path(asked):
    answer = asked.ask("how is hexdump connected to run_tests?")
    assert [s.node.id for s in answer.subjects] == ["hexdump", "run_tests"]
    assert answer.answer.ids == ["hexdump", "no_binary", "read_file", "run_tests"]


def test_of_two_paths_as_short_the_one_along_the_arrows_is_told():
    edges = [
        ("shop", "pay", "depends_on"),
        ("pay", "log", "depends_on"),
        ("ann", "shop", "owns"),
        ("ann", "log", "owns"),
    ]
    services = graph(["shop", "pay", "log", "ann"], edges)
    assert services.trace_path("shop", "log").ids == ["shop", "ann", "log"]  # the ids that come first
    assert services.ask("path from shop to log").answer.ids == ["shop", "pay", "log"]


def test_ask_takes_the_node_that_is_given(asked):
    assert asked.ask("what depends on this?", node="install_packages").ids == ["run_tests"]
    assert asked.ask("how do these connect?", node="network", to="run_tests").answer.length == 2
    alone = asked.ask("what breaks without network?", to="run_tests")
    assert alone.method == "trace_path" and alone.answer.ids[-1] == "run_tests"
    with pytest.raises(UnknownNodeError, match="'nowhere'"):
        asked.ask("network", to="nowhere")
    (note,) = asked.ask("compare network and run_tests").notes
    assert note.startswith("The two were not compared") and note.endswith("most like 'network'.")
    with pytest.raises(UnknownNodeError):
        asked.ask("what depends on this?", node="nobody")


@pytest.mark.parametrize(
    "question",
    [
        "what breaks if the ledger is down?",
        "what breaks if our Ledger changes?",
        "how does ledger work here?",
        "what does ledger do exactly?",
    ],
)
def test_a_phrase_around_what_is_asked_about_leaves_it_in(question):
    answer = graph(["ledger", "orders"], [("orders", "ledger", "requires")]).ask(question)
    assert [subject.node.id for subject in answer.subjects] == ["ledger"], answer


SERVICES = [
    *(Node(n, n.replace("_", " ").title(), "service") for n in ("web_shop", "gateway", "orders", "ledger", "mail")),
    Node("mail_backup", "Mail Backup", "service"),
]
CALLS = [
    ("web_shop", "gateway"),
    ("gateway", "orders"),
    ("orders", "ledger"),
    ("mail_backup", "mail"),
]


@pytest.fixture(scope="module")
def services():
    with Retriever() as retriever:
        retriever.add(SERVICES, [Edge(a, b, "depends_on") for a, b in CALLS])
        yield Questions(retriever)


@pytest.mark.parametrize(
    ("question", "about", "listed"),
    [
        ("what depends on the gateway?", "gateway", {"web_shop"}),
        ("which services rely on the orders directly?", "orders", {"gateway", "web_shop"}),
        ("what does the gateway depend on?", "gateway", {"orders", "ledger"}),
        ("which services does the gateway directly rely on to work?", "gateway", {"orders", "ledger"}),
        ("what is the Web Shop dependent on?", "web_shop", {"gateway", "orders", "ledger"}),
        ("what does the ledger depend on?", "ledger", set()),
        ("which parts of the web shop are affected if orders fails", "orders", {"gateway", "web_shop"}),
        ("if the ledger is down, what else breaks?", "ledger", {"orders", "gateway", "web_shop"}),
    ],
)
def test_ask_looks_the_way_the_question_does(services, question, about, listed):
    answer = services.ask(question)
    assert answer.method == "impact_analysis" and [s.node.id for s in answer.subjects] == [about]
    assert set(answer.ids) == listed and not answer.notes


@pytest.mark.parametrize(
    ("question", "about", "note"),
    [
        ("does the Web Shop depend on the ledger?", "ledger", "Yes: 'Web Shop' is touched by a change to 'Ledger', 3 "),
        ("does the ledger depend on the Web Shop?", "web_shop", "No: as far as the graph tells, 'Ledger' is not touch"),
        ("is the web shop affected if orders fails?", "orders", "Yes: 'Web Shop' is touched by a change to 'Orders', "),
        ("if we remove mail, will the gateway break?", "mail", "No: as far as the graph tells, 'Gateway' is not tou"),
        ("what does not depend on the ledger?", "ledger", "The question asks for those of which this is not so; "),
        ("what will not break if I remove orders?", "orders", "The question asks for those of which this is not so"),
        ("does anything depend on the ledger?", "ledger", None),
        ("what breaks if the ledger does not start?", "ledger", None),
    ],
)
def test_ask_says_whether_it_is_so(services, question, about, note):
    answer = services.ask(question)
    assert answer.method == "impact_analysis" and [s.node.id for s in answer.subjects] == [about]
    assert [told[: len(note)] for told in answer.notes] == [note] if note else not answer.notes


def test_ask_does_not_turn_to_another_node_where_the_one_it_is_about_is_unknown(services):
    for question in ("does the web shop depend on the flux capacitor?", "which parts of orders depend on Frobnicator?"):
        assert services.ask(question).method == "search", question


def test_a_node_is_touched_however_far_away():
    chain = [f"part{n}" for n in range(8)]
    questions = graph(chain, [(a, b, "requires") for a, b in zip(chain, chain[1:], strict=False)])
    (note,) = questions.ask("does part0 depend on part7?").notes
    assert note == "Yes: 'part0' is touched by a change to 'part7', 7 steps away."


NAMES = ("Back to the Future", "Future", "Jaws", "Romeo and Juliet", "Romeo", "Juliet", "Hamlet", "C", "C++", "C#")


@pytest.mark.parametrize(
    ("question", "about"),
    [
        ("path from Back to the Future to Jaws", ["Back to the Future", "Jaws"]),
        ("path from Jaws to Back to the Future", ["Jaws", "Back to the Future"]),
        ("path between Romeo and Juliet and Hamlet", ["Romeo and Juliet", "Hamlet"]),
        ("how are Hamlet and Romeo and Juliet connected?", ["Hamlet", "Romeo and Juliet"]),
        ("path between Romeo and Juliet", ["Romeo", "Juliet"]),
        ("compare Romeo and Juliet and Hamlet", ["Romeo and Juliet"]),
        ("path from C# to C", ["C#", "C"]),
        ("what depends on C?", ["C"]),
        ("what depends on C++?", ["C++"]),
    ],
)
def test_names_that_hold_other_names_and_the_words_that_part_them(question, about):
    chain = [Edge(a, b, "requires") for a, b in zip(NAMES, NAMES[1:], strict=False)]
    with Retriever() as retriever:
        retriever.add([Node(name, name, "thing") for name in NAMES], chain)
        answer = Questions(retriever).ask(question)
    assert [subject.node.id for subject in answer.subjects] == about and answer.method != "search"


def test_a_path_needs_two_names(services):
    answer = services.ask("trace the path from the Mail Backup")
    assert answer.method == "search" and answer.subjects[0].node.id == "mail_backup"
    assert services.ask("path between mail and mail backup").answer.length == 1


FILMS = [
    Node("12", "The Fellowship of the Ring", "film"),
    Node("7", "12 Angry Men", "film"),
    Node("20", "Sidney Lumet", "person"),
    Node("21", "Peter Jackson", "person"),
    *(Node(f"SVC-{n}", name) for n, name in enumerate(["Cart", "Stock", "Price", "Tax", "Login", "Report"])),
    Node("p1", "John Smith", "person", "A baker."),
    Node("p2", "John Smith", "person", "A pilot."),
]


@pytest.fixture(scope="module")
def films():
    with Retriever() as retriever:
        retriever.add(
            [*FILMS, *(Node(f"x{n}", f"paper{chr(97 + n // 10)}{chr(97 + n % 10)}") for n in range(60))],
            [Edge("7", "20", "directed_by"), Edge("12", "21", "directed_by"), Edge("SVC-0", "SVC-3", "requires")],
        )
        yield Questions(retriever)


@pytest.mark.parametrize(
    ("question", "about"),
    [
        ("tell me everything about 12 Angry Men", ["7"]),
        ("is there a link between 12 Angry Men and Sidney Lumet", ["7", "20"]),
        ("tell me everything about 12", ["12"]),
        ("path from 12 to 21", ["12", "21"]),
        ("what depends on SVC-3?", ["SVC-3"]),
        ("how is SVC-0 connected to svc-3?", ["SVC-0", "SVC-3"]),
    ],
)
def test_a_question_names_nodes_by_their_ids(films, question, about):
    answer = films.ask(question)
    assert [s.node.id for s in answer.subjects] == about and answer.method != "search"
    assert {s.confidence for s in answer.subjects} == {1.0}


@pytest.mark.parametrize("question", ["show me everything about 12 films", "show me everything about 20 directors"])
def test_an_amount_is_no_id(films, question):
    assert films.ask(question).method == "search"


def test_of_several_nodes_of_one_name_it_is_said_which_was_taken(films):
    answer = films.ask("tell me everything about John Smith")
    taken = answer.subjects[0].node.id
    other = {"p1": "p2", "p2": "p1"}[taken]
    assert answer.notes == (
        f"2 nodes are named 'John Smith': {taken!r} was taken, not {other!r}; node= with an id says which is meant.",
    )
    assert answer.notes[0] in str(answer)
    assert films.ask("tell me everything about John Smith", node="p1").notes == ()
    assert films.ask("tell me everything about p1").notes == ()


@pytest.mark.parametrize("question", ["what depends on unittest?", "what if unittest breaks?"])
def test_what_a_question_names_is_meant_however_many_of_its_parts_are_found_first(question):
    parts = [f"unittest.test_{number}" for number in range(30)]
    with Retriever() as retriever:
        nodes = [
            Node("unittest", "unittest", "module", "A framework of many words: " + "cases, suites, loaders. " * 20)
        ]
        nodes += [Node(part, part, "function", "unittest of unittest") for part in parts]
        needs = [Edge(part, parts[0], "depends_on") for part in parts[1:]]
        retriever.add([*nodes, Node("suite", "Suite")], [*needs, Edge("suite", "unittest", "depends_on")])
        answer = Questions(retriever).ask(question)
        assert [subject.node.id for subject in answer.subjects] == ["unittest"] and answer.answer.ids == ["suite"]


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("can I deploy on Friday?", "calendar"),  # without edges that tell of limitations all would be possible
        ("what happens to my data after closing the Shop?", "closing"),  # no edge tells of effects on it
        ("what is an Acquirer?", "acquirer"),  # nothing is connected to it
    ],
)
def test_ask_searches_where_a_page_answers_and_no_edge(question, first):
    pages = {
        "calendar": ("Release calendar", "No deploys on Friday."), "closing": ("Closing a Shop", "Data stays a year."),
        "acquirer": ("Acquirer", "The bank that takes payments."), "ledger": ("Ledger", "Keeps the books."),
        "payments": ("Payments", "Charges cards."),
    }  # fmt: skip
    with Retriever() as retriever:
        nodes = [Node(key, name, text=text) for key, (name, text) in pages.items()]
        retriever.add(nodes, [Edge("payments", "ledger", "depends_on")])
        answer = Questions(retriever).ask(question)
        assert answer.method == "search" and answer.answer.ids[0] == first, answer


@pytest.mark.parametrize(
    ("question", "method", "listed"),
    [
        ("what breaks if the Ledger is down?", "impact_analysis", ["shop"]),
        ("what if the Ledger fails?", "impact_analysis", ["shop"]),
        ("what does the Shop depend on?", "search", ["ledger"]),
        ("how is the Shop connected to the Vault?", "trace_path", ["shop", "ledger", "vault"]),
    ],
)
def test_of_a_service_and_the_page_on_it_the_one_that_answers_is_meant(question, method, listed):
    names = {"shop": "Shop", "ledger": "Ledger", "vault": "Vault"}
    with Retriever() as retriever:
        pages = [
            Node(f"{n}.md", name, "document", f"The {name}. " + f"{name} again. " * 3) for n, name in names.items()
        ]
        services = [Node(n, name, "service", "Runs.") for n, name in names.items()]
        calls = [Edge("shop", "ledger", "depends_on"), Edge("ledger", "vault", "depends_on")]
        retriever.add([*pages, *services], [*calls, Edge("ledger.md", "vault.md", "relates_to")])
        answer = Questions(retriever).ask(question)
        assert (answer.method, answer.answer.ids[: len(listed)]) == (method, listed), answer


def test_ask_falls_back_to_search_where_the_graph_has_no_such_edges():
    answer = graph(["ada", "charles"], [("ada", "charles", "knows")]).ask("what depends on ada?")
    assert answer.method == "search" and "no edges that mean" in answer.why and answer.ids


@pytest.mark.parametrize(
    ("question", "why"),
    [
        ("can ada knit?", "no edges that mean has_limitation, has_workaround, requires"),
        ("why does ada fail?", "Nothing is known of limitations, workarounds, causes or fixes nearby."),
    ],
)
def test_ask_falls_back_to_search_where_a_method_finds_nothing_to_tell(question, why):
    names = ["ada", "ada_lovelace", "ada_byron", "charles", "engine"]
    edges = [("ada", "charles", "knows"), *([("charles", "engine", "fixes")] if "fail" in question else ())]
    answer = graph(names, edges).ask(question)
    assert answer.method == "search" and why in answer.why and answer.ids


def test_what_the_bound_of_a_list_leaves_out_is_said():
    parts = [f"part_{number:02}" for number in range(51)]
    questions = graph(["bake_bread", *parts], [("bake_bread", part, "requires") for part in parts])
    can = questions.can_it("bake bread")
    assert len(can.prerequisites) == 50 and can.truncated
    assert can.notes[-1] == "At most 50 limitations, workarounds and prerequisites are listed each."
    plan = questions.compose_for("bake bread")
    assert len(plan.missing) == 50 and plan.truncated
    assert "More than 50 prerequisites are missing; the nearest are listed." in plan.notes
    found = questions.intent_search("bake bread")
    assert len(found.ranked[0].edges) == 20 and found.truncated
    assert "At most 20 edges of a node are shown, the heaviest." in found.notes


def test_intent_search_ranks_nodes_with_edges_and_expands(asked):
    answer = asked.intent_search("what depends on the read_file node", limit=3)
    assert answer.ranked[0].hit.node.id == "edit_file", "what requires it is the answer, not what is named"
    assert Edge("edit_file", "read_file", "requires") in answer.ranked[0].edges
    assert answer.method == "impact_analysis" and answer.answer.total == 2
    assert answer.expanded and not {e.node.id for e in answer.expanded} & set(answer.ids)


def test_intent_search_keeps_to_the_filter(asked):
    answer = asked.intent_search("file", filters={"cost": {"min": 2}})
    allowed = {"edit_file", "run_tests", "send_mail"}
    assert set(answer.ids) <= allowed and {e.node.id for e in answer.expanded} <= allowed


# -- results ----------------------------------------------------------------------------------------------------------


def every_answer(asked):
    return [
        asked.ask("what depends on read_file"),
        asked.intent_search("read a file"),
        asked.want_to("read a file"),
        asked.can_it("edit a file"),
        asked.compose_for("read a file and run the tests"),
        asked.similar_to("read_file"),
        asked.impact_analysis("read_file", "both"),
        asked.trace_path("network", "hexdump"),
        asked.explore_smart("read_file"),
        asked.keyword_match("file"),
        asked.dimension_filter({"cost": {"min": 1}}),
        asked.edge_type_boost(["read_file"], ["requires"]),
    ]


def test_every_answer_prints_is_json_is_documents_and_is_frozen(asked):
    for answer in every_answer(asked):
        assert str(answer).strip() and answer.headline()
        assert json.loads(answer.to_json())["headline"] == answer.headline()
        documents = answer.as_documents()
        assert [document.id for document in documents] == answer.ids != []
        for document in documents:
            assert document.text and isinstance(document.metadata["score"], float)
            json.dumps(dict(document.metadata))
        with pytest.raises(FrozenInstanceError):
            answer.notes = ()


def test_paths_trees_and_plans_draw_themselves(asked):
    for answer in every_answer(asked):
        if hasattr(answer, "mermaid"):
            drawn = answer.mermaid()
            assert drawn.startswith("flowchart LR\n") and "-->" in drawn
    assert asked.trace_path("run_tests", "install_packages").mermaid().splitlines()[1:4] == [
        '    n0["run_tests"]',
        '    n1["install_packages"]',
        '    n0 -->|"requires"| n1',
    ]


def test_nothing_in_a_name_is_mermaid_syntax():
    questions = graph(['a"]; click n0 "javascript:x" <b>', "b"], [('a"]; click n0 "javascript:x" <b>', "b", 'x"|y')])
    drawn = questions.trace_path("b", 'a"]; click n0 "javascript:x" <b>').mermaid()
    assert '"]; click' not in drawn and "<b>" not in drawn and 'x"' not in drawn.replace('-->|"x', "")
    assert len(drawn.splitlines()) == 6


def test_the_public_face_is_what_it_says():
    assert len(set(public.__all__)) == len(public.__all__)
    assert all(hasattr(public, name) for name in public.__all__)
    answers = {name for name in vars(public) if name.endswith("Answer")}
    assert answers <= set(public.__all__)


# -- bad input --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("wrong", ["raed_file", "Read file", "read-file", "readfile"])
def test_an_unknown_node_gets_the_nearest_names(asked, wrong):
    for call in (
        lambda: asked.trace_path(wrong, "edit_file"),
        lambda: asked.trace_path("edit_file", wrong),
        lambda: asked.impact_analysis(wrong, "both"),
        lambda: asked.similar_to(wrong),
        lambda: asked.explore_smart(wrong),
        lambda: asked.edge_type_boost([wrong], ["requires"]),
    ):
        with pytest.raises(UnknownNodeError, match=r"There is no node .*read_file"):
            call()


def test_a_name_stands_for_its_node_if_only_one_has_it():
    with Retriever() as retriever:
        retriever.add(
            [Node("1", "Alan Turing"), Node("2", "Princeton"), Node("3", "Smith"), Node("4", "smith")],
            [Edge("1", "2", "studied_at")],
        )
        questions = Questions(retriever)
        assert questions.trace_path("alan turing", "Princeton").length == 1
        with pytest.raises(UnknownNodeError, match="2 nodes are named 'Smith': '3', '4'"):
            questions.explore_smart("Smith")


def test_self_loops_and_parallel_edges():
    questions = graph(
        ["a", "b"], [("a", "a", "requires"), ("a", "b", "requires"), ("a", "b", "feeds_into"), ("b", "a", "requires")]
    )
    assert questions.trace_path("a", "a").length == 0
    assert len(questions.trace_path("a", "b").hops[0].edges) == 3
    assert questions.impact_analysis("a", "both").total == 1
    assert questions.similar_to("a").similar == ()
    assert questions.explore_smart("a").totals == (1,)
    assert [b.node.id for b in questions.edge_type_boost(["a"], ["requires"]).boosted] == ["b"]


def test_disconnected_pairs():
    answer = graph(["a", "b", "c"], [("a", "b", "x")]).trace_path("a", "c")
    assert (answer.found, answer.connected) == (False, False)
    assert answer.headline() == "a and c are not connected."


@pytest.mark.parametrize("depth", [0, 1000])
def test_depth_zero_and_a_thousand(depth):
    names = [f"n{i:03}" for i in range(600)]
    questions = graph(names, [(a, b, "feeds_into") for a, b in zip(names, names[1:], strict=False)])
    assert questions.trace_path("n000", "n599", depth).length == (599 if depth else None)
    assert questions.impact_analysis("n000", "downstream", depth).total == (599 if depth else 0)
    assert sum(questions.explore_smart("n000", depth).totals) == (599 if depth else 0)
    ladder = graph(names, [(a, b, "enables") for a, b in zip(names, names[1:], strict=False)])
    assert ladder.want_to("n000", 700, max_depth=depth).total == (600 if depth else 1)


def test_a_hub_of_50_000_neighbours_is_bounded_and_says_so():
    with Retriever() as retriever:
        leaves = [f"leaf{i:05}" for i in range(50_000)]
        retriever.add(
            [Node(n, n, "leaf", vector=[1.0]) for n in leaves]
            + [Node("hub", "hub", vector=[1.0]), Node("island", vector=[1.0])],
            [Edge("hub", leaf, "enables") for leaf in leaves],
        )
        questions = Questions(retriever)
        impact = questions.impact_analysis("hub", "downstream")
        assert (impact.total, len(impact.touched), impact.truncated) == (50_000, 100, True)
        tree = questions.explore_smart("hub")
        assert (tree.totals[0], len(tree.levels[0]), tree.truncated) == (50_000, 50, True)
        boosted = questions.edge_type_boost(["hub"], ["enables"])
        assert (boosted.total, len(boosted.boosted), boosted.truncated) == (50_000, 50, True)
        alike = questions.similar_to("leaf00007")
        assert (alike.total, alike.ids[0], len(alike.similar), alike.truncated) == (49_999, "leaf00000", 10, True)
        assert questions.trace_path("leaf00001", "leaf49999").ids == ["leaf00001", "hub", "leaf49999"]
        for answer in (impact, tree, boosted, alike):
            assert answer.notes, answer


@pytest.mark.parametrize(
    "call",
    [
        lambda q: q.trace_path("read_file", "edit_file", -1),
        lambda q: q.trace_path("read_file", "edit_file", True),
        lambda q: q.trace_path("read_file", 7),
        lambda q: q.impact_analysis("read_file", "sideways"),
        lambda q: q.impact_analysis("read_file", "both", 1.5),
        lambda q: q.similar_to("read_file", 0),
        lambda q: q.explore_smart("read_file", "2"),
        lambda q: q.want_to(None),
        lambda q: q.want_to("x", 0),
        lambda q: q.can_it(3),
        lambda q: q.compose_for("x", 0),
        lambda q: q.keyword_match(None),
        lambda q: q.ask(b"x"),
        lambda q: q.intent_search(None),
    ],
)
def test_an_argument_that_cannot_be_meant_is_refused_in_a_sentence(asked, call):
    with pytest.raises(InvalidValueError, match=r"\.$"):
        call(asked)


@pytest.mark.parametrize(
    "text", ["", "   ", "?!", "and then after", "the of", "\x00", "日本語の質問", "'; DROP TABLE nodes; --", "a" * 5000]
)
def test_any_text_is_answered(asked, text):
    for call in (
        asked.ask,
        asked.intent_search,
        asked.want_to,
        asked.can_it,
        asked.compose_for,
        asked.keyword_match,
        asked.subjects,
    ):
        call(text)


def test_an_empty_graph_is_answered():
    questions = Questions(Retriever())
    assert questions.can_it("fly").verdict is Verdict.UNKNOWN
    assert questions.compose_for("a and b").unmatched == ("a", "b")
    assert questions.want_to("fly").serving == () and questions.keyword_match("fly").total == 0
    assert questions.ask("what depends on x?").method == "search"
    with pytest.raises(FourfoldError, match="There is no node 'x'"):
        questions.explore_smart("x")


def test_answers_follow_the_graph():
    with Retriever() as retriever:
        retriever.add([node("a"), node("b"), node("c")], [Edge("a", "b", "x")])
        questions = Questions(retriever)
        assert not questions.trace_path("a", "c").found
        retriever.add(edges=[Edge("c", "b", "y")])
        assert questions.trace_path("a", "c").ids == ["a", "b", "c"]
        retriever.delete(["b"])
        assert not questions.trace_path("a", "c").found


def test_a_node_that_goes_while_a_question_is_answered_is_not_told_of(tmp_path):
    path = tmp_path / "kg.sqlite"
    with Retriever(path) as retriever, Retriever(path) as other:
        retriever.add([Node(i, i) for i in "abc"], [Edge("a", "b", "uses"), Edge("a", "c", "uses")])
        questions = Questions(retriever)
        whole = retriever.analysis.snapshot
        states = iter([lambda: other.delete(["b"]), lambda: None])

        def snapshot():
            taken = whole()
            next(states)()  # the first snapshot is taken just before another process deletes a node
            return taken

        retriever.analysis.snapshot = snapshot
        answer = questions.explore_smart("a", 1)
        assert [branch.node.id for branch in answer.levels[0]] == ["c"]


def test_answers_tell_the_texts_of_their_nodes():
    with Retriever() as retriever:
        long = "Nothing of interest. " * 8 + "It charges cards and refunds them. " + "Nothing else. " * 8
        retriever.add(
            [Node("shop", "Web shop", text="Customers\nbuy \x1b[31mhere."), Node("pay", "Payments", text=long)],
            [Edge("shop", "pay", "depends_on")],
        )
        questions = Questions(retriever)
        found = str(questions.ask("charges cards, refunds payments"))
        assert "It charges cards and refunds them." in found, "the passage that fits the question"
        assert all(len(line) < 400 for line in found.splitlines())
        path = str(questions.trace_path("shop", "pay"))
        assert "Web shop: Customers buy [31mhere." in path and "Payments: Nothing of interest." in path
        around = str(questions.ask("what is the web shop?")).splitlines()
        assert around[around.index("Web shop") + 1] == "Customers buy [31mhere."


def test_of_very_many_nodes_not_all_ids_are_read_to_name_the_nearest(monkeypatch):
    with Retriever() as retriever:
        retriever.add(NODES, EDGES)
        asked = Questions(retriever)
        with pytest.raises(UnknownNodeError, match="the nearest are 'read_file'"):
            asked.node("red_fil")
        monkeypatch.setattr(view, "_FEW", len(NODES) - 1)
        monkeypatch.setattr(Retriever, "manifest", lambda _: pytest.fail("all ids were read"))
        with pytest.raises(UnknownNodeError, match="There is no node 'file red'.*the nearest are .*'read_file'"):
            asked.node("file red")


def test_an_answer_is_of_one_state_of_the_graph(tmp_path, monkeypatch):
    """Of a write in the middle it had the new names along the old edges."""
    with Retriever(tmp_path / "kg.sqlite") as retriever, Retriever(tmp_path / "kg.sqlite") as writer:
        retriever.add([node(name) for name in "abc"], [Edge("a", "b", "likes"), Edge("b", "c", "likes")])
        found, writes = view.View.number, iter([1])

        def meanwhile(self, name):
            number = found(self, name)
            for _ in writes:
                writer.add([Node(name, f"new {name}") for name in "abc"], [Edge("a", "c", "knows")])
            return number

        monkeypatch.setattr(view.View, "number", meanwhile)
        answer = Questions(retriever).trace_path("a", "c")
        assert [(edge.type, answer.nodes[0].name) for hop in answer.hops for edge in hop.edges] == [("knows", "new a")]


def test_a_graph_that_is_written_without_a_pause_is_answered_of(tmp_path, monkeypatch):
    with Retriever(tmp_path / "kg.sqlite") as retriever, Retriever(tmp_path / "kg.sqlite") as writer:
        retriever.add([node(name) for name in "ab"], [Edge("a", "b", "likes")])
        found = view.View.number

        def meanwhile(self, name):
            writer.add([node("c", "more" * writer.generation)])
            return found(self, name)

        monkeypatch.setattr(view.View, "number", meanwhile)
        assert Questions(retriever).trace_path("a", "b").ids == ["a", "b"]


def test_a_long_text_is_about_no_more_than_its_beginning_names():
    """Each of three thousand names in a text was compared with all of it."""
    with Retriever() as retriever:
        retriever.add([Node(f"n{number}", f"word{number}") for number in range(3000)])
        questions = Questions(retriever)
        text = " ".join(f"word{number}" for number in range(3000))
        assert len(questions.subjects(text, k=5000)) < 500
