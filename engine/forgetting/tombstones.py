"""Tombstones: what is known to be forgotten. Each is a keyed hash of a kind, the user of the graph and a thing; by it a thing is
known when it comes again, and nobody reads from it what it was.

    kind     the thing, as a text                            refused where it comes again
    source   the id of a source as in `engine.sources`,      conversations, texts, files, facts and occasions to be stored,
             without the `#again2` of one that was stored    lines of an import, appended turns, versions of documents
             again; so also that of a streamed conversation
    key      the idempotency key as in `engine.idempotency`  the repeated request
    session  the key of an ingest, `ingest_sessions.key`     an ingest with that key
    record   the id of a record                              what mends, replays, or undoes a retraction

Ids and keys are those that the tables hold: redacted, and with the persona before them where a persona wrote it
(`Principal.own_key`). Kinds that are not named here are refused nowhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from engine.stores.postgres import Connection
from engine.stores.statements import sql_text


async def enter(connection: Connection, forgetting_id: UUID, user_id: UUID, kind: str, things: Sequence[str]) -> None:
    """Enters what this forgetting takes with it, in a transaction of the service. What is known to be forgotten stays as it is.

    `user_id`: whose graph it is in, also where a persona wrote it.
    """
    named = {"forgetting_id": forgetting_id, "user_id": user_id, "kind": kind, "things": sorted(set(things))}
    await connection.execute(sql_text("tombstone/enter"), named)
