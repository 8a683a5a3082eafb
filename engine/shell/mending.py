"""mend: restore what stores lost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from engine.shell.plain_json import print_json
from engine.shell.session import Commands, Session

if TYPE_CHECKING:
    from engine.lifecycle.mending.tally import MendReport

commands = Commands()


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
        told = "Stores are marked as soon as they are adopted; a dry run marks none."
        raise typer.BadParameter(told, param_hint="--adopt")
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
