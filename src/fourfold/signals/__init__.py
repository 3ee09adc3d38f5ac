"""The four components, one file each: every one returns an array of one score per node."""

from fourfold.signals import embedding, graph, intent, scaling, text

__all__ = ["embedding", "graph", "intent", "scaling", "text"]
