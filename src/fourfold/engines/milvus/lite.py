"""Milvus Lite: one server for each local file that this process has open, shared by all who open it here."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fourfold.errors import MissingExtraError, StoreError


@dataclass
class _Local:
    server: Any
    database: Any
    uri: str
    users: int = 0


_lock = threading.Lock()
_open: dict[str, _Local] = {}


def opened(folder: str, *, create: bool) -> str:
    """Return the address of the server of a local file; each call is to be followed by one of ``closed``.

    Raises:
        MissingExtraError: Milvus Lite is not installed; it does not exist for every platform.
        StoreError: there is no such file, or another process has it open.

    """
    place = Path(folder).resolve()
    with _lock:
        if str(place) not in _open:
            if not create and not place.is_dir():
                raise StoreError(f"There is no graph at {folder!r}.")
            _open[str(place)] = _started(place)
        local = _open[str(place)]
        local.users += 1
        return local.uri


def closed(folder: str) -> None:
    """Stop the server of a local file when nobody in this process uses it any more."""
    place = str(Path(folder).resolve())
    with _lock:
        local = _open[place]
        local.users -= 1
        if not local.users:
            del _open[place]
            local.server.stop(grace=2).wait()
            local.database.close()


def _started(place: Path) -> _Local:
    try:
        from milvus_lite.adapter.grpc.server import start_server_in_thread
    except ImportError as error:
        raise MissingExtraError(
            f"A local file of Milvus needs the package {error.name!r}, which is not installed; "
            "run: pip install 'fourfold[milvus]'. Where Milvus Lite has no version for this platform, use a server."
        ) from error
    nearest = next(each for each in (place, *place.parents) if each.exists())
    if not nearest.is_dir():
        raise StoreError(
            f"{str(place)!r} cannot be opened by Milvus Lite, which keeps a folder there: {str(nearest)!r} is a file "
            "of something else."
        )
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        server, database, port = start_server_in_thread(data_dir=str(place), host="127.0.0.1", port=0)
    except Exception as error:  # whatever its own storage finds
        raise StoreError(
            f"{str(place)!r} cannot be opened by Milvus Lite: {' '.join(str(error).split())}. One process at a time "
            "can have a local file open; several need a server."
        ) from error
    return _Local(server, database, f"http://127.0.0.1:{port}")
