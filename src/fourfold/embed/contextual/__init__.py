"""An embedding model trained from one graph: the static model's tokens, moved until the graph's neighbours are near.

| module | concept |
|---|---|
| ``rows`` | the tokens of many texts in one array |
| ``composition`` | tokens → text vector, by learned attention; with its gradient |
| ``neighbour_mixing`` | text vector and neighbours → node vector; with its gradient |
| ``contrast`` | InfoNCE |
| ``lessons`` | what a graph teaches: its texts, edges, titles; what is held out |
| ``training`` | the loop: batches, Adam, early stopping, checkpoints |
| ``embedder`` | the finished model, as an Embedder and as bytes |

No torch: numpy and scipy, gradients by hand (tests/embed/test_contextual.py checks them).
"""

from fourfold.embed.contextual.embedder import ContextualEmbedder

__all__ = ["ContextualEmbedder"]
"""The rest is for ``fourfold.training`` and loads with it."""
