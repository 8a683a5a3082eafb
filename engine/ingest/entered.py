"""What a commit enters beside its records, in their transaction: versions of documents, raw resources, what no model has read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from uuid import UUID

from engine.domain.document import NewVersion, joined
from engine.domain.principal import Principal
from engine.domain.record import RecordDraft
from engine.domain.resource import ResourceType
from engine.stores.postgres import Connection, Parameters, json_rows
from engine.stores.statements import sql_text


async def enter_first(
    connection: Connection, principal: Principal, versions: Sequence[NewVersion], commit_id: UUID, now: datetime
) -> None:
    """Enters documents with their first versions."""
    for version in versions:
        await connection.execute(sql_text("document/insert"), _row(principal, version, commit_id, now))
        await enter_version(connection, principal, version, commit_id, now)


async def enter_version(
    connection: Connection, principal: Principal, version: NewVersion, commit_id: UUID, now: datetime
) -> None:
    """Enters one version of a document."""
    await connection.execute(sql_text("document/version_insert"), _row(principal, version, commit_id, now))


def _row(principal: Principal, version: NewVersion, commit_id: UUID, now: datetime) -> Parameters:
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


_RECEIVED = (
    *("file_id", "record_id", "file_pointer", "received_name", "file_content_type"),
    *("compression_format", "sha256", "size_bytes", "now", "commit_id"),
)


async def note_received(
    connection: Connection, principal: Principal, records: Iterable[tuple[RecordDraft, Parameters]]
) -> None:
    """Notes the raw resources of records; each row is that of the record with its file, whose bytes are the resource's."""
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


async def note_unread(connection: Connection, drafts: Sequence[RecordDraft], now: datetime) -> None:
    """Notes the drafts with a reason why no model has read them: a job has them read later."""
    unread = [draft for draft in drafts if draft.unread]
    if unread:
        parameters = {
            "records": [draft.record_id for draft in unread],
            "nodes": [draft.node.node_id for draft in unread],
            "reasons": [draft.unread for draft in unread],
            "now": now,
        }
        await connection.execute(sql_text("unread/note"), parameters)
