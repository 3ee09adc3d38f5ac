"""Measure and tune: how good the answers are, what each part is worth, what can be learnt, and its history."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from fourfold import InvalidValueError
from fourfold.evaluate.tune import ERROR, as_applied
from fourfold.lens import measuring
from fourfold.lens.jobs import Job, Work
from fourfold.lens.judging import progress as progress_of
from fourfold.lens.measuring import Measured, Tuned
from fourfold.lens.page import Pages
from fourfold.lens.state import Asked
from fourfold.markup import cut

NAMES = {"measure": "Measuring", "parts": "Switching parts off", "tune": "Tuning"}
"""What runs in the background, by the words it is told in."""


def show(pages: Pages, request: Request) -> Response:
    """Show the page; with ``fragment``, what changes while something runs."""
    template = "_measure.html" if "fragment" in request.query_params else "measure.html"
    return pages.render(template, _context(pages))


def run(pages: Pages, request: Request, form: FormData, files: Mapping[str, bytes]) -> Response:
    """Begin to measure or to tune."""
    session = pages.session
    measuring.judged(session)  # refused here, and not in the background, where nothing is judged
    last = session.jobs.results.get("measure")
    before: Measured | None = None if last is None else last.result
    work: dict[str, Work] = {
        "measure": partial(measuring.quality, session, before),
        "parts": partial(measuring.parts, session),
        "tune": partial(measuring.learn, session),
    }
    kind = str(form.get("kind", ""))
    if kind not in work:
        raise InvalidValueError(f"Measure and tune knows {', '.join(work)}; not {kind!r}.")
    session.jobs.start(kind, work[kind])
    return _back(pages, request)


def stop(pages: Pages, request: Request, form: FormData, files: Mapping[str, bytes]) -> Response:
    """Stop what runs, at its next step."""
    pages.session.jobs.stop()
    return _back(pages, request)


def apply(pages: Pages, request: Request, form: FormData, files: Mapping[str, bytes]) -> Response:
    """Put in force what was learnt; against the verdict only where that is said."""
    results = pages.session.jobs.results
    job = results.get("tune")
    gone = InvalidValueError("What was to be applied is no longer the latest tuning; look at it again.")
    if job is None or str(job.number) != form.get("job"):
        raise gone
    tuned: Tuned = job.result
    if tuned.start != pages.session.retriever.config:
        raise InvalidValueError("Another config has come into force since this was learnt; tune again.")
    if not tuned.result.changes:
        raise InvalidValueError("Nothing was learnt that could be applied.")
    if not tuned.result.worthwhile and form.get("anyway") != "yes":
        raise InvalidValueError("The gate did not let it pass; say that you want to apply it all the same.")
    reasons = measuring.reasons(tuned, measuring.judged(pages.session))
    if results.pop("tune", None) is None:  # a second click was first
        raise gone
    try:
        pages.session.apply(tuned.result.config, reasons)
    except BaseException:
        results.setdefault("tune", job)
        raise
    return _back(pages, request)


def roll_back(pages: Pages, request: Request, form: FormData, files: Mapping[str, bytes]) -> Response:
    """Go back to a config that was applied before."""
    version = str(form.get("version", ""))
    if not version.isdecimal() or len(version) > 9:
        raise InvalidValueError("The form names no version to go back to.")
    pages.session.roll_back(int(version))
    return _back(pages, request)


def _back(pages: Pages, request: Request) -> Response:
    if request.headers.get("x-lens") == "part":
        return pages.render("_measure.html", _context(pages))
    return RedirectResponse("/measure", status_code=303)


def _context(pages: Pages) -> dict[str, object]:
    session = pages.session
    job = session.jobs.latest
    versions, in_force = session.versions()
    return {
        "view": "measure",
        "asked": Asked(),
        "progress": progress_of(session, session.judgements()),
        "job": job,
        "told": None if job is None else _told(job),
        **{kind: session.jobs.results.get(kind) for kind in NAMES},
        "in_force": in_force,
        "certainty": 100 * (1 - ERROR),
        "versions": [
            (
                version.number,
                version.applied,
                cut(_in_words(version.changes), 300),
                cut(as_applied(str(version.evidence.get("verdict", ""))) or _in_words(version.evidence), 300),
            )
            for version in reversed(versions)
        ],
    }


def _told(job: Job) -> str:
    """Return what the latest work is doing, or how it ended."""
    name = NAMES[job.kind]
    if job.running:
        step = f", step {job.done} of {job.total}" if job.total else ""
        return f"{name}{step}{'; stopping at the next step' if job.stopping else ''} …"
    if job.state == "failed":
        return f"{name} failed: {job.sentence}"
    if job.state == "stopped":
        return f"{name} was stopped; nothing was changed."
    return f"{name} took {job.seconds:.1f} s."


def _in_words(values: Mapping[str, object]) -> str:
    told = []
    for name, value in values.items():
        told.append(f"{name}: {_in_words(value)}" if isinstance(value, Mapping) else f"{name} {value}")
    return ", ".join(told)
