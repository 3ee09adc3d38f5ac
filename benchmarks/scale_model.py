"""A model on paper: what 10⁸ and 10⁹ nodes would take, from what benchmarks/engines.py measured at 10⁵.

    python benchmarks/scale_model.py engines.json [--nodes 1e8 1e9] [--queries-per-second 10] [--shard-ms 1000]

Nothing of this was run at such sizes. A shard is one PostgreSQL server with a part of the nodes; every search asks all
shards at once and merges what they name. What grows with a shard's nodes is taken from the measured parts:

- the walk over the postings of a question's words grows with their number, so with the nodes;
- the walk down HNSW grows with the logarithm of the nodes;
- all else (facets of the best, edges of the seeds, bridges, round trips) is of the best alone, and does not grow.

Prices are an assumption to be replaced: ``--core-hour`` and ``--gigabyte-hour``.
"""

from __future__ import annotations

import argparse
import json
import math
from dataclasses import dataclass
from pathlib import Path

from shared import markdown_table

_BUSY = 0.6
"""Share of a core's time that is planned for; beyond, queues grow."""
_SPARE = 1.3
"""Memory and disk beside what is counted: the system, dead rows, growth."""


@dataclass(frozen=True)
class Measured:
    """What one run of engines.py says, at ``nodes``."""

    nodes: int
    search_ms: float
    nearest_ms: float
    walk_ms: float
    bytes_per_node: float
    hot_bytes_per_node: float
    write_ms_per_node: float

    @classmethod
    def of(cls, report: dict) -> Measured:
        nodes, sizes = report["nodes"], report["tables MB"]
        index = float(report["index MB"])
        return cls(
            nodes,
            report["search p50 ms"],
            report["bare HNSW p50 ms"],
            report["bare postings p50 ms"],
            1e6 * sum(sizes.values()) / nodes,
            1e6 * (index + sizes["postings"]) / nodes,
            1000 * (report["written s"] + report["index s"]) / nodes,
        )

    @property
    def rest_ms(self) -> float:
        """What does not grow."""
        return max(self.search_ms - self.nearest_ms - self.walk_ms, 0.0)

    def parts(self, nodes: float) -> tuple[float, float, float]:
        """Return milliseconds of (HNSW, postings, rest) on a shard of so many nodes."""
        return (
            self.nearest_ms * math.log(nodes) / math.log(self.nodes),
            self.walk_ms * nodes / self.nodes,
            self.rest_ms,
        )

    def shard(self, budget_ms: float) -> float:
        """Return the most nodes with which a shard answers in a time."""
        low, high = 1e3, 1e12
        while high / low > 1.001:
            middle = math.sqrt(low * high)
            low, high = (middle, high) if sum(self.parts(middle)) <= budget_ms else (low, middle)
        return low


def row(found: Measured, nodes: float, options: argparse.Namespace) -> list[str]:
    size = min(found.shard(options.shard_ms), nodes)
    shards = math.ceil(nodes / size)
    size = nodes / shards
    parts = found.parts(size)
    core_seconds = shards * sum(parts) / 1000
    cores = max(shards, core_seconds * options.queries_per_second / _BUSY)
    replicas = max(1, math.ceil(core_seconds * options.queries_per_second / _BUSY / shards / options.cores))
    memory = _SPARE * found.hot_bytes_per_node * size / 1e9
    disk = _SPARE * found.bytes_per_node * nodes / 1e12
    compute = core_seconds * 1000 / 3600 * options.core_hour / _BUSY
    held = shards * replicas * memory * options.gigabyte_hour / (3600 * options.queries_per_second) * 1000
    return [
        f"{nodes:.0e}".replace("e+0", "e"),
        f"{shards:,}",
        f"{size / 1e6:.1f} M",
        " + ".join(f"{part:.0f}" for part in parts),
        f"{replicas}",
        f"{cores:,.0f}",
        f"{memory:,.3g}",
        f"{shards * replicas * memory / 1000:,.3g}",
        f"{disk:,.3g}",
        f"{compute:,.3g} + {held:,.3g}",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("report", type=Path)
    parser.add_argument("--nodes", type=float, nargs="+", default=[1e5, 1e6, 1e7, 1e8, 1e9])
    parser.add_argument("--shard-ms", type=float, default=1000.0, help="what a shard may take for its part")
    parser.add_argument("--queries-per-second", type=float, default=10.0)
    parser.add_argument("--cores", type=int, default=8, help="of a server")
    parser.add_argument("--core-hour", type=float, default=0.04, help="price of a core for an hour")
    parser.add_argument("--gigabyte-hour", type=float, default=0.005, help="price of a gigabyte of memory for an hour")
    options = parser.parse_args()
    found = Measured.of(json.loads(options.report.read_text()))
    print(f"bytes a node: {found.bytes_per_node:,.0f} on disk, {found.hot_bytes_per_node:,.0f} in memory;")
    print(f"a write takes {found.write_ms_per_node:.2f} ms a node, its share of the index included\n")
    header = ["nodes", "shards", "nodes each", "ms of a shard: HNSW + postings + rest", "replicas", "cores",
              "GB of memory each", "TB of memory", "TB of disk", "cost of 1,000 queries: cores + memory"]  # fmt: skip
    print(markdown_table([header, *(row(found, nodes, options) for nodes in options.nodes)]))


if __name__ == "__main__":
    main()
