"""What this engine cannot do, said in sentences."""

from __future__ import annotations

from fourfold.errors import UnsupportedError


def unsupported(what: str, capability: str) -> UnsupportedError:
    """Return the error for what is not in ``capabilities``."""
    return UnsupportedError(
        f"The Milvus engine does not keep {what} (capabilities.{capability} is False); keep that graph in a SQLite "
        "file."
    )
