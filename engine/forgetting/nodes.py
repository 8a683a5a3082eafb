"""Nodes with all that lies below them, in Postgres: what is said of them in the tables of all nodes, then their own tables and
their rows, the lowest first. Their records are erased before (`rows`). What stays elsewhere and names one of them, as a record
that was moved away, loses that.

A persona that stored records elsewhere is refused: its id is part of the ids of their sources.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from engine.errors import Conflict
from engine.stores.postgres import Connection, Jsonb, Postgres
from engine.stores.statements import sql_in, sql_of, sql_text

ELSEWHERE = "A persona that lies here stored records at other nodes: forget these first."
LOGS = (
    "access_log", "access_log_named", "assignments", "assignments_moved", "assignments_next", "commit_log",
    "compression_state_log", "document_versions", "event_log", "event_log_named", "failure_log", "grants",
    "raw_resources", "retraction_steps", "replays", "replayed_records", "node_slices", "node_slices_below",
    "conversation_turns", "streams", "ingest_sessions", "commits", "tokens",
)  # fmt: skip
"""Statements about the tables of all nodes."""
OF_NODE = (
    "accepted_damage", "damage", "due", "node_centroids", "node_states", "hierarchy_log", "term_counts", "awake_files",
)  # fmt: skip
"""Tables of which the rows of a node go."""
SHARED = ("forgetting/idempotency", "forgetting/job_runs", "forgetting/derived_builds")
COUNTED = {
    "access_log_named": "access_log", "assignments_moved": "assignments", "assignments_next": "assignments",
    "event_log_named": "event_log", "node_slices_below": "node_slices", "streams": "conversations", "commits": "outbox",
}  # fmt: skip
"""By statement the table that it changes, where it is not called by that."""


class RecordsLeft(Exception):
    """Records came to a node that was to be deleted, from other nodes: they go first. Nothing was written."""


@dataclass(frozen=True, slots=True)
class ErasedNode:
    """A node that goes. `persona`: whether it is one, whose id stands where it wrote."""

    node_id: UUID
    schema_name: str
    name: str
    persona: bool


@dataclass(frozen=True, slots=True)
class HeldRecord:
    """A record, and the id of its source, without the persona before it."""

    record_id: UUID
    source_id: str


class ErasedNodes:
    """Erases nodes in Postgres; for the service alone."""

    def __init__(self, postgres: Postgres) -> None:
        self._postgres = postgres

    async def below(self, user_id: UUID, node_id: UUID) -> list[ErasedNode]:
        """A node of a user with all below it, the lowest first; none where there is no such node, or it is the root."""
        asked = {"user_id": user_id, "node_id": node_id}
        return await self._postgres.fetch_as_service(sql_text("forgetting_node/nodes"), asked, row=ErasedNode)

    async def close(self, user_id: UUID, node_id: UUID) -> None:
        """From now on none of them takes records or children."""
        async with self._postgres.as_service() as connection:
            await connection.execute(sql_text("forgetting/hold"), {"user_id": user_id})
            asked = {"user_id": user_id, "node_id": node_id}
            nodes = await connection.fetch(sql_text("forgetting_node/nodes"), asked, row=ErasedNode)
            await connection.execute(sql_text("forgetting_node/closed"), {"nodes": [one.node_id for one in nodes]})

    async def records(self, nodes: Sequence[ErasedNode]) -> list[tuple[ErasedNode, HeldRecord]]:
        """The records that lie at these nodes."""
        found: list[tuple[ErasedNode, HeldRecord]] = []
        for node in nodes:
            statement = sql_in("forgetting_node/records", node.schema_name)
            found += [(node, one) for one in await self._postgres.fetch_as_service(statement, row=HeldRecord)]
        return found

    async def conversations(self, user_id: UUID, nodes: Sequence[ErasedNode]) -> list[str]:
        """Keys of streamed conversations whose turns go to these nodes."""
        asked = {"user_id": user_id, "nodes": [one.node_id for one in nodes]}
        return await self._postgres.fetch_as_service(sql_text("forgetting_node/conversations"), asked, row=str)

    async def keys(self, user_id: UUID, sources: Sequence[str]) -> list[str]:
        """The keys under which sources are kept that records name so, also those of personas."""
        asked = {"user_id": user_id, "sources": list(sources)}
        return await self._postgres.fetch_as_service(sql_text("forgetting_node/keys"), asked, row=str)

    async def refuse_elsewhere(self, user_id: UUID, nodes: Sequence[ErasedNode], sources: Sequence[str]) -> None:
        """Raises Conflict where a persona among these nodes stored a source that is not among these keys."""
        personas = [one.node_id for one in nodes if one.persona]
        asked = {"user_id": user_id, "nodes": personas, "sources": list(sources)}
        if personas and await self._postgres.fetch_as_service(
            sql_text("forgetting_node/elsewhere"), asked, row=bool
        ) != [False]:
            raise Conflict(ELSEWHERE)

    async def texts(self, nodes: Sequence[ErasedNode]) -> list[str]:
        """What nodes are called, were called and were described as."""
        found = [one.name for one in nodes]
        for node in nodes:
            statement, asked = sql_in("forgetting_node/named", node.schema_name), {"node_id": node.node_id}
            found += await self._postgres.fetch_as_service(statement, asked, row=str)
        return found

    async def erase(
        self, forgetting_id: UUID, user_id: UUID, node: ErasedNode, edges: Sequence[UUID], ends: Sequence[UUID]
    ) -> Counter[str]:
        """Erases a node of which no record is left, and below which no other lies; how many rows, by table. `edges` that it has,
        with the nodes at their other `ends`. Raises RecordsLeft, StoreUnavailable; repeating it changes nothing."""
        ids = [node.node_id, *edges]
        asked: dict[str, Any] = {
            "forgetting_id": forgetting_id,
            "user_id": user_id,
            "node_id": node.node_id,
            "nodes": [node.node_id],
            "ids": ids,
            "edges": list(edges),
            "ends": list(ends),
            "known": Jsonb(dict.fromkeys(map(str, ids))),
            "authors": [f"persona:{node.node_id}"],
            "personas": node.persona,
        }
        async with self._postgres.as_service() as connection:
            await connection.execute(sql_text("forgetting/hold"), asked)
            await connection.execute(sql_text("forgetting/permit"), asked)
            return await _erased(connection, node, asked)


async def _erased(connection: Connection, node: ErasedNode, asked: dict[str, Any]) -> Counter[str]:
    counts = Counter[str]()
    statement = sql_in("forgetting_node/records_left", node.schema_name)
    if await connection.fetch(sql_text("forgetting_node/tables"), asked, row=str) and await connection.fetch(
        statement, row=bool
    ) != [False]:
        raise RecordsLeft
    for schema in await connection.fetch(sql_text("forgetting_node/beside"), asked, row=str):
        done = await connection.execute(sql_in("forgetting_node/delta_log", schema), asked)
        counts["delta_log"] += done.rowcount
    for name in LOGS:
        done = await connection.execute(sql_text(f"forgetting_node/{name}"), asked)
        counts[COUNTED.get(name, name)] += done.rowcount
    for name in SHARED:
        done = await connection.execute(sql_text(name), asked)
        counts[name.partition("/")[2]] += done.rowcount
    for table in OF_NODE:
        done = await connection.execute(sql_of("forgetting_node/of_node", table=table), asked)
        counts[table] += done.rowcount
    await connection.execute(sql_of("forgetting_node/schema", schema=node.schema_name))
    counts["nodes"] += (await connection.execute(sql_text("forgetting_node/node"), asked)).rowcount
    return +counts
