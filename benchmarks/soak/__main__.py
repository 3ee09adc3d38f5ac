"""What must hold for hours: each part is a command of its own, seeded, and says what it found.

    python benchmarks/soak                              every part, at its full length
    python benchmarks/soak fuzz --calls 100000 --seed 7

A part is a module of this folder with ``add_options(parser)`` and ``run(arguments) -> bool``: whether all held.
"""

from __future__ import annotations

import argparse
import sys

import damaged
import folders
import fuzz

PARTS = {"fuzz": fuzz, "folders": folders, "damaged": damaged}


def main() -> int:
    parser = argparse.ArgumentParser(prog="soak", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    commands = parser.add_subparsers(dest="part")
    for name, part in PARTS.items():
        part.add_options(commands.add_parser(name, help=part.__doc__, description=part.__doc__))
    arguments = parser.parse_args()
    if arguments.part:
        return not PARTS[arguments.part].run(arguments)
    return not all([part.run(parser.parse_args([name])) for name, part in PARTS.items()])


if __name__ == "__main__":
    sys.exit(main())
