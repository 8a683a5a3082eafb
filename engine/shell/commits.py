"""commits: commits that failed too often and were set aside."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer

from engine.shell.session import Commands, Session
from engine.shell.tables import print_list

if TYPE_CHECKING:
    from engine.domain.commit import CommitOutcome

CommitId = Annotated[UUID, typer.Argument(metavar="COMMIT", help="As `neurigraph commits list` shows it.")]

Of = Annotated[str | None, typer.Option("--user", metavar="HANDLE", help="Of this user's graph; without it, of all.")]

commits = Commands("commits", "Commits that were set aside: list, retry, discard.")


@commits.async_command("list", as_json=True)
async def list_commits(here: Session, user: Of = None) -> None:
    """List the commits that are set aside, at most 500. Exit code 1 when there are some."""
    async with here.either(user, whole=user is None) as either:
        found = await either.commits.list(limit=500)
    rows = []
    for one in found:
        cause = f"waits for {', '.join(map(str, one.waits_for))}" if one.waits_for else one.cause
        subject = f"{one.kind}: {one.subject}" if one.subject else one.kind
        rows.append((one.commit_id, one.handle, subject, f"{one.created_at:%Y-%m-%d %H:%M}", one.attempts, cause))
    print_list(here, found, ("commit", "user", "writes", "since", "attempts", "cause"), rows, "No commit is set aside.")
    if found:
        raise typer.Exit(1)


@commits.async_command("retry", as_json=True)
async def retry(here: Session, commit_id: CommitId, user: Of = None) -> None:
    """Retry a commit now. Exit code 1 if it fails again; recovery then goes on retrying."""
    async with here.either(user, whole=user is None) as either:
        outcome = await either.commits.retry(commit_id)
    _print_outcome(here, outcome)
    if outcome.state != "done":
        raise typer.Exit(1)


@commits.async_command("discard", as_json=True)
async def discard(
    here: Session,
    commit_id: CommitId,
    user: Of = None,
    reason: Annotated[str, typer.Option("--reason", help="Why, for the log.")] = "",
) -> None:
    """Undo a commit: a node's name is free again, records can be stored again, a grant is revoked."""
    async with here.either(user, whole=user is None) as either:
        _print_outcome(here, await either.commits.discard(commit_id, reason))


def _print_outcome(here: Session, outcome: CommitOutcome) -> None:
    cause = f" ({outcome.cause})" if outcome.cause else ""
    here.answer(outcome, f"{outcome.commit_id}: {outcome.state}{cause}")
