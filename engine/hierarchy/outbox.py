"""The second half of every commit: what Postgres has accepted is taught to the graph, then made visible.

    pending  the content is committed in Postgres, no reader sees it
    done     the graph knows it and readers see it

The graph's part is idempotent and the row stays pending until both are through, so whoever comes later (the
request itself, the next start, the job) can always finish; nothing has to be undone.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

from psycopg.types.json import Jsonb

from engine.domain.principal import Principal
from engine.errors import NeurigraphError, StoreUnavailable
from engine.stores.neo4j import Neo4j
from engine.stores.postgres import Connection, Postgres
from engine.stores.statements import cypher, sql_text

log = logging.getLogger(__name__)

StepHook = Callable[[str], None]
"""Told the name of every step boundary that a commit passes; fault tests end the process there."""

CommitKind = Literal["node", "records", "granted", "revoked", "node_revised", "record_revised", "relation"]
_GRAPH_PART: dict[CommitKind, str] = {
    "node": "node/provision",
    "records": "record/apply",
    "granted": "access/granted",
    "revoked": "access/revoked",
    "node_revised": "node/revised",
    "record_revised": "record/revised",
    "relation": "edge/revised",
}


@dataclass(frozen=True, slots=True)
class Commit:
    """An accepted commit. `payload` is the parameter of the graph's statement: {"node": …}, {"records": […]},
    {"grant": …} or {"revision": …}."""

    commit_id: UUID
    kind: CommitKind
    payload: Mapping[str, Any]


class Outbox:
    """Finishes commits, fresh ones and those that a crash left."""

    def __init__(self, postgres: Postgres, neo4j: Neo4j, reached: StepHook) -> None:
        self._postgres, self._neo4j, self._reached = postgres, neo4j, reached

    async def accept(self, connection: Connection, principal: Principal, commit: Commit) -> None:
        """Writes the row that says what the graph has to learn, in the transaction of the content."""
        parameters = {
            "commit_id": commit.commit_id,
            "user_id": principal.user_id,
            "kind": commit.kind,
            "payload": Jsonb(commit.payload),
        }
        await connection.execute(sql_text("outbox_insert"), parameters)

    async def carry_out(self, principal: Principal | None, commit: Commit) -> None:
        """The graph's part, then visibility. Without a principal the service acts (users, recovery).

        Raises StoreUnavailable; the commit is then finished later by recovery.
        """
        await self._teach_graph(commit)
        self._reached("graph_written")
        parameters = {"commit_id": commit.commit_id}
        if principal is None:
            async with self._postgres.as_service() as connection:
                await connection.execute(sql_text("commit_finish"), parameters)
        else:
            await self._postgres.fetch(principal, sql_text("commit_finish"), parameters)
        self._reached("made_visible")

    async def _teach_graph(self, commit: Commit) -> None:
        rows = await self._neo4j.write(cypher(_GRAPH_PART[commit.kind]), **commit.payload)
        expected = len(commit.payload["records"]) if commit.kind == "records" else 1
        applied = rows[0]["applied"] if rows and commit.kind == "records" else len(rows)
        if applied < expected:
            # The parent's shell is itself still on its way; recovery goes oldest first and gets there.
            raise StoreUnavailable(
                "graph store", "A node that this write belongs to is still being finished; try again."
            )

    async def await_commit(self, commit_id: UUID) -> None:
        """Returns when the commit is visible: waits for whoever finishes it now, or finishes it."""
        async with self._postgres.as_service() as connection:
            cursor = await connection.execute(sql_text("commit_locked"), {"commit_id": commit_id})
            row = await cursor.fetchone()
            if row is not None:
                await self._teach_graph(Commit(commit_id, row["kind"], row["payload"]))
                await connection.execute(sql_text("commit_finish"), {"commit_id": commit_id})

    async def recover(self, *, older_than: float = 0, limit: int = 50) -> int:
        """Finishes pending commits older than `older_than` seconds; how many were finished.

        Those that failed least come first, then the oldest. Rows that another process works on are skipped; one
        that fails again stays pending with its cause and ends the round.
        """
        finished = 0
        async with self._postgres.as_service() as connection:
            cursor = await connection.execute(sql_text("commits_pending"), {"older_than": older_than, "limit": limit})
            for row in await cursor.fetchall():
                parameters = {"commit_id": row["commit_id"]}
                try:
                    await self._teach_graph(Commit(row["commit_id"], row["kind"], row["payload"]))
                except StoreUnavailable as error:
                    await connection.execute(sql_text("commit_attempted"), parameters | {"failure": error.detail})
                    break
                await connection.execute(sql_text("commit_finish"), parameters)
                finished += 1
        if finished:
            log.info("finished %d commits that were left half way", finished)
        return finished

    async def recover_quietly(self, older_than: float) -> None:
        """One round of recovery for the background: a store that is down is met again in the next round."""
        try:
            await self.recover(older_than=older_than)
        except NeurigraphError as error:
            log.warning("recovery will try again: %s", error.detail)
