"""Lens: the retriever's answers on a page of this machine; see why, move the weights, judge, tune.

``fourfold lens --db kg.sqlite`` opens it; ``Lens(retriever).serve()`` does the same from Python. It needs the extra
``fourfold[lens]``.
"""

from fourfold.lens.server import Lens

__all__ = ["Lens"]
