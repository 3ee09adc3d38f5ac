"""Judgements in and out: BEIR (queries.jsonl and qrels.tsv), TREC (topics and qrels), and files of probes."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from fourfold import InvalidValueError
from fourfold.encodings import marked, unread
from fourfold.evaluate import Judgements, load_judgements

Judged = Mapping[str, Mapping[str, float]]
"""Node id → grade by question."""

MOST_JUDGEMENTS = 20_000
"""Judgements that are taken from one import."""

FILES = {
    "queries.jsonl": "application/x-ndjson",
    "qrels.tsv": "text/tab-separated-values",
    "topics.tsv": "text/tab-separated-values",
    "qrels.txt": "text/plain",
}
"""What can be had: the first two are BEIR, the others TREC."""


def export(name: str, judged: Judged) -> str:
    """Return one of ``FILES``; questions are numbered from 1 in their order, in every file alike.

    Ids that hold a tab or a line break are left out: neither form can write them.
    """
    return "".join(_LINES[name](judged))


def read(questions: bytes, qrels: bytes) -> Judgements:
    """Return what was sent: questions as JSON Lines or as TREC topics, with qrels of three or four columns; or probes.

    Raises:
        InvalidValueError: a file is missing or cannot be read; the sentence names the line.

    """
    try:
        asked = questions.decode(marked(questions))
    except UnicodeDecodeError as error:
        raise InvalidValueError(f"The questions cannot be read: {unread(error)}.") from error
    if not asked.strip():
        raise InvalidValueError("No questions were sent; choose queries.jsonl, topics.tsv or a file of probes.")
    with tempfile.TemporaryDirectory() as folder:
        into = Path(folder)
        if not qrels.strip():
            (into / "probes.jsonl").write_text(asked, encoding="utf-8")
            found = _named(into / "probes.jsonl", into)
        else:
            lines = asked if asked.lstrip().startswith("{") else _from_topics(asked)
            (into / "queries.jsonl").write_text(lines, encoding="utf-8")
            (into / "qrels.tsv").write_bytes(qrels)
            found = _named(into, into)
    count = sum(len(query.relevant) for query in found)
    if count > MOST_JUDGEMENTS:
        raise InvalidValueError(
            f"The files hold {count:,} judgements, {MOST_JUDGEMENTS:,} at most are taken here; "
            "use fourfold tune with the folder instead."
        )
    return found


def _named(path: Path, folder: Path) -> Judgements:
    """Read judgements; an error does not name the folder that nobody knows."""
    try:
        return load_judgements(path)
    except InvalidValueError as error:
        raise InvalidValueError(str(error).replace(f"{folder}/", "").replace(str(folder), "the files")) from None


def _from_topics(topics: str) -> str:
    """Return TREC topics, an id and a question on each line with a tab between them, as JSON Lines."""
    records = []
    for number, line in enumerate(topics.splitlines(), 1):
        if not line.strip():
            continue
        identity, tab, text = line.partition("\t")
        if not tab or not text.strip():
            raise InvalidValueError(f"Line {number} of the questions is no id, a tab and a question.")
        records.append(json.dumps({"_id": identity.strip(), "text": text.strip()}))
    return "\n".join(records)


def _queries(judged: Judged) -> Iterator[str]:
    for number, question in enumerate(judged, 1):
        yield json.dumps({"_id": str(number), "text": question}, ensure_ascii=False) + "\n"


def _topics(judged: Judged) -> Iterator[str]:
    for number, question in enumerate(judged, 1):
        yield f"{number}\t{' '.join(question.split())}\n"


def _qrels(judged: Judged) -> Iterator[str]:
    yield "query-id\tcorpus-id\tscore\n"
    for number, node_id, grade in _rows(judged):
        yield f"{number}\t{node_id}\t{grade}\n"


def _trec_qrels(judged: Judged) -> Iterator[str]:
    for number, node_id, grade in _rows(judged):
        yield f"{number}\t0\t{node_id}\t{grade}\n"


def _rows(judged: Judged) -> Iterator[tuple[int, str, str]]:
    for number, grades in enumerate(judged.values(), 1):
        for node_id, grade in grades.items():
            if len(node_id.splitlines()) == 1 and "\t" not in node_id:
                yield number, node_id, repr(float(grade)).removesuffix(".0")


_LINES = {"queries.jsonl": _queries, "qrels.tsv": _qrels, "topics.tsv": _topics, "qrels.txt": _trec_qrels}
