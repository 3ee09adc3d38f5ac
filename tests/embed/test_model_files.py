"""Model folders with missing, truncated and empty files: the error names the file."""

import shutil
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from model2vec import StaticModel

from fourfold import EmbedderError, Node, Retriever
from fourfold.embed import StaticEmbedder
from fourfold.embed.static import BUNDLED_FOLDER, bundled

FILES = ("config.json", "tokenizer.json", "model.safetensors")


@pytest.fixture
def folder(tmp_path):
    copy = tmp_path / "model"
    copy.mkdir()
    for name in FILES:
        shutil.copy(BUNDLED_FOLDER / name, copy)
    return copy


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("keep", [0, 7, 0.5, -1])
def test_a_truncated_file_is_named(folder, name, keep):
    path = folder / name
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * keep) if keep == 0.5 else keep])
    with pytest.raises(EmbedderError, match=f"{name}' is truncated or broken"):
        StaticEmbedder(folder).embed_query("hello")


@pytest.mark.parametrize("name", FILES)
def test_a_missing_file_is_named(folder, name):
    (folder / name).unlink()
    with pytest.raises(EmbedderError, match=f"cannot be loaded: it has no {name}"):
        StaticEmbedder(folder).embed_query("hello")


def test_a_model_of_another_kind(folder):
    from numpy import eye
    from safetensors.numpy import save_file

    save_file({"encoder.weight": eye(3)}, folder / "model.safetensors")
    with pytest.raises(EmbedderError, match="model' cannot be loaded: "):
        StaticEmbedder(folder).embed_query("hello")


def test_the_identity_needs_weights(folder):
    name = StaticEmbedder(folder).name
    assert name == StaticEmbedder(BUNDLED_FOLDER).name
    weights = folder / "model.safetensors"
    weights.write_bytes(b"")
    with pytest.raises(EmbedderError, match=r"empty model\.safetensors"):
        StaticEmbedder(folder).name  # noqa: B018
    weights.unlink()
    with pytest.raises(EmbedderError, match=r"no readable model\.safetensors"):
        StaticEmbedder(folder).name  # noqa: B018


def test_sentence_transformers_layout(folder):
    (folder / "0_StaticEmbedding").mkdir()
    for name in ("tokenizer.json", "model.safetensors"):
        (folder / name).rename(folder / "0_StaticEmbedding" / name)
    assert StaticEmbedder(folder).name == StaticEmbedder(BUNDLED_FOLDER).name


def test_a_graph_is_searched_without_the_broken_model(folder, tmp_path, caplog):
    path = tmp_path / "g.sqlite"
    with Retriever(path, embedder=folder) as retriever:
        retriever.add([Node("a", name="alpha")])
    (folder / "tokenizer.json").write_text("{")
    with Retriever(path, embedder=folder) as retriever:
        assert retriever.search("alpha").degraded == ("embedding",) and "tokenizer.json" in caplog.text
        with pytest.raises(EmbedderError, match=r"tokenizer\.json"):
            retriever.add([Node("b", name="beta")])
        assert len(retriever) == 1


def test_a_question_is_embedded_as_the_library_embeds_it():
    model = bundled()
    texts = ["how does the parser read a quoted field", "", "Ünknown 漢字 words", "delete"]
    whole = StaticModel.from_pretrained(BUNDLED_FOLDER, force_download=False).encode(texts, use_multiprocessing=False)
    np.testing.assert_allclose(model.embed_documents(texts), whole, atol=1e-7)
    np.testing.assert_allclose(model.embed_query(texts[0]), whole[0], atol=1e-7)


def test_vectors_are_the_same_with_model2vec_before_0_10(monkeypatch):
    """There a model does not say how much of a text it reads, and its tokenizer reads all of it."""
    import model2vec

    text = " ".join(f"word{number} a" for number in range(1000))
    newer = bundled().embed_query(text)
    named = ("tokenizer", "embedding", "weights", "token_mapping", "normalize", "unk_token_id", "median_token_length")
    model = model2vec.StaticModel.from_pretrained(BUNDLED_FOLDER, force_download=False)
    older = SimpleNamespace(dim=model.dim, **{name: getattr(model, name) for name in named})
    older.tokenizer.no_truncation()
    monkeypatch.setattr(model2vec.StaticModel, "from_pretrained", lambda *_, **__: older)
    assert np.array_equal(StaticEmbedder(BUNDLED_FOLDER).embed_query(text), newer)


@pytest.mark.parametrize("kind", [np.int8, np.float16, np.float32, np.float64])
@pytest.mark.parametrize("weighed", [None, np.float32, np.float64])
def test_a_text_among_many_has_the_vector_it_has_alone(kind, weighed):
    words = "read write the a file unknown 東京 naïve [UNK] graph".split()
    texts = ["", " ", "[UNK]", *(" ".join((words * 9)[n % 10 : n + 3]) for n in range(97))]
    model = StaticEmbedder(BUNDLED_FOLDER)
    loaded = model._loaded()
    rng = np.random.default_rng(0)
    loaded.embedding = loaded.embedding.astype(kind)
    if weighed is not None:
        loaded.token_mapping = rng.permutation(len(loaded.embedding))
        loaded.weights = rng.random(len(loaded.embedding)).astype(weighed)
    together = model.embed_documents(texts)
    assert together.any(axis=1).sum() > 90
    for text, vector in zip(texts, together, strict=True):
        assert np.array_equal(vector, model.embed_query(text)), text


def test_the_model_in_the_package_is_what_model2vec_reads():
    theirs, ours = StaticModel.from_pretrained(BUNDLED_FOLDER, force_download=False), bundled()._loaded()
    assert np.array_equal(ours.embedding, theirs.embedding) and ours.embedding.dtype == theirs.embedding.dtype
    for name in ("weights", "token_mapping", "normalize", "median_token_length", "unk_token_id", "dim"):
        assert getattr(ours, name) == getattr(theirs, name), name
    assert ours.max_length == getattr(theirs, "max_length", 512)
    texts = ["Saves a file.", "naïve 日本 \ud800", "", "word " * 2000]
    assert np.array_equal(bundled().embed_documents(texts), StaticEmbedder(BUNDLED_FOLDER).embed_documents(texts))
    assert bundled().tokenize(texts) == StaticEmbedder(BUNDLED_FOLDER).tokenize(texts)


def test_a_search_with_the_model_in_the_package_loads_no_library_for_others():
    """Of a process's first search they would take a third."""
    program = (
        "import sys; from fourfold import Node, Retriever\n"
        "with Retriever() as r: r.add([Node('a', 'alpha')]); r.search('alpha')\n"
        "print([name for name in ('model2vec', 'huggingface_hub') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300)
    assert done.stdout == "[]\n", done.stderr
