"""What is still to be derived from what is stored: one row for each thing that a job is to make later.

Writers note a node, or a record that is to be read, in their transaction; `engine.derive` looks at what is noted and strikes it
off. How far a node is stands in its row, so an interrupted run goes on there. What can be noted is declared in
`engine.derive.catalogue`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from engine.stores.postgres import Connection, Postgres
from engine.stores.statements import sql_text

PAGE = 100
ALL = UUID(int=0)
"""In place of a record: all of the node."""


@dataclass(frozen=True, slots=True)
class DueNode:
    """A node for which something is due. `after`: up to where it is made; `noted`: how often it was noted since `since`,
    which tells it from a note that came after another run had struck this one off."""

    derivation: str
    node_id: UUID
    user_id: UUID
    schema_name: str
    after: UUID
    since: datetime
    noted: int


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
    """For how many nodes, or records (`records`), something is due, at which version, since when, for how long; `reason`: why the
    one that failed most often was not made, empty where none failed."""

    derivation: str
    version: int
    waiting: int
    records: bool
    oldest: datetime
    age: timedelta
    reason: str


async def note(connection: Connection, derivation: str, nodes: Iterable[UUID]) -> None:
    """Notes nodes; nothing where there are none."""
    wanted = list(nodes)
    if wanted:
        await connection.execute(sql_text("due/note"), {"derivation": derivation, "nodes": wanted})


async def note_user(connection: Connection, derivation: str, user_id: UUID) -> None:
    """Notes all nodes of a user; for the service."""
    await connection.execute(sql_text("due/note_user"), {"derivation": derivation, "user_id": user_id})


async def note_readings(connection: Connection, records: Sequence[tuple[UUID, UUID, str]], now: datetime) -> None:
    """Notes records that no model has read, though one was to (id, id of the node, why it was not read)."""
    if records:
        ids, nodes, reasons = (list(column) for column in zip(*records, strict=True))
        parameters = {"records": ids, "nodes": nodes, "reasons": reasons, "now": now}
        await connection.execute(sql_text("due/note_readings"), parameters)


async def due_nodes(postgres: Postgres, derivation: str) -> AsyncIterator[DueNode]:
    """All nodes for which this is due and whose tables have the newest version, of all users, archived ones too. For the
    service. Raises StoreUnavailable."""
    after = ALL
    await postgres.change_as_service(sql_text("due/forget"), {"derivation": derivation})
    while True:
        page = {"derivation": derivation, "after": after, "most": PAGE}
        nodes = await postgres.fetch_as_service(sql_text("due/nodes"), page, row=DueNode)
        for node in nodes:
            yield node
        if len(nodes) < PAGE:
            return
        after = nodes[-1].node_id


async def advance(connection: Connection, node: DueNode, after: UUID) -> None:
    """How far a node is now, in the transaction that made it so."""
    parameters = {"derivation": node.derivation, "node_id": node.node_id, "before": node.after, "after": after}
    await connection.execute(sql_text("due/advance"), parameters)


async def settle(connection: Connection, node: DueNode) -> int:
    """Strikes a node off, unless it was noted again meanwhile; how many were."""
    seen = {"since": node.since, "noted": node.noted}
    parameters = {"derivation": node.derivation, "node_id": node.node_id} | seen
    return len(await connection.fetch(sql_text("due/settle"), parameters, row=UUID))


async def commits_wait(postgres: Postgres, user_id: UUID) -> bool:
    """Whether the graph lacks commits of a user, pending or set aside."""
    [waits] = await postgres.fetch_as_service(sql_text("due/commits_wait"), {"user_id": user_id}, row=bool)
    return waits


async def failed(postgres: Postgres, node: DueNode, reason: str) -> None:
    """Why something could not be made for a node this time."""
    parameters = {"derivation": node.derivation, "node_id": node.node_id, "record_id": ALL, "reason": reason, "more": 1}
    await postgres.change_as_service(sql_text("due/failed"), parameters)


async def note_needing(connection: Connection, made: DueNode) -> None:
    """Notes a node for all that is made from what was made of it."""
    parameters = {"need": made.derivation, "node_id": made.node_id}
    await connection.execute(sql_text("due/note_needing"), parameters)


async def raised(
    postgres: Postgres, versions: Mapping[str, int], needs: Sequence[str], by_node: Collection[str]
) -> None:
    """Keeps the versions of derivations, with what each needs (names between spaces), and notes all nodes for those `by_node`
    whose version rose; in one step."""
    named = {"names": list(versions), "versions": list(versions.values()), "needs": list(needs)}
    asked = named | {"by_node": list(by_node)}
    await postgres.change_as_service(sql_text("due/raised"), asked)


async def settled_vectors(postgres: Postgres, node: DueNode) -> bool:
    """Marks the records of a node as complete where nothing waits for a vector any more; whether that is so."""
    [done] = await postgres.fetch_as_service(sql_text("due/settle_vectors"), {"node_id": node.node_id}, row=bool)
    return done


async def claim_readings(postgres: Postgres, now: datetime, most: int, first: float, longest: float) -> list[DueRecord]:
    """Records whose time has come, each due again after a pause, whatever becomes of this attempt. `first`, `longest`: seconds of
    the pause, which is doubled with each attempt."""
    asked = {"now": now, "most": most, "first": first, "longest": longest}
    return await postgres.fetch_as_service(sql_text("due/claim"), asked, row=DueRecord)


async def reading_failed(postgres: Postgres, record: DueRecord, reason: str) -> None:
    """Why a record could not be read this time; its attempt was counted when it was claimed."""
    parameters = {"derivation": "reading", "node_id": None, "record_id": record.record_id, "reason": reason, "more": 0}
    await postgres.change_as_service(sql_text("due/failed"), parameters)


async def settle_reading(postgres: Postgres, record: DueRecord) -> None:
    """Strikes a record off that was read, or that will not be read."""
    await postgres.change_as_service(sql_text("due/settle_reading"), {"record_id": record.record_id})


async def waiting(postgres: Postgres) -> list[Waiting]:
    """What is due now, by derivation; for the service. Raises StoreUnavailable."""
    return await postgres.fetch_as_service(sql_text("due/waiting"), row=Waiting)
