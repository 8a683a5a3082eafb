"""node, nodes, edge: show the shell of a node, archive and unarchive nodes; node proposals for a memory without a hierarchy:
propose, make, undo; list, make and end cross-node edges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer
from rich.text import Text

from engine.domain.delta import ENDED, Change
from engine.domain.ingest import Limits
from engine.domain.node import Shell
from engine.domain.proposal import Proposal, with_nodes
from engine.domain.read_limits import every
from engine.domain.scope import Origin
from engine.errors import InvalidInput
from engine.progress import counted
from engine.shell.options import AsOf, Handle, KnownAt, Milliseconds, ModelCalls, Reason, Tokens, moment_of, point
from engine.shell.plain_json import print_json
from engine.shell.session import Commands, Session
from engine.shell.tables import last_read, print_list, print_table, shown_state
from engine.shell.tokens import node_at

if TYPE_CHECKING:
    from engine.domain.history import History
    from engine.neurigraph import Engine

Node = Annotated[str, typer.Argument(metavar="NODE", help="Its path, as Family/Dave, its id, or / for the root.")]

nodes = Commands("node", "Single nodes of a graph; `tree` shows all of them.")

LinkedNode = typer.Argument(metavar="NODE", help="Its path, as Family/Dave, or its id.")
PAGE = 1000

edges = Commands("edge", "Edges between the nodes of a graph.")

proposals = Commands("nodes", "Node proposals for records at the root: propose, make, undo.")


@nodes.async_command("show", as_json=True)
async def show(here: Session, node: Node, user: Handle = None, as_of: AsOf = None, known_at: KnownAt = None) -> None:
    """Show the shell of a node: path, state, counts, children, edges, the newest records."""
    async with here.memory(user) as memory:
        shell = await memory.nodes.shell(await node_at(memory, node), moment_of(as_of, known_at))
    if here.as_json:
        print_json(here.out, shell)
    else:
        print_shell(here, shell)


def print_shell(here: Session, shell: Shell) -> None:
    """Prints a shell."""
    here.line(" > ".join(shell.path), style="bold")
    state = shown_state(shell.state, archived=shell.archived)
    held = f"{counted(shell.records, 'record')}, {counted(shell.items, 'item')}"
    here.line(f"{shell.node_type}, layer {shell.layer}, {state}: {held}")
    lines = (
        ("summary", shell.summary),
        ("keywords", ", ".join(shell.keywords)),
        ("aliases", ", ".join(shell.aliases)),
    )
    for name, value in lines:
        if value:
            here.line(f"{name}: {value}")
    if read := last_read(shell.last_accessed_at):
        here.line(read)
    here.out.print(Text(f"node {shell.node_id}, schema {shell.schema_name}, revision {shell.revision}", style="dim"))
    _print_around(here, shell)


def _print_around(here: Session, shell: Shell) -> None:
    children = [
        (
            child.name,
            child.node_type,
            shown_state(child.state, archived=child.archived),
            f"{child.records:,}",
            f"{child.children:,}",
        )
        for child in shell.children
    ]
    edges = [
        (edge.edge_type, "to" if edge.outgoing else "from", "/".join(edge.other_path[1:]) or "/", edge.other_state)
        for edge in shell.edges
    ]
    manifest = [
        (line.title, line.content_type, line.occurred_at, line.file_name, line.record_id) for line in shell.manifest
    ]
    for columns, rows in (
        (("child", "type", "state", "records", "children"), children),
        (("edge", "", "node", "state"), edges),
        (("holds", "kind", "when", "file", "record"), manifest),
    ):
        if rows:
            here.out.print()
            print_table(here, columns, rows, "")


@nodes.async_command("children", as_json=True)
async def children(
    here: Session, node: Node, user: Handle = None, as_of: AsOf = None, known_at: KnownAt = None
) -> None:
    """List the children of a node by name, at most 1,000."""
    async with here.memory(user) as memory:
        found = await memory.nodes.children(await node_at(memory, node), moment_of(as_of, known_at))
    rows = [(one.node_id, one.name, one.node_type, one.state, f"{one.records:,}") for one in found]
    print_list(here, {"children": found}, ("node", "name", "type", "state", "records"), rows, "No children.")


@nodes.async_command("touch", as_json=True)
async def touch(
    here: Session,
    node: Node,
    ids: Annotated[list[UUID] | None, typer.Argument(metavar="[ID]…", help="Items and records of it.")] = None,
    user: Handle = None,
) -> None:
    """Mark a node, and these of its items and records, as used."""
    async with here.memory(user) as memory:
        touched = await node_at(memory, node)
        await memory.nodes.touch(touched, ids or ())
    here.answer({"node_id": touched, "ids": ids or []}, "Marked as used.")


@nodes.async_command("archive", as_json=True)
async def archive(here: Session, node: Node, user: Handle = None, reason: Reason = "") -> None:
    """Archive a node and its subtree: not searched, no writes until `node unarchive`; the past stays."""
    await _archive(here, node, user, reason, archived=True)


@nodes.async_command("unarchive", as_json=True)
async def unarchive(here: Session, node: Node, user: Handle = None, reason: Reason = "") -> None:
    """Unarchive a node; nodes below another archived node stay archived."""
    await _archive(here, node, user, reason, archived=False)


async def _archive(here: Session, node: str, user: str | None, reason: str, *, archived: bool) -> None:
    async with here.memory(user) as memory:
        place = await node_at(memory, node)
        changed = await (memory.nodes.archive if archived else memory.nodes.unarchive)(place, reason=reason)
        shell = await memory.nodes.shell(place)
    state = "archived" if shell.archived else "active"
    was = "" if changed.changed else ", as before"
    above = ", with a node above it" if shell.archived and not archived else ""
    here.answer(changed, f"{'/'.join(shell.path[1:]) or '/'}: {state}{above}{was}.")


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
    source: Annotated[str, LinkedNode],
    edge_type: Annotated[str, typer.Argument(metavar="TYPE", help="The type, as same_person.")],
    target: Annotated[str, LinkedNode],
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


@proposals.async_command("propose", as_json=True)
async def propose(
    here: Session,
    user: Handle = None,
    apply: Annotated[
        bool, typer.Option("--apply", help="Make the nodes, and move the records that belong there.")
    ] = False,
    milliseconds: Milliseconds = None,
    tokens: Tokens = None,
    model_calls: ModelCalls = None,
) -> None:
    """Propose nodes for the people and matters in the turns at the root. Nothing is made without --apply.

    A record is moved whole if most of its turns are about one node; a record about several stays at the root.
    """
    async with here.memory(user, Limits(milliseconds, tokens, model_calls)) as memory:
        proposal = await memory.proposals.propose()
        applied = await memory.proposals.make(proposal) if apply and proposal.nodes else None
    if here.as_json:
        return print_json(here.out, {"proposal": proposal, "applied": applied})
    print_proposal(here, proposal)
    if applied is not None:
        made, moved = counted(applied.nodes_created, "node"), counted(len(applied.moved), "record")
        here.line(f"{made} made, {moved} moved.")
        if applied.moved:
            here.line(f"Undo the moves with: neurigraph nodes undo {applied.proposal_id}")
    elif proposal.nodes:
        here.line("Nothing was made; --apply makes it.")


@proposals.async_command("undo", as_json=True)
async def undo(
    here: Session,
    proposal: Annotated[UUID, typer.Argument(metavar="PROPOSAL", help="Its id, as propose --apply printed it.")],
    user: Handle = None,
) -> None:
    """Move back the records that a proposal moved, except those moved again since; its nodes stay."""
    async with here.memory(user) as memory:
        back = await memory.proposals.undo(proposal)
    here.answer({"moved": back}, f"{counted(len(back), 'record')} moved back.")


async def arranged(here: Session, engine: Engine, history: History, origin: Origin, *, make: bool) -> History:
    """The history with proposed nodes, if it has none and its user has none; without `make` they are only shown.

    `origin`: the default origin of conversations.
    """
    if history.nodes or not history.conversations or any(one.node for one in history.conversations):
        return history
    user = await engine.workspace.users.create(history.handle, history.display_name)
    memory = engine.memory(user.user_id).within(origin.scope, source=origin.source)
    if len(await memory.nodes.writable()) > 1:
        return history
    proposal = await memory.proposals.propose(history.conversations)
    if not here.as_json:
        print_proposal(here, proposal)
        if proposal.nodes and not make:
            here.line("All of it goes to the root; --nodes auto makes these nodes.")
    return with_nodes(history, proposal) if make else history


def print_proposal(here: Session, proposal: Proposal) -> None:
    """Prints the nodes of a proposal with the evidence for each."""
    rows = [
        ("  " * (len(node.path) - 1) + node.path[-1], node.node_type, node.turns, node.conversations, node.reason)
        for node in proposal.nodes
    ]
    columns = ("proposed node", "type", "turns", "conversations", "why")
    print_table(here, columns, rows, "Too few turns to propose nodes.")
    for left in proposal.left_out:
        without = "by rules, without the model" if left.what == "placements" else "people only, without matters"
        here.line(f"{without}: {left.reason}", style="yellow")
