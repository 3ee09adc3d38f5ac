"""What works on an open graph says so where it is given something else."""

import inspect
from pathlib import Path

import pytest

import fourfold.evaluate
import fourfold.ingest
import fourfold.training
from fourfold import InvalidValueError, Retriever
from fourfold.copying import copy
from fourfold.mmr import diverse
from fourfold.questions import Questions


def of_graphs(room):
    """Return the public functions of a room whose first argument is a retriever."""
    functions = [value for name in room.__all__ if inspect.isfunction(value := getattr(room, name))]
    return [each for each in functions if next(iter(inspect.signature(each).parameters), "") == "retriever"]


ROOMS = (fourfold.evaluate, fourfold.ingest, fourfold.training)
FUNCTIONS = [function for room in ROOMS for function in of_graphs(room)] + [diverse, Questions]


@pytest.mark.parametrize("given", ["kg.sqlite", Path("kg.sqlite"), None, Retriever], ids=repr)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda each: each.__name__)
def test_something_else_than_an_open_graph_gets_a_sentence(function, given, tmp_path):
    parameters = list(inspect.signature(function).parameters.values())[1:]
    needed = [p.name for p in parameters if p.default is p.empty]
    with pytest.raises(InvalidValueError, match=r"^retriever is .*; it must be a fourfold\.Retriever, such as "):
        function(given, **{name: tmp_path if name == "folder" else [] for name in needed})


def test_a_path_is_told_how_it_is_opened():
    with pytest.raises(InvalidValueError, match=r"such as Retriever\('kg.sqlite'\)\.$"):
        fourfold.ingest.list_documents("kg.sqlite")


def test_both_ends_of_a_copy_are_open_graphs():
    with Retriever() as graph:
        for ends, name in ((("kg.sqlite", graph), "source"), ((graph, "kg.sqlite"), "target")):
            with pytest.raises(
                InvalidValueError, match=f"^{name} is 'kg.sqlite'; it must be a fourfold.Retriever, such"
            ):
                copy(*ends)


def test_the_password_of_an_address_is_not_told():
    with pytest.raises(InvalidValueError, match=r"^retriever is 'postgresql://…'; .* Retriever\('postgresql://…'\)\.$"):
        fourfold.ingest.list_documents("postgresql://me:secret@host/db")
