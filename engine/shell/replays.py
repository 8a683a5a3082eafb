"""replay: all records of a user rebuilt from raw inputs, beside the present ones."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

import typer

from engine.domain.replay import Replay, ReplayComparison
from engine.progress import counted
from engine.shell.options import Handle
from engine.shell.plain_json import print_json
from engine.shell.session import Commands, Session, as_command, the_user
from engine.shell.tables import print_list

STYLES = {"swapped": "green", "built": "cyan", "building": "cyan"}
ReplayId = Annotated[UUID, typer.Argument(metavar="REPLAY", help="Its id, from replay list.")]

replays = Commands("replay", "Rebuild all records of a user from raw inputs and kept answers; no model is called.")


async def replay(
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


replays.callback(invoke_without_command=True, no_args_is_help=False)(as_command(replay, as_json=True))


@replays.async_command("list", as_json=True)
async def list_replays(here: Session, user: Handle = None) -> None:
    """The newest replays of a user."""
    async with here.memory(user) as memory:
        found = await memory.replays.list()
    rows = [(one.replay_id, one.began_at, one.state, _counted(one)) for one in found]
    print_list(here, {"replays": found}, ("replay", "began", "state", "what"), rows, "No replays yet.", STYLES)


@replays.async_command("show", as_json=True)
async def show(here: Session, replay_id: ReplayId, user: Handle = None) -> None:
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
async def discard(here: Session, replay_id: ReplayId, user: Handle = None) -> None:
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
