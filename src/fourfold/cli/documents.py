"""Folders of texts on the command line: what ``fourfold index FOLDER`` does."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from fourfold import Retriever
from fourfold.cli import output
from fourfold.ingest import index_folder


def index(folder: Path, db: Path, model: str | None, json: bool) -> None:
    """Make the file hold the texts of a folder, and tell what was added, removed and left out."""
    with output.progress_bar() as progress, Retriever(db, embedder=model) as retriever:
        reading = progress.add_task("Reading", total=None)
        report = index_folder(
            retriever, folder, progress=lambda done, total: progress.update(reading, completed=done, total=total)
        )
        facts = retriever.info()
    if json:
        output.emit_json({**asdict(report), **facts})
        return
    for problem in report.problems:
        output.say(str(problem))
    console = output.stdout()
    console.print(f"{report.added:,} added or changed, {report.unchanged:,} unchanged, {report.removed:,} removed.")
    console.print(f"{db} now holds {facts['nodes']:,} nodes and {facts['edges']:,} edges.", soft_wrap=True)
