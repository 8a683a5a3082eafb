"""All rows of a user in Postgres: of what every node has, the schemas of the nodes, at last the user's own row. Logs that stay
lose what names the user.

Pages, each a transaction of its own that holds the user's writes; a run that was killed is repeated from the beginning, and finds
less. The user is hidden from every request before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from uuid import UUID

from engine.errors import Conflict
from engine.stores.postgres import Connection, Postgres
from engine.stores.statements import sql_of, sql_text

PAGE = 5000
SCHEMAS = 20
"""Nodes whose tables go in one transaction: each table is a lock."""
BY_TABLE = {
    "retracted_facts": "rows_of_retractions",
    "retraction_steps": "rows_of_retractions",
    "accepted_damage": "rows_of_nodes",
    "damage": "rows_of_nodes",
    "due": "rows_of_nodes",
    "node_centroids": "rows_of_nodes",
    "node_states": "rows_of_nodes",
}
"""Tables whose rows do not name their user, with the statement that finds them."""
TABLES = (
    "fact_doubts", "fact_attributes", "fact_clusters", "insights", "entity_meanings", "known_entities", "known_relations",
    "derived_builds", "facts", "retracted_facts", "retraction_steps", "retractions", "replayed_records", "replays",
    "document_versions", "documents", "conversation_turns", "conversations", "ingest_sources", "ingest_sessions",
    "failure_log", "raw_resources", "sources", "event_log", "assignments", "awake_files", "term_counts", "model_answers",
    "idempotency", "grants", "accepted_damage", "damage", "due", "node_centroids", "node_states", "node_slices",
    "hierarchy_log", "outbox", "expiries", "retention_rules", "holds",
)  # fmt: skip
"""In the order of their keys: what refers to a row goes before it."""
PERMITTED = frozenset({"retracted_facts", "document_versions", "ingest_sources", "failure_log", "raw_resources", "event_log",
                       "assignments", "grants", "accepted_damage", "holds"})  # fmt: skip
"""Append-only tables: each transaction needs a permit."""
LOGS = ("access_log", "file_log", "commit_log")


@dataclass(frozen=True, slots=True)
class _Node:
    node_id: UUID
    schema_name: str


class ErasedUsers:
    """Erases users in Postgres; for the service alone."""

    def __init__(self, postgres: Postgres) -> None:
        self._postgres = postgres

    async def hide(self, user_id: UUID) -> None:
        """From now on the user is unknown to every request, and no write goes on. Raises Conflict while a SQL role reads the
        graph: only an administrator of the database can drop it."""
        asked = {"user_id": user_id}
        if roles := await self._postgres.fetch_as_service(sql_text("forgetting_user/sql_roles"), asked, row=str):
            raise Conflict(f"SQL roles read this graph: run `neurigraph sql-role drop {roles[0]}` first.")
        async with self._postgres.as_service() as connection:
            await connection.execute(sql_text("forgetting/hold"), asked)
            await connection.execute(sql_text("forgetting_user/hidden"), asked)

    async def root(self, user_id: UUID) -> str | None:
        """The schema of the root, under which the user's files lie; None once it is deleted."""
        found = await self._postgres.fetch_as_service(sql_text("forgetting_user/root"), {"user_id": user_id}, row=str)
        return found[0] if found else None

    async def ids(self, user_id: UUID) -> list[str]:
        """Ids of the user and of the nodes."""
        return await self._postgres.fetch_as_service(sql_text("forgetting_user/ids"), {"user_id": user_id}, row=str)

    async def names(self, user_id: UUID) -> list[str]:
        """What the user and the nodes are called."""
        return await self._postgres.fetch_as_service(sql_text("forgetting_user/names"), {"user_id": user_id}, row=str)

    async def erase(self, forgetting_id: UUID, user_id: UUID) -> Counter[str]:
        """Erases all rows; how many, by table. Repeating it erases what is left. Raises StoreUnavailable."""
        erased: Counter[str] = Counter()
        for table in TABLES:
            erased[table] += await self._pages(forgetting_id, user_id, table)
        for log in LOGS:
            erased[log] += await self._log(forgetting_id, user_id, log)
        await self._postgres.change_as_service(sql_text("forgetting_user/job_runs"))
        erased["nodes"] += await self._nodes(user_id)
        async with self._held(user_id) as connection:
            await connection.execute(sql_text("forgetting_user/tokens"), {"user_id": user_id})
            own = {"user_id": user_id, "forgetting_id": forgetting_id}
            await connection.execute(sql_text("forgetting_user/forgettings"), own)
            user = await connection.execute(sql_text("forgetting_user/user"), {"user_id": user_id})
            erased["users"] += user.rowcount
        return erased

    async def _pages(self, forgetting_id: UUID, user_id: UUID, table: str) -> int:
        statement = sql_of(f"forgetting_user/{BY_TABLE.get(table, 'rows')}", table=table)
        total = 0
        while True:
            async with self._held(user_id) as connection:
                if table in PERMITTED:
                    await _permit(connection, forgetting_id)
                done = await connection.execute(statement, {"user_id": user_id, "limit": PAGE})
            total += done.rowcount
            if done.rowcount < PAGE:
                return total

    async def _log(self, forgetting_id: UUID, user_id: UUID, log: str) -> int:
        row = {"user_id": user_id, "limit": PAGE, "note": f"forgotten {forgetting_id}"}
        total = 0
        while True:
            async with self._held(user_id) as connection:
                await _permit(connection, forgetting_id)
                done = await connection.execute(sql_of(f"forgetting_user/{log}"), row)
            total += done.rowcount
            if done.rowcount < PAGE:
                return total

    async def _nodes(self, user_id: UUID) -> int:
        total = 0
        while True:
            async with self._held(user_id) as connection:
                asked = {"user_id": user_id, "limit": SCHEMAS}
                nodes = await connection.fetch(sql_text("forgetting_user/nodes"), asked, row=_Node)
                for node in nodes:
                    await connection.execute(sql_of("forgetting_user/schema", schema=node.schema_name))
                    await connection.execute(sql_text("forgetting_user/node"), {"node_id": node.node_id})
            total += len(nodes)
            if len(nodes) < SCHEMAS:
                return total

    @asynccontextmanager
    async def _held(self, user_id: UUID) -> AsyncIterator[Connection]:
        """A transaction beside which no write of the user goes on."""
        async with self._postgres.as_service() as connection:
            await connection.execute(sql_text("forgetting/hold"), {"user_id": user_id})
            yield connection


async def _permit(connection: Connection, forgetting_id: UUID) -> None:
    asked = {"forgetting_id": forgetting_id}
    await connection.execute(sql_text("forgetting/permit"), asked)
