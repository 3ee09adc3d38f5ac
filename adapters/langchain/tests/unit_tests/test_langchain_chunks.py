"""Chunks of a text splitter: joined to their document and to each other, however they come."""

import pytest
from langchain_core.documents import Document
from langchain_core.indexing import InMemoryRecordManager, index
from langchain_fourfold import FourfoldDocumentIndex, FourfoldRetriever, FourfoldVectorStore
from langchain_fourfold.chunks import add_documents
from langchain_text_splitters import RecursiveCharacterTextSplitter

from fourfold import InvalidValueError, Retriever, UnknownNodeError

TEXT = " ".join(f"Sentence number {n} is about boats and what else floats." for n in range(12))


def chunks(text=TEXT, overlap=0, start=False, **metadata):
    splitter = RecursiveCharacterTextSplitter(chunk_size=130, chunk_overlap=overlap, add_start_index=start)
    return splitter.split_documents([Document(page_content=text, metadata=metadata)])


def structure(engine):
    """Return the chunks by document, and who is followed by whom, as texts."""
    text = {node.id: node.text for node in engine.get(engine.manifest())}
    edges = engine.edges(text)
    part_of = {}
    for edge in edges:
        if edge.type == "part_of":
            part_of.setdefault(edge.target, set()).add(text[edge.source])
    return part_of, {(text[e.source], text[e.target]) for e in edges if e.type == "followed_by"}


def assert_joined(engine, *documents):
    part_of, followed_by = structure(engine)
    texts = [[chunk.page_content for chunk in document] for document in documents]
    assert sorted(map(sorted, part_of.values())) == sorted(map(sorted, texts))
    assert followed_by == {pair for document in texts for pair in zip(document, document[1:], strict=False)}


@pytest.mark.parametrize("start", [False, True])
@pytest.mark.parametrize(
    "metadata",
    [{"source": "notes/boats.md"}, {"source": "https://example.org/boats"}, {"title": "Boats"}, {"doc_id": "17"}],
)
def test_chunks_of_one_document_are_joined(metadata, start):
    cut = chunks(start=start, **metadata)
    assert len(cut) > 4
    assert_joined(FourfoldRetriever.from_documents(cut).retriever, cut)


def test_chunks_that_know_their_place_and_nothing_else_are_joined_while_it_grows():
    first, second = chunks(start=True), chunks(TEXT.replace("floats", "sails"), start=True)
    assert_joined(FourfoldRetriever.from_documents([*first, *second]).retriever, first, second)


@pytest.mark.parametrize("metadata", [{}, {"lang": "en"}, {"source": "wikipedia"}])
def test_documents_that_only_look_alike_are_not_joined(metadata):
    documents = [Document(page_content=text, metadata=metadata) for text in ("One text.", "Another text.", "A third.")]
    assert structure(FourfoldRetriever.from_documents(documents).retriever) == ({}, set())


def test_rows_of_a_table_are_not_joined():
    rows = [Document(page_content=f"row {n}", metadata={"source": "data.csv", "row": n}) for n in range(3)]
    assert structure(FourfoldRetriever.from_documents(rows).retriever) == ({}, set())


def test_pages_of_one_document_are_in_order():
    pages = [
        c for page in (0, 1) for c in chunks(TEXT.replace("boats", f"p{page}"), start=True, source="a.pdf", page=page)
    ]
    retriever = FourfoldRetriever.from_documents([*pages[6:], *pages[:6]])
    assert_joined(retriever.retriever, pages)


def test_chunks_that_come_one_by_one_are_joined_too():
    cut = chunks(start=True, source="boats.md")
    store = FourfoldVectorStore()
    for chunk in [cut[3], cut[0], *cut[1:3], *cut[4:]]:
        store.add_documents([chunk])
    assert_joined(store.retriever, cut)


def test_langchain_s_index_in_small_batches_keeps_documents_joined():
    destination, records = FourfoldDocumentIndex(), InMemoryRecordManager("test")
    records.create_schema()

    def run(*documents):
        return index(
            [chunk for document in documents for chunk in document],
            records,
            destination,
            cleanup="incremental",
            source_id_key="source",
            batch_size=2,
            key_encoder="sha256",
        )

    boats, ships = (
        chunks(start=True, source="boats.md"),
        chunks(TEXT.replace("boats", "ships"), start=True, source="s.md"),
    )
    run(boats, ships)
    assert_joined(destination.retriever, boats, ships)
    changed = chunks(TEXT.replace("number 3", "No. 3"), start=True, source="boats.md")
    counts = run(changed, ships)
    assert counts["num_added"] == counts["num_deleted"] > 0
    assert_joined(destination.retriever, changed, ships)
    gone = destination.delete(sources=["boats.md"])
    assert gone["num_deleted"] == len(changed) and len(destination.retriever) == len(ships) + 1


def test_the_document_of_chunks_is_no_answer_and_no_document():
    cut = chunks(title="Boats", source="boats.md")
    store = FourfoldVectorStore.from_documents(cut, None)
    found = store.similarity_search("Boats", k=50)
    assert sorted(d.page_content for d in found) == sorted(c.page_content for c in cut)
    store.delete([d.id for d in found])
    assert not len(store.retriever)


@pytest.mark.parametrize("made_by", [FourfoldRetriever, FourfoldVectorStore])
def test_context_gives_the_chunks_around_one(made_by):
    cut = chunks(start=True, source="boats.md")
    made = FourfoldRetriever.from_documents(cut) if made_by is FourfoldRetriever else made_by.from_documents(cut, None)
    [found] = FourfoldRetriever(retriever=made.retriever).invoke("sentence number 5", k=1, mode="text")
    place = [chunk.page_content for chunk in cut].index(found.page_content)
    around = made.context(found, before=2, after=1)
    assert [d.page_content for d in around] == [c.page_content for c in cut[place - 2 : place + 2]]
    assert made.context(found.id) == made.context(found) and around[0].metadata == cut[place - 2].metadata
    with pytest.raises(InvalidValueError, match="no id"):
        made.context(Document(page_content="x"))
    with pytest.raises(UnknownNodeError, match="'unknown'"):
        made.context("unknown")


def test_a_chunk_that_is_changed_stays_in_its_place():
    cut = chunks(start=True, source="boats.md")
    store = FourfoldVectorStore()
    ids = store.add_documents(cut)
    changed = Document(page_content="Quite another sentence.", metadata=cut[2].metadata)
    store.add_documents([changed], ids=[ids[2]])
    assert_joined(store.retriever, [*cut[:2], changed, *cut[3:]])
    alone = Document(page_content="Now of another document.", metadata={"source": "wikipedia"})
    store.add_documents([alone], ids=[ids[2]])
    assert_joined(store.retriever, [*cut[:2], *cut[3:]])


def test_chunks_that_know_only_their_start_begin_anew_after_those_of_a_document_with_a_name():
    """After a chunk with a title they were given a document without an id, which was refused, or an earlier one."""
    named = Document(page_content="one of a page", metadata={"title": "Page", "start_index": 5})
    first, second, third, fourth = (
        Document(page_content=f"the words of {place}", metadata={"start_index": place}) for place in (0, 50, 90, 130)
    )
    with Retriever() as engine:
        add_documents(engine, [named, first.model_copy(), second])
        assert_joined(engine, [first, second])
    with Retriever() as engine:
        add_documents(engine, [first, second, named, third, fourth])
        assert_joined(engine, [first, second], [third, fourth])
