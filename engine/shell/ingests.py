"""sessions, failure: ingest sessions and permanent failures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer

from engine.shell import session
from engine.shell.options import AsJson, Handle
from engine.shell.plain_json import print_json
from engine.shell.session import Session
from engine.shell.tables import counted, print_table, timestamp

if TYPE_CHECKING:
    from engine.domain.ingest import Failure, FailureState, IngestSession
    from engine.neurigraph import Engine

STYLES = {"failed": "red", "open": "red", "running": "cyan"}

FailureId = Annotated[UUID, typer.Argument(metavar="FAILURE", help="Its id, from failure list.")]
OfJobs = Annotated[bool, typer.Option("--jobs", help="Failures of background jobs instead of a user's.")]


def register(app: typer.Typer) -> None:
    """Adds the commands of this module."""
    sessions = typer.Typer(no_args_is_help=True, help="Ingest sessions: their sources and results.")
    sessions.command("list")(list_sessions)
    sessions.command("show")(show)
    app.add_typer(sessions, name="sessions")
    failures = typer.Typer(no_args_is_help=True, help="Permanent failures: list, replay, dismiss.")
    failures.command("list")(list_failures)
    failures.command("replay")(replay)
    failures.command("dismiss")(dismiss)
    app.add_typer(failures, name="failure")


def list_sessions(
    context: typer.Context,
    user: Handle = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=500, help="At most so many.")] = 20,
    as_json: AsJson = False,
) -> None:
    """The newest ingest sessions of a user."""
    here = session.of(context)

    async def work() -> None:
        async with here.memory(user) as memory:
            found = await memory.ingests.list(limit=limit)
        if as_json:
            print_json(here.out, {"sessions": found})
            return
        rows = [
            (str(one.session_id), timestamp(one.started_at), one.state, _stored(one), one.failure or "")
            for one in found
        ]
        print_table(here, ("session", "began", "state", "what", "failure"), rows, "Nothing has come in yet.", STYLES)

    here.run(work())


def show(
    context: typer.Context,
    session_id: Annotated[UUID, typer.Argument(metavar="SESSION", help="Its id, from sessions list.")],
    user: Handle = None,
    as_json: AsJson = False,
) -> None:
    """One session, and the result of each of its sources (the first 500)."""
    here = session.of(context)

    async def work() -> None:
        async with here.memory(user) as memory:
            one = await memory.ingests.get(session_id)
            sources = await memory.ingests.sources(session_id, limit=500)
        if as_json:
            print_json(here.out, {"session": one, "sources": sources})
            return
        here.out.print(f"{one.state}: {_stored(one)}, began {timestamp(one.started_at)}", soft_wrap=True)
        rows = [
            (entry.source_id, entry.outcome, str(entry.units or ""), ", ".join(map(str, entry.records)), entry.reason)
            for entry in sources
        ]
        print_table(here, ("source", "outcome", "units", "records", "why"), rows, "No source of it was stored.", STYLES)

    here.run(work())


def list_failures(
    context: typer.Context,
    user: Handle = None,
    jobs: OfJobs = False,
    settled: Annotated[bool, typer.Option("--all", help="Include settled ones.")] = False,
    as_json: AsJson = False,
) -> None:
    """The newest 100 permanent failures that are not settled."""
    here = session.of(context)
    state: FailureState | None = None if settled else "open"

    async def work() -> None:
        async with here.engine() as (engine, _):
            if jobs:
                found = await engine.workspace.failures.list(state=state)
            else:
                memory = engine.memory((await session.the_user(engine, user)).user_id)
                found = await memory.failures.list(state=state)
        if as_json:
            print_json(here.out, {"failures": found})
            return
        rows = [
            (
                str(one.failure_id),
                timestamp(one.last_at),
                one.state,
                one.stage,
                one.subject,
                f"{one.cause}: {one.detail}",
            )
            for one in found
        ]
        print_table(here, ("failure", "last", "state", "stage", "what", "why"), rows, "No open failures.", STYLES)

    here.run(work())


def replay(context: typer.Context, failure: FailureId, user: Handle = None, jobs: OfJobs = False) -> None:
    """Replay a failure: read the source from its file and store it, or request a run of the job."""
    here = session.of(context)

    async def work() -> None:
        async with here.engine() as (engine, _):
            _print_state(here, await _replayed(engine, failure, user, jobs=jobs))

    here.run(work())


async def _replayed(engine: Engine, failure: UUID, user: str | None, *, jobs: bool) -> Failure:
    if jobs:
        return await engine.workspace.failures.replay(failure)
    return await engine.memory((await session.the_user(engine, user)).user_id).failures.replay(failure)


def dismiss(
    context: typer.Context,
    failure: FailureId,
    user: Handle = None,
    jobs: OfJobs = False,
    note: Annotated[str, typer.Option("--note", help="Why, in one line.")] = "",
) -> None:
    """Dismiss a failure."""
    here = session.of(context)

    async def work() -> None:
        async with here.engine() as (engine, _):
            if jobs:
                settled = await engine.workspace.failures.dismiss(failure, note)
            else:
                memory = engine.memory((await session.the_user(engine, user)).user_id)
                settled = await memory.failures.dismiss(failure, note)
            _print_state(here, settled)

    here.run(work())


def _print_state(here: Session, failure: Failure) -> None:
    waits = " until a run succeeds" if failure.stage == "job" and failure.state == "open" else ""
    here.out.print(f"{failure.subject}: {failure.state}{waits}.", soft_wrap=True)


def _stored(one: IngestSession) -> str:
    stored = ((one.turns, "turn"), (one.files, "file"), (one.records, "record"))
    others = (
        (one.superseded, "superseded"),
        (one.skipped, "skipped"),
        (one.failed, "failed"),
        (one.pending, "written without vectors"),
    )
    counts = [counted(*one) for one in stored if one[0]] + [f"{one[0]:,} {one[1]}" for one in others if one[0]]
    return ", ".join(counts) or "nothing"
