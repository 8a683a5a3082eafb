"""file, sweep, document, resource: states of files, waking them and putting them to sleep, failures, the quarantine; documents
with their versions, and raw inputs."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer
from rich.filesize import decimal
from rich.text import Text

from engine.domain.file_state import ResourceType
from engine.domain.node import all_records
from engine.errors import NotFound
from engine.progress import counted
from engine.shell.options import Handle
from engine.shell.plain_json import print_json
from engine.shell.session import Commands, Session
from engine.shell.tables import print_list, timestamp
from engine.shell.tokens import node_at

if TYPE_CHECKING:
    from engine.domain.file_state import FileStatus
    from engine.domain.node import RecordMetadata
    from engine.lifecycle.file_states import DormancyReport
    from engine.lifecycle.sweep import SweepReport
    from engine.memory import Memory

Node = Annotated[str, typer.Argument(metavar="NODE", help="The node: Family/Health, or its id.")]
File = Annotated[str, typer.Argument(metavar="FILE", help="The file's id, or its name at the node.")]

commands = Commands()
files = Commands("file", "States of files: asleep, awake, being restored.")

Identity = Annotated[UUID, typer.Argument(metavar="ID", help="The document's id, from document list.")]
Version = Annotated[int | None, typer.Option("--version", min=1, help="Which version; without it, the newest.")]

documents = Commands("document", "Documents and their versions.")
resources = Commands("resource", "Raw inputs, as they were received.")


@files.async_command("state", as_json=True)
async def state(
    here: Session,
    node: Node,
    file: Annotated[str | None, typer.Argument(metavar="[FILE]", help="Its id or name; without it, all.")] = None,
    user: Handle = None,
) -> None:
    """The state of a file, or of all files of a node; does not wake them."""
    async with here.memory(user) as memory:
        node_id = await node_at(memory, node)
        if file is not None:
            return _print_status(here, await memory.files.state(node_id, await _file(memory, node_id, file)))
        found = await _files(memory, node_id)
    wanted = ("file_id", "file_name", "compression_state", "size_bytes", "stored_bytes")
    shown = {"files": [{name: getattr(one, name) for name in wanted} for one in found]}
    rows = [(one.file_id, one.file_name, one.compression_state, decimal(one.size_bytes or 0)) for one in found]
    print_list(here, shown, ("file", "name", "state", "size"), rows, "No files here.")


@files.async_command("wake", as_json=True)
async def wake(
    here: Session,
    node: Node,
    file: File,
    user: Handle = None,
    wait: Annotated[float | None, typer.Option("--wait", min=0, help="Seconds to wait at most.")] = None,
) -> None:
    """Wake a file; it stays awake until it is put to sleep or unused for long."""
    async with here.memory(user) as memory:
        node_id = await node_at(memory, node)
        status = await memory.files.wake(node_id, await _file(memory, node_id, file), wait_s=wait)
    _print_status(here, status)


@files.async_command("sleep", as_json=True)
async def sleep(here: Session, node: Node, file: File, user: Handle = None) -> None:
    """Put a file to sleep now."""
    async with here.memory(user) as memory:
        node_id = await node_at(memory, node)
        status = await memory.files.sleep(node_id, await _file(memory, node_id, file))
    _print_status(here, status)


@files.async_command("log", as_json=True)
async def log(
    here: Session,
    user: Handle = None,
    to_review: Annotated[bool, typer.Option("--to-review", help="Only failures that are not reviewed.")] = False,
) -> None:
    """The newest 100 transitions of the files of a user."""
    async with here.memory(user) as memory:
        entries = await memory.files.log(to_review=to_review)
    rows = [
        (
            e.entry_id,
            f"{timestamp(e.occurred_at)} UTC",
            e.file_id,
            f"{e.from_state} > {e.to_state}",
            e.trigger,
            e.detail,
        )
        for e in entries
    ]
    nothing = "Nothing to review." if to_review else "No file has changed its state yet."
    print_list(here, {"entries": entries}, ("entry", "when", "file", "moved", "by", "detail"), rows, nothing)


@files.async_command("review", as_json=True)
async def review(
    here: Session,
    entry: Annotated[int, typer.Argument(metavar="ENTRY", min=1, max=2**62, help="From file log --to-review.")],
    user: Handle = None,
    note: Annotated[str, typer.Option("--note", help="What was done, in one line.")] = "",
) -> None:
    """Mark a failed entry of the log as reviewed."""
    async with here.memory(user) as memory:
        made = await memory.files.review(entry, note)
    here.answer({"entry": entry, "reviewed_in": made}, f"Entry {entry}: reviewed, in entry {made}.")


@files.async_command("quarantine", as_json=True)
async def quarantine(here: Session) -> None:
    """The files of no manifest that the sweep moved to quarantine."""
    async with here.engine() as (engine, _):
        found = [file async for file in engine.quarantine.listing()]
    rows = [(file.file_id, f"{file.since:%Y-%m-%d}", decimal(file.size), file.key) for file in found]
    shown = {"kept_days": here.settings.quarantine_days, "files": found}
    print_list(here, shown, ("file", "since", "size", "key"), rows, "Nothing is in quarantine.")


@files.async_command("return", as_json=True)
async def give_back(
    here: Session, file: Annotated[UUID, typer.Argument(metavar="FILE", help="The file's id, from file quarantine.")]
) -> None:
    """Return a file from quarantine. One of no manifest is moved there again after the grace time."""
    async with here.engine() as (engine, _):
        returned = await engine.quarantine.give_back_files({file})
    if not returned:
        raise NotFound(f"There is no file {file} in quarantine.")
    here.answer({"file_id": file}, f"File {file} is back.")


@commands.async_command("sweep", as_json=True)
async def sweep(
    here: Session,
    force: Annotated[bool, typer.Option("--force", help="Move orphans to quarantine, however many there are.")] = False,
) -> None:
    """Put files to sleep after their time, and move orphans past their grace time to quarantine."""
    async with here.engine() as (engine, _):
        asleep, orphans = await engine.dormancy.run(), await engine.sweep.run(force=force)
    if here.as_json:
        print_json(here.out, {"dormancy": asleep, "orphans": orphans})
    else:
        _print_swept(here, asleep, orphans)
    if orphans.stopped:
        raise typer.Exit(1)


def _print_swept(here: Session, asleep: DormancyReport, orphans: SweepReport) -> None:
    here.line(
        f"{counted(asleep.asleep, 'file')} put to sleep: {asleep.expired:,} past their time, {asleep.unused:,} unused, "
        f"{asleep.recovered:,} whose restoration had stopped."
    )
    here.line(
        f"{counted(orphans.orphans, 'orphan')} among {counted(orphans.objects, 'object')}: "
        f"{counted(orphans.quarantined, 'file')} moved to quarantine, "
        f"{counted(orphans.deleted, 'copy', 'copies')} deleted; "
        f"{counted(orphans.expired, 'file')} deleted from quarantine, past their time."
    )
    if orphans.foreign:
        here.out.print(f"Not touched: {counted(orphans.foreign, 'object')} not of the engine.")
    if orphans.stopped:
        here.notes.print(Text(f"No orphan was touched: {orphans.stopped}", style="red"), soft_wrap=True)


async def _files(memory: Memory, node_id: UUID) -> list[RecordMetadata]:
    """The files of a node, newest first."""
    found = await all_records(partial(memory.nodes.metadata, node_id, limit=500))
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


def _print_status(here: Session, status: FileStatus) -> None:
    if here.as_json:
        return print_json(here.out, status)
    parts = [f"File {status.file_id}: {status.state}"]
    if status.by_hand:
        parts.append("woken by hand")
    if status.due_at is not None:
        parts.append(f"sleeps again {timestamp(status.due_at)} UTC")
    if status.failure is not None:
        parts.append(f"its last restoration failed: {status.failure}")
    here.line(", ".join(parts).rstrip(".") + ".")


@documents.async_command("list", as_json=True)
async def listing(here: Session, user: Handle = None) -> None:
    """The first 500 documents of a user."""
    async with here.memory(user) as memory:
        found = await memory.documents.list(limit=500)
    rows = [(one.document_id, one.version, one.title, one.changed_at) for one in found]
    print_list(here, {"documents": found}, ("document", "version", "title", "changed"), rows, "No documents yet.")


@documents.async_command("versions", as_json=True)
async def versions(here: Session, document: Identity, user: Handle = None) -> None:
    """The first 500 versions of a document."""
    async with here.memory(user) as memory:
        found = await memory.documents.versions(document, limit=500)
    rows = [(one.version, one.known_at, one.kept, one.added, one.superseded, one.file_id) for one in found]
    columns = ("version", "known since", "kept", "added", "superseded", "file")
    print_list(here, {"versions": found}, columns, rows, "No versions.")


@documents.async_command("chunks", as_json=True)
async def chunks(here: Session, document: Identity, version: Version = None, user: Handle = None) -> None:
    """The first 500 passages of a version."""
    async with here.memory(user) as memory:
        found = await memory.documents.chunks(document, version, limit=500)
    rows = [
        (one.index, one.token_count, one.section, ", ".join(one.keywords), " ".join(one.content.split())[:60])
        for one in found
    ]
    print_list(here, {"chunks": found}, ("index", "tokens", "section", "keywords", "begins"), rows, "No passages.")


@documents.async_command("show")
async def show(here: Session, document: Identity, version: Version = None, user: Handle = None) -> None:
    """Write the text of a version to stdout, byte by byte as it was stored."""
    async with here.memory(user) as memory:
        content = await memory.documents.read(document, version)
    sys.stdout.buffer.write(content)


@resources.async_command("list", as_json=True)
async def resource_listing(
    here: Session,
    kind: Annotated[ResourceType | None, typer.Option("--type", help="Only of this kind.")] = None,
    user: Handle = None,
) -> None:
    """The newest 500 raw inputs."""
    async with here.memory(user) as memory:
        found = await memory.resources.list(content_type=kind, limit=500)
    rows = [(one.resource_id, one.received_at, one.content_type, one.source_id, one.content_hash[:12]) for one in found]
    columns = ("resource", "received", "type", "source", "sha256")
    print_list(here, {"resources": found}, columns, rows, "Nothing came in yet.")


@resources.async_command("show")
async def resource(
    here: Session,
    identity: Annotated[UUID, typer.Argument(metavar="ID", help="From resource list.")],
    user: Handle = None,
) -> None:
    """Write the bytes of a raw input to stdout."""
    async with here.memory(user) as memory:
        found = await memory.resources.content(identity)
    sys.stdout.buffer.write(found.content)
