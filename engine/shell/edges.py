"""edge: list, make and end cross-node edges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer
from rich.text import Text

from engine.domain.delta import ENDED, Change
from engine.errors import InvalidInput
from engine.shell import session
from engine.shell.options import AsJson, AsOf, Handle, KnownAt, moment_of, point
from engine.shell.plain_json import print_json
from engine.shell.tables import print_table
from engine.shell.tokens import node_at

if TYPE_CHECKING:
    from engine.domain.clock import Moment
    from engine.domain.metadata import RegisteredEdge
    from engine.memory import Memory

Node = typer.Argument(metavar="NODE", help="Its path, as Family/Dave, or its id.")
PAGE = 1000


def register(app: typer.Typer) -> None:
    """Adds the commands of this module."""
    edges = typer.Typer(no_args_is_help=True, help="Edges between the nodes of a graph.")
    edges.command("list")(list_edges)
    edges.command("make")(make)
    edges.command("end")(end)
    app.add_typer(edges, name="edge")


def list_edges(
    context: typer.Context,
    user: Handle = None,
    node: Annotated[str | None, typer.Option("--node", metavar="NODE", help="Only of this one: path or id.")] = None,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    as_json: AsJson = False,
) -> None:
    """List the edges of a graph by the names of their ends."""
    here = session.of(context)

    async def work() -> None:
        async with here.memory(user) as memory:
            place = await node_at(memory, node) if node else None
            edges = await _all(memory, moment_of(as_of, known_at))
        shown = [edge for edge in edges if place in (None, edge.source_id, edge.target_id)]
        if as_json:
            print_json(here.out, {"edges": shown})
            return
        rows = [(str(edge.edge_id), edge.source_name, edge.edge_type, edge.target_name) for edge in shown]
        print_table(here, ("edge", "from", "type", "to"), rows, "There is no edge.")

    here.run(work())


async def _all(memory: Memory, moment: Moment) -> list[RegisteredEdge]:
    """All pages, until one is not full."""
    page = await memory.edges.list(moment, limit=PAGE)
    edges = list(page)
    while len(page) == PAGE:
        page = await memory.edges.list(moment, after=page[-1].place, limit=PAGE)
        edges += page
    return edges


def make(  # noqa: PLR0913 (the options of a command are its parameters)
    context: typer.Context,
    source: Annotated[str, Node],
    edge_type: Annotated[str, typer.Argument(metavar="TYPE", help="The type, as same_person.")],
    target: Annotated[str, Node],
    user: Handle = None,
    properties: Annotated[
        list[str] | None, typer.Option("--property", metavar="NAME=VALUE", help="A property of the edge.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Make an edge from one node to another; an ended one holds again from now on."""
    here = session.of(context)

    async def work() -> None:
        given = _pairs(properties or [])
        async with here.memory(user) as memory:
            ends = [await node_at(memory, end) for end in (source, target)]
            made = await memory.edges.make(ends[0], ends[1], edge_type, given)
        if as_json:
            print_json(here.out, made)
        else:
            here.out.print(
                Text(f"Edge {made.edge_id}: {'made' if made.created else 'was there already'}."), soft_wrap=True
            )

    here.run(work())


def end(
    context: typer.Context,
    edge: Annotated[UUID, typer.Argument(metavar="EDGE", help="Its id, from `edge list`.")],
    user: Handle = None,
    at: Annotated[str | None, typer.Option("--at", metavar="TIME", help="From when on; without it, now.")] = None,
    reason: Annotated[str, typer.Option("--reason", help="Why, in one line.")] = "",
    as_json: AsJson = False,
) -> None:
    """End an edge: it no longer holds, and stays readable in the past."""
    here = session.of(context)

    async def work() -> None:
        async with here.memory(user) as memory:
            change = Change("relation", edge, {ENDED: True}, None, point(at), reason=reason)
            changed = await memory.history.change(change)
        if as_json:
            print_json(here.out, changed)
        else:
            state = "ended" if changed.changed else "had ended already"
            here.out.print(Text(f"Edge {edge}: {state}."), soft_wrap=True)

    here.run(work())


def _pairs(properties: list[str]) -> dict[str, str]:
    """Properties as they are typed. Raises InvalidInput."""
    pairs = [one.partition("=") for one in properties]
    if any(not (name and sign) for name, sign, _ in pairs):
        raise InvalidInput("Write a property as NAME=VALUE.")
    return {name: value for name, _, value in pairs}
