"""Texts on the command line: what ``fourfold index`` does with folders and with files that are no graph."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.progress import Progress
from rich.table import Table
from rich.text import Text

from fourfold import InvalidValueError, Retriever
from fourfold.cli import output
from fourfold.ingest import Report, index_paths
from fourfold.ingest.readers import READERS
from fourfold.ingest.report import printable

_SHOWN = 20
"""Most reasons that the table of what was passed over lists."""


def index(
    retriever: Retriever,
    paths: Sequence[Path],
    progress: Progress,
    *,
    max_bytes: int,
    follow_links: bool,
    allow_empty: bool,
) -> Report:
    """Make the file hold the texts of folders and files.

    Raises:
        InvalidValueError: there was nothing to read in any of them, and nothing to remove either.

    """
    reading = progress.add_task("Reading", total=None)
    report = index_paths(
        retriever,
        paths,
        max_bytes=max_bytes,
        follow_links=follow_links,
        allow_empty=allow_empty,
        progress=lambda done, total: progress.update(reading, completed=done, total=total),
    )
    progress.remove_task(reading)
    if not report.added and not report.unchanged and not report.removed:
        reasons = [f"{_count(places)}: {what}" for what, places in report.reasons()[:3]]
        raise InvalidValueError(
            f"Nothing could be read in {', '.join(map(str, paths))}. {' '.join(reasons) or 'There is no file.'} "
            f"Read are files that end in {', '.join(READERS)}."
        )
    return report


def show(report: Report) -> None:
    """Tell what was added, changed and removed, and what was passed over and why."""
    for fault in report.problems:
        if fault not in report.passed_over:
            output.say(str(fault))
    console = output.stdout()
    console.print(f"{report.added:,} added or changed, {report.unchanged:,} unchanged, {report.removed:,} removed.")
    reasons = report.reasons()
    if not reasons:
        return
    table = Table(box=None, padding=(0, 1), header_style="dim", title_justify="left", title_style="")
    table.add_column("passed over", justify="right", no_wrap=True)
    table.add_column("why", overflow="fold")
    table.add_column("where", overflow="fold")
    for what, places in reasons[:_SHOWN]:
        more = f" and {len(places) - 1:,} more" if len(places) > 1 else ""
        table.add_row(f"{len(places):,}", *(Text(printable(part)) for part in (what, places[0] + more)))
    console.print(table)
    if len(reasons) > _SHOWN:
        console.print(f"{len(reasons) - _SHOWN:,} more reasons; --json lists every file.")


def _count(places: Sequence[Any]) -> str:
    return f"{places[0]}" if len(places) == 1 else f"{len(places):,} files"
