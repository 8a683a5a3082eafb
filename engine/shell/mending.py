"""mend, file quarantine, file return: restore what stores lost, list the quarantine, return files from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer
from rich.filesize import decimal
from rich.text import Text

from engine.errors import NotFound
from engine.shell import session
from engine.shell.options import AsJson
from engine.shell.plain_json import print_json
from engine.shell.session import Session
from engine.shell.tables import print_table

if TYPE_CHECKING:
    from engine.lifecycle.mending.tally import MendReport


def register(app: typer.Typer) -> None:
    """Adds the commands of this module."""
    app.command("mend")(mend)


def mend(
    context: typer.Context,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be done.")] = False,
    accept_loss: Annotated[
        bool, typer.Option("--accept-loss", help="Go on without data that no store has any more; a list of it is kept.")
    ] = False,
    adopt: Annotated[
        bool,
        typer.Option(
            "--adopt",
            help="First adopt stores without a mark or with another installation's mark. Not with --dry-run.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Restore in one store what another still has; allow writes again.

    Exit code 1 while writes are stopped, or if errors are left and no loss is accepted.
    """
    here = session.of(context)
    if adopt and dry_run:
        raise typer.BadParameter(
            "Stores are marked as soon as they are adopted; a dry run marks none.", param_hint="--adopt"
        )
    here = Session(here.settings.model_copy(update={"adopt_stores": adopt}), here.out, here.notes, here.debug)
    report = here.run(_mend(here, dry_run=dry_run, accept_loss=accept_loss))
    if as_json:
        print_json(here.out, report)
    else:
        _print_report(here, report)
    if report.stopped or (report.left and not accept_loss):
        raise typer.Exit(1)


async def _mend(here: Session, *, dry_run: bool, accept_loss: bool) -> MendReport:
    async with here.engine() as (engine, progress):
        return await engine.mending.run(dry_run=dry_run, accept_loss=accept_loss, progress=progress)


def _print_report(here: Session, report: MendReport) -> None:
    verb = "would be mended" if report.dry_run else "mended"
    for kind, number in report.mended.items():
        here.out.print(f"{kind}: {number:,} {verb}.")
    if not report.mended:
        here.out.print("Nothing is to be mended.")
    for kind, number in report.surplus.items():
        here.out.print(f"{kind.replace('_', ' ')} in the graph, but not in Postgres: {number:,}.")
    if report.surplus_file:
        here.out.print(f"They were taken out of the graph and are listed in {report.surplus_file}.", soft_wrap=True)
    for finding in report.left:
        here.out.print(Text(f"Left: {finding.subject}: {finding.problem}; {finding.remedy}."), soft_wrap=True)
    if report.lifted:
        here.out.print("Writing goes on.")
    if report.stopped:
        here.out.print(Text(report.stopped, style="red"), soft_wrap=True)


def quarantine(context: typer.Context, as_json: AsJson = False) -> None:
    """The files of no manifest that the sweep moved to quarantine."""
    here = session.of(context)

    async def work() -> None:
        async with here.engine() as (engine, _):
            files = [file async for file in engine.quarantine.listing()]
            days = engine.settings.quarantine_days
        if as_json:
            print_json(here.out, {"kept_days": days, "files": files})
            return
        rows = [(str(file.file_id or ""), f"{file.since:%Y-%m-%d}", decimal(file.size), file.key) for file in files]
        print_table(here, ("file", "since", "size", "key"), rows, "Nothing is in quarantine.")

    here.run(work())


def give_back(
    context: typer.Context,
    file: Annotated[UUID, typer.Argument(metavar="FILE", help="The file's id, from file quarantine.")],
) -> None:
    """Return a file from quarantine. One of no manifest is moved there again after the grace time."""
    here = session.of(context)

    async def work() -> None:
        async with here.engine() as (engine, _):
            returned = await engine.quarantine.give_back_files({file})
        if not returned:
            raise NotFound(f"There is no file {file} in quarantine.")
        here.out.print(f"File {file} is back.")

    here.run(work())
