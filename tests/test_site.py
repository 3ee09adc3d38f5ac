"""The site holds together: every page and every public name is in it, every link and anchor leads somewhere.

``make docs`` builds it and fails for any warning; here is what can be seen without building it.
"""

import importlib
import pkgutil
import re
import tomllib
from pathlib import Path

import pytest
import yaml

import fourfold

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.glob("**/*.md"))]
MANIFESTS = [ROOT / "pyproject.toml", *ROOT.glob("adapters/*/pyproject.toml")]
ADAPTERS = sorted((ROOT / "adapters").glob("*/README.md"))
FENCED = re.compile(r"^```.*?^```$", re.M | re.S)
HEADING = re.compile(r"^#+ (.+?)\s*$", re.M)
LINK = re.compile(r"\]\(([^)\s]+)\)")


INNER = {"fourfold.cli", "fourfold.present", "fourfold.signals"}
"""Rooms with names for the package's own use."""


def prose(page: Path) -> str:
    return FENCED.sub("", page.read_text(encoding="utf-8"))


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as Python-Markdown and GitHub make them."""
    words = (re.sub(r"[`*]|\]\([^)]*\)|\[", "", heading).lower() for heading in HEADING.findall(prose(page)))
    return {re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", heading).strip()) for heading in words}


def nav_pages(entries: list) -> list[str]:
    """Return the files that a navigation lists."""
    found = []
    for entry in entries:
        value = next(iter(entry.values())) if isinstance(entry, dict) else entry
        found += nav_pages(value) if isinstance(value, list) else [value]
    return found


def public_names() -> set[str]:
    """Return what is listed as public: the names in ``__all__`` of every package, and of every adapter."""
    names = [info.name for info in pkgutil.iter_modules(fourfold.__path__, "fourfold.") if info.ispkg]
    found = set()
    for name in ("fourfold", *names, "langchain_fourfold", "llama_index.retrievers.fourfold", "fourfold_mcp"):
        if name in INNER:
            continue
        module = importlib.import_module(name)
        found |= {f"{name}.{each}" for each in getattr(module, "__all__", ()) if each != "__version__"}
    return found


def named(path: str) -> object:
    """Return what a dotted path names."""
    module, _, name = path.rpartition(".")
    try:
        return importlib.import_module(path)
    except ModuleNotFoundError:
        return getattr(importlib.import_module(module), name)


def test_every_public_name_is_in_the_reference():
    listed = [
        name
        for page in (DOCS / "reference").glob("*.md")
        for name in re.findall(r"^::: (\S+)", page.read_text(encoding="utf-8"), re.M)
    ]
    there = [named(name) for name in listed]
    assert len(listed) == len(set(listed))
    missing = {name for name in public_names() - set(listed) if not any(named(name) is each for each in there)}
    assert not missing, f"Not on any page of docs/reference: {sorted(missing)}"
    assert all(each.__doc__ for each in there if callable(each)), "the reference is made from docstrings"


def test_the_navigation_lists_every_page_once():
    site = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    listed = nav_pages(site["nav"])
    assert sorted(listed) == sorted(page.relative_to(DOCS).as_posix() for page in PAGES if page.is_relative_to(DOCS))
    assert site["strict"] is True


@pytest.mark.parametrize("page", PAGES, ids=[page.relative_to(ROOT).as_posix() for page in PAGES])
def test_links_and_their_anchors_lead_somewhere(page):
    for target in LINK.findall(prose(page)):
        if re.match(r"https?:|mailto:", target):
            continue
        path, _, anchor = target.partition("#")
        there = (page.parent / path).resolve() if path else page
        assert there.exists(), f"{page.name} links to {target}"
        if anchor and there.suffix == ".md":
            assert anchor in anchors(there), f"{page.name} links to {target}; there are {sorted(anchors(there))}"
        if page.is_relative_to(DOCS):
            assert there.is_relative_to(DOCS), f"{page.name} links to {target}, which is no page of the site"


@pytest.mark.parametrize("page", ADAPTERS, ids=[page.parent.name for page in ADAPTERS])
def test_links_of_adapter_readmes_work_on_pypi(page):
    links = LINK.findall(prose(page))
    assert links
    assert all(re.match(r"https://|#", link) for link in links), links
    names = {tomllib.loads(each.read_text())["project"]["name"] for each in MANIFESTS}
    for link in links:
        if project := re.match(r"https://pypi\.org/project/([\w-]+)", link):
            assert project[1] in names, link


def test_this_test_sees_a_missing_anchor():
    assert "shadow-mode" in anchors(DOCS / "langchain.md")
    assert "options-per-call-and-by-configuration" in anchors(DOCS / "langchain.md")
    assert "nowhere" not in anchors(DOCS / "langchain.md")
