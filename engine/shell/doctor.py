"""doctor: compare the stores, verify files, mend findings, accept losses."""

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
        here.line(f"{one.kind} at {one.node_id}: {outcome}")
    if not findings:
        return here.out.print("The stores agree; nothing is wrong.")
    shown = table("severity", "store", "subject", "problem", "remedy")
    for finding in findings:
        style = "red" if finding.severity == "error" else "yellow"
        cells = (finding.store, finding.subject, finding.problem, finding.remedy)
        shown.add_row(Text(finding.severity, style=style), *map(Text, cells))
    here.out.print(shown)
