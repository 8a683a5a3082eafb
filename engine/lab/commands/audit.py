"""audit: tests of the access rules, on a temporary home; no stored data is touched."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from engine.progress import counted
from engine.shell.plain_json import write_json
from engine.shell.session import Commands, Session
from engine.shell.tables import table

if TYPE_CHECKING:
    from engine.lab.leaks.fuzzer import LeakReport

SHOWN = 20
"""Leaks that are printed; the JSON holds all."""

audits = Commands("audit", "Test the access rules, on a temporary home.")


@audits.async_command("leaks")
async def leaks(
    here: Session,
    operations: Annotated[int, typer.Option("--operations", min=1, max=1_000_000, help="How many to run.")] = 10_000,
    seed: Annotated[int, typer.Option("--seed", help="The same seed draws the same operations.")] = 1,
    out: Annotated[Path | None, typer.Option("--json", metavar="OUT", help="Write JSON into this file.")] = None,
) -> None:
    """Run random operations as all kinds of principals and compare every answer with the rules; compare what readers get before
    and after each kind of change that is hidden from them. Exit code 1 on a leak."""
    # Imported late: they import the whole engine.
    ground = import_module("engine.lab.benchmarks.ground")
    fuzzer = import_module("engine.lab.leaks.fuzzer")
    interference = import_module("engine.lab.leaks.interference")
    embedded = {"neo4j_url": None, "postgres_url": None, "openai_api_key": None, "language_model": None}
    scratch = here.with_settings(home=Path(tempfile.mkdtemp(prefix="neurigraph-audit-")), **embedded).settings
    with here.progress() as progress:
        async with ground.empty_ground(scratch, progress) as opened:
            report: LeakReport = await fuzzer.fuzz(opened.engine, count=operations, seed=seed, progress=progress)
            changed = await interference.interferences(opened.engine, progress=progress)
            report = replace(report, interferences=tuple(changed))
    _print_leaks(here, report)
    if out is not None:
        write_json(out, report)
    if report.leaks or report.interferences:
        raise typer.Exit(1)


def _print_leaks(here: Session, report: LeakReport) -> None:
    shown = table("operation", "asked", right=("asked",))
    for kind, asked in report.by_kind.items():
        shown.add_row(kind, f"{asked:,}")
    here.out.print(shown)
    for leak in report.leaks[:SHOWN]:
        here.line(f"LEAK (seed {leak.seed}) {leak.operation} by {leak.asker}: {leak.wrong}", style="red")
    for one in report.interferences[:SHOWN]:
        here.line(f"LEAK after {one.change}: {one.reader} gets another answer to {one.read}", style="red")
    leaks = len(report.leaks) + len(report.interferences)
    found = counted(leaks, "leak") if leaks else "no leak"
    things = ((report.nodes, "node"), (report.records, "record"), (report.grants, "grant"))
    world = ", ".join(counted(number, unit) for number, unit in things)
    line = f"{counted(report.operations, 'operation')} on {world} in {report.seconds:.0f} s: {found}."
    here.line(f"\n{line}", style="bold red" if leaks else "bold green")
