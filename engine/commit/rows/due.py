"""What is still to be derived from what is stored: one row for each thing that a job is to make later.

    vectors   of records and items whose write left them out        chains    of facts that came, ended or came back
    tokens    of items that are older than these                    names     of entities in the rows of older items
    stems     of the words of older items                           reading   of a record by a language model

Writers note a node, or a record that is to be read, in their transaction; jobs look at what is noted and strike it off. How far
a node is stands in its row, so an interrupted run goes on there. To add one: its name here and in the CHECK of `engine.due`, what
the doctor says of it, and who makes it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from engine.stores.postgres import Connection, Postgres
from engine.stores.statements import sql_text

Derivation = Literal["vectors", "tokens", "stems", "names", "chains", "reading"]
PAGE = 100


@dataclass(frozen=True, slots=True)
class DueNode:
    """A node for which something is due. `user_id`, `schema_name`: None where it is not registered; `after`: the item up to which
    it is made; `since`: when it was noted last; `current`: whether its tables have the newest version; `closed`: whether nothing
    can be written there now."""

    node_id: UUID
    user_id: UUID | None
    schema_name: str | None
    after: UUID
    since: datetime
    current: bool
    closed: bool


@dataclass(frozen=True, slots=True)
class DueRecord:
    """A record that a model is to read, and where it lies now; `attempts`: with this one."""

    record_id: UUID
    node_id: UUID
    schema_name: str
    user_id: UUID
    attempts: int


@dataclass(frozen=True, slots=True)
class Waiting:
    """For how many nodes or records something is due, since when, and whether that is later than a job takes."""

    derivation: Derivation
    waiting: int
    oldest: datetime
    late: bool


async def note(connection: Connection, derivation: Derivation, nodes: Iterable[UUID]) -> None:
    """Notes nodes; nothing where there are none."""
    wanted = list(nodes)
    if wanted:
        await connection.execute(sql_text("due/note"), {"derivation": derivation, "nodes": wanted})


async def note_readings(connection: Connection, records: Sequence[tuple[UUID, UUID, str]], now: datetime) -> None:
    """Notes records that no model has read, though one was to (id, id of the node, why it was not read)."""
    if records:
        ids, nodes, reasons = (list(column) for column in zip(*records, strict=True))
        parameters = {"records": ids, "nodes": nodes, "reasons": reasons, "now": now}
        await connection.execute(sql_text("due/note_readings"), parameters)


async def due_nodes(postgres: Postgres, derivation: Derivation) -> AsyncIterator[DueNode]:
    """All nodes for which this is due, of all users; for the service. Raises StoreUnavailable."""
    after = UUID(int=0)
    while True:
        page = {"derivation": derivation, "after": after, "most": PAGE}
        nodes = await postgres.fetch_as_service(sql_text("due/nodes"), page, row=DueNode)
        for node in nodes:
            yield node
        if len(nodes) < PAGE:
            return
        after = nodes[-1].node_id


async def advance(connection: Connection, derivation: Derivation, node: DueNode, before: UUID, after: UUID) -> None:
    """How far a node is now, in the transaction that made it so."""
    parameters = {"derivation": derivation, "node_id": node.node_id, "before": before, "after": after}
    await connection.execute(sql_text("due/advance"), parameters)


async def settle(connection: Connection, derivation: Derivation, node: DueNode, after: UUID) -> None:
    """Strikes a node off that is made up to `after`, unless it was noted again meanwhile."""
    parameters = {"derivation": derivation, "node_id": node.node_id, "since": node.since, "after": after}
    await connection.execute(sql_text("due/settle"), parameters)


async def settle_vectors(postgres: Postgres, node: DueNode) -> bool:
    """Strikes a node off where nothing waits for a vector any more; whether it is done."""
    [done] = await postgres.fetch_as_service(sql_text("due/settle_vectors"), {"node_id": node.node_id}, row=bool)
    return done


async def claim_readings(postgres: Postgres, now: datetime, most: int, first: float, longest: float) -> list[DueRecord]:
    """Records whose time has come, each due again after a pause, whatever becomes of this attempt. `first`, `longest`: seconds of
    the pause, which is doubled with each attempt."""
    asked = {"now": now, "most": most, "first": first, "longest": longest}
    return await postgres.fetch_as_service(sql_text("due/claim"), asked, row=DueRecord)


async def reading_failed(postgres: Postgres, record: DueRecord, reason: str) -> None:
    """Why a record could not be read this time."""
    await postgres.change_as_service(sql_text("due/failed"), {"record_id": record.record_id, "reason": reason})


async def settle_reading(postgres: Postgres, record: DueRecord) -> None:
    """Strikes a record off that was read, or that will not be read."""
    await postgres.change_as_service(sql_text("due/settle_reading"), {"record_id": record.record_id})


async def waiting(postgres: Postgres) -> list[Waiting]:
    """What is due now, by derivation; for the service. Raises StoreUnavailable."""
    return await postgres.fetch_as_service(sql_text("due/waiting"), row=Waiting)
