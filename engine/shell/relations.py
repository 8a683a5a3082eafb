"""relation: what you decide of a relation between entities."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

import typer

from engine.shell.edges import pairs
from engine.shell.options import Handle
from engine.shell.session import Commands, Session

relations = Commands(
    "relation", "Relations between entities: set one aside, describe it. See `entity relations`, `entity why`."
)
_Relation = Annotated[UUID, typer.Argument(metavar="RELATION", help="Its id, from `entity relations`.")]
_Reason = Annotated[str, typer.Option("--reason", help="Why.")]


@relations.async_command("archive", as_json=True)
async def archive(here: Session, relation: _Relation, reason: _Reason = "", user: Handle = None) -> None:
    """Set a relation aside that is wrong, whatever states it from then on."""
    async with here.memory(user) as memory:
        found = await memory.entities.archive_relation(relation, reason)
    here.answer(found, f"Archived: {found.reads} {found.other_name}.")


@relations.async_command("restore", as_json=True)
async def restore(here: Session, relation: _Relation, reason: _Reason = "", user: Handle = None) -> None:
    """Let an archived relation count again."""
    async with here.memory(user) as memory:
        found = await memory.entities.restore_relation(relation, reason)
    here.answer(found, f"It counts again: {found.reads} {found.other_name}.")


@relations.async_command("describe", as_json=True)
async def describe(
    here: Session,
    relation: _Relation,
    properties: Annotated[list[str], typer.Argument(metavar="NAME=VALUE…", help="All properties that it is to have.")],
    user: Handle = None,
) -> None:
    """Give a relation properties of your own, in place of those that it has."""
    given = pairs(properties)
    async with here.memory(user) as memory:
        found = await memory.entities.describe_relation(relation, given)
    listed = ", ".join(f"{name}={value}" for name, value in found.properties.items())
    here.answer(found, f"{found.reads} {found.other_name}: {listed or 'no properties'}")
