"""Vectors that a write left out: made as soon as the embedding service answers, so that a search finds them by meaning, too.

Writes note their node. The rows show the progress, so two runs at once are safe.
"""

from __future__ import annotations

from engine.commit.rows import due
from engine.commit.rows.due import DueNode
from engine.derive.made import Made
from engine.domain.embedding import Pace
from engine.lifecycle.canary import CanaryBuild, NodeTables
from engine.progress import Silent
from engine.providers.active import ActiveModel
from engine.stores.neo4j import Neo4j
from engine.stores.postgres import Postgres


class Vectors:
    """Makes the vectors of the active version that a node lacks, its shell's too."""

    def __init__(self, postgres: Postgres, neo4j: Neo4j, active: ActiveModel) -> None:
        self._postgres, self._neo4j, self._active = postgres, neo4j, active

    async def page(self, node: DueNode) -> Made:
        build = CanaryBuild(self._postgres, self._neo4j, await self._active.follow(), Pace(duty=1), Silent())
        await build.of_node(NodeTables(node.node_id, node.schema_name))
        if build.filled:
            self._active.patience.answered()
        return Made({"filled": build.filled}, waits=not await due.settled_vectors(self._postgres, node))
