"""Training from the graph itself: an embedder whose vectors know who is joined to whom."""

from fourfold.training.embedder import EmbedderTraining, train_embedder

__all__ = ["EmbedderTraining", "train_embedder"]
