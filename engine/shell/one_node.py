"""node: show the shell of a node, archive and unarchive nodes."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated
from uuid import UUID

import typer
from rich.text import Text

from engine.domain.node import Shell
from engine.shell import session
from engine.shell.options import AsJson, AsOf, Handle, KnownAt, moment_of
from engine.shell.plain_json import print_json
from engine.shell.session import Session
from engine.shell.tables import counted, print_table, timestamp
from engine.shell.tokens import node_at

Node = Annotated[str, typer.Argument(metavar="NODE", help="Its path, as Family/Dave, its id, or / for the root.")]
Reason = Annotated[str, typer.Option("--reason", help="Why, in one line.")]


def register(app: typer.Typer) -> None:
    """Adds the commands of this module."""
    nodes = typer.Typer(no_args_is_help=True, help="Single nodes of a graph; `tree` shows all of them.")
    nodes.command("show")(show)
    nodes.command("children")(children)
    nodes.command("touch")(touch)
    nodes.command("archive")(archive)
    nodes.command("unarchive")(unarchive)
    app.add_typer(nodes, name="node")


def show(
    context: typer.Context, node: Node, user: Handle = None, as_of: AsOf = None, known_at: KnownAt = None,
    as_json: AsJson = False,
) -> None:  # fmt: skip
    """Show the shell of a node: path, state, counts, children, edges, the newest records."""
    here = session.of(context)

    async def work() -> None:
        async with here.memory(user) as memory:
            place = await node_at(memory, node)
            shell = await memory.nodes.shell(place, moment_of(as_of, known_at))
        if as_json:
            print_json(here.out, shell)
        else:
            print_shell(here, shell)

    here.run(work())


def print_shell(here: Session, shell: Shell) -> None:
    """Prints a shell."""
    here.out.print(Text(" > ".join(shell.path), style="bold"), soft_wrap=True)
    state = f"{shell.state}, archived" if shell.archived else shell.state
    held = f"{counted(shell.records, 'record')}, {counted(shell.items, 'item')}"
    here.out.print(f"{shell.node_type}, layer {shell.layer}, {state}: {held}", soft_wrap=True)
    lines = (
        ("summary", shell.summary),
        ("keywords", ", ".join(shell.keywords)),
        ("aliases", ", ".join(shell.aliases)),
        ("last read", f"{timestamp(shell.last_accessed_at)} UTC" if shell.last_accessed_at else ""),
    )
    for name, value in lines:
        if value:
            here.out.print(Text(f"{name}: {value}"), soft_wrap=True)
    here.out.print(Text(f"node {shell.node_id}, schema {shell.schema_name}, revision {shell.revision}", style="dim"))
    _print_around(here, shell)


def _print_around(here: Session, shell: Shell) -> None:
    children = [
        (child.name, child.node_type, child.state + ", archived" * child.archived, f"{child.records:,}", f"{child.children:,}")
        for child in shell.children
    ]  # fmt: skip
    edges = [
        (edge.edge_type, "to" if edge.outgoing else "from", "/".join(edge.other_path[1:]) or "/", edge.other_state)
        for edge in shell.edges
    ]
    manifest = [
        (line.title, line.content_type, _when(line.occurred_at), line.file_name or "", str(line.record_id))
        for line in shell.manifest
    ]  # fmt: skip
    for columns, rows in (
        (("child", "type", "state", "records", "children"), children),
        (("edge", "", "node", "state"), edges),
        (("holds", "kind", "when", "file", "record"), manifest),
    ):
        if rows:
            here.out.print()
            print_table(here, columns, rows, "")


def _when(moment: datetime | None) -> str:
    return timestamp(moment) if moment else ""


def children(
    context: typer.Context, node: Node, user: Handle = None, as_of: AsOf = None, known_at: KnownAt = None,
    as_json: AsJson = False,
) -> None:  # fmt: skip
    """List the children of a node by name, at most 1,000."""
    here = session.of(context)

    async def work() -> None:
        async with here.memory(user) as memory:
            found = await memory.nodes.children(await node_at(memory, node), moment_of(as_of, known_at))
        if as_json:
            print_json(here.out, {"children": found})
            return
        rows = [(str(one.node_id), one.name, one.node_type, one.state, f"{one.records:,}") for one in found]
        print_table(here, ("node", "name", "type", "state", "records"), rows, "No children.")

    here.run(work())


def touch(
    context: typer.Context,
    node: Node,
    ids: Annotated[list[UUID] | None, typer.Argument(metavar="[ID]…", help="Items and records of it.")] = None,
    user: Handle = None,
) -> None:
    """Mark a node, and these of its items and records, as used."""
    here = session.of(context)

    async def work() -> None:
        async with here.memory(user) as memory:
            await memory.nodes.touch(await node_at(memory, node), ids or ())
        here.out.print("Marked as used.")

    here.run(work())


def archive(
    context: typer.Context, node: Node, user: Handle = None, reason: Reason = "", as_json: AsJson = False
) -> None:
    """Archive a node and its subtree: not searched, no writes until `node unarchive`; the past stays."""
    _archive(session.of(context), node, user, reason, archived=True, as_json=as_json)


def unarchive(
    context: typer.Context, node: Node, user: Handle = None, reason: Reason = "", as_json: AsJson = False
) -> None:
    """Unarchive a node; nodes below another archived node stay archived."""
    _archive(session.of(context), node, user, reason, archived=False, as_json=as_json)


def _archive(here: Session, node: str, user: str | None, reason: str, *, archived: bool, as_json: bool) -> None:
    async def work() -> None:
        async with here.memory(user) as memory:
            place = await node_at(memory, node)
            changed = await (memory.nodes.archive if archived else memory.nodes.unarchive)(place, reason=reason)
            shell = await memory.nodes.shell(place)
        if as_json:
            print_json(here.out, changed)
            return
        state = "archived" if shell.archived else "active"
        was = "" if changed.changed else ", as before"
        above = ", with a node above it" if shell.archived and not archived else ""
        here.out.print(Text(f"{'/'.join(shell.path[1:]) or '/'}: {state}{above}{was}."), soft_wrap=True)

    here.run(work())
