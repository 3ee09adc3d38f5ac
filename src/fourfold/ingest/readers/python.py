"""Python → a document: the source, cut at its classes and functions."""

from __future__ import annotations

import ast
import io
import tokenize
import warnings
from collections.abc import Iterator

from fourfold.errors import InvalidValueError
from fourfold.ingest.documents import shortened
from fourfold.ingest.readers.parsed import Parsed, cut_at, plain_lines


def read_python(data: bytes) -> Parsed:
    """Read Python of the running version or an earlier Python 3; a section is a definition with the first words on it.

    Raises:
        InvalidValueError: it is no such Python; the sentence says where.

    """
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        text = plain_lines(data.decode(encoding))
        with warnings.catch_warnings():  # of escapes such as "\d"
            warnings.simplefilter("ignore")
            module = ast.parse(text)
    except (SyntaxError, ValueError, LookupError, MemoryError, RecursionError) as error:
        # MemoryError and RecursionError: expressions nested deeper than the parser goes.
        why = str(error) or type(error).__name__
        if isinstance(error, SyntaxError) and error.lineno:
            why = f"{error.msg} (line {error.lineno})"
        raise InvalidValueError(f"the file is no Python that can be read: {why}.") from error
    return Parsed(text, sections=tuple(cut_at(text, _definitions(module))))


def _definitions(module: ast.Module) -> Iterator[tuple[int, str]]:
    """Return the line of each class, function and method, from 0, and its name with the first line of its docstring."""
    for node in module.body:
        if isinstance(node, ast.ClassDef):
            yield _heading(node, f"class {node.name}")
            for inner in node.body:
                if isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    yield _heading(inner, f"{node.name}.{inner.name}")
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield _heading(node, node.name)


def _heading(node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef, name: str) -> tuple[int, str]:
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)]) - 1
    said = (ast.get_docstring(node) or "").partition("\n")[0]
    return first, shortened(f"{name}: {said}" if said else name)
