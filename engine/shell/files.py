"""file, sweep: states of files, waking them and putting them to sleep, and failures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer
from rich.filesize import decimal
from rich.text import Text

from engine.errors import NotFound
from engine.shell import session
from engine.shell.mending import give_back, quarantine
from engine.shell.options import AsJson, Handle
from engine.shell.plain_json import print_json
from engine.shell.session import Session
from engine.shell.tables import counted, print_table, timestamp
from engine.shell.tokens import node_at

if TYPE_CHECKING:
    from engine.domain.file_state import FileStatus
    from engine.domain.metadata import RecordMetadata
    from engine.memory import Memory

Node = Annotated[str, typer.Argument(metavar="NODE", help="The node: Family/Health, or its id.")]
File = Annotated[str, typer.Argument(metavar="FILE", help="The file's id, or its name at the node.")]


def register(app: typer.Typer) -> None:
    """Adds the commands of this module."""
    files = typer.Typer(no_args_is_help=True, help="States of files: asleep, awake, being restored.")
    files.command("state")(state)
    files.command("wake")(wake)
    files.command("sleep")(sleep)
    files.command("log")(log)
    files.command("review")(review)
    files.command("quarantine")(quarantine)
    files.command("return")(give_back)
    app.add_typer(files, name="file")
    app.command("sweep")(sweep)


def state(
    context: typer.Context,
    node: Node,
    file: Annotated[str | None, typer.Argument(metavar="[FILE]", help="Its id or name; without it, all.")] = None,
    user: Handle = None,
    as_json: AsJson = False,
) -> None:
    """The state of a file, or of all files of a node; does not wake them."""
    here = session.of(context)

    async def work() -> None:
        async with here.memory(user) as memory:
            node_id = await node_at(memory, node)
            if file is not None:
                _print_status(here, await memory.files.state(node_id, await _file(memory, node_id, file)), as_json)
                return
            files = await _files(memory, node_id)
        if as_json:
            wanted = ("file_id", "file_name", "compression_state", "size_bytes", "stored_bytes")
            print_json(here.out, {"files": [{name: getattr(one, name) for name in wanted} for one in files]})
            return
        rows = [
            (str(one.file_id), one.file_name or "", one.compression_state or "", decimal(one.size_bytes or 0))
            for one in files
        ]
        print_table(here, ("file", "name", "state", "size"), rows, "No files here.")

    here.run(work())


def wake(
    context: typer.Context,
    node: Node,
    file: File,
    user: Handle = None,
    wait: Annotated[float | None, typer.Option("--wait", min=0, help="Seconds to wait at most.")] = None,
    as_json: AsJson = False,
) -> None:
    """Wake a file; it stays awake until it is put to sleep or unused for long."""
    here = session.of(context)

    async def work() -> None:
        async with here.memory(user) as memory:
            node_id = await node_at(memory, node)
            status = await memory.files.wake(node_id, await _file(memory, node_id, file), wait_s=wait)
        _print_status(here, status, as_json)

    here.run(work())


def sleep(context: typer.Context, node: Node, file: File, user: Handle = None, as_json: AsJson = False) -> None:
    """Put a file to sleep now."""
    here = session.of(context)

    async def work() -> None:
        async with here.memory(user) as memory:
            node_id = await node_at(memory, node)
            status = await memory.files.sleep(node_id, await _file(memory, node_id, file))
        _print_status(here, status, as_json)

    here.run(work())


def log(
    context: typer.Context,
    user: Handle = None,
    to_review: Annotated[bool, typer.Option("--to-review", help="Only failures that are not reviewed.")] = False,
    as_json: AsJson = False,
) -> None:
    """The newest 100 transitions of the files of a user."""
    here = session.of(context)

    async def work() -> None:
        async with here.memory(user) as memory:
            entries = await memory.files.log(to_review=to_review)
        if as_json:
            print_json(here.out, {"entries": entries})
            return
        rows = [
            (
                str(e.entry_id),
                f"{timestamp(e.occurred_at)} UTC",
                str(e.file_id),
                f"{e.from_state} > {e.to_state}",
                e.trigger,
                e.detail,
            )
            for e in entries
        ]
        nothing = "Nothing to review." if to_review else "No file has changed its state yet."
        print_table(here, ("entry", "when", "file", "moved", "by", "detail"), rows, nothing)

    here.run(work())


def review(
    context: typer.Context,
    entry: Annotated[int, typer.Argument(metavar="ENTRY", min=1, max=2**62, help="From file log --to-review.")],
    user: Handle = None,
    note: Annotated[str, typer.Option("--note", help="What was done, in one line.")] = "",
) -> None:
    """Mark a failed entry of the log as reviewed."""
    here = session.of(context)

    async def work() -> None:
        async with here.memory(user) as memory:
            made = await memory.files.review(entry, note)
        here.out.print(f"Entry {entry}: reviewed, in entry {made}.")

    here.run(work())


def sweep(
    context: typer.Context,
    force: Annotated[bool, typer.Option("--force", help="Move orphans to quarantine, however many there are.")] = False,
    as_json: AsJson = False,
) -> None:
    """Put files to sleep after their time, and move orphans past their grace time to quarantine."""
    here = session.of(context)

    async def work() -> bool:
        async with here.engine() as (engine, _):
            asleep, orphans = await engine.dormancy.run(), await engine.sweep.run(force=force)
        if as_json:
            print_json(here.out, {"dormancy": asleep, "orphans": orphans})
            return not orphans.stopped
        here.out.print(
            f"{counted(asleep.asleep, 'file')} put to sleep: {asleep.expired:,} past their time, {asleep.unused:,} unused, "
            f"{asleep.recovered:,} whose restoration had stopped.",
            soft_wrap=True,
        )
        here.out.print(
            f"{counted(orphans.orphans, 'orphan')} among {counted(orphans.objects, 'object')}: "
            f"{counted(orphans.quarantined, 'file')} moved to quarantine, "
            f"{counted(orphans.deleted, 'copy', 'copies')} deleted; "
            f"{counted(orphans.expired, 'file')} deleted from quarantine, past their time.",
            soft_wrap=True,
        )
        if orphans.foreign:
            here.out.print(f"Not touched: {counted(orphans.foreign, 'object')} not of the engine.")
        if orphans.stopped:
            here.notes.print(Text(f"No orphan was touched: {orphans.stopped}", style="red"), soft_wrap=True)
        return not orphans.stopped

    if not here.run(work()):
        raise typer.Exit(1)


async def _files(memory: Memory, node_id: UUID) -> list[RecordMetadata]:
    """The files of a node, newest first."""
    found: list[RecordMetadata] = []
    page = await memory.nodes.metadata(node_id, limit=500)
    found += page.records
    while page.cursor is not None:
        page = await memory.nodes.metadata(node_id, limit=500, cursor=page.cursor)
        found += page.records
    return [record for record in found if record.file_id is not None]


async def _file(memory: Memory, node_id: UUID, text: str) -> UUID:
    """The file of that id or name; raises NotFound."""
    try:
        return UUID(text)
    except ValueError:
        named = [one.file_id for one in await _files(memory, node_id) if one.file_name == text and one.file_id]
    if len(named) == 1:
        return named[0]
    several = f"There are {len(named)} files called {text} at this node; name one by its id."
    raise NotFound(several if named else f"There is no file called {text} at this node.")


def _print_status(here: Session, status: FileStatus, as_json: bool) -> None:
    if as_json:
        print_json(here.out, status)
        return
    parts = [f"File {status.file_id}: {status.state}"]
    if status.by_hand:
        parts.append("woken by hand")
    if status.due_at is not None:
        parts.append(f"sleeps again {timestamp(status.due_at)} UTC")
    if status.failure is not None:
        parts.append(f"its last restoration failed: {status.failure}")
    here.out.print(Text(", ".join(parts).rstrip(".") + "."), soft_wrap=True)
