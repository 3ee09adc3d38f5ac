"""Graph questions."""
