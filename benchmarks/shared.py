"""What several benchmarks need: the collections, the facts of the machine, held-out answers, Markdown tables."""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from fourfold import Node
from fourfold.evaluate import Interval, Run, TuneResult

K = 10
Search = Callable[[str], list[str]]
"""A question → the ids of the ``K`` best, best first."""

MEASURES = ("ndcg@10", "recall@5", "recall@10")
PACKAGES = (
    "fourfold",
    "numpy",
    "bm25s",
    "rank-bm25",
    "faiss-cpu",
    "langchain-classic",
    "langchain-community",
    "llama-index-core",
    "llama-index-retrievers-bm25",
)


def add_collection_options(parser: argparse.ArgumentParser) -> None:
    """Add what every script over the collections takes."""
    parser.add_argument("--collections", nargs="+", metavar="NAME", help="of these folders only")
    parser.add_argument("--max-queries", type=int, help="the first so many queries of each collection")
    parser.add_argument(
        "--results", type=Path, default=Path(tempfile.gettempdir()) / "fourfold-quality", help="folder for JSON files"
    )


def folders(names: Sequence[str] | None) -> list[Path]:
    """Return the folders of the collections wanted, all for None; a sentence says why there are none."""
    root = os.environ.get("FOURFOLD_DATASETS")
    if not root:
        print("FOURFOLD_DATASETS names no folder of collections; there is nothing to measure.")
        return []
    found = {path.parent.name: path.parent for path in sorted(Path(root).glob("*/corpus.jsonl"))}
    if not found:
        print(f"{root} holds no collection, which is a folder with a corpus.jsonl; there is nothing to measure.")
        return []
    unknown = [name for name in names or () if name not in found]
    if unknown:
        sys.exit(f"{root} holds no collection named {', '.join(unknown)}; it holds {', '.join(found)}.")
    return [folder for name, folder in found.items() if not names or name in names]


@cache
def facts() -> dict[str, Any]:
    """Return what a figure depends on besides the code: the machine, Python and the versions of packages."""
    installed = {d.metadata["Name"].lower() for d in metadata.distributions() if d.metadata["Name"]}
    return {
        "machine": platform.machine(),
        "system": f"{platform.system()} {platform.release()}",
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "packages": {name: metadata.version(name) for name in PACKAGES if name in installed},
    }


def text_of(node: Node) -> str:
    """Return what every retriever reads of a node."""
    return f"{node.name}\n{node.text}".strip()


def held_out(result: TuneResult, default: Run, *, gated: bool = True) -> Run:
    """Return the answers to each query by a config learnt without it.

    ``gated`` asks for what a user gets: the default's answers wherever ``fourfold tune`` would apply nothing.
    """
    kept = result.worthwhile if gated else result.folds > 0
    return replace(default, rankings=result.rankings) if kept else default


def figure(value: float, digits: int = 3) -> str:
    """Return a share without its leading zero, as tables of retrieval print it."""
    return f"{value:.{digits}f}".replace("0.", ".", 1) if abs(value) < 1 else f"{value:.{digits}f}"


def signed(value: float) -> str:
    """Return a difference of shares with its sign."""
    return ("−" if value < 0 else "+") + figure(abs(value))


def difference_cell(difference: Interval) -> str:
    """Return a difference with its interval."""
    return f"{signed(difference.mean)} [{signed(difference.lower)}, {signed(difference.upper)}]"


def markdown_table(rows: Sequence[Sequence[str]]) -> str:
    """Return rows, the first of them the head, as a Markdown table whose columns also line up as plain text."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["| " + " | ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)) + " |" for row in rows]
    return "\n".join([lines[0], "|" + "|".join("-" * (width + 2) for width in widths) + "|", *lines[1:]])
