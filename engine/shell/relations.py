"""relation: relations between entities, and what you decide of one."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

import typer

from engine.domain.clock import NOW
from engine.domain.read_limits import MOST
from engine.errors import InvalidInput
from engine.shell.edges import pairs
from engine.shell.entities import named
from engine.shell.options import AsOf, Handle, KnownAt, moment_of
from engine.shell.session import Commands, Session
from engine.shell.tables import print_list

relations = Commands(
    "relation", "Relations between entities: list, set one aside, describe it. See `entity relations`, `entity why`."
)
_Relation = Annotated[UUID, typer.Argument(metavar="RELATION", help="Its id, from `entity relations`.")]
_Reason = Annotated[str, typer.Option("--reason", help="Why.")]


@relations.async_command("between", as_json=True)
async def between(
    here: Session,
    entities: Annotated[list[str], typer.Argument(metavar="ENTITY…", help="Two or more: names or ids.")],
    user: Handle = None,
    as_of: AsOf = None,
    known_at: KnownAt = None,
) -> None:
    """List the relations from one of these entities to another one, the strongest first."""
    moment = moment_of(as_of, known_at)
    async with here.memory(user) as memory:
        names = {await named(memory, one, moment): one for one in entities}
        if len(names) < 2:
            raise InvalidInput("Name two or more entities; those of one are listed by `entity relations`.")
        found = await memory.entities.relations_between(list(names), moment, limit=MOST)
        ends = {one for each in found for one in (each.source_id, each.target_id)} - names.keys()
        names |= {one: (await memory.entities.get(one, moment)).name for one in ends}  # what one was merged into
    rows = [
        (one.relation_id, names[one.source_id], one.reads, names[one.target_id], one.since, one.until) for one in found
    ]
    head = ("relation", "", "", "", "since", "until")
    print_list(
        here,
        {"relations": found},
        head,
        rows,
        "No relation leads from one of them to another. Ways over others: `neurigraph cypher connections`.",
    )


@relations.async_command("together", as_json=True)
async def together(
    here: Session,
    entities: Annotated[list[str], typer.Argument(metavar="ENTITY…", help="Two or more: names or ids.")],
    user: Handle = None,
) -> None:
    """List the pairs of these entities that records mention together, those with most records first."""
    async with here.memory(user) as memory:
        names = {await named(memory, one, NOW): one for one in entities}
        found = await memory.entities.mentioned_together(list(names), limit=MOST)
        ends = {one for each in found for one in (each.first_id, each.other_id)} - names.keys()
        names |= {one: (await memory.entities.get(one)).name for one in ends}  # what one was merged into
    rows = [(names[one.first_id], names[one.other_id], one.records) for one in found]
    print_list(here, {"pairs": found}, ("", "", "records"), rows, "No record mentions two of them.")


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
