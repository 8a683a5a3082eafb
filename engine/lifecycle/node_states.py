"""States of nodes, derived from their files in Postgres and applied in the graph. States that are not applied after a crash
or an outage follow with the next sweep or start; a late update changes nothing (see lifecycle/states.cypher)."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from uuid import UUID

from engine.errors import NeurigraphError
from engine.stores.neo4j import Neo4j
from engine.stores.postgres import Postgres
from engine.stores.statements import cypher, sql_text

log = logging.getLogger(__name__)
PAGE = 500


class NodeStates:
    """Applies the states of nodes in the graph."""

    def __init__(self, postgres: Postgres, neo4j: Neo4j) -> None:
        self._postgres, self._neo4j = postgres, neo4j

    async def apply(self, nodes: Sequence[UUID] | None = None) -> int:
        """Applies the states of these nodes, or of all whose states are not applied yet; returns how many.

        Raises StoreUnavailable; nothing is lost then.
        """
        applied = 0
        while True:
            async with self._postgres.as_service() as connection:
                parameters = {"nodes": list(nodes) if nodes is not None else None, "limit": PAGE}
                cursor = await connection.execute(sql_text("node/states_unapplied"), parameters)
                rows = await cursor.fetchall()
            if not rows:
                return applied
            shown = [
                {"node_id": str(r["node_id"]), "state": r["state"], "seq": r["seq"]}
                | {"changed_at": r["changed_at"].isoformat()}
                for r in rows
            ]
            await self._neo4j.write(cypher("lifecycle/states"), states=shown)
            parameters = {"nodes": [row["node_id"] for row in rows], "seqs": [row["seq"] for row in rows]}
            async with self._postgres.as_service() as connection:
                await connection.execute(sql_text("node/states_applied"), parameters)
            applied += len(rows)
            if nodes is not None:
                return applied

    async def apply_quietly(self, nodes: Sequence[UUID] | None = None) -> None:
        """The same without errors: where the graph does not answer, the states are applied later."""
        try:
            await self.apply(nodes)
        except NeurigraphError as error:
            log.warning("states of nodes will be applied in the graph later: %s", error.detail)
