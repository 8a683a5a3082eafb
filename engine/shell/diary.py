"""event: the log of events, with emotions."""

from __future__ import annotations

from typing import Annotated

import typer

from engine.domain.occasion import NewEvent, Wanted
from engine.shell.options import Handle, KnownAt, point
from engine.shell.session import Commands, Session
from engine.shell.tables import print_list, timestamp
from engine.shell.tokens import node_at

events = Commands("event", "The log of events: written once, never changed.")


@events.async_command("write", as_json=True)
async def write(
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
