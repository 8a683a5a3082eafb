"""backup, restore: all three embedded stores together."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.filesize import decimal
from rich.text import Text

from engine.shell import session
from engine.shell.session import Session
from engine.shell.tables import counted

if TYPE_CHECKING:
    from engine.backup.backup import BackupReport
    from engine.lifecycle.doctor import Finding


def register(app: typer.Typer) -> None:
    """Adds the commands of this module."""
    app.command("backup")(backup)
    app.command("restore")(restore)


def backup(
    context: typer.Context,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder that does not exist yet.")],
    verify: Annotated[
        bool, typer.Option("--verify", help="Restore it into a temporary home and run the doctor on it.")
    ] = False,
) -> None:
    """Back up Neo4j, Postgres and the objects together; the servers stop briefly. Exit code 1 if --verify finds errors."""
    here = session.of(context)
    if here.run(_back_up(here, folder, verify)):
        raise typer.Exit(1)


async def _back_up(here: Session, folder: Path, verify: bool) -> bool:
    work = import_module("engine.backup.backup")
    findings: list[Finding] = []
    with here.progress() as progress:
        made: BackupReport = await work.back_up(here.settings, folder, progress=progress)
        if verify:
            findings = await work.verified(here.settings, made.folder, progress=progress)
    size, seconds = decimal(made.size_bytes), f"{made.stopped_s:.0f} s"
    here.out.print(
        f"{counted(made.files, 'file')}, {size}, in {made.folder}; the servers were stopped for {seconds}.",
        soft_wrap=True,
    )
    for finding in findings:
        here.out.print(Text(f"{finding.severity}: {finding.subject}: {finding.problem}"), soft_wrap=True)
    if verify and not findings:
        here.out.print("Restored into a scratch home, the stores agree.")
    return any(finding.severity == "error" for finding in findings)


def restore(
    context: typer.Context,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A backup.")],
    force: Annotated[
        bool, typer.Option("--force", help="Also into a home with data; its data are moved aside.")
    ] = False,
) -> None:
    """Restore a backup into the home: all three stores, as they were."""
    here = session.of(context)
    replaced = here.run(_restore(here, folder, force))
    here.out.print(f"{here.settings.home} is as it was in {folder}. `neurigraph doctor` looks at it.", soft_wrap=True)
    for place in replaced:
        here.out.print(f"What was there before is in {place}; delete it when you no longer need it.", soft_wrap=True)


async def _restore(here: Session, folder: Path, force: bool) -> list[Path]:
    with here.progress() as progress:
        work = import_module("engine.backup.restore").restore(here.settings, folder, force=force, progress=progress)
        replaced: list[Path] = await work
    return replaced
