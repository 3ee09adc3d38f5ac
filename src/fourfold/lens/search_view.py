"""Search: a question, its answer as rows, and everything that can be moved about it."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from fourfold import SearchResult
from fourfold.lens.page import Pages
from fourfold.lens.rows import rows_of, why_address
from fourfold.lens.session import Session
from fourfold.lens.state import MOST_HITS, OPERATORS, Asked, Condition
from fourfold.markup import cut
from fourfold.query import MODES
from fourfold.questions.results import title


def search(pages: Pages, request: Request) -> Response:
    """Show the page; with ``fragment``, only what an answer changes."""
    asked = Asked.of(request.query_params)
    context = {"asked": asked, "view": "search", **answer(pages.session, asked)}
    part = "_empty.html" if context["result"] is None else "_results.html"
    if "fragment" in request.query_params:
        return pages.render(part, context)
    session = pages.session
    more = {
        "part": part,
        "intents": session.intents(),
        "modes": MODES,
        "operators": OPERATORS,
        "most_hits": MOST_HITS,
        "keys": session.metadata_keys() if asked.pairs() else session.keys_at_hand(),
        "rows_of_filter": [*asked.conditions, Condition("", "is")],
    }
    return pages.render("search.html", {**context, **more})


def answer(session: Session, asked: Asked) -> dict[str, object]:
    """Return the answer to a question, beside the one that it has by itself."""
    if not asked.question.strip():
        return {"result": None, "rows": [], "left": [], "weights": session.retriever.config.fusion.weights}
    result = session.search(asked)
    usual = session.search(asked.untouched()) if asked.touched else result
    return {
        "result": result,
        "rows": rows_of(session, asked, result, usual),
        "left": left_out(asked, result, usual),
        "weights": result.weights,
    }


def left_out(asked: Asked, result: SearchResult, usual: SearchResult) -> list[tuple[int, str, str | None]]:
    """Return the hits that the question has by itself and that are gone now: rank there, name, where to see why."""
    here = set(result.ids)
    return [
        (rank, cut(title(hit.node), 60), why_address(asked, hit.node.id))
        for rank, hit in enumerate(usual.hits, 1)
        if hit.node.id not in here
    ]


def keys(pages: Pages, request: Request) -> Response:
    """Return the metadata keys with what they are called, for a page that was there before they were known."""
    pages.session.prepare()  # the page stands: now is the time for what the first question needs
    return JSONResponse({"keys": [(key.name, key.label) for key in pages.session.metadata_keys()]})


def values(pages: Pages, request: Request) -> Response:
    """Return what the values of a metadata key are, for the filter's row."""
    name = request.query_params.get("key", "")
    key = next((key for key in pages.session.metadata_keys() if key.name == name), None)
    return JSONResponse({"values": [] if key is None else [cut(value, 80) for value in key.values]})


def find(pages: Pages, request: Request) -> Response:
    """Show the nodes that some letters may mean, to ask why one of them is not among the hits."""
    asked = Asked.of(request.query_params)
    wanted = request.query_params.get("expected", "").strip()
    found = [(cut(title(n), 120), cut(n.type, 60), why_address(asked, n.id)) for n in pages.session.find(wanted)]
    context = {"asked": asked, "view": "search", "wanted": cut(wanted, 120), "found": found}
    return pages.render("find.html", context)
