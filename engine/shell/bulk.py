"""import, export: conversations and texts as lines (NDJSON)."""

from __future__ import annotations

import asyncio
import os
import sys
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from importlib import import_module
from io import BufferedReader
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any, cast

import typer

from engine.domain.ingest import Limits
from engine.domain.written import ExportCount, Line, LineReport, LineSplitter, batches, line_of
from engine.errors import InvalidInput
from engine.progress import counted
from engine.shell.options import Again, Expires, Handle, Milliseconds, ModelCalls, Tokens, expiry, path_named
from engine.shell.plain_json import print_json
from engine.shell.session import Commands, Session, the_user
from engine.stores.whole_files import written_whole
from engine.turns import computed

if TYPE_CHECKING:
    from engine.memory import Memory
    from engine.progress import Progress

BLOCK = 1 << 18
"""Bytes that are read at once; the lines in them are stored together."""
MOST_LINES = 500
MOST_FAILED = 10
"""Failed lines that are printed; the rest is counted, and listed with --json, at most so many:"""
MOST_LISTED = 1000

commands = Commands()


class WrittenBy(StrEnum):
    """Whose lines a file has."""

    NEURIGRAPH = "neurigraph"
    MCP_MEMORY = "mcp-memory"


@commands.async_command("import", as_json=True)
async def import_lines(
    here: Session,
    path: Annotated[Path, typer.Argument(parser=path_named, metavar="FILE", help="Lines (.ndjson); - reads stdin.")],
    user: Handle = None,
    milliseconds: Milliseconds = None,
    tokens: Tokens = None,
    model_calls: ModelCalls = None,
    again: Again = False,
    expires: Expires = None,
    written_by: Annotated[
        WrittenBy,
        typer.Option("--format", help="neurigraph: lines of an export; mcp-memory: the file of MCP's memory server."),
    ] = WrittenBy.NEURIGRAPH,
) -> None:
    """Store one conversation or text a line, as an export writes them. Exit code 1 if a line failed."""
    read = import_module("engine.ingest.mcp_memory").import_line if written_by is WrittenBy.MCP_MEMORY else _as_it_is
    counts, failed = Counter[str](), list[LineReport]()
    with _reading(path) as file:  # a file that cannot be read starts no servers
        size = os.fstat(file.fileno()).st_size if path != Path("-") else None
        async with here.operations() as (engine, progress):
            owner = await engine.workspace.users.create(user) if user else await the_user(engine, None)
            memory = engine.memory(owner.user_id).anew(again).until(expiry(expires))
            with engine.spending(Limits(milliseconds, tokens, model_calls)):
                async for report in _reports(memory, file, size, here.settings.max_text_bytes, progress, read):
                    counts[report.outcome] += 1
                    if report.outcome == "failed" and len(failed) < MOST_LISTED:
                        failed.append(report)
    by = {name: counts[name] for name in ("stored", "skipped", "failed", "forgotten")}
    if here.as_json:
        print_json(here.out, {"lines": sum(by.values()), **by, "failures": failed})
    else:
        here.line(
            f"{counted(sum(by.values()), 'line')}: " + ", ".join(f"{number:,} {name}" for name, number in by.items())
        )
        for report in failed[:MOST_FAILED]:
            here.line(f"line {report.number}: {report.detail}", style="yellow")
    if failed:
        raise typer.Exit(1)


def _as_it_is(line: Line) -> Line:
    return line


async def _reports(
    memory: Memory,
    file: BufferedReader,
    size: int | None,
    most_bytes: int,
    progress: Progress,
    read: Callable[[Line], Line],
) -> AsyncIterator[LineReport]:
    splitter = LineSplitter(most_bytes)
    progress.start("import", size, "bytes")
    while block := await asyncio.to_thread(file.read1, BLOCK):
        for batch in batches(splitter.take(block), MOST_LINES):
            for report in await memory.ingests.lines([*map(read, batch)]):
                yield report
        progress.advance("import", len(block))
    for report in await memory.ingests.lines([*map(read, splitter.end())]):
        yield report
    progress.finish("import")


@commands.async_command("export", as_json=True)
async def export(
    here: Session,
    path: Annotated[
        Path, typer.Argument(parser=path_named, metavar="FILE", help="Written when it is whole; - is stdout.")
    ],
    user: Handle = None,
) -> None:
    """Write what a user stored as lines that an import takes back. Exit code 1 if a source could not be read."""
    with _writing(path) as file:
        async with here.operations() as (engine, progress):
            memory = engine.memory((await the_user(engine, user)).user_id)
            totals = await _export(memory, file, progress)
    if here.as_json and path != Path("-"):
        print_json(here.out, totals)
    elif path != Path("-"):
        here.line(
            f"{path}: "
            + ", ".join(f"{number:,} {name.replace('_', ' ')}" for name, number in totals.items() if name != "done")
        )
    if totals["failed"]:
        raise typer.Exit(1)


async def _export(memory: Memory, file: IO[bytes], progress: Progress) -> dict[str, Any]:
    count = ExportCount(memory.principal.user_id)
    progress.start("export", None, "sources")
    page = await memory.exports.page()
    while True:
        lines = await computed(count.written, page)
        await asyncio.to_thread(file.write, lines)
        progress.advance("export", len(page.lines))
        if not page.more:
            break
        page = await memory.exports.page(page.place)
    totals = count.totals(await memory.exports.left_out(page.place))
    file.write(line_of(totals))
    progress.finish("export")
    return totals


@contextmanager
def _reading(path: Path) -> Iterator[BufferedReader]:
    if path == Path("-"):
        yield cast(BufferedReader, sys.stdin.buffer)
        return
    try:
        file = path.open("rb")
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}.") from error
    with file:
        yield file


@contextmanager
def _writing(path: Path) -> Iterator[IO[bytes]]:
    if path == Path("-"):
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    with written_whole(path, 0o600) as file:  # private records are in it
        yield file
