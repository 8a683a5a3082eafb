"""States of nodes, derived from their files in Postgres and applied in the graph. States that are not applied after a crash
or an outage follow with the next sweep or start; a late update changes nothing (see lifecycle/states.cypher)."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from engine.domain.node import FileState
from engine.errors import NeurigraphError
from engine.stores.neo4j import Neo4j
from engine.stores.postgres import Parameters, Postgres
from engine.stores.statements import cypher, sql_text

log = logging.getLogger(__name__)
PAGE = 500


@dataclass(frozen=True, slots=True)
class NodeState:
    """The state of a node that follows from its files; a later one has a higher `seq`."""

    node_id: UUID
    state: FileState
    seq: int
    changed_at: datetime

    @property
    def graph(self) -> dict[str, str | int]:
        """As the graph takes it."""
        changed_at = self.changed_at.isoformat()
        return {"node_id": str(self.node_id), "state": self.state, "seq": self.seq, "changed_at": changed_at}


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
            parameters: Parameters = {"nodes": list(nodes) if nodes is not None else None, "limit": PAGE}
            states = await self._postgres.fetch_as_service(sql_text("node/states_unapplied"), parameters, row=NodeState)
            if not states:
                return applied
            await self._neo4j.write(cypher("lifecycle/states"), states=[state.graph for state in states])
            parameters = {"nodes": [state.node_id for state in states], "seqs": [state.seq for state in states]}
            await self._postgres.change_as_service(sql_text("node/states_applied"), parameters)
            applied += len(states)
            if nodes is not None:
                return applied

    async def apply_quietly(self, nodes: Sequence[UUID] | None = None) -> None:
        """The same without errors: where the graph does not answer, the states are applied later."""
        try:
            await self.apply(nodes)
        except NeurigraphError as error:
            log.warning("states of nodes will be applied in the graph later: %s", error.detail)
