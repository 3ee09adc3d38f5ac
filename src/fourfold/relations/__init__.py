"""What words of questions ask for among the edge types of a graph: labels, their words, and who is asked for."""
