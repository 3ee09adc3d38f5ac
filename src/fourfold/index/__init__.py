"""Arrays for one generation of the store."""

from fourfold.index.adjacency import Adjacency, Links, Steps
from fourfold.index.index import Index, WholeScores, build, rebuilt
from fourfold.index.postings import Postings

__all__ = ["Adjacency", "Index", "Links", "Postings", "Steps", "WholeScores", "build", "rebuilt"]
