"""sessions, failure, commits, replay: ingest sessions and permanent failures; commits that failed too often and were set aside;
all records of a user rebuilt from raw inputs, beside the present ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer

from engine.domain.replay import Replay, ReplayComparison
from engine.progress import counted
from engine.shell.options import Handle
from engine.shell.plain_json import print_json
from engine.shell.session import Commands, Session, as_command, the_user
from engine.shell.tables import print_list, print_table, timestamp

if TYPE_CHECKING:
    from engine.domain.commit import CommitOutcome
    from engine.domain.ingest import Failure, FailureState, IngestSession

STYLES = {"failed": "red", "open": "red", "running": "cyan"}

FailureId = Annotated[UUID, typer.Argument(metavar="FAILURE", help="Its id, from failure list.")]
OfJobs = Annotated[bool, typer.Option("--jobs", help="Failures of background jobs instead of a user's.")]

sessions = Commands("sessions", "Ingest sessions: their sources and results.")
failures = Commands("failure", "Permanent failures: list, replay, dismiss.")

CommitId = Annotated[UUID, typer.Argument(metavar="COMMIT", help="As `neurigraph commits list` shows it.")]

Of = Annotated[str | None, typer.Option("--user", metavar="HANDLE", help="Of this user's graph; without it, of all.")]

commits = Commands("commits", "Commits that were set aside: list, retry, discard.")

REPLAY_STYLES = {"swapped": "green", "built": "cyan", "building": "cyan"}
ReplayId = Annotated[UUID, typer.Argument(metavar="REPLAY", help="Its id, from replay list.")]

replays = Commands("replay", "Rebuild all records of a user from raw inputs and kept answers; no model is called.")


@sessions.async_command("list", as_json=True)
async def list_sessions(
    here: Session,
    user: Handle = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=500, help="At most so many.")] = 20,
) -> None:
    """The newest ingest sessions of a user."""
    async with here.memory(user) as memory:
        found = await memory.ingests.list(limit=limit)
    rows = [(one.session_id, one.started_at, one.state, _stored(one), one.failure) for one in found]
    columns = ("session", "began", "state", "what", "failure")
    print_list(here, {"sessions": found}, columns, rows, "Nothing has come in yet.", STYLES)


@sessions.async_command("show", as_json=True)
async def show(
    here: Session,
    session_id: Annotated[UUID, typer.Argument(metavar="SESSION", help="Its id, from sessions list.")],
    user: Handle = None,
) -> None:
    """One session, and the result of each of its sources (the first 500)."""
    async with here.memory(user) as memory:
        one = await memory.ingests.get(session_id)
        sources = await memory.ingests.sources(session_id, limit=500)
    if here.as_json:
        return print_json(here.out, {"session": one, "sources": sources})
    here.line(f"{one.state}: {_stored(one)}, began {timestamp(one.started_at)}")
    rows = [
        (entry.source_id, entry.outcome, entry.units or "", ", ".join(map(str, entry.records)), entry.reason)
        for entry in sources
    ]
    print_table(here, ("source", "outcome", "units", "records", "why"), rows, "No source of it was stored.", STYLES)


@failures.async_command("list", as_json=True)
async def list_failures(
    here: Session,
    user: Handle = None,
    jobs: OfJobs = False,
    settled: Annotated[bool, typer.Option("--all", help="Include settled ones.")] = False,
) -> None:
    """The newest 100 permanent failures that are not settled."""
    state: FailureState | None = None if settled else "open"
    async with here.either(user, whole=jobs) as either:
        found = await either.failures.list(state=state)
    rows = [
        (one.failure_id, one.last_at, one.state, one.stage, one.subject, f"{one.cause}: {one.detail}") for one in found
    ]
    columns = ("failure", "last", "state", "stage", "what", "why")
    print_list(here, {"failures": found}, columns, rows, "No open failures.", STYLES)


@failures.async_command("replay", as_json=True)
async def replay(here: Session, failure: FailureId, user: Handle = None, jobs: OfJobs = False) -> None:
    """Replay a failure: read the source from its file and store it, or request a run of the job."""
    async with here.either(user, whole=jobs) as either:
        _print_state(here, await either.failures.replay(failure))


@failures.async_command("dismiss", as_json=True)
async def dismiss(
    here: Session,
    failure: FailureId,
    user: Handle = None,
    jobs: OfJobs = False,
    note: Annotated[str, typer.Option("--note", help="Why, in one line.")] = "",
) -> None:
    """Dismiss a failure."""
    async with here.either(user, whole=jobs) as either:
        _print_state(here, await either.failures.dismiss(failure, note))


def _print_state(here: Session, failure: Failure) -> None:
    waits = " until a run succeeds" if failure.stage == "job" and failure.state == "open" else ""
    here.answer(failure, f"{failure.subject}: {failure.state}{waits}.")


def _stored(one: IngestSession) -> str:
    stored = ((one.turns, "turn"), (one.files, "file"), (one.records, "record"))
    counts = [counted(number, unit) for number, unit in stored if number]
    others = (
        (one.superseded, "superseded"),
        (one.skipped, "skipped"),
        (one.failed, "failed"),
        (one.pending, "written without vectors"),
    )
    counts += [f"{number:,} {state}" for number, state in others if number]
    return ", ".join(counts) or "nothing"


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


async def rebuild(
    here: Session,
    user: Handle = None,
    swap_at_once: Annotated[bool, typer.Option("--swap", help="Swap it when it is built.")] = False,
) -> None:
    """Build a replay, or resume the open one, and show what a swap would change."""
    async with here.operations() as (engine, progress):
        memory = engine.memory((await the_user(engine, user)).user_id)
        one = await memory.replays.build((await memory.replays.begin()).replay_id, progress)
        compared = await memory.replays.compare(one.replay_id)
        if swap_at_once:
            one = await memory.replays.swap(one.replay_id)
    _print_compared(here, one, compared)


replays.callback(invoke_without_command=True, no_args_is_help=False)(as_command(rebuild, as_json=True))


@replays.async_command("list", as_json=True)
async def list_replays(here: Session, user: Handle = None) -> None:
    """The newest replays of a user."""
    async with here.memory(user) as memory:
        found = await memory.replays.list()
    rows = [(one.replay_id, one.began_at, one.state, _counted(one)) for one in found]
    print_list(here, {"replays": found}, ("replay", "began", "state", "what"), rows, "No replays yet.", REPLAY_STYLES)


@replays.async_command("show", as_json=True)
async def show_replay(here: Session, replay_id: ReplayId, user: Handle = None) -> None:
    """Show a replay and what a swap would change."""
    async with here.memory(user) as memory:
        one, compared = await memory.replays.get(replay_id), await memory.replays.compare(replay_id)
    _print_compared(here, one, compared)


@replays.async_command("swap", as_json=True)
async def swap(here: Session, replay_id: ReplayId, user: Handle = None) -> None:
    """Replace all records that differ, in one step."""
    async with here.memory(user) as memory:
        one = await memory.replays.swap(replay_id)
    here.answer(one, f"{one.state}: {_counted(one)}")


@replays.async_command("discard", as_json=True)
async def discard_replay(here: Session, replay_id: ReplayId, user: Handle = None) -> None:
    """Discard the rebuilt records."""
    async with here.memory(user) as memory:
        one = await memory.replays.discard(replay_id)
    here.answer(one, f"{one.state}: {_counted(one)}")


def _print_compared(here: Session, one: Replay, compared: ReplayComparison) -> None:
    if here.as_json:
        return print_json(here.out, {"replay": one, "changed": compared.changed})
    here.line(f"{one.replay_id} {one.state}: {_counted(one)}")
    if compared.counts.missing:
        missing = counted(compared.counts.missing, "record")
        here.out.print(f"{missing} without kept answers: items made by a model stay", style="yellow")
    if compared.changed and one.state == "built":
        here.out.print(f"changed meanwhile: {compared.changed:,}; a swap rebuilds them", style="yellow")


def _counted(one: Replay) -> str:
    counts = one.counts
    return (
        f"{counted(counts.records, 'record')}, {counts.differing:,} with differences, "
        f"items: {counts.kept:,} kept, {counts.added:,} added, {counts.ended:,} ended, "
        f"{counted(counts.summaries, 'new summary', 'new summaries')}, {counts.keywords:,} with new keywords"
    )
