"""Where a graph lives: each engine stores it, and makes the snapshots that the pipeline asks."""
