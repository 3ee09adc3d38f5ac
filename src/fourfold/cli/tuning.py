"""Commands that learn from judged queries, and that suggest some: ``tune`` and ``probes``."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from fourfold import InvalidValueError, Retriever
from fourfold.cli import options, output
from fourfold.cli.evaluate import K, judged_by, progress
from fourfold.cli.saying import stopping
from fourfold.evaluate import save_probes, suggest_probes, tune
from fourfold.evaluate.tune import as_applied
from fourfold.presets import open_under

OptionalQueries = Annotated[
    Path | None,
    typer.Argument(
        help='A folder with queries.jsonl and qrels.tsv, or a file of lines {"query": …, "expected": [ID, …]}.',
        show_default="the feedback kept in the graph",
    ),
]


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.command(name="tune")(tune_)
    app.command()(probes)


def tune_(
    db: options.Db,
    queries: OptionalQueries = None,
    k: K = 10,
    apply: Annotated[
        bool, typer.Option("--apply/--dry-run", help="Keep what was learnt in the file, if it is better.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="With --apply: keep it whatever the gate says, with the evidence.")
    ] = False,
    rollback: Annotated[
        bool, typer.Option("--rollback", help="Go back to the config that the one in force took the place of.")
    ] = False,
    history: Annotated[bool, typer.Option("--history", help="Show every config applied so far.")] = False,
    model: options.Model = None,
    preset: options.Preset = None,
    json: options.Json = False,
) -> None:
    """Learn weights from 20 or more judged queries; applied only if better on queries they were not learnt from."""
    if force and not apply:
        raise InvalidValueError("--force says how to apply; say --apply --force.")
    wanted = {"--apply": apply, "--rollback": rollback, "--history": history}
    if sum(wanted.values()) > 1:
        raise InvalidValueError(f"{' and '.join(name for name in wanted if wanted[name])} are done one at a time.")
    with open_under(preset, db, embedder=model, read_only=not (apply or rollback), must_exist=True) as retriever:
        if (apply or rollback) and retriever.path == ":memory:":
            raise InvalidValueError(f"The graph is not made for {preset!r}; nothing of it can be applied there.")
        if rollback:
            _roll_back(retriever, json)
        elif history:
            _show_history(retriever, json)
        else:
            _tune(retriever, queries, k=k, apply=apply, force=force, json=json)


def probes(
    db: options.Db,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Write the probes to a file.", callback=options.to_write)
    ] = None,
    count: Annotated[int, typer.Option("--count", min=1, help="How many.")] = 50,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Which nodes they are made of.")] = 0,
    foreign: options.Foreign = False,
    json: options.Json = False,
) -> None:
    """Make trial questions from the graph itself, for a first measurement before people have judged any."""
    with open_under(None, db, read_only=True, foreign=foreign) as retriever:
        found = suggest_probes(retriever, count=count, seed=seed)
    if out is not None:
        save_probes(out, found)
        output.say(f"{len(found)} synthetic probes in {out}; look at them, and replace them by people's questions.")
    if json:
        output.emit_json([{"query": q.text, "expected": list(q.relevant), "synthetic": True} for q in found])
    elif out is None:
        table = Table("synthetic question", "expected", box=None)
        for query in found:
            table.add_row(query.text, ", ".join(query.relevant))
        output.stdout().print(table)


def _tune(retriever: Retriever, queries: Path | None, *, k: int, apply: bool, force: bool, json: bool) -> None:
    judged = judged_by(retriever, queries)
    begun_from = retriever.info()["config_version"]
    with stopping("Stopped; nothing was applied."), progress("tuning") as step:
        result = tune(retriever, judged.queries, k=k, progress=step)
    evidence = result.evidence(len(judged))
    facts: dict[str, Any] = {
        **evidence,
        "learnt": result.changes,
        "verdict": result.verdict,
        "notes": list(result.notes),
        "applied": None,
    }
    if apply and (result.worthwhile or (force and result.changes)):
        if not result.worthwhile:
            evidence |= {"forced": True, "verdict": result.verdict}
            facts["verdict"] = as_applied(result.verdict)
        facts["applied"] = retriever.learning.apply_config(result.config, evidence=evidence, over=begun_from)
    if json:
        figures: dict[str, Any] = {"in force": asdict(result.default), "tuned, held out": asdict(result.tuned)}
        figures |= {"gain": result.gain.mean, "lower bound": result.lower, "by chance": result.chance}
        output.emit_json(facts | figures)
        return
    facts["notes"] = " ".join(result.notes) or "none"
    facts["learnt"] = ", ".join(f"{name} = {value}" for name, value in result.changes.items()) or "nothing"
    if result.worthwhile and not apply:
        facts["applied"] = "nothing yet; say --apply"
    output.show_facts(output.stdout(), facts)


def _roll_back(retriever: Retriever, json: bool) -> None:
    in_force = retriever.learning.rollback_config()
    if json:
        output.emit_json({"in_force": in_force})
    else:
        output.say(f"In force is config version {in_force}.")


def _show_history(retriever: Retriever, json: bool) -> None:
    versions = retriever.learning.config_versions()
    in_force = retriever.info()["config_version"]
    if json:
        output.emit_json(
            {
                "in_force": in_force,
                "versions": [
                    {"number": v.number, "applied": v.applied, "changes": v.changes, "evidence": v.evidence}
                    for v in versions
                ],
            }
        )
        return
    table = Table("version", "applied", "changes", "evidence", box=None)
    table.add_row("0" + (" *" if in_force == 0 else ""), "", "the defaults", "")
    for v in versions:
        mark = " *" if v.number == in_force else ""
        evidence = ", ".join(f"{name} {as_applied(str(value))}" for name, value in v.evidence.items())
        table.add_row(f"{v.number}{mark}", v.applied, ", ".join(v.changes), evidence)
    output.stdout().print(table)
