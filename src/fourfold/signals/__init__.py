"""The components, one file each, and the scales that bring raw scores to [0, 1]."""

from fourfold.signals import graph, intent, scaling, text

__all__ = ["graph", "intent", "scaling", "text"]
