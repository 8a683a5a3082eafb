"""node: show the shell of a node, archive and unarchive nodes."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

import typer
from rich.text import Text

from engine.domain.node import Shell
from engine.progress import counted
from engine.shell.options import AsOf, Handle, KnownAt, Reason, moment_of
from engine.shell.plain_json import print_json
from engine.shell.session import Commands, Session
from engine.shell.tables import last_read, print_list, print_table, shown_state
from engine.shell.tokens import node_at

Node = Annotated[str, typer.Argument(metavar="NODE", help="Its path, as Family/Dave, its id, or / for the root.")]

nodes = Commands("node", "Single nodes of a graph; `tree` shows all of them.")


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
