"""Jupyter notebook → a document: its cells in order, as the Markdown they would be; outputs are left out."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from fourfold.errors import InvalidValueError
from fourfold.ingest.readers.markdown import parse_markdown
from fourfold.ingest.readers.parsed import Parsed, decoded, without_halves

_BACKTICKS = re.compile("`+")
_LANGUAGE = re.compile(r"[\w+#.-]{1,30}\Z")


def read_notebook(data: bytes) -> Parsed:
    """Read a notebook of format 3 or 4; YAML in a first raw cell is front matter.

    Raises:
        InvalidValueError: it is no notebook.
        MissingExtraError: markdown-it-py is not installed.

    """
    try:
        notebook = json.loads(decoded(data))
    except (ValueError, RecursionError) as error:
        raise InvalidValueError(f"the file is no notebook: {error}.") from error
    cells = list(_cells(notebook))
    if not cells:
        raise InvalidValueError("the file is no notebook, or has no cells.")
    language = _language(notebook)
    return parse_markdown("\n\n".join(_as_markdown(cell, language) for cell in cells))


def _cells(notebook: Any) -> Iterator[dict[str, Any]]:
    if not isinstance(notebook, dict):
        return
    sheets = notebook.get("worksheets")  # format 3
    for sheet in sheets if isinstance(sheets, list) else [notebook]:
        cells = sheet.get("cells") if isinstance(sheet, dict) else None
        yield from (cell for cell in (cells if isinstance(cells, list) else ()) if isinstance(cell, dict))


def _as_markdown(cell: dict[str, Any], language: str) -> str:
    text = cell.get("source", cell.get("input", ""))
    parts = text if isinstance(text, list) else [text]
    text = without_halves("".join(part for part in parts if isinstance(part, str)))
    kind = cell.get("cell_type")
    if kind == "heading":  # format 3
        level = cell.get("level")
        return f"{'#' * level if isinstance(level, int) and 0 < level < 7 else '#'} {text}"
    if kind != "code" or not text.strip():
        return text
    fence = "`" * max(3, 1 + max(map(len, _BACKTICKS.findall(text)), default=0))
    return f"{fence}{language}\n{text}\n{fence}"


def _language(notebook: dict[str, Any]) -> str:
    metadata = notebook.get("metadata")
    info = metadata.get("language_info") if isinstance(metadata, dict) else None
    name = info.get("name") if isinstance(info, dict) else None
    return name if isinstance(name, str) and _LANGUAGE.match(name) else ""
