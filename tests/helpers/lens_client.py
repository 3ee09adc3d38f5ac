"""Lens asked over HTTP without a browser, and what its pages are read by."""

import re
from html import unescape
from html.parser import HTMLParser

from starlette.testclient import TestClient

from fourfold.lens import Lens

BASE = "http://127.0.0.1:8044"


def client_of(lens: Lens, **options) -> TestClient:
    return TestClient(lens.app(**options), base_url=BASE, raise_server_exceptions=True)


def names(text: str) -> list[str]:
    """Return the names of the hits on a page, in their order."""
    found = re.findall(r'<h2><a href="[^"]*"><bdi>(.*?)</bdi></a>', text)
    return [unescape(re.sub("</?mark>", "", name)) for name in found]


def assert_harmless(text: str) -> None:
    """Fail where a page has more than our own elements: what nodes hold must be text, or the value of an attribute."""
    reader = _Elements()
    reader.feed(text)
    for name, attributes in reader.found:
        assert name not in ("img", "iframe", "object", "embed", "style", "base", "video", "audio"), name
        if name == "script":
            assert attributes["src"].startswith("/static/"), attributes
        for key, value in attributes.items():
            assert not key.startswith("on") and key not in ("style", "srcdoc"), (name, key)
            if key in ("href", "src", "action", "formaction", "xlink:href"):
                assert value[0] in "/#?" and not value.startswith("//"), (name, key, value)
    assert not any(character in text for character in "\u202e\x07\x1b\x00")
    assert len(text) < 200_000


class _Elements(HTMLParser):
    """Collects every element of a page with its attributes."""

    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))


def form_token_of(page: str) -> str:
    """Return the word that binds a form to its page."""
    return re.search(r'name="form_token" value="(\w+)"', page)[1]
