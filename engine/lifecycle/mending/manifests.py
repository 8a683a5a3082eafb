"""Manifests in the graph from the records in Postgres: lines, their past, where they hang, the counts of shells."""

from __future__ import annotations

from dataclasses import dataclass, replace
from uuid import UUID

from engine.commit.changes import GraphChange, RecordRevised, RecordsEntered, to_json
from engine.commit.graph import Restated, RestatedSlice, apply, restated
from engine.commit.rows import due
from engine.lifecycle.compared import NodeFacts, RegisteredNode, ShownShell
from engine.lifecycle.mending.tally import Tally
from engine.stores.neo4j import Neo4j
from engine.stores.postgres import Postgres
from engine.stores.postgres_errors import TABLES_LOST
from engine.stores.statements import cypher, sql_in, sql_text

PAGE = 200


@dataclass(frozen=True, slots=True)
class _Record:
    record_id: UUID
    revision: int
    items: int


@dataclass(frozen=True, slots=True)
class _Listed:
    record_id: UUID
    revision: int
    items: int
    holders: tuple[str, ...]


class ManifestMending:
    """Mends manifests node by node; for the service.

    Where Postgres has fewer items than a manifest lists, the manifest is the one witness that they are lost: it stays as it is
    until a backup brings them back, or the operator accepts the loss.
    """

    def __init__(self, postgres: Postgres, neo4j: Neo4j) -> None:
        self._postgres, self._neo4j = postgres, neo4j

    async def of_node(self, node: RegisteredNode, tally: Tally, *, accept_loss: bool = False) -> None:
        """Compares the records of a node with its manifest and enters what is missing. Raises StoreUnavailable."""
        after, changed = UUID(int=0), False
        while records := await self._records(node.schema_name, after):
            after = records[-1].record_id
            ids = [str(record.record_id) for record in records]
            found = await self._neo4j.read(cypher("doctor/records"), row=_Listed, records=ids)
            there = {listed.record_id: listed for listed in found}
            missing = [record for record in records if record.record_id not in there]
            behind = [record for record in records if record.revision > there.get(record.record_id, record).revision]
            kept = [
                record if accept_loss or not listed else replace(record, items=max(record.items, listed.items))
                for record in records
                for listed in [there.get(record.record_id)]
            ]
            astray = [
                record
                for record in kept
                if (listed := there.get(record.record_id))
                and (listed.holders != (str(node.node_id),) or listed.items != record.items)
            ]
            tally.add("records in manifests", len(missing))
            tally.add("changes of records", len(behind))
            tally.add("places and items of records", len(astray))
            changed = changed or bool(missing or behind or astray)
            if not tally.dry:
                await self._enter(node, missing, [*missing, *behind])
                if astray or behind:
                    await self._hold(node, [*astray, *behind])
        if changed and not tally.dry:
            await self._neo4j.write(cypher("lifecycle/recounted"), nodes=[str(node.node_id)])

    async def counts(self, tally: Tally) -> None:
        """Recounts where a shell counts another number than its manifest lists. Raises StoreUnavailable."""
        after = UUID(int=0)
        page = sql_text("doctor/nodes")
        while facts := await self._postgres.fetch_as_service(page, {"after": after, "limit": PAGE}, row=NodeFacts):
            after = facts[-1].node_id
            nodes = [str(node.node_id) for node in facts]
            shells = await self._neo4j.read(cypher("doctor/shells"), row=ShownShell, nodes=nodes)
            wrong = [
                str(shell.node_id)
                for shell in shells
                if (shell.counted_records, shell.counted_items) != (shell.records, shell.listed_items)
            ]
            tally.add("counts of shells", len(wrong))
            if wrong and not tally.dry:
                await self._neo4j.write(cypher("lifecycle/recounted"), nodes=wrong)

    async def _records(self, schema: str, after: UUID) -> list[_Record]:
        try:
            page = {"after": after, "limit": PAGE}
            return await self._postgres.fetch_as_service(sql_in("mend/records", schema), page, row=_Record)
        except TABLES_LOST:  # its tables are not there, or not those of the template: a finding of its own
            return []

    async def _enter(self, node: RegisteredNode, lines: list[_Record], changes: list[_Record]) -> None:
        wanted = {record.record_id for record in lines}
        parts = [change for record in changes for change in await self._restated(node, record.record_id)]
        entered = [line for one in parts if isinstance(one, RecordsEntered) for line in one.records]
        entered = [line for line in entered if line.record_id in wanted]
        revised = [one for one in parts if isinstance(one, RecordRevised)]
        whole: list[GraphChange] = [RecordsEntered(entered), *revised]
        await apply(self._neo4j, [to_json(one) for one in whole], partly=True)
        async with self._postgres.as_service() as connection:
            await due.note(connection, "entities", [node.node_id])

    async def _restated(self, node: RegisteredNode, record_id: UUID) -> Restated:
        statement = sql_in("record/restated", node.schema_name)
        slices = await self._postgres.fetch_as_service(statement, {"record_id": record_id}, row=RestatedSlice)
        return restated(slices, node.node_id, node.user_id)

    async def _hold(self, node: RegisteredNode, records: list[_Record]) -> None:
        held = [
            {"record_id": str(record.record_id), "node_id": str(node.node_id)}
            | {"items": record.items, "revision": record.revision}
            for record in records
        ]
        await self._neo4j.write(cypher("lifecycle/held"), records=held)
