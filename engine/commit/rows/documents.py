"""Documents and their versions."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from engine.domain.document import NewVersion, joined
from engine.domain.principal import Principal
from engine.stores.postgres import Connection, Parameters
from engine.stores.statements import sql_text


async def enter_first(
    connection: Connection, principal: Principal, version: NewVersion, commit_id: UUID, now: datetime
) -> None:
    """Enters a document with its first version."""
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
