"""What must hold for hours: each part is a command of its own, seeded, and says what it found.

    python benchmarks/soak                              every part, at its full length: some hours
    python benchmarks/soak --short                      a little of every part: three minutes at most
    python benchmarks/soak fuzz --calls 100000 --seed 7

A part is a module of this folder with ``add_options(parser)`` and ``run(arguments) -> bool``: whether all held.
"""

from __future__ import annotations

import argparse
import sys

import damaged
import folders
import fuzz
import kills
import merges
import pages

PARTS = {"fuzz": fuzz, "folders": folders, "damaged": damaged, "kills": kills, "merges": merges, "pages": pages}

SHORT = {
    "fuzz": ("--rounds", "3"),
    "folders": ("--count", "3"),
    "damaged": ("--count", "100"),
    "kills": ("--count", "39"),
    "merges": ("--kills", "10", "--seconds", "5"),
    "pages": ("--requests", "1000"),
}
"""What is run of each part with ``--short``."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="soak", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--short", action="store_true", help="a little of every part")
    commands = parser.add_subparsers(dest="part")
    for name, part in PARTS.items():
        part.add_options(commands.add_parser(name, help=part.__doc__, description=part.__doc__))
    arguments = parser.parse_args()
    if arguments.part:
        return not PARTS[arguments.part].run(arguments)
    lengths = SHORT if arguments.short else {}
    return not all([part.run(parser.parse_args([name, *lengths.get(name, ())])) for name, part in PARTS.items()])


if __name__ == "__main__":
    sys.exit(main())
