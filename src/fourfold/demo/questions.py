"""What the demo asks: questions of different intents, none of them chosen for its answer."""

QUESTIONS = (
    "how to parse command line arguments",
    "threading vs multiprocessing",
    "what are the container types",
    "ZipFile",
    "compress a file to save space",
)
"""Asked in this order; every one is read as another intent."""

EXPLAINED = (QUESTIONS[0], "argparse")
"""The question and the node id whose score the demo takes apart."""
