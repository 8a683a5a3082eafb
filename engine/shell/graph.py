"""tree, anchors, user: the nodes of a graph, the places of a name, and the users."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer
from rich.text import Text
from rich.tree import Tree

from engine.domain.node import MAX_LAYER, Edge, TreeNode, User
from engine.domain.page import MOST
from engine.shell import session
from engine.shell.options import AsJson, AsOf, Handle, KnownAt, moment_of
from engine.shell.plain_json import print_json
from engine.shell.session import Session
from engine.shell.tables import counted, print_table
from engine.shell.tokens import is_id

if TYPE_CHECKING:
    from engine.operations.workspace import Workspace

Whose = Annotated[str, typer.Argument(metavar="HANDLE", help="The user's handle.")]
Reason = Annotated[str, typer.Option("--reason", help="Why, in one line.")]


def register(app: typer.Typer) -> None:
    """Adds the commands of this module."""
    app.command("tree")(tree)
    app.command("anchors")(anchors)
    users = typer.Typer(no_args_is_help=True, help="The users of the workspace.")
    users.command("list")(list_users)
    users.command("show")(show_user)
    users.command("create")(create)
    users.command("archive")(archive)
    users.command("unarchive")(unarchive)
    app.add_typer(users, name="user")


def tree(
    context: typer.Context,
    user: Handle = None,
    depth: Annotated[int, typer.Option("--depth", min=0, max=MAX_LAYER, help="Layers below the root.")] = MAX_LAYER,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    as_json: AsJson = False,
) -> None:
    """Show the nodes of a graph: types, counts, states of files, which are archived."""
    here = session.of(context)

    async def work() -> None:
        async with here.memory(user) as memory:
            nodes = await memory.nodes.tree(moment_of(as_of, known_at), depth=depth)
        if as_json:
            print_json(here.out, {"nodes": nodes})
        else:
            here.out.print(drawn(nodes))

    here.run(work())


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
    kind = () if node.node_type == "concept" else (node.node_type,)
    counts = f"{counted(node.records, 'record')}, {counted(node.items, 'item')}"
    counts = counts if node.records or node.items else "empty"
    return " · ".join((*kind, counts, node.state, *(("archived",) if node.archived else ())))


def anchors(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="A name or an alias.")],
    user: Handle = None,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    as_json: AsJson = False,
) -> None:
    """Show all nodes of a graph with this name or alias, with their edges."""
    here = session.of(context)

    async def work() -> None:
        async with here.memory(user) as memory:
            found = await memory.nodes.anchors(name, moment_of(as_of, known_at))
        if as_json:
            print_json(here.out, {"anchors": found})
            return
        rows = [
            (
                str(one.node_id), "/".join(one.path[1:]) or "/", one.node_type, one.state + ", archived" * one.archived,
                ", ".join(map(_edge, one.edges)),
            )
            for one in found
        ]  # fmt: skip
        print_table(here, ("node", "path", "type", "state", "edges"), rows, f"No node is called {name}.")

    here.run(work())


def _edge(edge: Edge) -> str:
    return f"{edge.edge_type} {'→' if edge.outgoing else '←'} {'/'.join(edge.other_path[1:])}"


def list_users(context: typer.Context, as_json: AsJson = False) -> None:
    """List the users of the workspace by handle."""
    here = session.of(context)

    async def work() -> None:
        async with here.workspace() as workspace:
            users = await _all(workspace)
        if as_json:
            print_json(here.out, {"users": users})
            return
        rows = [
            (str(one.user_id), one.handle, one.display_name, "archived" if one.archived else "active") for one in users
        ]
        print_table(here, ("user", "handle", "name", "state"), rows, "There is no user yet.")

    here.run(work())


async def _all(workspace: Workspace) -> tuple[User, ...]:
    """All pages, until one is not full."""
    users = page = await workspace.users.list(limit=MOST)
    while len(page) == MOST:
        page = await workspace.users.list(after=page[-1].handle, limit=MOST)
        users = users + page
    return users


def show_user(context: typer.Context, user: Whose, as_json: AsJson = False) -> None:
    """Show a user, named by handle or id."""
    here = session.of(context)

    async def work() -> None:
        async with here.workspace() as workspace:
            found = await (workspace.users.get(UUID(user)) if is_id(user) else workspace.users.find(user))
        if as_json:
            print_json(here.out, found)
        else:
            state = "archived" if found.archived else "active"
            here.out.print(Text(f"{found.handle} ({found.display_name}): {state}, {found.user_id}."), soft_wrap=True)

    here.run(work())


def create(
    context: typer.Context,
    handle: Whose,
    name: Annotated[str, typer.Option("--name", help="The name to show; without it, the handle.")] = "",
    as_json: AsJson = False,
) -> None:
    """Create a user; an existing one is not changed."""
    here = session.of(context)

    async def work() -> None:
        async with here.workspace() as workspace:
            user = await workspace.users.create(handle, name)
        if as_json:
            print_json(here.out, user)
        else:
            here.out.print(Text(f"{user.handle}: {'created' if user.created else 'existed already'}, {user.user_id}."))

    here.run(work())


def archive(context: typer.Context, handle: Whose, reason: Reason = "", as_json: AsJson = False) -> None:
    """Archive a user: the graph is not searched and takes no writes until `user unarchive`; its past stays."""
    _archive(session.of(context), handle, reason, archived=True, as_json=as_json)


def unarchive(context: typer.Context, handle: Whose, reason: Reason = "", as_json: AsJson = False) -> None:
    """Unarchive a user."""
    _archive(session.of(context), handle, reason, archived=False, as_json=as_json)


def _archive(here: Session, handle: str, reason: str, *, archived: bool, as_json: bool) -> None:
    async def work() -> None:
        async with here.engine() as (engine, _):
            user = await session.the_user(engine, handle)
            memory = engine.memory(user.user_id)
            changed = await (memory.nodes.archive if archived else memory.nodes.unarchive)(user.user_id, reason=reason)
        if as_json:
            print_json(here.out, changed)
        else:
            state = "archived" if archived else "taken back"
            here.out.print(f"{user.handle}: {state if changed.changed else 'no change'}.", soft_wrap=True)

    here.run(work())
