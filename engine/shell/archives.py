"""archive: everything of a user in one file, and a user made of one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer
from rich.filesize import decimal

from engine.domain.principal import Principal
from engine.progress import counted
from engine.shell.options import Handle, path_named
from engine.shell.session import Commands, Session, the_user

if TYPE_CHECKING:
    from engine.domain.archive import ArchiveReport

archives = Commands("archive", "Archives: everything of a user in one file, readable without Neurigraph.")
File = Annotated[Path, typer.Argument(parser=path_named, metavar="FILE", help="The archive, a zip.")]


@archives.async_command("export", as_json=True)
async def export(
    here: Session,
    path: File,
    user: Handle = None,
    persona: Annotated[UUID | None, typer.Option("--persona", help="Only what this persona may read.")] = None,
    integration: Annotated[
        UUID | None, typer.Option("--integration", help="Only what this integration may read.")
    ] = None,
) -> None:
    """Write all of a user into one file. Interrupted, the same command goes on with FILE.part. Exit code 1 if files were lost."""
    async with here.engine() as (engine, progress):
        owner = await the_user(engine, user)
        reader = _reader(persona, integration, owner.user_id)
        work = engine.archives
        report = await (
            work.export_shown(reader, path, progress) if reader else work.export(owner.user_id, path, progress)
        )
    lost = f"; {counted(report.missing, 'file')} could not be read, see manifest.json" if report.missing else ""
    here.answer(report, f"{path}: {_said(report)}{lost}.")
    if report.missing:
        raise typer.Exit(1)


@archives.async_command("import", as_json=True)
async def restore(here: Session, path: File) -> None:
    """Make the user of an archive, as that was. Refused where the user, or the handle, is there already."""
    async with here.engine() as (engine, progress):
        report = await engine.archives.restore(path, progress)
    again = (
        " Vectors are made anew by a job: until then it is found by words." if "vectors" in report.derived_again else ""
    )
    here.answer(report, f"{report.handle}: {_said(report)}.{again}")


@archives.async_command("check", as_json=True)
async def check(here: Session, path: File) -> None:
    """Read all of an archive and compare it with its hashes; nothing is imported."""
    async with here.engine() as (engine, progress):
        manifest = await engine.archives.check(path, progress)
    lines = sum(one.lines for one in manifest.members.values())
    made = f"made at {manifest.made_at:%Y-%m-%d %H:%M} UTC by {manifest.principal}"
    here.answer(manifest, f"{path} is as it was written: {manifest.user.handle}, {counted(lines, 'line')}, {made}.")


def _reader(persona: UUID | None, integration: UUID | None, user_id: UUID) -> Principal | None:
    if persona and integration:
        raise typer.BadParameter("Name a persona or an integration.", param_hint="--integration")
    if persona:
        return Principal("persona", persona, user_id)
    return Principal("third_party", integration, user_id) if integration else None


def _said(report: ArchiveReport) -> str:
    lines = sum(number for name, number in report.counts.items() if name != "files in all")
    files = counted(report.counts["files in all"], "file")
    speed = decimal(int(report.size_bytes / max(report.seconds, 0.001)))
    return f"{counted(lines, 'line')} and {files}, {decimal(report.size_bytes)} in {report.seconds:.0f} s ({speed}/s)"
