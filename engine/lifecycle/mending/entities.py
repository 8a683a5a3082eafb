"""A knowledge graph made to fit itself: recounted, without what is left over; what was lost is marked to be read again."""

from __future__ import annotations

from collections.abc import Mapping
from uuid import UUID

from engine.commit.rows import due
from engine.domain.clock import Clock
from engine.domain.graph import READER
from engine.lifecycle.graph_check import EntityCheck
from engine.lifecycle.mending.tally import Tally
from engine.stores.neo4j import Neo4j
from engine.stores.postgres import Postgres
from engine.stores.statements import cypher, sql_text

PAGE = 500


class EntityMending:
    """Mends knowledge graphs; for the service. `labels`: of Neo4j, by the kind of entity."""

    def __init__(
        self, postgres: Postgres, neo4j: Neo4j, check: EntityCheck, labels: Mapping[str, str], clock: Clock
    ) -> None:
        self._postgres = postgres
        self._neo4j, self._check, self._labels, self._clock = neo4j, check, labels, clock
        self.decisions = check.decisions

    async def run(self, tally: Tally) -> None:
        """All graphs in which something does not fit. Raises StoreUnavailable."""
        users = {one.node_id async for one in self._check.findings() if one.node_id}
        tally.add("knowledge graphs", len(users))
        for user_id in users if not tally.dry else ():
            await self.of_user(user_id)

    async def of_user(self, user_id: UUID) -> None:
        """One graph; may be ended anywhere and run again. Raises StoreUnavailable."""
        user = str(user_id)
        await self.decisions.mend(user_id)
        await self._facts(user_id)
        # First what is lost: a recount hides that something was there.
        await self._neo4j.write(cypher("lifecycle/mentions_marked"), user_id=user)
        async with self._postgres.as_service() as connection:
            await due.note_user(connection, "entities", user_id)
        await self._neo4j.write(cypher("lifecycle/entities_cleared"), user_id=user, reader=READER)
        at = self._clock.now().isoformat()
        await self._neo4j.write(cypher("lifecycle/merges_straightened"), user_id=user, at=at)
        after, recounted, page = (
            "",
            cypher("lifecycle/entities_recounted"),
            {"labels": dict(self._labels), "limit": PAGE},
        )
        while entities := await self._neo4j.write(recounted, row=str, user_id=user, after=after, **page):
            after = entities[-1]

    async def _facts(self, user_id: UUID) -> None:
        """Removes facts that there are not, and has the others carried into the graph again."""
        if gone := (await self._check.facts.surplus()).get(user_id):
            await self._neo4j.write(cypher("lifecycle/facts_cleared"), facts=[str(one) for one in gone])
        if rowless := (await self._check.facts.rowless()).get(user_id):
            async with self._postgres.as_service() as connection:
                await due.note(connection, "chains", {*rowless})
        if wrong := (await self._check.facts.otherwise()).get(user_id):
            await self._neo4j.write(cypher("lifecycle/facts_again"), facts=[str(one) for one in wrong])
            await self._postgres.change_as_service(sql_text("mend/facts_again"), {"facts": wrong})
