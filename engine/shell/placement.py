"""assignments, move-record: the decisions that placed records, and moving a record."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, cast
from uuid import UUID

import typer

from engine.domain.assignment import Assignment, AssignmentFilter, Decider
from engine.errors import InvalidInput
from engine.shell.options import Handle, Reason
from engine.shell.session import Commands, Session
from engine.shell.tables import print_list
from engine.shell.tokens import node_at

if TYPE_CHECKING:
    from engine.memory import Memory

LONGEST_SHOWN = 90

commands = Commands()


@commands.async_command("assignments", as_json=True)
async def assignments(
    here: Session,
    user: Handle = None,
    node: Annotated[
        str | None, typer.Option("--node", metavar="NODE", help="Only records at this node: path or id.")
    ] = None,
    record: Annotated[
        str | None, typer.Option("--record", metavar="ID", help="One record, with its earlier decisions.")
    ] = None,
    below: Annotated[
        float | None, typer.Option("--below", min=0, max=1, help="Only with a confidence below this.")
    ] = None,
    by: Annotated[str | None, typer.Option("--by", metavar="WHO", help="engine, model or hand.")] = None,
    before: Annotated[int | None, typer.Option("--before", min=1, help="The last entry of the previous page.")] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=500)] = 50,
) -> None:
    """List the decisions that placed records, newest first."""
    if by not in (None, "engine", "model", "hand"):
        raise typer.BadParameter("engine, model or hand", param_hint="--by")
    async with here.memory(user) as memory:
        place = await node_at(memory, node) if node else None
        one = _id(record) if record else None
        wanted = AssignmentFilter(one, place, below, cast("Decider | None", by), before, limit)
        found = await memory.records.assignments(wanted)
        names = {node.node_id: "/".join(node.path[1:]) or "(root)" for node in await memory.nodes.writable()}
    columns = ("record", "title", "node", "sure", "by", "why", "entry")
    print_list(here, {"assignments": found}, columns, [_cells(line, names) for line in found], "No such decision.")


@commands.async_command("move-record", as_json=True)
async def move_record(
    here: Session,
    record: Annotated[str, typer.Argument(metavar="RECORD", help="Its id.")],
    target: Annotated[str, typer.Argument(metavar="NODE", help="The new node: path or id.")],
    user: Handle = None,
    source: Annotated[
        str | None, typer.Option("--from", help="The present node, if no decision of the record is kept: path or id.")
    ] = None,
    reason: Reason = "",
) -> None:
    """Move a record, with its items, file and history, to another node."""
    async with here.memory(user) as memory:
        present = await (node_at(memory, source) if source else _present_node(memory, _id(record)))
        place = await node_at(memory, target)
        moved = await memory.records.move(_id(record), present, place, reason=reason)
    here.answer(moved, f"Moved: revision {moved.revision}.")


async def _present_node(memory: Memory, record: UUID) -> UUID:
    """The node of a record, from its newest decision."""
    known = await memory.records.assignments(AssignmentFilter(record_id=record, limit=1))
    if not known:
        raise InvalidInput("There is no such record, or it was stored before decisions were kept: say --from NODE.")
    return known[0].node_id


def _id(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError as error:
        raise InvalidInput(f"{text[:60]} is not a record id.") from error


def _cells(line: Assignment, names: Mapping[UUID, str]) -> tuple[str, ...]:
    place = names.get(line.node_id, str(line.node_id)) + (" (new)" if line.created_node else "")
    if line.moved_from is not None:
        place += f", from {names.get(line.moved_from, str(line.moved_from))}"
    sure = f"{line.confidence:.2f}"
    return str(line.record_id), line.title, place, sure, line.decided_by, _why(line.reasons), str(line.entry_id)


def _why(reasons: Mapping[str, Any]) -> str:
    """The reasons in one short line."""
    words = reasons.get("words")
    said = reasons.get("reason") or reasons.get("why") or reasons.get("rule")
    line = ", ".join(words) if words else str(said or json.dumps(reasons))
    return line if len(line) <= LONGEST_SHOWN else line[:LONGEST_SHOWN] + " …"
