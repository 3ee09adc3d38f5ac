"""The documentation is right: its Python runs, its command lines parse, its links lead somewhere.

The Python blocks of a file run in order, in one namespace, in an empty folder. A block after ``<!-- no-test -->`` is
not run; one after ``<!-- needs PACKAGE -->`` only where that package is installed.
"""

import importlib.util
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from fourfold import RetrievalConfig
from fourfold.intent import classify

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md")), *sorted(ROOT.glob("adapters/*/README.md"))]
BLOCK = re.compile(r"(?:<!--\s*(?P<mark>[^>]*?)\s*-->\n+)?```(?P<language>\w+)\n(?P<code>.*?)^```$", re.M | re.S)
LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)#\s]+)")

pages = pytest.mark.parametrize("page", PAGES, ids=[page.relative_to(ROOT).as_posix() for page in PAGES])


def blocks(page: Path, *languages: str) -> list[str]:
    """Return the blocks to test, each at the line where it stands, so that a traceback points into the page."""
    text = page.read_text(encoding="utf-8")
    found = []
    for match in BLOCK.finditer(text):
        mark = match["mark"] or ""
        needed = mark.removeprefix("needs ").split() if mark.startswith("needs ") else []
        if match["language"] in languages and mark != "no-test" and all(map(installed, needed)):
            found.append("\n" * text.count("\n", 0, match.start("code")) + match["code"])
    return found


def installed(package: str) -> bool:
    try:
        return importlib.util.find_spec(package) is not None
    except ModuleNotFoundError:  # its parent package is missing
        return False


@pages
def test_python_runs(page, tmp_path):
    if page.relative_to(ROOT).as_posix() == "docs/tutorials/documents.md":
        pytest.skip("tests/test_newcomer.py walks it, with its command lines")
    code = blocks(page, "python")
    if not code:
        pytest.skip(f"{page.name} has no Python to run")
    program = "".join(f"exec(compile({block!r}, {str(page)!r}, 'exec'))\n" for block in code)
    done = subprocess.run(
        [sys.executable, "-W", "error::DeprecationWarning:__main__", "-c", program],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr


@pages
def test_command_lines_parse(page):
    from typer.main import get_command

    from fourfold.cli import create_app

    command = get_command(create_app())
    for block in blocks(page, "bash", "sh", "console"):
        for line in block.replace("\\\n", " ").splitlines():
            words = shlex.split(line.removeprefix("$ "), comments=True)
            if words[:1] == ["fourfold"]:
                with command.make_context("fourfold", words[1:]) as context:
                    name, subcommand, rest = command.resolve_command(context, [*context._protected_args, *context.args])
                    subcommand.make_context(name, list(rest), parent=context).close()


@pages
def test_links_lead_somewhere(page):
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_the_table_of_weights_is_that_of_the_code():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| \*?([\w ]+?)\*? \|.*?\|((?: \.\d+ \|){4})$", text, re.M))
    table = {name: tuple(float(cell) for cell in cells.strip(" |").split("|")) for name, cells in rows.items()}
    config = RetrievalConfig()
    assert table.pop("global weights") == config.fusion.weights.as_tuple()
    assert table == {spec.name: spec.profile.as_tuple() for spec in config.intents.specs}
    examples = dict(re.findall(r"^\| (\w+) \| (.+?) \| \.", text, re.M))
    for intent in table:  # other tables have numbers in their second column, too
        question = examples[intent]
        if "ten words" not in question:
            assert classify(question.strip("`"), config.intents.specs) == intent, question


def test_the_blocks_are_found():
    assert len(blocks(ROOT / "README.md", "python")) >= 2
