"""What the demo asks: questions of different intents, none chosen for its answer, and one that has none."""

QUESTIONS = (
    "how to parse command line arguments",
    "threading vs multiprocessing",
    "what are the container types",
    "ZipFile",
    "compress a file to save space",
    "asdf",
)
"""Asked in this order; all but the last are read as another intent."""

EXPLAINED = (QUESTIONS[0], "argparse")
"""The question and the node id whose score the demo takes apart."""
