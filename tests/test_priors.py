"""Recency and pinned nodes: off by default, told as evidence, and exact about what stands further down."""

from datetime import UTC, datetime

import pytest

from fourfold import InvalidValueError, Node, RetrievalConfig, Retriever, priors
from fourfold.config import Priors

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC).timestamp()
DAY = 86_400.0
MEMORY = {"recency": "at", "half_life": 10.0, "share": 0.8, "pinned": "keep", "pinned_gain": 0.5}


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    class Clock:
        @staticmethod
        def time():
            return NOW

    monkeypatch.setattr(priors, "time", Clock)


def memories(count=60):
    """Return memories of the same words, one for each day back; every twentieth is pinned."""
    return [
        Node(
            f"m{day:02}",
            text=f"the user likes tea number {day}",
            metadata={"at": NOW - day * DAY, "keep": day % 20 == 19},
        )
        for day in range(count)
    ]


def opened(**settings):
    retriever = Retriever(config=RetrievalConfig().replace(fusion={"priors": settings}, diversity={"bonus": 0.0}))
    retriever.add(memories())
    return retriever


def test_they_are_off_unless_a_key_is_named():
    assert not RetrievalConfig().fusion.priors.on and not RetrievalConfig.published().fusion.priors.on
    assert not RetrievalConfig.two_signal().fusion.priors.on
    with opened() as retriever:
        found = retriever.search("what tea does the user like", k=60)
        assert not {item.kind for hit in found for item in hit.evidence} & {"recency", "pinned"}


@pytest.mark.parametrize("k", [1, 3, 10, 60])
def test_the_best_are_those_of_all_whatever_k_is(k):
    with opened() as plain, opened(**MEMORY) as retriever:
        before = {hit.node.id: hit.score for hit in plain.search("what tea does the user like", k=60)}
        expected = {}
        for day in range(60):
            score = before[f"m{day:02}"]
            faded = 1 - 0.8 * (1 - 0.5 ** (day / 10))
            expected[f"m{day:02}"] = min(score * 1.5, 1.0) if day % 20 == 19 else score * faded
        best = sorted(expected, key=lambda identity: -expected[identity])[:k]
        found = retriever.search("what tea does the user like", k=k)
        assert {hit.node.id: pytest.approx(hit.score) for hit in found} == {i: expected[i] for i in best}
        assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)


def test_evidence_and_explanations_tell_them_and_add_up():
    with opened(**MEMORY) as retriever:
        found = retriever.search("what tea does the user like", k=20)
        kinds = {}
        for hit in found:
            assert sum(item.value for item in hit.evidence) == pytest.approx(hit.score, abs=1e-6)
            told = [item for item in hit.evidence if item.kind in ("recency", "pinned")]
            assert len(told) == 1
            kinds[told[0].kind] = hit
        assert "pinned" in kinds["pinned"].why
        assert f"faded in {int(kinds['recency'].node.id[1:])} days" in kinds["recency"].why
        outside = retriever.explain("what tea does the user like", "m58", k=5)
        assert outside.rank is None and any(item.kind == "recency" for item in outside.evidence)
        assert sum(item.value for item in outside.evidence) == pytest.approx(outside.score, abs=1e-6)


@pytest.mark.parametrize(
    ("age", "told"),
    [
        (-DAY, ""),
        (0.0, ""),
        (3600.0, ""),
        (DAY / 2, "faded in less than a day"),
        (DAY, "faded in 1 day"),
        (1.5 * DAY, "faded in 1.5 days"),
        (3000 * DAY, "faded in 3000 days"),
    ],
)
def test_a_reason_tells_an_age_as_people_do_and_none_of_what_has_not_faded(age, told):
    with Retriever(config=RetrievalConfig().replace(fusion={"priors": MEMORY})) as retriever:
        retriever.add([Node("tea", text="green tea", metadata={"at": NOW - age}), Node("soup", text="tomato soup")])
        (tea,) = retriever.search("green tea", k=1)
    assert [part for part in tea.why.split("; ") if "faded" in part] == [told] * bool(told)
    assert sum(item.value for item in tea.evidence) == pytest.approx(tea.score, abs=1e-6)


@pytest.mark.parametrize(
    ("value", "days"),
    [
        (NOW - DAY, 1.0),
        (int(NOW), 0.0),
        ((NOW - DAY) * 1e3, 1.0),
        (int(NOW - DAY) * 10**6, 1.0),
        (int(NOW - DAY) * 10**9, 1.0),
        (1e300, 0.0),
        (NOW + DAY, 0.0),
        ("2026-02-27T12:00:00Z", 2.0),
        ("2026-02-27T12:00:00", 2.0),
        ("2026-02-27T13:00:00+01:00", 2.0),
        ("2026-03-01", 0.5),
        ("yesterday", None),
        (True, None),
        (None, None),
        ([1], None),
    ],
)
def test_a_timestamp_is_seconds_or_a_date(value, days):
    assert priors.age(value, NOW) == (None if days is None else pytest.approx(days))


@pytest.mark.parametrize(("days", "told"), [(999.4, "999 days"), (999.6, "1000 days"), (1234.0, "1234 days")])
def test_an_age_is_told_without_an_exponent(days, told):
    """From 999.5 days to 1000 it was 1e+03."""
    with opened(**MEMORY) as retriever:
        retriever.add([Node("old", text="what zebras drink", metadata={"at": NOW - days * DAY})])
        assert f"faded in {told}" in retriever.search("what do zebras drink").hits[0].why


def test_what_has_no_date_does_not_fade():
    with opened(recency="at") as retriever:
        retriever.add([Node("undated", text="the user likes tea number 99")])
        hit = next(h for h in retriever.search("what tea does the user like", k=61) if h.node.id == "undated")
        assert not any(item.kind == "recency" for item in hit.evidence)


def test_they_are_kept_with_the_graph(tmp_path):
    config = RetrievalConfig().replace(fusion={"priors": MEMORY})
    with Retriever(tmp_path / "kg.sqlite") as retriever:
        retriever.learning.apply_config(config)
    with Retriever(tmp_path / "kg.sqlite") as retriever:
        assert retriever.config == config and retriever.config.fusion.priors == Priors(**MEMORY)


@pytest.mark.parametrize("bad", [{"half_life": 0}, {"share": 1.5}, {"recency": 3}, {"pinned_gain": -1}])
def test_constants_no_search_can_use_are_refused(bad):
    with pytest.raises(InvalidValueError, match=r"priors\..* (0|1|1e\+12|type str)\.$"):
        RetrievalConfig().replace(fusion={"priors": bad})


def test_a_number_beyond_all_times_does_not_fade():
    nodes = [Node("a", text="the user likes tea", metadata={"at": 10**400}), Node("b", text="likes coffee")]
    with Retriever(config=RetrievalConfig().replace(fusion={"priors": MEMORY})) as retriever:
        retriever.add(nodes)
        assert [one.kind for one in retriever.search("tea").hits[0].evidence if one.kind == "recency"] == []
