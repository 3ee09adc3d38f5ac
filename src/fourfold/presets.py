"""A graph under a preset, by its name: ``default``, ``published`` or ``two-signal``.

What a preset reads of a node (tokenizer, embedded text) is stored with the graph. A graph that is made under a preset
keeps it; one that was made otherwise is copied to memory and indexed there as the preset asks, which is said.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from operator import attrgetter
from pathlib import Path
from types import MappingProxyType

from fourfold.arguments import shown
from fourfold.config import RetrievalConfig
from fourfold.errors import EmbedderMismatchError, InvalidValueError, warn
from fourfold.open_graph import closed_on_failure
from fourfold.retriever import Retriever

PRESETS: Mapping[str, Callable[[], RetrievalConfig]] = MappingProxyType(
    {"default": RetrievalConfig, "published": RetrievalConfig.published, "two-signal": RetrievalConfig.two_signal}
)
"""The configs that have a name."""

_IN_MEMORY = ":memory:"

_TOGETHER = 20_000
"""Nodes that are copied at once: beside the copy, all of a million would take as much memory again."""


def preset(name: str) -> RetrievalConfig:
    """Return the config of that name.

    Raises:
        InvalidValueError: there is none.

    """
    if not isinstance(name, str) or name not in PRESETS:
        raise InvalidValueError(f"There is no preset {shown(name)}; there are {', '.join(PRESETS)}.")
    return PRESETS[name]()


def open_under(
    name: str | None,
    path: str | Path = _IN_MEMORY,
    *,
    embedder: object = None,
    config: RetrievalConfig | None = None,
    read_only: bool = False,
    must_exist: bool = False,
    foreign: bool = False,
) -> Retriever:
    """Open a graph under a preset, or under a config; neither is the config that was applied to it, else the default.

    A graph without nodes keeps the preset for whoever opens it later (``learning.apply_config``). One that was made
    for another tokenizer or another embedded text is answered from a copy in memory, whose ``path`` is
    ``":memory:"``, with a FourfoldWarning: nothing that is written into the copy reaches the file.

    Args:
        name: one of ``PRESETS``, or None.
        path: as for ``Retriever``.
        embedder: as for ``Retriever``.
        config: instead of a preset.
        read_only: as for ``Retriever``; a copy is never written back.
        must_exist: as for ``Retriever``.
        foreign: the graph lives in tables of another application, see ``Retriever.open_foreign``: they are only read.

    Raises:
        InvalidValueError: there is no such preset, or a config is given beside it.
        FourfoldError: as ``Retriever``.

    """
    if name is not None:
        if config is not None:
            raise InvalidValueError("preset and config are two names of one thing; give one of them.")
        config = preset(name)
    if foreign:
        return Retriever.open_foreign(path, embedder=embedder, config=config)
    if name is None or config is None:
        return Retriever(path, embedder=embedder, config=config, read_only=read_only, must_exist=must_exist)
    try:
        opened = Retriever(path, embedder=embedder, config=config, read_only=read_only, must_exist=must_exist)
    except EmbedderMismatchError:
        with Retriever(path, embedder=embedder, read_only=True, must_exist=True) as source:
            warn(
                f"{source.path} was not made for the preset {name!r}: a copy of its {len(source):,} nodes is "
                "indexed in memory and answers instead; what is written into that is gone when it is closed."
            )
            return copied(source, config)
    with closed_on_failure(opened):
        if not read_only and not len(opened):
            opened.learning.apply_config(config, evidence={"preset": name})
    return opened


def copied(source: Retriever, config: RetrievalConfig) -> Retriever:
    """Return a copy of a graph in memory, indexed as a config asks.

    Texts are embedded anew by the graph's own embedder; vectors that callers brought are taken over.
    """
    ids, types = list(source.manifest()), source.backend.edge_type_names()
    parts = [ids[start : start + _TOGETHER] for start in range(0, len(ids), _TOGETHER)]
    brought = source.info()["embedder"] is None and next((part for part in parts if source.vectors(part)), None)
    scratch = Retriever(embedder=None if brought else source.embedder, config=config)
    for part in sorted(parts, key=lambda part: part is not brought):  # beside vectors none is made: some come first
        vectors = source.vectors(part) if brought else {}
        scratch.add(replace(node, vector=vectors.get(node.id)) for node in source.get(part))
    for part in parts:
        scratch.add(edges=sorted(source.backend.edges_from(part, types), key=attrgetter("source", "target", "type")))
    return scratch
