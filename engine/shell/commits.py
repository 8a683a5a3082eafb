"""commits: commits that failed too often and were set aside."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer
from rich.table import Table

from engine.shell import session
from engine.shell.options import AsJson
from engine.shell.plain_json import print_json
from engine.shell.session import Session

if TYPE_CHECKING:
    from engine.domain.commit import CommitOutcome, CommitSummary

CommitId = Annotated[UUID, typer.Argument(metavar="COMMIT", help="As `neurigraph commits list` shows it.")]


def register(app: typer.Typer) -> None:
    """Adds the commands of this module."""
    commits = typer.Typer(no_args_is_help=True, help="Commits that were set aside: list, retry, discard.")
    commits.command("list")(list_commits)
    commits.command("retry")(retry)
    commits.command("discard")(discard)
    app.add_typer(commits, name="commits")


def list_commits(context: typer.Context, as_json: AsJson = False) -> None:
    """List the commits that are set aside, at most 500. Exit code 1 when there are some."""
    here = session.of(context)
    if here.run(_list(here, as_json)):
        raise typer.Exit(1)


async def _list(here: Session, as_json: bool) -> bool:
    async with here.workspace() as workspace:
        found = await workspace.commits.list(limit=500)
    if as_json:
        print_json(here.out, found)
    elif found:
        here.out.print(_table(found))
    else:
        here.out.print("No commit is set aside.")
    return bool(found)


def _table(found: tuple[CommitSummary, ...]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("commit", "user", "writes", "since", "attempts", "cause"):
        table.add_column(name, overflow="fold")
    for one in found:
        cause = f"waits for {', '.join(map(str, one.waits_for))}" if one.waits_for else one.cause
        subject = f"{one.kind}: {one.subject}" if one.subject else one.kind
        since = f"{one.created_at:%Y-%m-%d %H:%M}"
        table.add_row(str(one.commit_id), one.handle, subject, since, str(one.attempts), cause)
    return table


def retry(context: typer.Context, commit_id: CommitId, as_json: AsJson = False) -> None:
    """Retry a commit now. Exit code 1 if it fails again; recovery then goes on retrying."""
    here = session.of(context)
    outcome = here.run(_retry(here, commit_id))
    _print_outcome(here, outcome, as_json)
    if outcome.state != "done":
        raise typer.Exit(1)


async def _retry(here: Session, commit_id: UUID) -> CommitOutcome:
    async with here.workspace() as workspace:
        return await workspace.commits.retry(commit_id)


def discard(
    context: typer.Context,
    commit_id: CommitId,
    reason: Annotated[str, typer.Option("--reason", help="Why, for the log.")] = "",
    as_json: AsJson = False,
) -> None:
    """Undo a commit: a node's name is free again, records can be stored again, a grant is revoked."""
    here = session.of(context)
    _print_outcome(here, here.run(_discard(here, commit_id, reason)), as_json)


async def _discard(here: Session, commit_id: UUID, reason: str) -> CommitOutcome:
    async with here.workspace() as workspace:
        return await workspace.commits.discard(commit_id, reason)


def _print_outcome(here: Session, outcome: CommitOutcome, as_json: bool) -> None:
    if as_json:
        print_json(here.out, outcome)
    else:
        here.out.print(f"{outcome.commit_id}: {outcome.state}" + (f" ({outcome.cause})" if outcome.cause else ""))
