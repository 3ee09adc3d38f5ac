"""What a write of documents did, and what it left out."""

from __future__ import annotations

from dataclasses import dataclass, field


def printable(text: str) -> str:
    """Return a text with its control characters spelled out: a file's name may hold those that steer a terminal."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that was left out, and why, in a sentence."""

    where: str
    what: str

    def __str__(self) -> str:
        return printable(f"{self.where}: {self.what}")


@dataclass(slots=True)
class Report:
    """What a write did.

    Attributes:
        added: new and changed documents.
        unchanged: documents that were there already.
        removed: documents that were deleted.
        problems: what is broken: left out, or read with faults.
        passed_over: all that was not read: what is broken, and what no reader is for.
        left_out: the ids of documents that were given and are not in the graph as they were given.

    """

    added: int = 0
    unchanged: int = 0
    removed: int = 0
    problems: list[Problem] = field(default_factory=list)
    passed_over: list[Problem] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)

    def leave_out(self, where: str, what: str, document: str | None = None) -> None:
        """Note something broken that is not read, and the id of the document that it is."""
        self.problems.append(Problem(where, what))
        self.passed_over.append(Problem(where, what))
        if document is not None:
            self.left_out.append(document)

    def reasons(self) -> list[tuple[str, list[str]]]:
        """Return each reason of ``passed_over`` with the places it is given for, the most frequent first."""
        places: dict[str, list[str]] = {}
        for problem in self.passed_over:
            places.setdefault(problem.what, []).append(problem.where)
        return sorted(places.items(), key=lambda item: -len(item[1]))

    def __str__(self) -> str:
        counts = f"{self.added} added or changed, {self.unchanged} unchanged, {self.removed} removed"
        broken = set(self.problems)
        others = sum(problem not in broken for problem in self.passed_over)
        passed_over = [f"{others} passed over, see passed_over"] if others else []
        return "\n".join([counts, *map(str, self.problems), *passed_over])
