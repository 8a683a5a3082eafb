"""conversation, occasion: streamed conversations and occasions."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any, get_args

import typer

from engine.domain.occasion import Occasion, OccasionKind
from engine.domain.read_limits import every
from engine.domain.scope import USERS, MemoryScope, Privacy
from engine.domain.stream import StreamedTurn
from engine.errors import InvalidInput
from engine.progress import counted
from engine.shell.options import Again, Expires, Handle, Private, check_title, expiry, point, scope_named
from engine.shell.plain_json import print_json
from engine.shell.session import Commands, Session, UnreadableInput
from engine.shell.tables import table

if TYPE_CHECKING:
    from engine.domain.report import IngestReport
    from engine.domain.stream import Appended, StreamState

TOGETHER = 20
"""Turns of one append from a file; those from stdin are appended one by one."""
_WRONG_BYTE = re.compile(r"[\udc80-\udcff]")
"""A byte that is not UTF-8, as it was read."""
_FIELDS = {"speaker", "text", "at", "id", "role"}

Identifier = Annotated[str, typer.Argument(metavar="ID", help="The id of the conversation.")]
Scope = Annotated[
    MemoryScope | None, typer.Option("--scope", parser=scope_named, metavar="SCOPE", help="thread:ID or workflow:ID.")
]

commands = Commands()
conversations = Commands("conversation", "Streamed conversations.")


@conversations.async_command("append", as_json=True)
async def append(
    here: Session,
    conversation: Identifier,
    source: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="JSON lines, one turn each; stdin without it.")
    ] = None,
    user: Handle = None,
    title: Annotated[str, typer.Option("--title", help="Used when the conversation is opened.")] = "",
    private: Private = False,
    scope: Scope = None,
    again: Again = False,
    expires: Expires = None,
) -> None:
    """Append turns: lines like {"speaker": "Bob", "text": "…", "id": "t1", "role": "user"}."""
    privacy: Privacy | None = "private" if private else None
    last: Appended | None = None
    added = 0
    with lines_of(source) as lines:
        turns = turns_of(lines)
        async with here.memory(user) as whole:
            memory = whole.anew(again).until(expiry(expires)).within(scope or USERS)
            together = TOGETHER if file_of(source) else 1
            while batch := await asyncio.to_thread(lambda: tuple(islice(turns, together))):
                last = await memory.conversations.append(conversation, *batch, title=title, privacy=privacy)
                added += last.added
    if last is None:
        raise InvalidInput("There are no turns to append.")
    state = f"{last.turns:,} in all, {last.stored:,} stored, {last.waiting:,} waiting"
    tokens = counted(last.waiting_tokens, "token")
    here.answer(last, f"{conversation}: {counted(added, 'turn')} appended; {state} ({tokens})")


def file_of(source: Path | None) -> Path | None:
    """The file of an argument; None for stdin, which is `-` or no argument."""
    return None if source == Path("-") else source


def lines_of(source: Path | None) -> IO[str]:
    """The lines of a file, or of stdin; a byte that is not UTF-8 is half of a surrogate pair in them, see `check_utf8`."""
    if (file := file_of(source)) is None:
        return open(sys.stdin.fileno(), encoding="utf-8", errors="surrogateescape", closefd=False)
    return file.open(encoding="utf-8", errors="surrogateescape")


def text_of(source: Path | None) -> str:
    """The whole text of a file, or of stdin. Raises UnreadableInput."""
    with lines_of(source) as lines:
        return check_utf8(lines.read(), file.name if (file := file_of(source)) else "stdin")


def check_utf8(text: str, where: str) -> str:
    """The text. Raises UnreadableInput that names its first byte that is not UTF-8."""
    wrong = _WRONG_BYTE.search(text)
    if wrong is None:
        return text
    place = len(text[: wrong.start()].encode("utf-8"))
    byte = ord(wrong.group()) - 0xDC00
    raise UnreadableInput(f"{where} is not valid UTF-8: byte {place:,} (counted from 0) is 0x{byte:02X}.")


def turns_of(lines: IO[str]) -> Iterator[StreamedTurn]:
    """The turns of JSON lines; blank lines are skipped. Raises InvalidInput with the line number."""
    number = 0
    try:
        for number, line in enumerate(lines, 1):
            check_utf8(line, f"Line {number}")
            if line.strip():
                yield _turn(json.loads(line), number)
    except json.JSONDecodeError as error:
        raise InvalidInput(f"Line {number} is not JSON: {error.msg} (column {error.colno}).") from error
    except RecursionError as error:
        raise InvalidInput(f"Line {number} is nested too deeply.") from error
    except ValueError as error:  # more digits than Python reads
        raise InvalidInput(f"Line {number} holds a number that cannot be read.") from error


def _turn(value: Any, number: int) -> StreamedTurn:
    fits = isinstance(value, dict) and {"speaker", "text"} <= value.keys() <= _FIELDS
    if not fits or not all(entry is None or isinstance(entry, str) for entry in value.values()):
        raise InvalidInput(
            f"Line {number} is not a turn: it needs speaker and text; at, id and role are optional; all are strings."
        )
    return StreamedTurn(
        value["speaker"] or "", value["text"] or "", point(value.get("at")), value.get("id"), value.get("role")
    )


@conversations.async_command("end", as_json=True)
async def end(here: Session, conversation: Identifier, user: Handle = None) -> None:
    """End a conversation: store its remaining turns, however few."""
    async with here.memory(user) as memory:
        ended = await memory.conversations.end(conversation)
    stored = f"{counted(ended.turns, 'turn')} into {counted(len(ended.records), 'record')}"
    here.answer(ended, f"{conversation}: {stored}; it has {counted(ended.conversation.turns, 'turn')}")


@conversations.async_command("list", as_json=True)
async def list_open(here: Session, user: Handle = None) -> None:
    """List conversations that have not ended."""
    async with here.memory(user) as memory:
        found = await every(
            lambda after: memory.conversations.list(after=after or "", limit=500), lambda one: one.conversation_id
        )
    _print(here, found)


@conversations.async_command("show", as_json=True)
async def show(here: Session, conversation: Identifier, user: Handle = None) -> None:
    """Show the status of a conversation: turns and tokens, how many are stored and how many wait."""
    async with here.memory(user) as memory:
        state = await memory.conversations.get(conversation)
    if here.as_json:
        print_json(here.out, state)
    else:
        _print(here, [state])


def _print(here: Session, states: list[StreamState]) -> None:
    if here.as_json:
        return print_json(here.out, states)
    if not states:
        return here.out.print("No open conversations.")
    numbers = ("turns", "stored", "waiting", "tokens waiting")
    shown = table("conversation", "state", *numbers, "last turn", "failure", right=(*numbers, "last turn"))
    for state in states:
        counts = (state.turns, state.stored, state.waiting, state.waiting_tokens)
        last = f"{state.last_at:%Y-%m-%d %H:%M}"
        shown.add_row(state.conversation_id, state.state, *(f"{one:,}" for one in counts), last, state.failure or "")
    here.out.print(shown)


@commands.async_command("occasion", as_json=True)
async def occasion(
    here: Session,
    kind: Annotated[str, typer.Argument(metavar="KIND", help=f"One of {', '.join(get_args(OccasionKind))}.")],
    title: Annotated[str, typer.Argument(metavar="TITLE", help="The subject.")],
    source: Annotated[Path | None, typer.Argument(metavar="[FILE]", help="What happened; stdin without it.")] = None,
    user: Handle = None,
    start: Annotated[str | None, typer.Option("--start", metavar="TIME", help="When it began.")] = None,
    end_time: Annotated[str | None, typer.Option("--end", metavar="TIME", help="When it was over.")] = None,
    participant: Annotated[list[str] | None, typer.Option("--with", metavar="NAME", help="Who was there.")] = None,
    source_id: Annotated[str | None, typer.Option("--id", help="Its id; the same one is stored once.")] = None,
    private: Private = False,
    again: Again = False,
    expires: Expires = None,
) -> None:
    """Store a meeting, a call, a work session or a milestone as one record."""
    if kind not in get_args(OccasionKind):
        raise InvalidInput(f"An occasion is one of {', '.join(get_args(OccasionKind))}.")
    check_title(title)
    text = await asyncio.to_thread(text_of, source)
    happened = Occasion(
        kind, title, text, point(start), point(end_time), tuple(participant or ()), source_id  # type: ignore[arg-type]
    )  # fmt: skip
    async with here.memory(user) as memory:
        report = (
            await memory.anew(again)
            .until(expiry(expires))
            .records.remember_occasion(happened, privacy="private" if private else "org")
        )
    print_stored(here, report)


def print_stored(here: Session, report: IngestReport) -> None:
    """Prints the records that were written."""
    if here.as_json:
        return print_json(here.out, report)
    for record in report.records:
        here.line(f"{' > '.join(record.path)}: {record.title}")
    if not report.records:
        here.out.print("It was stored already; nothing was changed.")
