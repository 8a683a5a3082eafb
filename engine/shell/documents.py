"""document, resource: documents with their versions, and raw inputs."""

from __future__ import annotations

import sys
from typing import Annotated
from uuid import UUID

import typer

from engine.domain.resource import ResourceType
from engine.shell import session
from engine.shell.options import AsJson, Handle
from engine.shell.plain_json import print_json
from engine.shell.tables import print_table, timestamp

Identity = Annotated[UUID, typer.Argument(metavar="ID", help="The document's id, from document list.")]
Version = Annotated[int | None, typer.Option("--version", min=1, help="Which version; without it, the newest.")]


def register(app: typer.Typer) -> None:
    """Adds the commands of this module."""
    documents = typer.Typer(no_args_is_help=True, help="Documents and their versions.")
    documents.command("list")(listing)
    documents.command("versions")(versions)
    documents.command("chunks")(chunks)
    documents.command("show")(show)
    app.add_typer(documents, name="document")
    resources = typer.Typer(no_args_is_help=True, help="Raw inputs, as they were received.")
    resources.command("list")(resource_listing)
    resources.command("show")(resource)
    app.add_typer(resources, name="resource")


def listing(context: typer.Context, user: Handle = None, as_json: AsJson = False) -> None:
    """The first 500 documents of a user."""
    here = session.of(context)

    async def work() -> None:
        async with here.memory(user) as memory:
            found = await memory.documents.list(limit=500)
        if as_json:
            print_json(here.out, {"documents": found})
            return
        rows = [(str(one.document_id), str(one.version), one.title, timestamp(one.changed_at)) for one in found]
        print_table(here, ("document", "version", "title", "changed"), rows, "No documents yet.")

    here.run(work())


def versions(context: typer.Context, document: Identity, user: Handle = None, as_json: AsJson = False) -> None:
    """The first 500 versions of a document."""
    here = session.of(context)

    async def work() -> None:
        async with here.memory(user) as memory:
            found = await memory.documents.versions(document, limit=500)
        if as_json:
            print_json(here.out, {"versions": found})
            return
        rows = [
            (
                str(one.version),
                timestamp(one.known_at),
                str(one.kept),
                str(one.added),
                str(one.superseded),
                str(one.file_id),
            )
            for one in found
        ]
        print_table(here, ("version", "known since", "kept", "added", "superseded", "file"), rows, "No versions.")

    here.run(work())


def chunks(
    context: typer.Context, document: Identity, version: Version = None, user: Handle = None, as_json: AsJson = False
) -> None:
    """The first 500 passages of a version."""
    here = session.of(context)

    async def work() -> None:
        async with here.memory(user) as memory:
            found = await memory.documents.chunks(document, version, limit=500)
        if as_json:
            print_json(here.out, {"chunks": found})
            return
        rows = [
            (
                str(one.index),
                str(one.token_count),
                one.section,
                ", ".join(one.keywords),
                " ".join(one.content.split())[:60],
            )
            for one in found
        ]
        print_table(here, ("index", "tokens", "section", "keywords", "begins"), rows, "No passages.")

    here.run(work())


def show(context: typer.Context, document: Identity, version: Version = None, user: Handle = None) -> None:
    """Write the text of a version to stdout, byte by byte as it was stored."""
    here = session.of(context)

    async def work() -> None:
        async with here.memory(user) as memory:
            content = await memory.documents.read(document, version)
        sys.stdout.buffer.write(content)

    here.run(work())


def resource_listing(
    context: typer.Context,
    kind: Annotated[ResourceType | None, typer.Option("--type", help="Only of this kind.")] = None,
    user: Handle = None,
    as_json: AsJson = False,
) -> None:
    """The newest 500 raw inputs."""
    here = session.of(context)

    async def work() -> None:
        async with here.memory(user) as memory:
            found = await memory.resources.list(content_type=kind, limit=500)
        if as_json:
            print_json(here.out, {"resources": found})
            return
        rows = [
            (str(one.resource_id), timestamp(one.received_at), one.content_type, one.source_id, one.content_hash[:12])
            for one in found
        ]
        print_table(here, ("resource", "received", "type", "source", "sha256"), rows, "Nothing came in yet.")

    here.run(work())


def resource(
    context: typer.Context,
    identity: Annotated[UUID, typer.Argument(metavar="ID", help="From resource list.")],
    user: Handle = None,
) -> None:
    """Write the bytes of a raw input to stdout."""
    here = session.of(context)

    async def work() -> None:
        async with here.memory(user) as memory:
            found = await memory.resources.content(identity)
        sys.stdout.buffer.write(found.content)

    here.run(work())
