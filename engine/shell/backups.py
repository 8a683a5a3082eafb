"""backup, restore: all three embedded stores together."""

from __future__ import annotations

from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.filesize import decimal

from engine.embedded import attached
from engine.progress import counted
from engine.shell import home_server
from engine.shell.session import Commands, Session

if TYPE_CHECKING:
    from engine.backup import BackupReport, RestoreReport
    from engine.lifecycle.doctor import Finding

commands = Commands()


@commands.async_command("backup", as_json=True)
async def backup(
    here: Session,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder that does not exist yet.")],
    verify: Annotated[
        bool, typer.Option("--verify", help="Restore it into a temporary home and run the doctor on it.")
    ] = False,
    base: Annotated[
        Path | None,
        typer.Option("--base", metavar="DIR", help="An earlier backup on the same disk: files that it has are linked."),
    ] = None,
) -> None:
    """Back up Neo4j, Postgres and the objects together; the servers stop briefly. Exit code 1 if --verify finds errors."""
    work = import_module("engine.backup")
    findings: list[Finding] = []
    served = home_server.is_there(here.settings)
    with here.progress() as progress:
        made: BackupReport = await work.back_up(here.settings, folder, base=base, progress=progress)
        if served:  # it ended with the servers
            async with attached(here.settings.home, here.settings.cache, progress=progress) as stack:
                await home_server.start(here.settings, stack)
        if verify:
            findings = await work.verified(here.settings, made.folder, progress=progress)
    size, seconds = decimal(made.size_bytes), f"{made.stopped_s:.0f} s"
    lines = [f"{counted(made.files, 'file')}, {size}, in {made.folder}; the servers were stopped for {seconds}."]
    lines += [f"{finding.severity}: {finding.subject}: {finding.problem}" for finding in findings]
    if verify and not findings:
        lines.append("Restored into a scratch home, the stores agree.")
    here.answer({"backup": made, "verified": verify, "findings": findings}, "\n".join(lines))
    if any(finding.severity == "error" for finding in findings):
        raise typer.Exit(1)


@commands.async_command("restore", as_json=True)
async def restore(
    here: Session,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A backup.")],
    force: Annotated[
        bool, typer.Option("--force", help="Also into a home with data; its data are moved aside.")
    ] = False,
    receipts: Annotated[
        list[Path] | None,
        typer.Option("--receipts", metavar="DIR", help="Also forget what the receipts in this folder say; repeatable."),
    ] = None,
) -> None:
    """Restore a backup into the home: all three stores, as they were, without what was forgotten since."""
    work = import_module("engine.backup").restore
    with here.progress() as progress:
        done: RestoreReport = await work(here.settings, folder, force=force, receipts=receipts or (), progress=progress)
    lines = [f"{here.settings.home} is as it was in {folder}. `neurigraph doctor` looks at it."]
    if done.forgotten is not None:
        times = counted(done.forgotten.applied, "forgetting")
        again = counted(done.forgotten.forgotten, "thing")
        lines.append(f"Since then there were {times}: {again} that came back with the backup were forgotten once more.")
        if done.forgotten.held:
            kept = counted(done.forgotten.held, "thing")
            lines.append(f"{kept} stay: a legal hold of the backup keeps them. Release it, then forget them again.")
    lines += [
        f"What was there before is in {place}; delete it when you no longer need it." for place in done.moved_aside
    ]
    here.answer({"home": here.settings.home, **asdict(done)}, "\n".join(lines))
