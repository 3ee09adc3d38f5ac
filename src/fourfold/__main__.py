"""``python -m fourfold`` is the command line."""

from fourfold.cli import main

main()
