"""How much more this process may map: a native library that gets less than it reserves ends the process."""

from __future__ import annotations

import os

try:
    import resource
except ImportError:  # Windows knows no limits of this kind
    resource = None  # type: ignore[assignment]


def is_left(size: int) -> bool:
    """Whether so many bytes can still be mapped, as far as a limit (``ulimit -v``) has a say."""
    limit = -1 if resource is None else resource.getrlimit(resource.RLIMIT_AS)[0]
    return limit < 0 or limit - _mapped() >= size


def _mapped() -> int:
    """Return the bytes that are mapped now, 0 where the system does not tell."""
    try:
        with open("/proc/self/statm", encoding="ascii") as told:
            return int(told.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0
