"""conversation, occasion: streamed conversations and occasions."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any, get_args

import typer
from rich.table import Table

from engine.domain.occasion import Occasion, OccasionKind
from engine.domain.scope import USERS, MemoryScope, Privacy
from engine.domain.stream import StreamedTurn
from engine.errors import InvalidInput
from engine.shell import session
from engine.shell.options import AsJson, Handle, point, scope_named
from engine.shell.plain_json import print_json
from engine.shell.session import Session
from engine.shell.tables import counted

if TYPE_CHECKING:
    from engine.domain.stream import Appended, StreamState

TOGETHER = 20
"""Turns of one append from a file; those from stdin are appended one by one."""
_FIELDS = {"speaker", "text", "at", "id", "role"}

Identifier = Annotated[str, typer.Argument(metavar="ID", help="The id of the conversation.")]
Scope = Annotated[
    MemoryScope | None, typer.Option("--scope", parser=scope_named, metavar="SCOPE", help="thread:ID or workflow:ID.")
]


def register(app: typer.Typer) -> None:
    """Adds the commands of this module."""
    conversations = typer.Typer(no_args_is_help=True, help="Streamed conversations.")
    conversations.command("append")(append)
    conversations.command("end")(end)
    conversations.command("list")(list_open)
    conversations.command("show")(show)
    app.add_typer(conversations, name="conversation")
    app.command("occasion")(occasion)


def append(  # noqa: PLR0913 (the options of a command are its parameters)
    context: typer.Context,
    conversation: Identifier,
    source: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="JSON lines, one turn each; stdin without it.")
    ] = None,
    user: Handle = None,
    title: Annotated[str, typer.Option("--title", help="Used when the conversation is opened.")] = "",
    private: Annotated[bool, typer.Option("--private", help="For its user alone.")] = False,
    scope: Scope = None,
    as_json: AsJson = False,
) -> None:
    """Append turns: lines like {"speaker": "Bob", "text": "…", "id": "t1", "role": "user"}."""
    here = session.of(context)
    here.run(_append(here, conversation, source, user, (title, "private" if private else None, scope), as_json))


async def _append(
    here: Session,
    conversation: str,
    source: Path | None,
    handle: str | None,
    opening: tuple[str, Privacy | None, MemoryScope | None],
    as_json: bool,
) -> None:
    title, privacy, scope = opening
    last: Appended | None = None
    added = 0
    with lines_of(source) as lines:
        turns = turns_of(lines)
        async with here.memory(handle) as whole:
            memory = whole.within(scope or USERS)
            together = TOGETHER if source else 1
            while batch := await asyncio.to_thread(lambda: tuple(islice(turns, together))):
                last = await memory.conversations.append(conversation, *batch, title=title, privacy=privacy)
                added += last.added
    if last is None:
        raise InvalidInput("There are no turns to append.")
    if as_json:
        print_json(here.out, last)
        return
    state = f"{last.turns:,} in all, {last.stored:,} stored, {last.waiting:,} waiting"
    tokens = counted(last.waiting_tokens, "token")
    here.out.print(f"{conversation}: {counted(added, 'turn')} appended; {state} ({tokens})", soft_wrap=True)


def lines_of(source: Path | None) -> IO[str]:
    """The lines of a file, or of stdin."""
    if source is None:
        return open(sys.stdin.fileno(), encoding="utf-8", closefd=False)
    return source.open(encoding="utf-8")


def turns_of(lines: IO[str]) -> Iterator[StreamedTurn]:
    """The turns of JSON lines; blank lines are skipped. Raises InvalidInput with the line number."""
    number = 0
    try:
        for number, line in enumerate(lines, 1):
            if line.strip():
                yield _turn(json.loads(line), number)
    except json.JSONDecodeError as error:
        raise InvalidInput(f"Line {number} is not JSON: {error.msg} (column {error.colno}).") from error
    except UnicodeDecodeError as error:
        raise InvalidInput(f"Line {number + 1} is not UTF-8.") from error


def _turn(value: Any, number: int) -> StreamedTurn:
    fits = isinstance(value, dict) and {"speaker", "text"} <= value.keys() <= _FIELDS
    if not fits or not all(entry is None or isinstance(entry, str) for entry in value.values()):
        raise InvalidInput(
            f"Line {number} is not a turn: it needs speaker and text; at, id and role are optional; all are strings."
        )
    return StreamedTurn(
        value["speaker"] or "", value["text"] or "", point(value.get("at")), value.get("id"), value.get("role")
    )


def end(context: typer.Context, conversation: Identifier, user: Handle = None, as_json: AsJson = False) -> None:
    """End a conversation: store its remaining turns, however few."""
    here = session.of(context)

    async def work() -> None:
        async with here.memory(user) as memory:
            ended = await memory.conversations.end(conversation)
        if as_json:
            print_json(here.out, ended)
        else:
            stored = f"{counted(ended.turns, 'turn')} into {counted(len(ended.records), 'record')}"
            whole = counted(ended.conversation.turns, "turn")
            here.out.print(f"{conversation}: {stored}; it has {whole}", soft_wrap=True)

    here.run(work())


def list_open(context: typer.Context, user: Handle = None, as_json: AsJson = False) -> None:
    """List conversations that have not ended."""
    here = session.of(context)

    async def work() -> None:
        states: list[StreamState] = []
        async with here.memory(user) as memory:
            while page := await memory.conversations.list(
                after=states[-1].conversation_id if states else "", limit=500
            ):
                states += page
        _print(here, states, as_json=as_json)

    here.run(work())


def show(context: typer.Context, conversation: Identifier, user: Handle = None, as_json: AsJson = False) -> None:
    """Show the status of a conversation: turns and tokens, how many are stored and how many wait."""
    here = session.of(context)

    async def work() -> None:
        async with here.memory(user) as memory:
            state = await memory.conversations.get(conversation)
        if as_json:
            print_json(here.out, state)
        else:
            _print(here, [state], as_json=False)

    here.run(work())


def _print(here: Session, states: list[StreamState], *, as_json: bool) -> None:
    if as_json:
        print_json(here.out, states)
        return
    if not states:
        here.out.print("No open conversations.")
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("conversation", "state", "turns", "stored", "waiting", "tokens waiting", "last turn", "failure"):
        table.add_column(
            name, overflow="fold", justify="left" if name in ("conversation", "state", "failure") else "right"
        )
    for state in states:
        counts = (state.turns, state.stored, state.waiting, state.waiting_tokens)
        last = f"{state.last_at:%Y-%m-%d %H:%M}"
        table.add_row(state.conversation_id, state.state, *(f"{one:,}" for one in counts), last, state.failure or "")
    here.out.print(table)


def occasion(  # noqa: PLR0913 (the options of a command are its parameters)
    context: typer.Context,
    kind: Annotated[str, typer.Argument(metavar="KIND", help=f"One of {', '.join(get_args(OccasionKind))}.")],
    title: Annotated[str, typer.Argument(metavar="TITLE", help="The subject.")],
    source: Annotated[Path | None, typer.Argument(metavar="[FILE]", help="What happened; stdin without it.")] = None,
    user: Handle = None,
    start: Annotated[str | None, typer.Option("--start", metavar="TIME", help="When it began.")] = None,
    end_time: Annotated[str | None, typer.Option("--end", metavar="TIME", help="When it was over.")] = None,
    participant: Annotated[list[str] | None, typer.Option("--with", metavar="NAME", help="Who was there.")] = None,
    source_id: Annotated[str | None, typer.Option("--id", help="Its id; the same one is stored once.")] = None,
    private: Annotated[bool, typer.Option("--private", help="For its user alone.")] = False,
    as_json: AsJson = False,
) -> None:
    """Store a meeting, a call, a work session or a milestone as one record."""
    here = session.of(context)

    async def work() -> None:
        if kind not in get_args(OccasionKind):
            raise InvalidInput(f"An occasion is one of {', '.join(get_args(OccasionKind))}.")
        with lines_of(source) as lines:
            text = await asyncio.to_thread(lines.read)
        happened = Occasion(
            kind, title, text, point(start), point(end_time), tuple(participant or ()), source_id  # type: ignore[arg-type]
        )  # fmt: skip
        async with here.memory(user) as memory:
            report = await memory.records.remember_occasion(happened, privacy="private" if private else "org")
        if as_json:
            print_json(here.out, report)
        elif report.records:
            here.out.print(f"{' > '.join(report.records[0].path)}: {report.records[0].title}", soft_wrap=True)
        else:
            here.out.print("It was stored already; nothing was changed.")

    here.run(work())
