"""A question as it was typed, made ready: without courtesies, slips put right, words as the graph has them."""
