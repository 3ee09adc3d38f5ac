"""The house stands: a room imports only from floors below it, and modules do not import each other in circles."""

import ast
import dataclasses
import re
import shutil
import subprocess
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import fourfold
from fourfold.engines.base import Backend

SRC = Path(fourfold.__file__).parent

# Ground floor first. Rooms on one floor do not see each other.
FLOORS = (
    {"encodings", "errors", "frozen", "plain_text", "ragged", "snippets", "word_breaks"},
    {"arguments", "deadline", "deprecated", "lazy", "markup", "ordered", "threads"},
    {"tokenizer", "linear_patterns", "slow_clients"},
    {"types", "guard"},
    {"intent", "mermaid", "planning", "filters", "cache", "jsonl", "validation"},
    {"edge_types"},
    {"config", "embed", "present"},
    {"index", "config_history", "two_signal"},
    {"language"},
    {"signals", "weighting"},
    {"relations"},
    {"engines", "reading"},
    {"naming", "node_text", "query", "batches"},
    {"graph_embedding"},
    {"scores", "reembedding"},
    {"refine", "calibration"},
    {"facts", "phrases"},
    {"pipeline"},
    {"rerank", "priors"},
    {"evidence", "asking", "grounds"},
    {"hits"},
    {"session"},
    {"answering", "analysis", "learning", "maintenance", "handle"},
    {"retriever"},
    {"__init__"},  # the front door: what `from fourfold import …` gives
    {"open_graph"},
    {
        "breakdown",
        "copying",
        "ingest",
        "questions",
        "tools",
        "evaluate",
        "demo",
        "mmr",
        "listing",
        "presets",
    },
    {"training", "testing", "checking"},
    {"lens"},
    {"cli"},
    {"__main__"},
)
# Retriever.open_foreign makes one of its own subclass, so both live in one room.
SHARED = {"foreign": "retriever"}
# A method of the retriever that is only a door: what it opens is built on the retriever, and loaded when it is opened.
DOORS = {("fourfold.retriever", "fourfold.evaluate.background"), ("fourfold.retriever", "fourfold.evaluate")}
FLOOR_OF = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}


def modules() -> dict[str, Path]:
    """Return every module of the package by its dotted name."""
    found = {}
    for path in sorted(SRC.rglob("*.py")):
        parts = path.relative_to(SRC.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


MODULES = modules()


def room_of(module: str) -> str:
    parts = module.split(".")
    room = parts[1] if len(parts) > 1 else "__init__"
    return SHARED.get(room, room)


def statements(tree: ast.AST, *, lazy: bool):
    """Yield what stands in a module; what stands in functions, or is for type checkers, only if ``lazy``."""
    for child in ast.iter_child_nodes(tree):
        for_checkers = isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING"
        if lazy or not (for_checkers or isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef))):
            yield child
            yield from statements(child, lazy=lazy)


def imports_of(module: str, *, lazy: bool = True) -> set[str]:
    """Return the modules of the package that a module imports: anywhere in its code, or when it is loaded."""
    package = module if MODULES[module].name == "__init__.py" else module.rpartition(".")[0]
    found = set()
    for node in statements(ast.parse(MODULES[module].read_text(encoding="utf-8")), lazy=lazy):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            parent = package.rsplit(".", node.level - 1)[0] if node.level else ""
            base = ".".join(filter(None, [parent, node.module])) if node.level else node.module
            names = [f"{base}.{alias.name}" if f"{base}.{alias.name}" in MODULES else base for alias in node.names]
        else:
            continue
        found.update(name for name in names if name in MODULES)
    return found - {module}


@pytest.mark.parametrize("module", MODULES)
def test_a_room_imports_only_from_floors_below(module):
    room = room_of(module)
    assert room in FLOOR_OF, f"{room} stands on no floor; give it one in FLOORS"
    for target in imports_of(module):
        other = room_of(target)
        if other != room and (module, target) not in DOORS:
            assert FLOOR_OF[other] < FLOOR_OF[room], f"{module} imports {target}, which is not below it"


def test_no_module_needs_itself_to_be_loaded():
    graph = {module: imports_of(module, lazy=False) - {"fourfold"} for module in MODULES}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(f"These import each other in a circle: {' → '.join(error.args[1])}")


def test_this_test_sees_imports():
    assert {"fourfold.session", "fourfold.engines", "fourfold.answering"} <= imports_of("fourfold.retriever")
    assert "fourfold.embed.static" in imports_of("fourfold.embed.conversion")
    assert len(MODULES) > 25


SQL = re.compile(r"\b(SELECT\b.+\bFROM|INSERT INTO|DELETE FROM|UPDATE \w+ SET|CREATE TABLE|PRAGMA)\b")


@pytest.mark.parametrize("module", MODULES)
def test_only_engines_speak_sql(module):
    if room_of(module) == "engines":
        return
    tree = ast.parse(MODULES[module].read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            names = {alias.name for alias in node.names} | {getattr(node, "module", None)}
            assert not names & {"sqlite3", "psycopg", "pymilvus"}, f"{module} imports a database's driver"
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            assert not SQL.search(node.value), f"{module} speaks SQL: {node.value!r}"


def test_above_the_engines_nobody_knows_which_one_it_is():
    for module in MODULES:
        if room_of(module) != "engines":
            assert not {name for name in imports_of(module) if name.startswith("fourfold.engines.sqlite")}, module


ABOVE = FLOOR_OF["retriever"]
ASKED = {
    "fourfold.engines",  # what a graph is opened by
    "fourfold.engines.base",
    "fourfold.engines.documents",
    "fourfold.engines.foreign",
    "fourfold.engines.usage",
    "fourfold.engines.wording",
    "fourfold.index.base",
    "fourfold.index.changes",
    "fourfold.index.snapshot",
}
"""What may be asked of an engine and of an index: the protocols, and nothing that answers them."""


@pytest.mark.parametrize("module", [m for m in MODULES if FLOOR_OF[room_of(m)] > ABOVE])
def test_above_the_retriever_nobody_holds_a_store_or_the_arrays_of_an_index(module):
    for target in imports_of(module):
        if target.startswith(("fourfold.engines", "fourfold.index", "fourfold.session")):
            assert target in ASKED, f"{module} imports {target}"


ADAPTERS = sorted(
    path
    for path in SRC.parent.parent.glob("adapters/*/**/*.py")
    if "tests" not in path.parts and "build" not in path.parts
)


ENGINES_OWN = {"select", "snapshots", "segments", "reading", "writing"}
"""What an engine has for itself, whatever it is called where it is held."""
ASKED_OF_ENGINES = {name for name in dir(Backend) if not name.startswith("_")}
HELD_AS = {"backend", "_backend"}


def reached_into(source: str, *, ours: bool) -> list[str]:
    """Return where a module reaches into what another object has for itself, or for what no engine promises.

    Args:
        source: the module.
        ours: whether every private attribute is Fourfold's; in an adapter those of the framework are the framework's.

    """
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "getattr" and len(node.args) > 1:
            owner, name = node.args[0], getattr(node.args[1], "value", None)
        elif isinstance(node, ast.Attribute):
            owner, name = node.value, node.attr
        else:
            continue
        own = ast.unparse(owner) in {"self", "cls", "super()"}
        held = ast.unparse(owner).rpartition(".")[2] in HELD_AS
        private = isinstance(name, str) and name.startswith("_") and not name.endswith("_") and not own
        if (
            (private and (ours or name == "_session"))
            or (name in ENGINES_OWN and not own)
            or (held and isinstance(name, str) and name not in ASKED_OF_ENGINES)
        ):
            found.append(f"line {node.lineno}: {ast.unparse(node)}")
    return found


HIGH_UP = [(module, path) for module, path in MODULES.items() if FLOOR_OF[room_of(module)] > ABOVE]


@pytest.mark.parametrize("name, path", [*HIGH_UP, *((path.name, path) for path in ADAPTERS)])
def test_above_the_retriever_nobody_reaches_into_what_another_object_has_for_itself(name, path):
    found = reached_into(path.read_text(encoding="utf-8"), ours=name in MODULES)
    assert not found, f"{name} knows what is not its business: {found}"


@pytest.mark.parametrize(
    "line",
    [
        "session = retriever._session",
        "retriever.analysis._session.tokenizer",
        "store.snapshots._state",
        "rows = retriever.backend.select('x')",
        "rows = anything.select('x')",
        "state.parts.vectors.segments[0].vectors[:]",
        "retriever.backend.changes(-1)",
        "getattr(retriever, '_session')",
    ],
)
def test_this_test_sees_who_reaches_too_far(line):
    assert reached_into(f"def know(retriever, store, anything, state):\n    return 1\n    {line}\n", ours=True)


@pytest.mark.parametrize("name, path", [*MODULES.items(), *((path.name, path) for path in ADAPTERS)])
def test_a_module_is_one_concept_and_short(name, path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 400


def test_the_config_has_few_fields_of_its_own():
    assert len(dataclasses.fields(fourfold.RetrievalConfig)) <= 9


def test_no_database_was_committed_by_accident():
    """Two were, of a newcomer's try: what a README's line writes belongs to who tried it."""
    root = Path(__file__).parents[1]
    if shutil.which("git") is None or not (root / ".git").exists():
        pytest.skip("This is no checkout of git, so nothing tells what was committed.")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, check=True).stdout.split(b"\0")
    files = [root / name.decode() for name in listed if name]
    assert files
    held = [path for path in files if path.is_file() and path.read_bytes().startswith(b"SQLite format 3\0")]
    assert not held, held


HASHED = re.compile(r"np\.(unique\((?!.*return_)|union1d|setdiff1d|intersect1d)")


@pytest.mark.parametrize("room", ["index", "engines/sqlite", "signals", "evaluate", "calibration.py", "refine.py"])
def test_what_runs_in_daemon_threads_sorts_and_does_not_hash(room):
    """NumPy's hashing ``unique`` aborts a process that ends while a daemon thread is in it: ``ragged.distinct``."""
    place = SRC / room
    for path in sorted(place.rglob("*.py")) if place.is_dir() else [place]:
        assert not HASHED.search(path.read_text(encoding="utf-8")), path
