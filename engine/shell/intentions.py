"""intention: what people say that they want or plan to do; experimental."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

import typer

from engine.domain.intention import IntentionState
from engine.domain.read_limits import MOST
from engine.shell.entities import named
from engine.shell.options import Handle, Reason
from engine.shell.session import Commands, Session
from engine.shell.tables import print_list

intentions = Commands("intention", "Intentions that records state; kept with NEURIGRAPH_INTENTIONS=true.")
_Intention = Annotated[UUID, typer.Argument(metavar="INTENTION", help="Its id, from `intention list`.")]


@intentions.async_command("list", as_json=True)
async def list_intentions(
    here: Session,
    user: Handle = None,
    of: Annotated[str | None, typer.Option("--of", metavar="ENTITY", help="Only of this entity: name or id.")] = None,
    every: Annotated[bool, typer.Option("--all", help="Also those that are done or dropped.")] = False,
) -> None:
    """List open intentions, those that are due first."""
    async with here.memory(user) as memory:
        entity = None if of is None else await named(memory, of)
        found = await memory.intentions.list(state=None if every else "open", entity_id=entity, limit=MOST)
    rows = [
        (one.intention_id, one.entity_name, one.text, one.state, one.due, f"{one.said_at:%Y-%m-%d}", one.title)
        for one in found
    ]
    head = ("intention", "who", "text", "state", "due", "said", "record")
    print_list(here, {"intentions": found}, head, rows, "No intention is known.")


@intentions.async_command("done", as_json=True)
async def done(here: Session, intention: _Intention, reason: Reason = "", user: Handle = None) -> None:
    """Say that an intention is done."""
    await _decided(here, user, intention, "done", reason)


@intentions.async_command("drop", as_json=True)
async def drop(here: Session, intention: _Intention, reason: Reason = "", user: Handle = None) -> None:
    """Say that an intention is dropped."""
    await _decided(here, user, intention, "dropped", reason)


@intentions.async_command("reopen", as_json=True)
async def reopen(here: Session, intention: _Intention, reason: Reason = "", user: Handle = None) -> None:
    """Say that an intention is open again."""
    await _decided(here, user, intention, "open", reason)


async def _decided(here: Session, user: str | None, intention: UUID, state: IntentionState, reason: str) -> None:
    async with here.memory(user) as memory:
        found = await memory.intentions.decide(intention, state, reason)
    here.answer(found, f"{found.state}: {found.text}")
