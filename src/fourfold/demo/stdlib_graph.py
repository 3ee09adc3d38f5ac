"""Build a knowledge graph of the running Python's standard library.

Nodes are modules, functions, classes, methods and exceptions, found by introspection, and the capabilities and
limitations declared in stdlib_facts.toml. Edges are what the library itself says: membership, inheritance, the imports,
calls and ``raise`` statements of its source and the references in its docstrings; and the declared facts. The output
is JSON Lines, nodes first. It is the same in every run of one Python version; other versions differ a little.
"""

from __future__ import annotations

import ast
import collections.abc
import importlib
import importlib.util
import inspect
import json
import re
import sys
import tomllib
import warnings
from collections import ChainMap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

from fourfold.demo.sources import functions, statements, syntax_tree

Triple = tuple[str, str, str]  # source id, edge type, target id

DECLARED = ("capability", "limitation")  # node types
LITERALS = (type(None), bool, int, float, str, bytes)
SENTENCE = re.compile(r"(?<=[.;!?])\s+|\n\s*\n")
RAISES = re.compile(r"\brais(?:e|es|ed|ing)\b", re.IGNORECASE)
DENIED = re.compile(r"\b(?:not|never|instead of|without|rather than|no longer)\s+(?:\w+\s+)?rais", re.IGNORECASE)
SIMILAR = re.compile(
    r"\b(?:see(?: also)?(?! help)|same as|like|similar(?:ly)? to|equivalent (?:to|of)|alias (?:of|for)|identical to)\b"
    r"(.*)",
    re.IGNORECASE | re.DOTALL,
)
ALTERNATIVE = re.compile(
    r"(?:\buse\b(?=.*\binstead\b)|\binstead,? use\b|\bconsider using\b|\bprefer\b|\bin favou?r of\b|\breplaced by\b"
    r"|\bsuperseded by\b|\balternative to\b)(.*)",
    re.IGNORECASE | re.DOTALL,
)
# A name in prose counts as code when it is dotted, called or quoted as code.
CODE_NAME = re.compile(r"(?<!`)`+([A-Za-z_][\w.]*)(?:\(\))?`+|\b([A-Za-z_]\w*(?:\.\w+)+)|\b([A-Za-z_]\w*)(?=\()")
WORD = re.compile(r"\b[A-Za-z]\w*\b")


@dataclass(frozen=True)
class Entity:
    """A module or a public thing in it."""

    id: str
    type: str
    module: str
    parent: str | None
    object: Any

    @property
    def name(self) -> str:
        """The name as people write it: json.dumps, Path.read_text, str.split."""
        return self.id.removeprefix(f"{self.module}." if self.type == "method" else "builtins.")


@cache
def facts() -> dict[str, Any]:
    """Read the hand-declared module names, capabilities, limitations and chains."""
    return tomllib.loads(Path(__file__).with_name("stdlib_facts.toml").read_text(encoding="utf-8"))


@cache
def modules() -> frozenset[str]:
    """Return the names of the selected modules."""
    return frozenset(facts()["modules"].split())


@cache
def entities() -> dict[str, Entity]:
    """Import the modules and return all their public things by id."""
    found: dict[str, Entity] = {}
    seen: set[int] = set()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for module_name in facts()["modules"].split():
            try:
                module = importlib.import_module(module_name)
            except ImportError:  # an optional part of Python, such as lzma
                continue
            found[module_name] = Entity(module_name, "module", module_name, None, module)
            for name in public_names(module):
                obj = original(module, name)
                kind = kind_of(obj)
                if isinstance(obj, type) and getattr(module, obj.__name__, obj) is not obj:
                    continue  # socket.SocketType, the implementation of socket.socket
                if kind and id(obj) not in seen:
                    seen.add(id(obj))
                    full = f"{module_name}.{name}"
                    found[full] = Entity(full, kind, module_name, module_name, obj)
        for owner in list(found.values()):
            if isinstance(owner.object, type):
                for name, method in methods(owner.object, seen):
                    full = f"{owner.id}.{name}"
                    found[full] = Entity(full, "method", owner.module, owner.id, method)
    return found


def public_names(module: ModuleType) -> list[str]:
    """Return the names in __all__ or, without one, the names defined by the module or its implementation in C."""
    if hasattr(module, "__all__"):
        return list(module.__all__)
    root = module.__name__.partition(".")[0]
    homes = (root, f"_{root}") if root != "builtins" else (root, "io", "_io")  # open comes from io
    names = [
        name
        for name in vars(module)
        if not name.startswith("_")
        and str(getattr(original(module, name), "__module__", "")).partition(".")[0] in homes
    ]
    # an entity is called by the name it was defined under, whatever else leads to it
    return sorted(names, key=lambda name: (getattr(original(module, name), "__name__", "") != name, name))


def original(module: ModuleType, name: str) -> Any:
    """Return a thing in a module; of a hook that programs replace, such as sys.excepthook, the one Python came with."""
    return vars(module).get(f"__{name}__", getattr(module, name, None))


def kind_of(obj: object) -> str | None:
    """Return the node type of an object; None for constants and other values."""
    if isinstance(obj, type):
        return "exception" if issubclass(obj, BaseException) else "class"
    return "function" if inspect.isroutine(obj) else None


def methods(cls: type, public: set[int]) -> Iterator[tuple[str, Any]]:
    """Yield the public methods of a class: its own and those of private bases, unless a public base has them too."""
    public_bases = [base for base in cls.__mro__[1:] if id(base) in public and base.__name__ != cls.__name__]
    elsewhere = {name: inspect.getattr_static(base, name) for base in reversed(public_bases) for name in dir(base)}
    for name in sorted(dir(cls)):
        value = inspect.getattr_static(cls, name, None)
        method = getattr(value, "__func__", value)
        if not name.startswith("_") and inspect.isroutine(method) and elsewhere.get(name) is not value:
            yield name, method


def text_of(entity: Entity) -> str:
    """Return the first paragraph of the docstring, then the signature."""
    obj = entity.object
    doc = (obj.__doc__ if isinstance(obj, type) else inspect.getdoc(obj)) or ""
    paragraphs = [" ".join(part.split()) for part in re.split(r"\n\s*\n", inspect.cleandoc(doc))]
    signature = signature_of(entity)
    if len(paragraphs) > 1 and re.fullmatch(r"[\w.]+\(.*\)(?: ?->.*)?", paragraphs[0], re.DOTALL):
        signature = signature or paragraphs[0]
        paragraphs = paragraphs[1:]
    return "\n".join(part for part in (paragraphs[0], signature) if part)


def signature_of(entity: Entity) -> str:
    """Return name and parameters; defaults are shown only where their text is the same in every run."""
    if entity.type in ("module", "exception"):
        return ""
    try:
        signature = inspect.signature(entity.object)
    except (TypeError, ValueError, AttributeError, NameError):  # some objects written in C have none, or a broken one
        return ""
    parameters = []
    for parameter in signature.parameters.values():
        shown = parameter.replace(annotation=parameter.empty)
        if parameter.default is not parameter.empty and type(parameter.default) not in LITERALS:
            shown = shown.replace(default=...)
        parameters.append(shown)
    text = str(signature.replace(parameters=parameters, return_annotation=signature.empty))
    return f"{entity.name}{text.replace('Ellipsis', '...')}"


def code_of(entity: Entity) -> Iterator[ast.AST]:
    """Yield the Python source of a function or method, and of the initialiser of a class."""
    name = str(getattr(entity.object, "__qualname__", ""))
    names = (f"{name}.__new__", f"{name}.__init__") if isinstance(entity.object, type) else (name,)
    homes = dict.fromkeys((str(getattr(entity.object, "__module__", "")), entity.module))
    for home in homes:
        code = [functions(home)[name] for name in names if name in functions(home)]
        if code:
            yield from code
            return


def namespace_of(entity: Entity) -> Mapping[str, Any]:
    """Return the names that the source of an entity can see."""
    home = sys.modules.get(str(getattr(entity.object, "__module__", ""))) or sys.modules[entity.module]
    parent = entities().get(entity.parent or "")
    owner = entity.object if isinstance(entity.object, type) else parent.object if parent else None
    own = {"self": owner, "cls": owner} if isinstance(owner, type) else {}
    return ChainMap(own, vars(home), vars(entities()["builtins"].object))


@cache
def ids() -> dict[int, str]:
    """Return entity ids by object identity, to find out which entity a name in the source means."""
    found: dict[int, str] = {}
    for entity in entities().values():
        if not inspect.ismethod(entity.object):
            found.setdefault(id(entity.object), entity.id)
    return found


def meaning(expression: ast.AST, names: Mapping[str, Any]) -> str | None:
    """Return the id of the entity that a dotted name means; looks into modules and classes only and runs no code."""
    path: list[str] = []
    while isinstance(expression, ast.Attribute):
        path.append(expression.attr)
        expression = expression.value
    if not isinstance(expression, ast.Name):
        return None
    obj = names.get(expression.id)
    for part in reversed(path):
        spaces = obj.__mro__ if isinstance(obj, type) else (obj,) if isinstance(obj, ModuleType) else type(obj).__mro__
        obj = next((vars(space)[part] for space in spaces if part in vars(space)), None)
    return ids().get(id(getattr(obj, "__func__", obj)))


def structure_edges(entity: Entity) -> Iterator[Triple]:
    """Relate a thing to its module or class, and a class to its bases and to the abstract classes it implements."""
    if entity.parent:
        yield entity.id, "part_of", entity.parent
    cls = entity.object
    if not isinstance(cls, type):
        return
    bases = list(cls.__bases__)
    while bases:
        base = bases.pop(0)
        known = ids().get(id(base))
        if known is None:
            bases.extend(base.__bases__)
        elif base is not object:
            abstract = known.startswith("collections.abc.")
            yield entity.id, "implements" if abstract else "relates_to", known
    if entity.module != "collections.abc":
        for name in narrowest_abstract_classes(cls):
            yield entity.id, "implements", f"collections.abc.{name}"


def narrowest_abstract_classes(cls: type) -> list[str]:
    """Name the abstract classes a class belongs to, also by registration; without Hashable, which nearly all are."""
    known = {n: e.object for n in collections.abc.__all__ if (e := entities().get(f"collections.abc.{n}"))}
    fitting = {name: abc for name, abc in known.items() if name != "Hashable" and issubclass(cls, abc)}
    return [n for n, abc in fitting.items() if not any(o is not abc and issubclass(o, abc) for o in fitting.values())]


def import_edges(module_name: str) -> Iterator[Triple]:
    """Relate a module to those it imports when it is loaded, itself or through private modules and submodules."""
    package = module_name.partition(".")[0]
    waiting, seen = [module_name], {module_name}
    while waiting:
        current = waiting.pop(0)
        for target in imports(current):
            inside = target.startswith(f"{package}.") or (target.startswith("_") and "." not in target)
            if target in modules():
                yield module_name, "depends_on", target
            elif inside and target not in seen:
                seen.add(target)
                waiting.append(target)


def imports(module_name: str) -> Iterator[str]:
    """Yield the modules that the source of a module imports outside of functions."""
    tree = syntax_tree(module_name)
    package = module_name if hasattr(sys.modules.get(module_name), "__path__") else module_name.rpartition(".")[0]
    for _, statement in statements(tree) if tree else ():
        if isinstance(statement, ast.Import):
            yield from (alias.name for alias in statement.names)
        elif isinstance(statement, ast.ImportFrom):
            base = importlib.util.resolve_name("." * statement.level + (statement.module or ""), package)
            inner = [f"{base}.{alias.name}" for alias in statement.names]
            yield base
            yield from (name for name in inner if name in modules() or not statement.module)


def behaviour_edges(entity: Entity) -> Iterator[Triple]:
    """Relate a function, method or class to what it calls (built-ins aside) and to the exceptions it raises."""
    names = namespace_of(entity)
    for node in (node for code in code_of(entity) for node in ast.walk(code)):
        if isinstance(node, ast.Raise) and node.exc:
            raised = meaning(node.exc.func if isinstance(node.exc, ast.Call) else node.exc, names)
            if raised and entities()[raised].type == "exception":
                yield entity.id, "causes", raised
        elif isinstance(node, ast.Call):
            called = meaning(node.func, names)
            if called and entities()[called].type != "exception" and not called.startswith("builtins."):
                yield entity.id, "depends_on", called


def docstring_edges(entity: Entity) -> Iterator[Triple]:
    """Relate a thing to the exceptions, alternatives and similar things that its docstring names."""
    doc = entity.object.__doc__
    names = namespace_of(entity)
    for position, sentence in enumerate(SENTENCE.split(doc) if isinstance(doc, str) else ()):
        if entity.type not in ("module", "exception") and RAISES.search(sentence) and not DENIED.search(sentence):
            for word in WORD.findall(sentence):
                target = ids().get(id(names.get(word)))
                if target and entities()[target].type == "exception":
                    yield entity.id, "causes", target
        if (match := ALTERNATIVE.search(sentence)) and (target := first_mention(match[1], entity)):
            yield target, "alternative_to", entity.id
        elif (match := SIMILAR.search(sentence)) and (target := first_mention(match[1], entity)) and position < 3:
            yield entity.id, "similar_to", target


def first_mention(text: str, entity: Entity) -> str | None:
    """Return the first thing that a text about an entity names, looked up from the inside out."""
    for match in CODE_NAME.finditer(text):
        name = re.sub(r"^(?:self|[A-Z])\.", "", next(filter(None, match.groups())))
        for scope in (f"{entity.parent}.", f"{entity.id}.", f"{entity.module}.", "builtins.", ""):
            target = entities().get(scope + name)
            if target and target.id not in (entity.id, entity.parent):
                return target.id
    return None


def declared_edges() -> Iterator[Triple]:
    """Relate the library to the declared capabilities and limitations, and its parts along the declared chains."""
    for name, capability in facts()["capability"].items():
        for provider in capability["providers"].split():
            yield provider, "used_for" if provider in modules() else "enables", f"capability:{name}"
    for name, limitation in facts()["limitation"].items():
        for holder in limitation["holders"].split():
            yield holder, "has_limitation", f"limitation:{name}"
        for workaround in limitation["workarounds"].split():
            yield f"limitation:{name}", "has_workaround", workaround
    for kind, lines in facts()["chains"].items():
        for line in lines.splitlines():
            chain: list[str] = []
            for step in line.split():
                chain.append(chain[-1].rpartition(".")[0] + step if step.startswith(".") else step)
            yield from ((source, kind, target) for source, target in pairwise(chain))


def nodes() -> list[dict[str, Any]]:
    """Return all nodes: id, name, type, text and metadata."""
    found = [
        {"id": e.id, "name": e.name, "type": e.type, "text": text_of(e), "metadata": {"module": e.module}}
        for e in entities().values()
    ]
    return found + [
        {"id": f"{kind}:{name}", "name": name, "type": kind, "text": fact["text"], "metadata": {}}
        for kind in DECLARED
        for name, fact in facts()[kind].items()
    ]


def edges() -> list[dict[str, Any]]:
    """Return all edges between known nodes: source, target, type and weight."""
    found: list[Triple] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for entity in entities().values():
            found.extend(structure_edges(entity))
            found.extend(import_edges(entity.id) if entity.type == "module" else behaviour_edges(entity))
            found.extend(docstring_edges(entity))
    found.extend(declared_edges())
    known = entities().keys() | {f"{kind}:{name}" for kind in DECLARED for name in facts()[kind]}
    return [
        {"source": source, "target": target, "type": kind, "weight": 1.0}
        for source, kind, target in dict.fromkeys(found)
        if source != target and known >= {source, target}
    ]


def write(path: Path) -> tuple[int, int]:
    """Write the graph as JSON Lines and return the number of nodes and of edges."""
    all_nodes, all_edges = nodes(), edges()
    lines = [{"kind": "node", **node} for node in all_nodes] + [{"kind": "edge", **edge} for edge in all_edges]
    path.write_text("".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines), encoding="utf-8")
    return len(all_nodes), len(all_edges)
