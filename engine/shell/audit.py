"""audit: tests of the access rules, on a temporary home; no stored data is touched."""

from __future__ import annotations

import tempfile
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table
from rich.text import Text

from engine.shell import session
from engine.shell.plain_json import write_json
from engine.shell.session import Session
from engine.shell.tables import counted

if TYPE_CHECKING:
    from engine.evaluation.leaks.fuzzer import LeakReport

SHOWN = 20
"""Leaks that are printed; the JSON holds all."""


def register(app: typer.Typer) -> None:
    """Adds the commands of this module."""
    audits = typer.Typer(name="audit", help="Test the access rules, on a temporary home.", no_args_is_help=True)
    audits.callback()(_begin)
    audits.command("leaks")(leaks)
    app.add_typer(audits)


def _begin() -> None:
    """Makes `leaks` a subcommand although it is the only one."""


def leaks(
    context: typer.Context,
    operations: Annotated[int, typer.Option("--operations", min=1, max=1_000_000, help="How many to run.")] = 10_000,
    seed: Annotated[int, typer.Option("--seed", help="The same seed draws the same operations.")] = 1,
    out: Annotated[Path | None, typer.Option("--json", metavar="OUT", help="Write JSON into this file.")] = None,
) -> None:
    """Run random operations as all kinds of principals and compare every answer with the rules. Exit code 1 on a leak."""
    here = session.of(context)
    report = here.run(_leaks(here, operations, seed))
    _print_leaks(here, report)
    if out is not None:
        write_json(out, report)
    if report.leaks:
        raise typer.Exit(1)


async def _leaks(here: Session, operations: int, seed: int) -> LeakReport:
    # Imported late: they import the whole engine.
    ground = import_module("engine.benchmarks.ground")
    fuzzer = import_module("engine.evaluation.leaks.fuzzer")
    embedded = {"neo4j_url": None, "postgres_url": None, "openai_api_key": None, "language_model": None}
    scratch = {"home": Path(tempfile.mkdtemp(prefix="neurigraph-audit-")), **embedded}
    settings = here.settings.model_copy(update=scratch)
    with here.progress() as progress:
        async with ground.empty_ground(settings, progress) as opened:
            report: LeakReport = await fuzzer.fuzz(opened.engine, count=operations, seed=seed, progress=progress)
    return report


def _print_leaks(here: Session, report: LeakReport) -> None:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("operation")
    table.add_column("asked", justify="right")
    for kind, asked in report.by_kind.items():
        table.add_row(kind, f"{asked:,}")
    here.out.print(table)
    for leak in report.leaks[:SHOWN]:
        line = f"LEAK (seed {leak.seed}) {leak.operation} by {leak.asker}: {leak.wrong}"
        here.out.print(Text(line, style="red"), soft_wrap=True)
    found = counted(len(report.leaks), "leak") if report.leaks else "no leak"
    world = f"{report.nodes} nodes, {report.records} records, {report.grants} grants"
    line = f"{counted(report.operations, 'operation')} on {world} in {report.seconds:.0f} s: {found}."
    here.out.print(Text(f"\n{line}", style="bold red" if report.leaks else "bold green"), soft_wrap=True)
