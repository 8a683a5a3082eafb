"""Raw resources, noted in the record's transaction; their bytes are those of the record's file."""

from __future__ import annotations

from typing import Any

from engine.domain.principal import Principal
from engine.domain.record import RecordDraft
from engine.domain.resource import ResourceType
from engine.stores.postgres import Connection, Jsonb
from engine.stores.statements import sql_text


async def note_received(connection: Connection, principal: Principal, draft: RecordDraft, row: dict[str, Any]) -> None:
    """Notes the resource; `row` is that of the record with its file."""
    more = {
        "user_id": principal.user_id,
        "node_id": draft.node.node_id,
        "received_as": draft.received_as or _usual(draft),
        "authored_by": principal.name,
        "source_id": principal.own_key(draft.source_id),
        "layout": Jsonb(draft.layout.compact) if draft.layout else None,
    }
    await connection.execute(sql_text("resource/insert"), row | more)


def _usual(draft: RecordDraft) -> ResourceType:
    return draft.content_type if draft.content_type in ("conversation", "event") else "document"
