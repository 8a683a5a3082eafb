"""replay: all records of a user rebuilt from raw inputs, beside the present ones."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer

from engine.domain.replay import Replay, ReplayComparison
from engine.shell import session
from engine.shell.options import AsJson, Handle
from engine.shell.plain_json import print_json
from engine.shell.session import Session
from engine.shell.tables import counted, print_table, timestamp

if TYPE_CHECKING:
    from engine.memory import Memory

STYLES = {"swapped": "green", "built": "cyan", "building": "cyan"}
ReplayId = Annotated[UUID, typer.Argument(metavar="REPLAY", help="Its id, from replay list.")]


def register(app: typer.Typer) -> None:
    """Adds the commands of this module."""
    replays = typer.Typer(help="Rebuild all records of a user from raw inputs and kept answers; no model is called.")
    replays.callback(invoke_without_command=True)(replay)
    replays.command("list")(list_replays)
    replays.command("show")(show)
    replays.command("swap")(swap)
    replays.command("discard")(discard)
    app.add_typer(replays, name="replay")


def replay(
    context: typer.Context,
    user: Handle = None,
    swap_at_once: Annotated[bool, typer.Option("--swap", help="Swap it when it is built.")] = False,
    as_json: AsJson = False,
) -> None:
    """Build a replay, or resume the open one, and show what a swap would change."""
    if context.invoked_subcommand is not None:
        return
    here = session.of(context)

    async def work() -> None:
        async with here.engine() as (engine, progress):
            memory = engine.memory((await session.the_user(engine, user)).user_id)
            one = await memory.replays.build((await memory.replays.begin()).replay_id, progress)
            compared = await memory.replays.compare(one.replay_id)
            if swap_at_once:
                one = await memory.replays.swap(one.replay_id)
        if as_json:
            print_json(here.out, {"replay": one, "changed": compared.changed})
            return
        _print_compared(here, one, compared)

    here.run(work())


def list_replays(context: typer.Context, user: Handle = None, as_json: AsJson = False) -> None:
    """The newest replays of a user."""
    here = session.of(context)

    async def work() -> None:
        async with here.memory(user) as memory:
            found = await memory.replays.list()
        if as_json:
            print_json(here.out, {"replays": found})
            return
        rows = [(str(one.replay_id), timestamp(one.began_at), one.state, _counted(one)) for one in found]
        print_table(here, ("replay", "began", "state", "what"), rows, "No replays yet.", STYLES)

    here.run(work())


def show(context: typer.Context, replay_id: ReplayId, user: Handle = None, as_json: AsJson = False) -> None:
    """Show a replay and what a swap would change."""
    here = session.of(context)

    async def work() -> None:
        async with here.memory(user) as memory:
            one, compared = await memory.replays.get(replay_id), await memory.replays.compare(replay_id)
        if as_json:
            print_json(here.out, {"replay": one, "changed": compared.changed})
            return
        _print_compared(here, one, compared)

    here.run(work())


def swap(context: typer.Context, replay_id: ReplayId, user: Handle = None) -> None:
    """Replace all records that differ, in one step."""
    _ended(context, user, lambda memory: memory.replays.swap(replay_id))


def discard(context: typer.Context, replay_id: ReplayId, user: Handle = None) -> None:
    """Discard the rebuilt records."""
    _ended(context, user, lambda memory: memory.replays.discard(replay_id))


def _ended(context: typer.Context, user: str | None, end: Callable[[Memory], Awaitable[Replay]]) -> None:
    here = session.of(context)

    async def work() -> None:
        async with here.memory(user) as memory:
            one = await end(memory)
        here.out.print(f"{one.state}: {_counted(one)}", soft_wrap=True)

    here.run(work())


def _print_compared(here: Session, one: Replay, compared: ReplayComparison) -> None:
    here.out.print(f"{one.replay_id} {one.state}: {_counted(one)}", soft_wrap=True)
    if compared.counts.missing:
        missing = counted(compared.counts.missing, "record")
        here.out.print(f"{missing} without kept answers: items made by a model stay", style="yellow")
    if compared.changed and one.state == "built":
        here.out.print(f"changed meanwhile: {compared.changed:,}; a swap rebuilds them", style="yellow")


def _counted(one: Replay) -> str:
    return ", ".join(_parts(one))


def _parts(one: Replay) -> Iterator[str]:
    counts = one.counts
    yield f"{counted(counts.records, 'record')}, {counts.differing:,} with differences"
    yield f"items: {counts.kept:,} kept, {counts.added:,} added, {counts.ended:,} ended"
    yield f"{counted(counts.summaries, 'new summary', 'new summaries')}, {counts.keywords:,} with new keywords"
