"""Terms as the tables hold them."""

from __future__ import annotations

import hashlib

_LONGEST = 200


def stored_term(term: str) -> str:
    """Return what stands for a term in the table ``terms``: itself, but for what no index could hold."""
    plain = term.replace("\x00", "")
    if plain == term and len(term) <= _LONGEST:
        return term
    return f"{plain[:_LONGEST]}\x01{hashlib.blake2b(term.encode('utf-8', 'replace'), digest_size=16).hexdigest()}"
