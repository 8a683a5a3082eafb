"""Manifests in the graph from the records in Postgres: lines, their past, where they hang, the counts of shells."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from engine.lifecycle.mending.tally import Tally
from engine.stores.neo4j import Neo4j
from engine.stores.postgres import Postgres
from engine.stores.postgres_errors import TABLES_LOST
from engine.stores.statements import cypher, sql_in, sql_text

PAGE = 200

Row = dict[str, Any]


class ManifestMending:
    """Mends manifests node by node; for the service."""

    def __init__(self, postgres: Postgres, neo4j: Neo4j) -> None:
        self._postgres, self._neo4j = postgres, neo4j

    async def of_node(self, node: Row, tally: Tally) -> None:
        """Compares the records of a node with its manifest and enters what is missing. Raises StoreUnavailable."""
        after, changed = UUID(int=0), False
        while rows := await self._records(node["schema_name"], after):
            after = rows[-1]["record_id"]
            found = await self._neo4j.read(cypher("doctor/records"), records=[str(row["record_id"]) for row in rows])
            there = {UUID(row["record_id"]): row for row in found}
            missing = [row for row in rows if row["record_id"] not in there]
            behind = [row for row in rows if row["revision"] > there.get(row["record_id"], row)["revision"]]
            astray = [
                row
                for row in rows
                if row["record_id"] in there and _astray(row, there[row["record_id"]], node["node_id"])
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
            await self._neo4j.write(cypher("lifecycle/recounted"), nodes=[str(node["node_id"])])

    async def counts(self, tally: Tally) -> None:
        """Recounts where the counts of a shell are wrong. Raises StoreUnavailable."""
        after = UUID(int=0)
        while rows := await self._facts(after):
            after = rows[-1]["node_id"]
            shells = await self._neo4j.read(cypher("doctor/shells"), nodes=[str(row["node_id"]) for row in rows])
            by_id = {UUID(shell["node_id"]): (shell["counted_records"], shell["counted_items"]) for shell in shells}
            wrong = [
                str(row["node_id"])
                for row in rows
                if row["node_id"] in by_id and by_id[row["node_id"]] != (row["records"], row["items"])
            ]
            tally.add("counts of shells", len(wrong))
            if wrong and not tally.dry:
                await self._neo4j.write(cypher("lifecycle/recounted"), nodes=wrong)

    async def _records(self, schema: str, after: UUID) -> list[Row]:
        try:
            async with self._postgres.as_service() as connection:
                cursor = await connection.execute(sql_in("mend/records", schema), {"after": after, "limit": PAGE})
                return await cursor.fetchall()
        except TABLES_LOST:  # its tables are not there, or not those of the template: a finding of its own
            return []

    async def _facts(self, after: UUID) -> list[Row]:
        async with self._postgres.as_service() as connection:
            cursor = await connection.execute(sql_text("doctor/nodes"), {"after": after, "limit": PAGE})
            return await cursor.fetchall()

    async def _enter(self, node: Row, lines: list[Row], changes: list[Row]) -> None:
        parts = [await self._graph_payload(node, row) for row in changes]
        wanted = {row["record_id"] for row in lines}
        entered = [row["line"] for row in parts if row and UUID(row["line"]["record_id"]) in wanted]
        if entered:
            await self._neo4j.write(cypher("record/apply"), records=entered)
        for row in parts:
            if row and row["revision"]:
                await self._neo4j.write(cypher("record/revised"), revision=row["revision"])

    async def _graph_payload(self, node: Row, row: Row) -> Row | None:
        parameters = {"record_id": row["record_id"], "node_id": node["node_id"], "user_id": node["user_id"]}
        async with self._postgres.as_service() as connection:
            cursor = await connection.execute(sql_in("record/graph_payload", node["schema_name"]), parameters)
            return await cursor.fetchone()

    async def _hold(self, node: Row, rows: list[Row]) -> None:
        held = [
            {"record_id": str(row["record_id"]), "node_id": str(node["node_id"])}
            | {"items": row["items"], "revision": row["revision"]}
            for row in rows
        ]
        await self._neo4j.write(cypher("lifecycle/held"), records=held)


def _astray(row: Row, found: Row, node_id: UUID) -> bool:
    return bool(found["holders"] != [str(node_id)] or found["items"] != row["items"])
