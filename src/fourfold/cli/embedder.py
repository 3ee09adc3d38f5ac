"""The command about the embedder: ``train-embedder``."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.progress import TaskID

from fourfold import InvalidValueError, Retriever
from fourfold.cli import options, output
from fourfold.cli.saying import stopping
from fourfold.embed.contextual.training import Settings
from fourfold.evaluate.tune import as_applied
from fourfold.training import train_embedder


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command(name="train-embedder")(train_embedder_)


def train_embedder_(
    db: options.Db,
    seed: Annotated[int, typer.Option("--seed", min=0, help="One seed, one result.")] = 0,
    steps: Annotated[int, typer.Option("--steps", min=1, help="At most so many; fewer if nothing is gained.")] = (
        Settings().steps
    ),
    apply: Annotated[
        bool, typer.Option("--apply/--dry-run", help="Embed the graph with it, if held-out questions say so.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="With --apply: whatever held-out questions say; they are written down.")
    ] = False,
    json: options.Json = False,
) -> None:
    """Train an embedder on the graph's own edges, titles and texts; --apply embeds the graph with it.

    A tenth of them is held out: the file is changed only if that is found better than before. Interrupted, the same
    command goes on where it stopped.
    """
    if force and not apply:
        raise InvalidValueError("--force says how to apply; say --apply --force.")
    with Retriever(db, must_exist=True) as retriever, output.progress_bar() as bar:
        tasks: dict[str, TaskID] = {}

        def step(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = bar.add_task(what.capitalize(), total=total)
            bar.update(tasks[what], completed=done, total=total)

        settings = Settings(seed=seed, steps=steps)
        with stopping("Stopped; the graph is as it was, and the same command continues there."):
            found = train_embedder(retriever, settings=settings, apply=apply, force=force, progress=step)
    facts = {
        "verdict": found.verdict,
        "embedder": found.embedder.name,
        **found.facts,
        "applied": found.generation is not None,
    }
    if found.generation is not None:
        facts["verdict"] = as_applied(found.verdict)
    if json:
        output.emit_json(facts)
        return
    if found.worthwhile and not apply:
        facts["applied"] = "nothing yet; say --apply"
    held_out = facts.pop("held_out")
    for kind, numbers in held_out.items():
        facts[f"held-out {kind}"] = (
            f"{numbers['before']:.3f} → {numbers['after']:.3f} ({numbers['questions']} questions)"
        )
    output.show_facts(output.stdout(), facts)
