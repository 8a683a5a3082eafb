"""archive: everything of a user in one file, and a user made of one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer
from rich.filesize import decimal

from engine.domain.archive import ArchivePart, PartKind
from engine.domain.principal import Principal, PrincipalKind
from engine.progress import counted
from engine.shell.options import Handle, path_named
from engine.shell.session import Commands, Session, the_user

if TYPE_CHECKING:
    from engine.domain.archive import ArchiveReport

archives = Commands("archive", "Archives: everything of a user in one file, readable without Neurigraph.")
USERS = 100
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
    node: Annotated[UUID | None, typer.Option("--node", help="Only this node, with all that lies below it.")] = None,
    source: Annotated[
        str | None, typer.Option("--source", help="Only this source, by the id that was given for it.")
    ] = None,
    entity: Annotated[
        UUID | None, typer.Option("--entity", help="Only this entity, and the records that mention it.")
    ] = None,
) -> None:
    """Write all of a user into one file. Interrupted, the same command goes on with FILE.part. Exit code 1 if files were lost.

    What is of a part, or for a reader, can be read, not imported."""
    async with here.engine() as (engine, progress):
        owner = await the_user(engine, user)
        readers: dict[PrincipalKind, UUID | None] = {"persona": persona, "third_party": integration}
        chosen = _chosen(owner.user_id, readers, {"node": node, "source": source, "entity": entity})
        work = engine.archives
        if isinstance(chosen, Principal):
            report = await work.export_shown(chosen, path, progress)
        elif chosen:
            report = await work.export_part(owner.user_id, chosen, path, progress)
        else:
            report = await work.export(owner.user_id, path, progress)
    lost = f"; {counted(report.missing, 'file')} could not be read, see manifest.json" if report.missing else ""
    here.answer(report, f"{path}: {_said(report)}{lost}.")
    if report.missing:
        raise typer.Exit(1)


@archives.async_command("export-all", as_json=True)
async def export_all(
    here: Session,
    folder: Annotated[
        Path, typer.Argument(parser=path_named, metavar="FOLDER", help="Where an archive of each user goes.")
    ],
) -> None:
    """Write an archive of each user of the workspace, USER-ID.zip. The same command goes on; those that are there stay."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    made: list[ArchiveReport] = []
    there = 0
    async with here.engine() as (engine, progress):
        after = ""
        while page := await engine.workspace.users.list(after=after, limit=USERS):
            after = page[-1].handle
            for user in page:
                path = folder / f"{user.user_id}.zip"
                if path.exists():
                    there += 1
                else:
                    made.append(await engine.archives.export(user.user_id, path, progress))
    lost = sum(one.missing for one in made)
    said = f"{counted(len(made), 'archive')} written to {folder}"
    said += f", {there} were there" if there else ""
    said += f"; {counted(lost, 'file')} could not be read, see manifest.json" if lost else ""
    here.answer(made, f"{said}.")
    if lost:
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


def _chosen(
    user_id: UUID, readers: Mapping[PrincipalKind, UUID | None], parts: Mapping[PartKind, UUID | str | None]
) -> Principal | ArchivePart | None:
    """For whom, or of what part, an archive is; None for all of the user."""
    chosen: list[Principal | ArchivePart] = [Principal(kind, one, user_id) for kind, one in readers.items() if one]
    chosen += [ArchivePart(kind, str(one)) for kind, one in parts.items() if one is not None]
    if len(chosen) > 1:
        raise typer.BadParameter("Name one persona, integration, node, source or entity.", param_hint="--node")
    return chosen[0] if chosen else None


def _said(report: ArchiveReport) -> str:
    lines = sum(number for name, number in report.counts.items() if name != "files in all")
    files = counted(report.counts["files in all"], "file")
    speed = decimal(int(report.size_bytes / max(report.seconds, 0.001)))
    return f"{counted(lines, 'line')} and {files}, {decimal(report.size_bytes)} in {report.seconds:.0f} s ({speed}/s)"
