"""doctor, mend: compare the stores, verify files, mend findings, restore what stores lost, accept losses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer
from rich.text import Text

from engine.shell.plain_json import print_json
from engine.shell.session import Commands, Session
from engine.shell.tables import table

if TYPE_CHECKING:
    from engine.lifecycle.finding import Finding
    from engine.lifecycle.mending.tally import MendReport
    from engine.lifecycle.remedies import Mended

MOST_FILES = 1_000_000

commands = Commands()


@commands.async_command("doctor", as_json=True)
async def doctor(
    here: Session,
    deep: Annotated[bool, typer.Option("--deep", help="Read the files and verify their hashes.")] = False,
    files: Annotated[int, typer.Option("--files", min=1, help="With --deep: read at most so many.")] = MOST_FILES,
    fix: Annotated[bool, typer.Option("--fix", help="Mend what can be mended without losing anything.")] = False,
    accept: Annotated[
        tuple[str, UUID] | None,
        typer.Option("--accept", metavar="KIND NODE", help="Accept a loss as the remedy says, if there is no backup."),
    ] = None,
) -> None:
    """Compare the stores; print findings with their remedies. Exit code 1 if there are any."""
    read = files if deep else 0
    async with here.engine() as (opened, progress):
        findings = await opened.doctor.examine(read_files=read, progress=progress)
        mended: tuple[Mended, ...] = ()
        if accept is not None:
            await opened.remedies.accept(*accept, findings)
        if fix:
            mended = await opened.remedies.fix(findings)
        if fix or accept is not None:
            findings = await opened.doctor.examine(read_files=read, progress=progress)
    if here.as_json:
        print_json(here.out, {"healthy": not findings, "findings": findings, "mended": mended})
    else:
        _print_findings(here, findings, mended)
    if findings:
        raise typer.Exit(1)


def _print_findings(here: Session, findings: list[Finding], mended: tuple[Mended, ...]) -> None:
    for one in mended:
        outcome = f"not mended: {one.failure}" if one.failure else "mended"
        here.line(f"{one.kind} at {one.node_id}: {outcome}" if one.node_id else f"{one.kind}: {outcome}")
    if not findings:
        return here.out.print("The stores agree; nothing is wrong.")
    shown = table("severity", "store", "subject", "problem", "remedy")
    for finding in findings:
        style = "red" if finding.severity == "error" else "yellow"
        cells = (finding.store, finding.subject, finding.problem, finding.remedy)
        shown.add_row(Text(finding.severity, style=style), *map(Text, cells))
    here.out.print(shown)


@commands.async_command("mend", as_json=True)
async def mend(
    here: Session,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be done.")] = False,
    accept_loss: Annotated[
        bool, typer.Option("--accept-loss", help="Go on without data that no store has any more; a list of it is kept.")
    ] = False,
    adopt: Annotated[
        bool,
        typer.Option(
            "--adopt", help="First adopt stores without a mark or with another installation's mark. Not with --dry-run."
        ),
    ] = False,
) -> None:
    """Restore in one store what another still has; allow writes again.

    Exit code 1 while writes are stopped, or if errors are left and no loss is accepted.
    """
    if adopt and dry_run:
        reason = "Stores are marked as soon as they are adopted; a dry run marks none."
        raise typer.BadParameter(reason, param_hint="--adopt")
    async with here.with_settings(adopt_stores=adopt).engine() as (engine, progress):
        report = await engine.mending.run(dry_run=dry_run, accept_loss=accept_loss, progress=progress)
    if here.as_json:
        print_json(here.out, report)
    else:
        _print_report(here, report)
    if report.stopped or (report.left and not accept_loss):
        raise typer.Exit(1)


def _print_report(here: Session, report: MendReport) -> None:
    verb = "would be mended" if report.dry_run else "mended"
    for kind, number in report.mended.items():
        here.out.print(f"{kind}: {number:,} {verb}.")
    if not report.mended:
        here.out.print("Nothing is to be mended.")
    for kind, number in report.surplus.items():
        here.out.print(f"{kind.replace('_', ' ')} in the graph, but not in Postgres: {number:,}.")
    if report.surplus_file:
        here.line(f"They were taken out of the graph and are listed in {report.surplus_file}.")
    for finding in report.left:
        here.line(f"Left: {finding.subject}: {finding.problem}; {finding.remedy}.")
    if report.lifted:
        here.out.print("Writing goes on.")
    if report.stopped:
        here.line(report.stopped, style="red")
