"""A forgetting that is done, with tombstones, as its plan enters them."""

from __future__ import annotations

from typing import Literal
from uuid import UUID, uuid4

from engine.forgetting.tombstones import enter
from engine.neurigraph import Engine
from engine.stores.postgres import Connection

STATES = {
    "running": (),
    "settling": ("state = 'settling', settles_at = now()",),
    "done": ("state = 'settling', settles_at = now()", "state = 'done', ended_at = now(), subject = ''"),
}
"""By state: the changes by which a forgetting that runs comes there."""


async def forgotten(
    engine: Engine,
    user_id: UUID,
    kind: str,
    *things: str,
    state: Literal["running", "settling", "done"] = "done",
) -> UUID:
    """Things of a user's graph as they are known to be forgotten; the id of the forgetting."""
    forgetting_id = uuid4()
    async with engine.postgres.as_service() as connection:
        await _begin(connection, forgetting_id, user_id)
        await enter(connection, forgetting_id, user_id, kind, things)
        for change in STATES[state]:
            text = f"UPDATE engine.forgettings SET {change} WHERE forgetting_id = %s"
            await connection.execute(text, [forgetting_id])  # type: ignore[call-overload]
    return forgetting_id


async def _begin(connection: Connection, forgetting_id: UUID, user_id: UUID) -> None:
    await connection.execute(
        "INSERT INTO engine.forgettings (forgetting_id, user_id, user_hash, kind, subject, subject_hash, authored_by, state, step, began_at)"
        " VALUES (%(id)s, %(user)s, engine.tombstone('user', NULL, %(user)s::text), 'source', 'a', engine.tombstone('source', %(user)s, %(id)s::text),"
        " 'user', 'running', 'rows', now())",
        {"id": forgetting_id, "user": user_id},
    )
