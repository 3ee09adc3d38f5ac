"""The Python sources of the standard library, parsed and never run."""

from __future__ import annotations

import ast
import importlib.util
import sys
import tokenize
from collections.abc import Iterator
from functools import cache


@cache
def syntax_tree(module_name: str) -> ast.Module | None:
    """Parse the source of a module without importing it; None if there is no Python source."""
    try:
        module = sys.modules.get(module_name)
        spec = None if module else importlib.util.find_spec(module_name)
        path = getattr(module, "__file__", None) or (spec and spec.origin) or ""
        with tokenize.open(path) as file:
            return ast.parse(file.read())
    except (ImportError, ValueError, OSError, SyntaxError):
        return None


def statements(node: ast.AST, prefix: str = "") -> Iterator[tuple[str, ast.stmt]]:
    """Yield the statements outside of functions, each with the dotted name of the class it stands in."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test).startswith("__name__"):
            continue
        if isinstance(child, ast.stmt):
            yield prefix, child
        if isinstance(child, ast.stmt | ast.ExceptHandler) and not isinstance(child, ast.FunctionDef):
            yield from statements(child, f"{prefix}{child.name}." if isinstance(child, ast.ClassDef) else prefix)


@cache
def functions(module_name: str) -> dict[str, ast.AST]:
    """Return the functions in the source of a module by qualified name."""
    found: dict[str, ast.AST] = {}
    tree = syntax_tree(module_name)
    for prefix, statement in statements(tree) if tree else ():
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            found.setdefault(prefix + statement.name, statement)
    return found
