"""Try the wheels with the lowest or the newest supported versions of what they depend on.

    python scripts/supported_versions.py lowest
    python scripts/supported_versions.py newest

Builds the four distributions, installs their wheels into a fresh environment and asks the same question by the
library, by LangChain, by LlamaIndex and by MCP. ``lowest`` pins every direct dependency to the lowest version that a
pyproject.toml allows. Needs PyPI, and here: build, hatchling, hatch-fancy-pypi-readme and packaging.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import tomllib
import venv
from collections.abc import Iterator
from pathlib import Path

from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).parent.parent
PACKAGES = [ROOT, *(path.parent for path in sorted((ROOT / "adapters").glob("*/pyproject.toml")))]
EXTRAS = {"fourfold": ("cli", "ingest")}
"""Extras of the core that users install; what the others need is as new as its makers say."""

PROGRAM = """
import asyncio
from fourfold import Edge, Node, Retriever
from fourfold.tools import ToolCatalog
from fourfold_mcp import make_server
from langchain_fourfold import FourfoldRetriever as ForLangChain
from llama_index.retrievers.fourfold import FourfoldRetriever as ForLlamaIndex

nodes = [Node("w", name="write_file", text="Save data to a file."), Node("p", name="resolve_path"), Node("b", "banana")]
with Retriever("kg.sqlite") as graph:
    graph.add(nodes, [Edge("w", "p", "requires")])
    assert graph.search("save data").ids[0] == "w"
    assert graph.explain("save data", "p").contributions
    assert ForLangChain(retriever=graph).invoke("save data")[0].id == "w"
    assert ForLlamaIndex(retriever=graph).retrieve("save data")[0].node.node_id == "w"
    found = asyncio.run(make_server(ToolCatalog(graph)).call_tool("search_tools", {"query": "save data"}))
    assert "write_file" in str(found)
"""


def lowest() -> Iterator[str]:
    """Yield ``name==version`` for the lower bound of each direct dependency; of several bounds the highest counts."""
    bounds: dict[str, Version] = {}
    for package in PACKAGES:
        project = tomllib.loads((package / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        extras = project.get("optional-dependencies", {})
        for line in [*project["dependencies"], *(x for e in EXTRAS.get(project["name"], ()) for x in extras[e])]:
            requirement = Requirement(line)
            least = [Version(bound.version) for bound in requirement.specifier if bound.operator in (">=", "==", "~=")]
            if requirement.name != "fourfold" and least:
                bounds[requirement.name] = max([*least, bounds.get(requirement.name, Version("0"))])
    for name, version in sorted(bounds.items()):
        yield f"{name}=={version}"


def main() -> None:
    """Build, install and ask; the exit code says whether all went well."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("which", choices=["lowest", "newest"])
    which = parser.parse_args().which
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for package in PACKAGES:
            subprocess.run(
                [sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", folder / "dist", package],
                check=True,
                stdout=subprocess.DEVNULL,
            )
        venv.create(folder / "venv", with_pip=True)
        python = folder / "venv" / "bin" / "python"
        pinned = list(lowest()) if which == "lowest" else []
        (folder / "constraints.txt").write_text("\n".join(pinned))
        wheels = sorted((folder / "dist").glob("*.whl"))
        named = [f"{wheel}[cli,ingest]" if wheel.name.startswith("fourfold-") else str(wheel) for wheel in wheels]
        install = [
            python,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--no-compile",
            "--prefer-binary",
        ]
        subprocess.run([*install, "--constraint", folder / "constraints.txt", *named], check=True)
        subprocess.run([python, "-m", "pip", "check"], check=True)
        own = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        subprocess.run([python, "-c", PROGRAM], check=True, cwd=folder, env=own)
        frozen = subprocess.run([python, "-m", "pip", "freeze"], check=True, capture_output=True, text=True).stdout
    direct = {line.partition("==")[0].lower() for line in lowest()}
    used = [line for line in frozen.splitlines() if line.partition("==")[0].lower() in direct]
    print(f"The {which} supported versions work: {', '.join(used)}.")


if __name__ == "__main__":
    main()
