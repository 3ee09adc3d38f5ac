"""``python -m fourfold_mcp``."""

import sys

from fourfold_mcp.cli import main

sys.exit(main())
