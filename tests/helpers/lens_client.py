"""Lens asked over HTTP without a browser, and what its pages are read by."""

import re
from html import unescape

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
    scripts = re.findall(r"<script[^>]*>", text)
    assert all('src="/static/' in script for script in scripts), scripts
    assert not re.search(r"<img|\son\w+=|style=|javascript:[^\s]*[\"']\s*>", re.sub(r">[^<]*<", "><", text))
    assert not re.search(r'(?:href|src|action)="(?!/|#|\?)', text)
    assert "\u202e" not in text and "\x07" not in text and "\x1b" not in text
    assert len(text) < 200_000


def bound(page: str) -> str:
    """Return the word that binds a form to its page."""
    return re.search(r'name="bound" value="(\w+)"', page)[1]
