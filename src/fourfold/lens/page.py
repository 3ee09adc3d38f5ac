"""What every page has: templates, headers, the word that binds a form to its page, and errors as sentences."""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from fourfold import FourfoldError, InvalidValueError, UnknownNodeError, __version__
from fourfold.lens.rows import LONGEST_NAME
from fourfold.lens.session import Session
from fourfold.lens.state import Asked
from fourfold.markup import cut
from fourfold.plain_text import plain_text
from fourfold.questions.results import title
from fourfold.types import COMPONENTS

FOLDER = Path(__file__).parent

VIEWS = {
    "search": ("/", "Search"),
    "compare": ("/compare", "Side by side"),
    "judge": ("/judge", "Judge"),
    "measure": ("/measure", "Measure and tune"),
    "graph": ("/graph", "Graph"),
}
"""The views of the bar on top: address and name."""

GREEK = dict(zip(COMPONENTS, "αβγδ", strict=True))

HEADERS = {
    # no inline script, no inline style, nothing from elsewhere
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",  # "no-referrer" would make a browser send "Origin: null" with our own forms
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
"""What every answer says to the browser."""


def _plain(value: Any) -> Any:
    """Return what a template shows: text from nodes and addresses without what steers or hides; our own as it is."""
    return plain_text(value) if type(value) is str else value


class Pages:
    """Renders the templates over one session."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._secret = secrets.token_bytes(32)
        self._environment = Environment(
            loader=FileSystemLoader(FOLDER / "templates"),
            autoescape=True,
            finalize=_plain,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._environment.filters |= {
            "name": lambda text: cut(text, LONGEST_NAME),
            "called": title,
            "long": lambda text: cut(text, 600),
            "number": lambda value: f"{value:,}",
            "score": lambda value: f"{value:.3f}",
            "signed": lambda value: f"{value:+.3f}".replace("-", "−"),
            "json": lambda value: cut(json.dumps(value, ensure_ascii=False, default=str), 600),
        }
        self._environment.globals |= {
            "views": VIEWS,
            "components": COMPONENTS,
            "greek": GREEK,
            "version": __version__,
            "form_token": self.form_token,
        }

    def render(self, template: str, context: Mapping[str, Any], *, status: int = 200) -> Response:
        """Return a page, or a part of one."""
        text = self._environment.get_template(template).render({"session": self.session, **context})
        body = text.encode("utf-8", "replace")  # a question may hold what no page can be encoded with
        return HTMLResponse(body, status_code=status, headers={"cache-control": "no-store"})

    def form_token(self, page: str) -> str:
        """Return the word that a form of a page sends along: another site cannot know it, nor another page."""
        return hmac.new(self._secret, page.encode(), hashlib.sha256).hexdigest()

    def require_form_token(self, form: FormData, page: str) -> None:
        """Refuse a form that was not on our own page: the word is missing, or another page's."""
        given = form.get("form_token")
        if not isinstance(given, str) or not hmac.compare_digest(given.encode(), self.form_token(page).encode()):
            raise FormTokenError(
                "This form was made by another page, or before Lens was started anew; load the page again, and repeat."
            )

    def failed(self, request: Request, error: Exception) -> Response:
        """Return an error as the sentence it is."""
        status = next((status for kind, status in _STATUS.items() if isinstance(error, kind)), 400)
        part = "fragment" in request.query_params or request.headers.get("x-lens") == "part"
        try:
            asked = Asked.of(request.query_params)
        except FourfoldError:
            asked = Asked()
        context = {"sentence": str(error), "asked": asked, "view": ""}
        return self.render("_alert.html" if part else "error.html", context, status=status)


class FormTokenError(InvalidValueError):
    """A state-changing request did not come from the page it belongs to."""


class NoPageError(FourfoldError):
    """An address leads nowhere."""


_STATUS = {UnknownNodeError: 404, NoPageError: 404, FormTokenError: 403}
