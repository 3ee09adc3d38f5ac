"""The folders whose files a graph holds, and how their files are named in it."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain, count
from pathlib import PurePosixPath

from fourfold.engines.documents import Booked

SETTING = "ingest_roots"


@dataclass(frozen=True, slots=True)
class Roots:
    """Each root folder with what begins the ids of the files below it.

    The first root's files are named by their paths below it, those of further ones by the root's name, too:
    ``guide.md`` and ``wiki/guide.md``. A folder inside a root is part of it and no root of its own.

    Args:
        prefixes: absolute path, with slashes → "" or a name and a slash.

    """

    prefixes: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, stored: str | None, known: Iterable[Booked]) -> Roots:
        """Return the stored roots; those of a file without any are seen from its documents' ids and sources."""
        if stored is not None:
            return cls(json.loads(stored))
        files = [(entry.source, f"/{entry.id}") for entry in known if os.path.isabs(entry.source)]
        return cls({source.removesuffix(end) or "/": "" for source, end in files if source.endswith(end)})

    def to_json(self) -> str:
        """Return what ``read`` takes."""
        return json.dumps(dict(self.prefixes))

    def root_of(self, path: str) -> str | None:
        """Return the innermost root that an absolute path lies in, or is; None if there is none."""
        here = path
        while here and here not in self.prefixes:
            here = here.rpartition("/")[0]
        return here or ("/" if "/" in self.prefixes and path.startswith("/") else None)

    def id_of(self, path: str) -> str | None:
        """Return the id of the document that a file is, or would be; None outside all roots."""
        root = self.root_of(path)
        if root is None or root == path:
            return None
        return self.prefixes[root] + path[len(root.rstrip("/")) + 1 :]

    def including(self, folder: str, known: Collection[Booked]) -> Roots:
        """Return the roots with one more, unless it lies in one; it takes the place of one that was moved to it.

        A new root's name begins none of the ids of ``known``, all documents there are.
        """
        if self.root_of(folder) is not None:
            return self
        if (moved := self._moved_to(folder, known)) is not None:
            return Roots({folder if path == moved else path: prefix for path, prefix in self.prefixes.items()})
        return Roots({**self.prefixes, folder: f"{self._free_name(folder, known)}/" if self.prefixes else ""})

    def _moved_to(self, folder: str, known: Collection[Booked]) -> str | None:
        """Return the root that is gone, and whose files are in a folder now."""
        name = PurePosixPath(folder).name
        likely = [root for root in self.prefixes if len(self.prefixes) == 1 or PurePosixPath(root).name == name]
        return next((root for root in likely if not os.path.isdir(root) and _holds(folder, root, known)), None)

    def _free_name(self, folder: str, known: Collection[Booked]) -> str:
        """Return a folder's name, with a number where ids begin with it already."""
        name = PurePosixPath(folder).name or "root"
        taken = {each.id.partition("/")[0] for each in known} | {p.rstrip("/") for p in self.prefixes.values()}
        numbered = (f"{name}-{number}" for number in count(2))
        return next(free for free in chain((name,), numbered) if free not in taken)


def _holds(folder: str, root: str, known: Iterable[Booked]) -> bool:
    """Whether a folder has one of the files that were in a root, or nothing is known of that."""
    begins = root.rstrip("/") + "/"
    below = [entry.source.removeprefix(begins) for entry in known if entry.source.startswith(begins)]
    return not below or any(os.path.exists(os.path.join(folder, path)) for path in below)
