"""Which edge types the words of a question are closest to."""

import numpy as np

from fourfold.relations.labels import Labels
from fourfold.relations.type_labels import TypeLabels, remembered


def test_words_do_not_ask_for_a_type_that_denies_them():
    def embed(texts):
        return np.ones((len(texts), 2), np.float32)

    labels = TypeLabels(["requires", "no_longer_requires"], embed, str.split, sharpness=1.0, enough=0.5)
    assert labels.closeness(["requires"]).tolist() == [1.0, 0.0]


def test_of_many_types_fewer_words_are_remembered():
    def embed(texts):
        return np.ones((len(texts), 2), np.float32)

    assert remembered(2) == 100_000
    types = [f"kind{number}" for number in range(20_000)]
    whole = TypeLabels(types, embed, str.split, sharpness=1.0, enough=0.5)
    by_word = Labels(types, embed, str.split, lambda word: True)
    for number in range(600):
        whole.closeness([f"word{number}"])
        by_word.learn([f"word{number}"])
    held = max(len(whole._known), len(by_word._known))
    assert held <= remembered(20_000) == 256
