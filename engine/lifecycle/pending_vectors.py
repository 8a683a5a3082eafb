"""Vectors that a write left out: made as soon as the embedding service answers, so that a search finds them by meaning, too.

The writes note the nodes that lack vectors. The rows show the progress, so two runs at once are safe, and an interrupted run
is simply started again.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.commit.rows import due
from engine.domain.embedding import Pace
from engine.lifecycle.canary import CanaryBuild, NodeTables
from engine.lifecycle.older_tokens import OlderTokens
from engine.progress import Silent
from engine.providers.active import ActiveModel
from engine.stores.neo4j import Neo4j
from engine.stores.postgres import Postgres


@dataclass(frozen=True, slots=True)
class PendingReport:
    """The result of a run: vectors made, nodes that are complete again, nodes that still wait; older items that got their
    tokens."""

    filled: int
    settled: int
    waiting: int
    tokens: int


class PendingVectors:
    """Makes the vectors of the active version that writes left out; for the service."""

    def __init__(self, postgres: Postgres, neo4j: Neo4j, active: ActiveModel) -> None:
        self._postgres, self._neo4j, self._active = postgres, neo4j, active

    @property
    def slot(self) -> tuple[str, str]:
        """The version whose vectors are made, and the property of a shell that says which version its vector is of."""
        current = self._active.current
        return current.name, f"{current.version.column}_version"

    async def run(self) -> PendingReport:
        """One pass over the nodes that wait. Raises ProviderUnavailable while the service is silent, EmbeddingsChanged,
        StoreUnavailable; what was made stays."""
        filled = settled = 0
        async for node in due.due_nodes(self._postgres, "vectors"):
            build = CanaryBuild(self._postgres, self._neo4j, await self._active.follow(), Pace(duty=1), Silent())
            await build.of_node(NodeTables(node.node_id, node.schema_name))
            if build.filled:
                self._active.patience.answered()
            filled += build.filled
            settled += await due.settle_vectors(self._postgres, node)
        tokens = await OlderTokens(self._postgres, await self._active.follow()).run()
        return PendingReport(filled, settled, await self.waiting(), tokens)

    async def waiting(self) -> int:
        """How many nodes wait for vectors. Raises StoreUnavailable."""
        return sum(one.waiting for one in await due.waiting(self._postgres) if one.derivation == "vectors")
