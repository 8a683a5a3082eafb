"""Records that are missing in the graph, entered again from Postgres: manifest lines, their past, the counts of shells."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from engine.commit.graph import RestatedSlice, restated
from engine.commit.rows import due
from engine.commit.unit_of_work import UnitsOfWork
from engine.domain.principal import Principal
from engine.records.writer import RecordPlace
from engine.stores.neo4j import Neo4j
from engine.stores.postgres import Postgres
from engine.stores.statements import cypher, sql_in


class LostManifests:
    """Enters records that are missing in the graph; missing shells can only be restored from a backup."""

    def __init__(self, postgres: Postgres, neo4j: Neo4j, units: UnitsOfWork) -> None:
        self._postgres, self._neo4j, self._units = postgres, neo4j, units

    async def restore(self, principal: Principal, places: Sequence[RecordPlace]) -> None:
        """Enters those of the records that are missing. May be interrupted and run twice at once. Raises StoreUnavailable."""
        wanted = [{"record_id": str(place.record_id), "node_id": str(place.node_id)} for place in places]
        missing = await self._neo4j.read(cypher("doctor/records_missing"), row=UUID, records=wanted)
        lost = [place for place in places if place.record_id in missing]
        for place in lost:
            await self._enter(principal, place)
        if lost:
            nodes = sorted({str(place.node_id) for place in lost})
            await self._neo4j.write(cypher("lifecycle/recounted"), nodes=nodes)

    async def _enter(self, principal: Principal, place: RecordPlace) -> None:
        statement = sql_in("record/restated", place.schema_name)
        slices = await self._postgres.fetch(principal, statement, {"record_id": place.record_id}, row=RestatedSlice)
        changes = restated(slices, place.node_id, principal.user_id)
        if changes:
            async with self._units.begin(principal) as unit:
                await unit.accept(*changes)
                await due.note(unit.connection, "entities", [place.node_id])
