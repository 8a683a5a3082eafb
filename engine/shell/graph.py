"""tree, anchors, user: the nodes of a graph, the places of a name, and the users."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated
from uuid import UUID

import typer
from rich.text import Text
from rich.tree import Tree

from engine.domain.node import MAX_LAYER, Edge, RecordDay, TreeNode, User
from engine.domain.read_limits import MOST, every
from engine.errors import NotFound
from engine.progress import counted
from engine.shell.options import AsOf, Handle, KnownAt, Reason, moment_of
from engine.shell.plain_json import print_json
from engine.shell.session import Commands, Session, the_user, unknown
from engine.shell.tables import print_list, shown_state
from engine.shell.tokens import is_id
from engine.shell.waiting import waiting

Whose = Annotated[str, typer.Argument(metavar="HANDLE", help="The user's handle.")]

commands = Commands()
users = Commands("user", "The users of the workspace.")


@commands.async_command("tree", as_json=True)
async def tree(
    here: Session,
    user: Handle = None,
    depth: Annotated[int, typer.Option("--depth", min=0, max=MAX_LAYER, help="Layers below the root.")] = MAX_LAYER,
    as_of: AsOf = None,
    known_at: KnownAt = None,
) -> None:
    """Show the nodes of a graph: types, counts, states of files, which are archived."""
    async with here.memory(user) as memory, waiting(here):
        nodes = await memory.nodes.tree(moment_of(as_of, known_at), depth=depth)
    if here.as_json:
        print_json(here.out, {"nodes": nodes})
    else:
        here.out.print(drawn(nodes))


def drawn(nodes: Sequence[TreeNode]) -> Tree:
    """The nodes, parents first, as a tree to print."""
    branches: dict[UUID, Tree] = {}
    for node in nodes:
        label = Text(node.name, style="dim" if node.archived else "")
        label.append(f"  {_about(node)}", style="dim")
        parent = branches.get(node.parent_id) if node.parent_id else None
        branches[node.node_id] = parent.add(label) if parent else Tree(label)
    return branches[nodes[0].node_id]


def _about(node: TreeNode) -> str:
    parts: list[str] = [] if node.node_type == "concept" else [node.node_type]
    if node.records or node.items:
        parts.append(f"{counted(node.records, 'record')}, {counted(node.items, 'item')}")
    else:
        parts.append("empty")
    parts.append(node.state)
    if node.archived:
        parts.append("archived")
    return " · ".join(parts)


@commands.async_command("timeline", as_json=True)
async def timeline(here: Session, user: Handle = None) -> None:
    """Show on which days the records of a graph happened, node by node."""
    async with here.memory(user) as memory:
        paths = {node.node_id: node for node in await memory.nodes.tree()}
        days: list[RecordDay] = []
        while page := await memory.nodes.timeline(skip=len(days), limit=MOST):
            days += page
    rows = [(one.day or "undated", paths[one.node_id].name, one.records) for one in days if one.node_id in paths]
    print_list(here, {"days": days}, ("day", "node", "records"), rows, "There is no record yet.")


@commands.async_command("anchors", as_json=True)
async def anchors(
    here: Session,
    name: Annotated[str, typer.Argument(metavar="NAME", help="A name or an alias.")],
    user: Handle = None,
    as_of: AsOf = None,
    known_at: KnownAt = None,
) -> None:
    """Show all nodes of a graph with this name or alias, with their edges."""
    async with here.memory(user) as memory:
        found = await memory.nodes.anchors(name, moment_of(as_of, known_at))
    rows = [
        (
            one.node_id,
            "/".join(one.path[1:]) or "/",
            one.node_type,
            shown_state(one.state, archived=one.archived),
            ", ".join(_edge(edge) for edge in one.edges),
        )
        for one in found
    ]
    print_list(here, {"anchors": found}, ("node", "path", "type", "state", "edges"), rows, f"No node is called {name}.")


def _edge(edge: Edge) -> str:
    return f"{edge.edge_type} {'→' if edge.outgoing else '←'} {'/'.join(edge.other_path[1:])}"


@users.async_command("list", as_json=True)
async def list_users(here: Session) -> None:
    """List the users of the workspace by handle."""
    async with here.workspace() as workspace:
        found = await every(lambda after: workspace.users.list(after=after or "", limit=MOST), lambda one: one.handle)
    rows = [(one.user_id, one.handle, one.display_name, _state(one)) for one in found]
    print_list(here, {"users": found}, ("user", "handle", "name", "state"), rows, "There is no user yet.")


def _state(user: User) -> str:
    return "archived" if user.archived else "active"


@users.async_command("show", as_json=True)
async def show_user(here: Session, user: Whose) -> None:
    """Show a user, named by handle or id."""
    async with here.workspace() as workspace:
        try:
            found = await (workspace.users.get(UUID(user)) if is_id(user) else workspace.users.find(user))
        except NotFound as error:
            raise unknown(user, workspace.identity.workspace) from error
    here.answer(found, f"{found.handle} ({found.display_name}): {_state(found)}, {found.user_id}.")


@users.async_command("create", as_json=True)
async def create(
    here: Session,
    handle: Whose,
    name: Annotated[str, typer.Option("--name", help="The name to show; without it, the handle.")] = "",
) -> None:
    """Create a user; an existing one is not changed."""
    async with here.workspace() as workspace:
        user = await workspace.users.create(handle, name)
    here.answer(user, f"{user.handle}: {'created' if user.created else 'existed already'}, {user.user_id}.")


@users.async_command("archive", as_json=True)
async def archive(here: Session, handle: Whose, reason: Reason = "") -> None:
    """Archive a user: the graph is not searched and takes no writes until `user unarchive`; its past stays."""
    await _archive(here, handle, reason, archived=True)


@users.async_command("unarchive", as_json=True)
async def unarchive(here: Session, handle: Whose, reason: Reason = "") -> None:
    """Unarchive a user."""
    await _archive(here, handle, reason, archived=False)


async def _archive(here: Session, handle: str, reason: str, *, archived: bool) -> None:
    async with here.operations() as (engine, _):
        user = await the_user(engine, handle)
        memory = engine.memory(user.user_id)
        changed = await (memory.nodes.archive if archived else memory.nodes.unarchive)(user.user_id, reason=reason)
    state = "archived" if archived else "taken back"
    here.answer(changed, f"{user.handle}: {state if changed.changed else 'no change'}.")
