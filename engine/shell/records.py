"""record: store a text or a conversation, at a node or where it belongs."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from engine.domain.history import Conversation, Turn
from engine.domain.scope import Privacy
from engine.errors import InvalidInput
from engine.shell import session
from engine.shell.options import AsJson, Handle
from engine.shell.plain_json import print_json
from engine.shell.session import Session
from engine.shell.streams import lines_of, turns_of
from engine.shell.tokens import node_at

if TYPE_CHECKING:
    from engine.domain.record import IngestReport

Node = Annotated[
    str | None, typer.Option("--node", metavar="NODE", help="Where: path or id; else its content decides.")
]
Private = Annotated[bool, typer.Option("--private", help="For its user alone.")]


def register(app: typer.Typer) -> None:
    """Adds the commands of this module."""
    records = typer.Typer(no_args_is_help=True, help="Store a text or a conversation; `ingest` stores many.")
    records.command("write")(write)
    records.command("conversation")(conversation)
    app.add_typer(records, name="record")


def write(  # noqa: PLR0913 (the options of a command are its parameters)
    context: typer.Context,
    title: Annotated[str, typer.Argument(metavar="TITLE", help="The title.")],
    source: Annotated[Path | None, typer.Argument(metavar="[FILE]", help="The text; stdin without it.")] = None,
    user: Handle = None,
    node: Node = None,
    source_id: Annotated[str | None, typer.Option("--id", help="Its id; a changed text is its next version.")] = None,
    private: Private = False,
    as_json: AsJson = False,
) -> None:
    """Store a text as a record."""
    here = session.of(context)

    async def work() -> None:
        with lines_of(source) as lines:
            text = await asyncio.to_thread(lines.read)
        async with here.memory(user) as memory:
            place = await node_at(memory, node) if node else None
            report = await memory.records.remember_text(
                title, text, source_id=source_id, node_id=place, privacy=_privacy(private)
            )
        _print(here, report, as_json=as_json)

    here.run(work())


def conversation(  # noqa: PLR0913 (the options of a command are its parameters)
    context: typer.Context,
    identity: Annotated[str, typer.Argument(metavar="ID", help="Its id; turns that are stored are left out.")],
    source: Annotated[Path | None, typer.Argument(metavar="[FILE]", help="JSON lines, one turn each; stdin.")] = None,
    user: Handle = None,
    node: Node = None,
    title: Annotated[str, typer.Option("--title")] = "",
    private: Private = False,
    as_json: AsJson = False,
) -> None:
    """Store a whole conversation: lines like {"speaker": "Bob", "text": "…"}. One that goes on: `conversation append`."""
    here = session.of(context)

    async def work() -> None:
        with lines_of(source) as lines:
            read = await asyncio.to_thread(lambda: tuple(turns_of(lines)))
        if not read:
            raise InvalidInput("There are no turns to store.")
        turns = tuple(Turn(one.speaker, one.text, one.at, one.ref) for one in read)
        async with here.memory(user) as memory:
            place = await node_at(memory, node) if node else None
            report = await memory.records.remember(
                Conversation(identity, turns, title), node_id=place, privacy=_privacy(private)
            )
        _print(here, report, as_json=as_json)

    here.run(work())


def _privacy(private: bool) -> Privacy:
    return "private" if private else "org"


def _print(here: Session, report: IngestReport, *, as_json: bool) -> None:
    if as_json:
        print_json(here.out, report)
    for record in () if as_json else report.records:
        here.out.print(f"{' > '.join(record.path)}: {record.title}", soft_wrap=True)
    if not as_json and not report.records:
        here.out.print("It was stored already; nothing was changed.")
