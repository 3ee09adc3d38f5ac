"""Judge: hits marked relevant or not, the file's own feedback, and what is worth judging next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from fourfold import FourfoldError, InvalidValueError
from fourfold.lens import exchange
from fourfold.lens.judging import candidates, progress
from fourfold.lens.page import NoPageError, Pages
from fourfold.lens.state import Asked
from fourfold.markup import cut
from fourfold.plain_text import plain_text

LISTED = 200
"""Judged questions that are listed."""


def judge(pages: Pages, request: Request) -> Response:
    """Show the page."""
    asked = _asked(pages, request)
    return pages.render("judge.html", _context(pages, asked))


def mark(pages: Pages, request: Request, form: FormData, files: Mapping[str, bytes]) -> Response:
    """Keep one judgement; the question and the node stand in the address, as a form would change line breaks in ids."""
    asked = _asked(pages, request)
    try:
        grade = float(str(form.get("grade", "")))
    except ValueError:
        raise InvalidValueError("The grade is no number; it must be 0 or above.") from None
    pages.session.judge(asked.question, request.query_params.get("node", ""), grade)
    if request.headers.get("x-lens") == "part":
        return pages.render("_judged.html", _listed(pages, asked))
    return RedirectResponse(asked.address("/judge"), status_code=303)


def take(pages: Pages, request: Request, form: FormData, files: Mapping[str, bytes]) -> Response:
    """Import judgements into the file's feedback."""
    session = pages.session
    found = exchange.read(files.get("questions", b""), files.get("qrels", b""))
    known = session.nodes([node_id for query in found for node_id in query.relevant])
    kept = unknown = 0
    for query in found:
        for node_id, grade in query.relevant.items():
            if node_id not in known:
                unknown += 1
                continue
            try:
                session.judge(query.text, node_id, max(grade, 0.0))  # TREC goes below 0; feedback ends at not relevant
            except FourfoldError as error:
                if not kept:
                    raise
                raise InvalidValueError(
                    f"{kept:,} judgements were taken in, then this stopped the rest: {error}"
                ) from error
            kept += 1
    told = f"{kept:,} judgements on {len(found):,} questions were taken in."
    if unknown:
        told += f" {unknown:,} name nodes that are not in this graph and were passed over."
    return pages.render("judge.html", _context(pages, Asked(), " ".join([told, *found.notes])))


def give(pages: Pages, request: Request) -> Response:
    """Export the file's feedback in one of the forms of ``exchange.FILES``."""
    name = request.path_params["name"]
    if name not in exchange.FILES:
        raise NoPageError(f"There is no export of that name; there are {', '.join(exchange.FILES)}.")
    headers = {"content-disposition": f'attachment; filename="{name}"', "cache-control": "no-store"}
    text = exchange.export(name, pages.session.judgements())
    return Response(text.encode("utf-8", "replace"), media_type=exchange.FILES[name], headers=headers)


def _asked(pages: Pages, request: Request) -> Asked:
    """Read an address; a question that was judged is the one kept, though a page's own form sends what it shows."""
    asked = Asked.of(request.query_params)
    question = asked.question.strip()
    shown = plain_text(question).strip()
    judged = pages.session.judgements() if shown else {}
    if not shown or question in judged:
        return asked
    kept = next((each for each in judged if plain_text(each).strip() == shown), asked.question)
    return replace(asked, question=kept)


def _context(pages: Pages, asked: Asked, done: str = "") -> dict[str, object]:
    session = pages.session
    context: dict[str, object] = {"view": "judge", "done": cut(done, 1000), **_listed(pages, asked), "pool": None}
    if asked.question.strip():
        grades = session.judgements().get(asked.question.strip(), {})
        context["pool"] = candidates(session, asked, grades)
    return context


def _listed(pages: Pages, asked: Asked) -> dict[str, object]:
    """Return the judged questions with their counts, and how far all of it is."""
    judged = pages.session.judgements()
    questions = [
        (
            cut(question, 120),
            Asked(question=question).address("/judge"),
            sum(grade > 0 for grade in grades.values()),
            sum(grade <= 0 for grade in grades.values()),
            question == asked.question.strip(),
        )
        for question, grades in judged.items()
    ]
    return {
        "asked": asked,
        "questions": questions[:LISTED],
        "more": max(len(questions) - LISTED, 0),
        "progress": progress(pages.session, judged),
        "files": list(exchange.FILES),
    }
