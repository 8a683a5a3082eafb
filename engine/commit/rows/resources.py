"""The bytes that records came from, as resources of their user."""

from __future__ import annotations

from collections.abc import Iterable

from engine.domain.principal import Principal
from engine.domain.record import RecordDraft
from engine.domain.resource import ResourceType
from engine.stores.postgres import Connection, Parameters, json_rows
from engine.stores.statements import sql_text

_RECEIVED = (
    *("file_id", "record_id", "file_pointer", "received_name", "file_content_type"),
    *("compression_format", "sha256", "size_bytes", "now", "commit_id"),
)


async def enter(
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
