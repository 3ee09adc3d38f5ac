"""What ``from fourfold import …`` offers."""

import inspect
from typing import Unpack, get_type_hints

import pytest

import fourfold
from fourfold import FourfoldError, Retriever
from fourfold.asking import SearchOptions


def test_all_is_sorted_and_complete():
    assert list(fourfold.__all__) == sorted(fourfold.__all__)
    assert len(set(fourfold.__all__)) == len(fourfold.__all__)
    public = {
        name for name in dir(fourfold) if not name.startswith("_") and not inspect.ismodule(getattr(fourfold, name))
    }
    assert public | {"__version__"} == set(fourfold.__all__)


def test_the_names_the_documentation_promises():
    asked = {"Edge", "Intent", "Node", "RetrievalConfig", "Retriever", "Weights"}
    answered = {"Components", "Contribution", "Explanation", "Hit", "SearchResult"}
    assert asked | answered <= set(fourfold.__all__)


def test_what_there_is_not_is_refused_by_name():
    with pytest.raises(AttributeError, match="module 'fourfold' has no attribute 'Retreiver'"):
        fourfold.Retreiver  # noqa: B018


def test_every_public_thing_has_a_docstring():
    for name in set(fourfold.__all__) - {"__version__"}:
        assert (getattr(fourfold, name).__doc__ or "").strip(), name


@pytest.mark.parametrize("method", ["asearch", "asearch_many", "explain", "search_many"])
def test_methods_that_hand_the_options_of_a_search_on_say_which_there_are(method):
    """They took anything: an editor completed none, and mypy let a mistyped one pass."""
    named = {name for name, given in inspect.signature(Retriever.search).parameters.items() if given.kind == 3}
    searched = {name: hint for name, hint in get_type_hints(Retriever.search).items() if name in named}
    assert get_type_hints(SearchOptions) == searched
    assert get_type_hints(getattr(Retriever, method))["options"] == Unpack[SearchOptions]


def test_all_errors_are_one_tree():
    errors = [
        value
        for value in vars(fourfold).values()
        if isinstance(value, type) and issubclass(value, Exception) and not issubclass(value, Warning)
    ]
    assert FourfoldError in errors
    assert all(issubclass(error, FourfoldError) for error in errors)
