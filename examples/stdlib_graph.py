"""Write a knowledge graph of the running Python's standard library as JSON Lines.

    python examples/stdlib_graph.py OUT.jsonl
    fourfold index OUT.jsonl --db stdlib.sqlite

``fourfold.demo`` holds the code that reads the library, so that ``fourfold demo`` works from an installed wheel too.
"""

import sys
from pathlib import Path

from fourfold.demo import edges, nodes, write

__all__ = ["edges", "nodes", "write"]

if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python stdlib_graph.py OUT.jsonl")
    print("{} nodes, {} edges".format(*write(Path(sys.argv[1]))))
