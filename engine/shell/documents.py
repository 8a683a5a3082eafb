"""document, resource: documents with their versions, and raw inputs."""

from __future__ import annotations

import sys
from typing import Annotated
from uuid import UUID

import typer

from engine.domain.resource import ResourceType
from engine.shell.options import Handle
from engine.shell.session import Commands, Session
from engine.shell.tables import print_list

Identity = Annotated[UUID, typer.Argument(metavar="ID", help="The document's id, from document list.")]
Version = Annotated[int | None, typer.Option("--version", min=1, help="Which version; without it, the newest.")]

documents = Commands("document", "Documents and their versions.")
resources = Commands("resource", "Raw inputs, as they were received.")


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
