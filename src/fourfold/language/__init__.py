"""English, as far as it decides what a question names and asks for: names, words by their places, what words do."""
