"""Where records come from: how far each source is stored, the bytes as resources of their user, documents and their versions, and
the files of a node's records.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any
from uuid import UUID

from engine.domain.document import NewVersion, joined
from engine.domain.file_state import ResourceType
from engine.domain.principal import Principal
from engine.domain.record import RecordDraft, SourceAdvance
from engine.stores.postgres import Connection, Parameters, json_rows
from engine.stores.statements import sql_in, sql_text

_RECEIVED = (
    *("file_id", "record_id", "file_pointer", "received_name", "file_content_type"),
    *("compression_format", "sha256", "size_bytes", "now", "commit_id"),
)
_COLUMNS = (
    *("file_id", "record_id", "file_name", "file_type", "file_content_type", "file_pointer"),
    *("compression_format", "size_bytes", "stored_bytes", "sha256", "now"),
)


async def advance(connection: Connection, advances: Sequence[SourceAdvance], commit_id: UUID) -> None:
    """Moves sources forward with this commit. Raises Conflict where another request was faster, Forgotten."""
    if again := [one.source_id for one in advances if one.again]:
        await connection.execute(sql_text("ingest/sources_again"), {"sources": again})
    for one in advances:
        await connection.execute(sql_text("ingest/source_advance"), asdict(one) | {"commit_id": commit_id})


async def enter_resources(
    connection: Connection, principal: Principal, records: Iterable[tuple[RecordDraft, Parameters]]
) -> None:
    """Enters the raw resources of records; each row is that of the record with its file, whose bytes are the resource's."""
    rows = [
        {name: row[name] for name in _RECEIVED}
        | {
            "node_id": draft.node.node_id,
            "received_as": draft.received_as or _usual(draft),
            "source_id": principal.own_key(draft.source_id),
            "layout": draft.layout.compact if draft.layout else None,
        }
        for draft, row in records
    ]
    parameters = {"user_id": principal.user_id, "authored_by": principal.name, "rows": json_rows(rows)}
    await connection.execute(sql_text("resource/insert"), parameters)


def _usual(draft: RecordDraft) -> ResourceType:
    return draft.content_type if draft.content_type in ("conversation", "event") else "document"


async def enter_document(
    connection: Connection, principal: Principal, version: NewVersion, commit_id: UUID, now: datetime
) -> None:
    """Enters a document with its first version."""
    await connection.execute(sql_text("document/insert"), _version_row(principal, version, commit_id, now))
    await enter_version(connection, principal, version, commit_id, now)


async def enter_version(
    connection: Connection, principal: Principal, version: NewVersion, commit_id: UUID, now: datetime
) -> None:
    """Enters one version of a document."""
    await connection.execute(sql_text("document/version_insert"), _version_row(principal, version, commit_id, now))


def _version_row(principal: Principal, version: NewVersion, commit_id: UUID, now: datetime) -> Parameters:
    return {
        "document_id": version.document_id,
        "version": version.version,
        "user_id": principal.user_id,
        "source_id": version.source_id,
        "node_id": version.node_id,
        "commit_id": commit_id,
        "title": version.title,
        "content_hash": version.content_hash,
        "file_id": version.file_id,
        "file_name": version.file_name,
        "chunks": [chunk_id for chunk_id, _ in version.chunks],
        "chunk_hashes": joined([digest for _, digest in version.chunks]),
        "kept": version.kept,
        "added": version.added,
        "superseded": version.superseded,
        "authored_by": principal.name,
        "now": now,
    }


async def enter_files(
    connection: Connection, schema: str, rows: Sequence[dict[str, Any]], parts: Collection[UUID] = ()
) -> None:
    """Enters the files of records. `parts`: those that lie at other nodes, too, so that others than the user are shown a part."""
    lines = json_rows({name: row[name] for name in _COLUMNS} for row in rows)
    await connection.execute(sql_in("file/manifest_insert", schema), {"rows": lines})
    if shared := [row["file_id"] for row in rows if row["file_id"] in parts]:
        await connection.execute(sql_in("file/manifest_part", schema), {"files": shared})
