"""Which edge types the words of a question are closest to."""

import numpy as np

from fourfold.signals.type_labels import TypeLabels


def test_words_do_not_ask_for_a_type_that_denies_them():
    def embed(texts):
        return np.ones((len(texts), 2), np.float32)

    labels = TypeLabels(["requires", "no_longer_requires"], embed, str.split, sharpness=1.0, enough=0.5)
    assert labels.closeness(["requires"]).tolist() == [1.0, 0.0]
