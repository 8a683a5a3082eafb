"""edge: list, make and end cross-node edges."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

import typer

from engine.domain.delta import ENDED, Change
from engine.domain.read_limits import every
from engine.errors import InvalidInput
from engine.shell.options import AsOf, Handle, KnownAt, Reason, moment_of, point
from engine.shell.session import Commands, Session
from engine.shell.tables import print_list
from engine.shell.tokens import node_at

Node = typer.Argument(metavar="NODE", help="Its path, as Family/Dave, or its id.")
PAGE = 1000

edges = Commands("edge", "Edges between the nodes of a graph.")


@edges.async_command("list", as_json=True)
async def list_edges(
    here: Session,
    user: Handle = None,
    node: Annotated[str | None, typer.Option("--node", metavar="NODE", help="Only of this one: path or id.")] = None,
    as_of: AsOf = None,
    known_at: KnownAt = None,
) -> None:
    """List the edges of a graph by the names of their ends."""
    async with here.memory(user) as memory:
        place = await node_at(memory, node) if node else None
        moment = moment_of(as_of, known_at)
        found = await every(lambda after: memory.edges.list(moment, after=after, limit=PAGE), lambda one: one.place)
    shown = [edge for edge in found if place in (None, edge.source_id, edge.target_id)]
    rows = [(edge.edge_id, edge.source_name, edge.edge_type, edge.target_name) for edge in shown]
    print_list(here, {"edges": shown}, ("edge", "from", "type", "to"), rows, "There is no edge.")


@edges.async_command("make", as_json=True)
async def make(
    here: Session,
    source: Annotated[str, Node],
    edge_type: Annotated[str, typer.Argument(metavar="TYPE", help="The type, as same_person.")],
    target: Annotated[str, Node],
    user: Handle = None,
    properties: Annotated[
        list[str] | None, typer.Option("--property", metavar="NAME=VALUE", help="A property of the edge.")
    ] = None,
) -> None:
    """Make an edge from one node to another; an ended one holds again from now on."""
    given = pairs(properties or [])
    async with here.memory(user) as memory:
        ends = [await node_at(memory, end) for end in (source, target)]
        made = await memory.edges.make(ends[0], ends[1], edge_type, given)
    known = "open again" if made.reopened else "was there already"
    here.answer(made, f"Edge {made.edge_id}: {'made' if made.created else known}.")


@edges.async_command("end", as_json=True)
async def end(
    here: Session,
    edge: Annotated[UUID, typer.Argument(metavar="EDGE", help="Its id, from `edge list`.")],
    user: Handle = None,
    at: Annotated[str | None, typer.Option("--at", metavar="TIME", help="From when on; without it, now.")] = None,
    reason: Reason = "",
) -> None:
    """End an edge: it no longer holds, and stays readable in the past."""
    async with here.memory(user) as memory:
        change = Change("edge", edge, {ENDED: True}, None, point(at), reason=reason)
        changed = await memory.history.change(change)
    here.answer(changed, f"Edge {edge}: {'ended' if changed.changed else 'had ended already'}.")


def pairs(properties: list[str]) -> dict[str, str]:
    """Properties as they are typed. Raises InvalidInput."""
    found = [one.partition("=") for one in properties]
    if any(not (name and sign) for name, sign, _ in found):
        raise InvalidInput("Write a property as NAME=VALUE.")
    return {name: value for name, _, value in found}
