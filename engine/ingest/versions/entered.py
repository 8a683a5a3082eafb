"""Versions of documents as they are entered and reported."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from engine.domain.document import DocumentChange, NewVersion, chunk_hash, joined
from engine.domain.principal import Principal
from engine.domain.record import RecordDraft, SourceAdvance
from engine.stores.postgres import Connection
from engine.stores.statements import sql_text

Row = dict[str, Any]


async def enter_first(
    connection: Connection, principal: Principal, versions: Sequence[NewVersion], commit_id: UUID, now: datetime
) -> None:
    """Enters documents with their first versions, in the transaction of their records."""
    for version in versions:
        row = version_row(principal, version, commit_id, now)
        await connection.execute(sql_text("document/insert"), row)
        await connection.execute(sql_text("document/version_insert"), row)


def first_version(draft: RecordDraft, advance: SourceAdvance) -> NewVersion:
    """The version that a document begins with."""
    chunks_there = tuple((item.item_id, chunk_hash(item.section, item.content)) for item in draft.items)
    return NewVersion(
        draft.record_id,
        1,
        advance.source_id,
        draft.node.node_id,
        draft.title,
        advance.content_hash,
        draft.file.file_id,
        draft.file.name,
        chunks_there,
        len(chunks_there),
    )


def change_of(version: NewVersion) -> DocumentChange:
    """A version as a report shows it."""
    return DocumentChange(
        version.document_id,
        version.node_id,
        version.version,
        version.file_id,
        version.kept,
        version.added,
        version.superseded,
    )


def version_row(principal: Principal, version: NewVersion, commit_id: UUID, now: datetime) -> Row:
    """A document's version as its tables take it."""
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
