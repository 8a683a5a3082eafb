"""record: store a text or a conversation, at a node or where it belongs."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from engine.domain.history import Conversation, Turn
from engine.domain.scope import Privacy
from engine.errors import InvalidInput
from engine.shell.options import Again, Handle, Private, check_title
from engine.shell.session import Commands, Session
from engine.shell.streams import lines_of, print_stored, text_of, turns_of
from engine.shell.tokens import node_at

Node = Annotated[
    str | None, typer.Option("--node", metavar="NODE", help="Where: path or id; else its content decides.")
]

records = Commands("record", "Store a text or a conversation; `ingest` stores many.")


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
) -> None:
    """Store a text as a record."""
    check_title(title)
    text = await asyncio.to_thread(text_of, source)
    async with here.memory(user) as memory:
        place = await node_at(memory, node) if node else None
        privacy: Privacy = "private" if private else "org"
        report = await memory.anew(again).records.remember_text(
            title, text, source_id=source_id, node_id=place, privacy=privacy
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
        report = await memory.anew(again).records.remember(
            Conversation(identity, turns, title), node_id=place, privacy=privacy
        )
    print_stored(here, report)
