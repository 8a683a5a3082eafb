"""sessions, failure: ingest sessions and permanent failures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer

from engine.progress import counted
from engine.shell.options import Handle
from engine.shell.plain_json import print_json
from engine.shell.session import Commands, Session
from engine.shell.tables import print_list, print_table, timestamp

if TYPE_CHECKING:
    from engine.domain.ingest import Failure, FailureState, IngestSession

STYLES = {"failed": "red", "open": "red", "running": "cyan"}

FailureId = Annotated[UUID, typer.Argument(metavar="FAILURE", help="Its id, from failure list.")]
OfJobs = Annotated[bool, typer.Option("--jobs", help="Failures of background jobs instead of a user's.")]

sessions = Commands("sessions", "Ingest sessions: their sources and results.")
failures = Commands("failure", "Permanent failures: list, replay, dismiss.")


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
