"""record, event, assignments, move-record: store a text or a conversation, at a node or where it belongs; the decisions that
placed records, and moving a record; the log of events, with emotions."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast
from uuid import UUID

import typer

from engine.domain.assignment import Assignment, AssignmentFilter, Decider
from engine.domain.history import Conversation, Turn
from engine.domain.occasion import NewEvent, Wanted
from engine.domain.scope import Privacy
from engine.errors import InvalidInput
from engine.shell.options import Again, Expires, Handle, KnownAt, Private, Reason, check_title, expiry, point
from engine.shell.session import Commands, Session
from engine.shell.streams import lines_of, print_stored, text_of, turns_of
from engine.shell.tables import print_list, timestamp
from engine.shell.tokens import node_at

if TYPE_CHECKING:
    from engine.memory import Memory

Node = Annotated[
    str | None, typer.Option("--node", metavar="NODE", help="Where: path or id; else its content decides.")
]

records = Commands("record", "Store a text or a conversation; `ingest` stores many.")

events = Commands("event", "The log of events: written once, never changed.")

LONGEST_SHOWN = 90

commands = Commands()


@records.async_command("write", as_json=True)
async def write(
    here: Session,
    title: Annotated[str, typer.Argument(metavar="TITLE", help="The title.")],
    source: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="The text; stdin without it, or as -.")
    ] = None,
    user: Handle = None,
    node: Node = None,
    source_id: Annotated[str | None, typer.Option("--id", help="Its id; a changed text is its next version.")] = None,
    private: Private = False,
    again: Again = False,
    expires: Expires = None,
) -> None:
    """Store a text as a record."""
    check_title(title)
    text = await asyncio.to_thread(text_of, source)
    async with here.memory(user) as memory:
        place = await node_at(memory, node) if node else None
        privacy: Privacy = "private" if private else "org"
        report = (
            await memory.anew(again)
            .until(expiry(expires))
            .records.remember_text(title, text, source_id=source_id, node_id=place, privacy=privacy)
        )
    print_stored(here, report)


@records.async_command("conversation", as_json=True)
async def conversation(
    here: Session,
    identity: Annotated[str, typer.Argument(metavar="ID", help="Its id; turns that are stored are left out.")],
    source: Annotated[Path | None, typer.Argument(metavar="[FILE]", help="JSON lines, one turn each; stdin.")] = None,
    user: Handle = None,
    node: Node = None,
    title: Annotated[str, typer.Option("--title")] = "",
    private: Private = False,
    again: Again = False,
    expires: Expires = None,
) -> None:
    """Store a whole conversation: lines like {"speaker": "Bob", "text": "…"}. One that goes on: `conversation append`."""
    with lines_of(source) as lines:
        read = await asyncio.to_thread(lambda: tuple(turns_of(lines)))
    if not read:
        raise InvalidInput("There are no turns to store.")
    turns = tuple(Turn(one.speaker, one.text, one.at, one.ref) for one in read)
    async with here.memory(user) as memory:
        place = await node_at(memory, node) if node else None
        privacy: Privacy = "private" if private else "org"
        report = (
            await memory.anew(again)
            .until(expiry(expires))
            .records.remember(Conversation(identity, turns, title), node_id=place, privacy=privacy)
        )
    print_stored(here, report)


@events.async_command("write", as_json=True)
async def write_event(
    here: Session,
    kind: Annotated[str, typer.Argument(metavar="KIND", help="What it is: meeting, call, milestone, …")],
    content: Annotated[str, typer.Argument(metavar="[CONTENT]", help="What happened, in quotes.")] = "",
    emotion: Annotated[str | None, typer.Option("--emotion", help="What was felt.")] = None,
    intensity: Annotated[
        float | None, typer.Option("--intensity", min=0, max=1, help="Intensity of the emotion.")
    ] = None,
    energy: Annotated[float | None, typer.Option("--energy", min=0, max=1)] = None,
    at: Annotated[str | None, typer.Option("--at", metavar="TIME", help="When; without it, now.")] = None,
    node: Annotated[str | None, typer.Option("--node", metavar="NODE", help="What it is about: path or id.")] = None,
    user: Handle = None,
) -> None:
    """Write an event."""
    occurred_at = point(at)
    async with here.memory(user) as memory:
        node_id = await node_at(memory, node) if node is not None else None
        new = NewEvent(kind, content, emotion, intensity, energy, occurred_at, node_id)
        event = await memory.events.write(new)
    here.answer(event, f"Event {event.event_id}: {event.kind}, {timestamp(event.occurred_at)} UTC.")


@events.async_command("list", as_json=True)
async def listing(
    here: Session,
    kind: Annotated[str | None, typer.Option("--kind", help="Only of this kind.")] = None,
    start: Annotated[str | None, typer.Option("--from", metavar="TIME", help="From this time on.")] = None,
    end: Annotated[str | None, typer.Option("--to", metavar="TIME", help="Before this time.")] = None,
    known_at: KnownAt = None,
    user: Handle = None,
) -> None:
    """The newest 500 events by when they happened."""
    wanted = Wanted(kind, None, point(start), point(end), point(known_at))
    async with here.memory(user) as memory:
        found = await memory.events.list(wanted, limit=500)
    rows = [(one.occurred_at, one.kind, _feeling(one.emotion, one.intensity), one.content) for one in found]
    print_list(here, {"events": found}, ("when", "kind", "felt", "what"), rows, "No events.")


def _feeling(emotion: str | None, intensity: float | None) -> str:
    if emotion is None:
        return ""
    return emotion if intensity is None else f"{emotion} {intensity:g}"


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
