"""What users install: the wheels hold everything, agree with each other, and work in an environment of their own."""

import hashlib
import importlib
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import venv
import zipfile
from email.parser import Parser
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
PACKAGES = [ROOT, *(path.parent for path in sorted((ROOT / "adapters").glob("*/pyproject.toml")))]

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("wheel")]


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=600, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def build(packages, folder):
    """Build the source distribution of each package, and its wheel from that, as ``make dist`` does."""
    for package in packages:
        run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, package)
    return folder


@pytest.fixture(scope="module")
def distributions(tmp_path_factory):
    return build(PACKAGES, tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="module")
def wheels(distributions):
    return sorted(distributions.glob("*.whl"))


def test_versions_agree():
    projects = {package: tomllib.loads((package / "pyproject.toml").read_text())["project"] for package in PACKAGES}
    modules = ("fourfold", "langchain_fourfold", "llama_index.retrievers.fourfold", "fourfold_mcp")
    assert len(projects) == len(modules)
    (version,) = {project["version"] for project in projects.values()}
    assert {importlib.import_module(name).__version__ for name in modules} == {version}
    for package in PACKAGES[1:]:
        needed = [Requirement(line) for line in projects[package]["dependencies"]]
        (core,) = [requirement for requirement in needed if requirement.name == "fourfold"]
        assert core.specifier.contains(version), f"{package.name} does not take the fourfold of its own version"
        assert any(bound.operator == "<" for bound in core.specifier)
    assert {project["requires-python"] for project in projects.values()} == {">=3.11"}


def test_another_checkout_builds_the_same_bytes(distributions, tmp_path):
    passed_over = shutil.ignore_patterns(".git", ".venv", "__pycache__", ".*_cache", ".hypothesis", "dist", "site")
    copy = shutil.copytree(ROOT, tmp_path / "elsewhere" / "copy", ignore=passed_over, copy_function=shutil.copy)
    for path in copy.rglob("*"):  # another umask, another time
        path.chmod(path.stat().st_mode | 0o020)
        os.utime(path, (1e9, 1e9))
    again = build([copy / package.relative_to(ROOT) for package in PACKAGES], tmp_path / "dist")
    hashes = [
        {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}
        for folder in (distributions, again)
    ]
    assert hashes[0] == hashes[1]
    assert len(hashes[0]) == 2 * len(PACKAGES)


def test_the_wheel_is_complete(wheels):
    (wheel,) = [path for path in wheels if path.name.startswith("fourfold-")]
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        info = next(name for name in names if name.endswith(".dist-info/METADATA")).removesuffix("METADATA")
        metadata = Parser().parsestr(archive.read(f"{info}METADATA").decode())
        entry_points = archive.read(f"{info}entry_points.txt").decode()
    source = {
        path.relative_to(ROOT / "src").as_posix()
        for path in (ROOT / "src" / "fourfold").rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
    assert source <= names
    assert {
        "fourfold/py.typed",
        "fourfold/embed/model/model.safetensors",
        "fourfold/embed/model/tokenizer.json",
        "fourfold/embed/model/config.json",
        "fourfold/embed/model/LICENSE",
        "fourfold/embed/model/NOTICE",
        "fourfold/demo/stdlib_facts.toml",
        f"{info}licenses/LICENSE",
        f"{info}licenses/src/fourfold/embed/model/LICENSE",
        f"{info}licenses/src/fourfold/embed/model/NOTICE",
    } <= names
    assert not [name for name in names if not name.startswith(("fourfold/", info))]
    assert "fourfold = fourfold.cli:main" in entry_points
    assert metadata["Requires-Python"] == ">=3.11"
    needed = [line for line in metadata.get_all("Requires-Dist") if "extra ==" not in line]
    assert not [line for line in needed if line.startswith(("langchain", "llama", "typer", "torch"))]


def test_pages_on_pypi_have_no_link_that_leads_nowhere(wheels):
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as archive:
            name = next(name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
            page = str(Parser().parsestr(archive.read(name).decode()).get_payload())
        assert len(page) > 500
        assert re.findall(r"\]\((?!https?:|#|mailto:)[^)]+\)", page) == [], wheel.name


def needed_by(wheels):
    """Return the installed distributions that the wheels say they need, and those need, and no other."""
    left = []
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as archive:
            name = next(name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
            declared = Parser().parsestr(archive.read(name).decode()).get_all("Requires-Dist")
        left += [
            r for r in map(Requirement, declared) if applies(r, {"cli"} if wheel.name.startswith("fourfold-") else ())
        ]
    found, seen = {}, set()
    while left:
        requirement = left.pop()
        name = canonicalize_name(requirement.name)
        extras = frozenset(requirement.extras)
        if (name, extras) in seen or "fourfold" in name:  # those are the wheels
            continue
        seen.add((name, extras))
        found[name] = distribution(name)
        assert requirement.specifier.contains(found[name].version, prereleases=True), requirement
        left += [r for r in map(Requirement, found[name].requires or ()) if applies(r, extras)]
    return found.values()


def applies(requirement, extras):
    return requirement.marker is None or any(requirement.marker.evaluate({"extra": extra}) for extra in ("", *extras))


def put(distributions, packages):
    """Put the files of installed distributions into another environment, as links where there are any."""
    for file in {file for found in distributions for file in found.files}:
        target = packages / file
        if ".." not in file.parts and file.locate().is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file.locate(), target) if os.name == "nt" else target.symlink_to(file.locate())


def test_the_wheels_work_with_what_they_say_they_need_and_nothing_else(wheels, tmp_path):
    """In an environment of its own; what is needed is taken from this one, so that no index is asked."""
    venv.create(tmp_path / "venv", symlinks=os.name != "nt")
    python = tmp_path / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
    put(needed_by(wheels), Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip()))
    pip = (sys.executable, "-m", "pip", "--python", python, "--quiet", "--disable-pip-version-check")
    run(*pip, "install", "--no-compile", "--no-deps", *wheels)
    run(*pip, "check")
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as archive:
            names = [Path(name) for name in archive.namelist() if name.endswith("__init__.py")]
        package = ".".join(min(names, key=lambda path: len(path.parts)).parent.parts)
        run(python, "-W", "error", "-c", f"import {package}", cwd=tmp_path, env=env)
    graph = tmp_path / "g.jsonl"
    graph.write_text('{"id": "a", "name": "write_file", "text": "Save data to disk."}\n{"id": "b", "name": "banana"}\n')
    fourfold = python.with_name("fourfold")
    run(fourfold, "index", graph, "--db", tmp_path / "kg.sqlite", cwd=tmp_path, env=env)
    found = run(fourfold, "search", "save data", "--db", tmp_path / "kg.sqlite", "--json", cwd=tmp_path, env=env)
    assert json.loads(found)["hits"][0]["id"] == "a"
