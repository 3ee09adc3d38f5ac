import json

import pytest

from fourfold import Node, Retriever
from fourfold.breakdown import breakdown_of, is_breakdown


@pytest.fixture(scope="module")
def told():
    with Retriever() as retriever:
        retriever.add([Node("a", "zebra", "animal")])
        result = retriever.search("zebra")
        return breakdown_of(result.hits[0], result)


def test_a_breakdown_is_plain_json(told):
    assert json.loads(json.dumps(told)) == told
    assert (told["name"], told["type"], told["method"]) == ("zebra", "animal", "embedding+text")


def test_a_breakdown_is_told_from_what_a_user_keeps_there(told):
    assert is_breakdown(told) and is_breakdown(told, text=str) and is_breakdown({**told, "text": "x"}, text=str)
    assert not is_breakdown({**told, "text": 7}, text=str)
    assert not is_breakdown({**told, "metadata": []})
    assert not is_breakdown({key: value for key, value in told.items() if key != "why"})
    assert not is_breakdown("intent weights components method why")
