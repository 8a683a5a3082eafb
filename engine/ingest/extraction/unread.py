"""Records that the configured model has not read yet: noted when they are written, read by a job later."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from engine.domain.record import RecordDraft
from engine.stores.postgres import Connection
from engine.stores.statements import sql_text


async def note_unread(connection: Connection, drafts: Sequence[RecordDraft], now: datetime) -> None:
    """Notes the drafts with a reason why no model has read them, in the transaction that writes them."""
    unread = [draft for draft in drafts if draft.unread]
    if unread:
        parameters = {
            "records": [draft.record_id for draft in unread],
            "nodes": [draft.node.node_id for draft in unread],
            "reasons": [draft.unread for draft in unread],
            "now": now,
        }
        await connection.execute(sql_text("unread/note"), parameters)
