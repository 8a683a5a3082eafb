"""What the graph has and Postgres has not: an older Postgres was restored. It cannot be restored from the graph; the operator
either restores a newer Postgres or accepts the loss. Then it is written to a file and taken out of the graph."""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict
from collections.abc import AsyncIterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID

from engine.stores.neo4j import Neo4j
from engine.stores.postgres import Postgres
from engine.stores.postgres_errors import TABLES_LOST
from engine.stores.statements import cypher, sql_in, sql_text

PAGE = 1000
KINDS = ("nodes", "records", "edges", "grants")

Row = dict[str, Any]


@dataclass(slots=True)
class Surplus:
    """Shells, records, edges and grants that Postgres does not know, or knows without their last changes."""

    nodes: list[Row] = field(default_factory=list)
    changed_nodes: list[Row] = field(default_factory=list)
    records: list[Row] = field(default_factory=list)
    edges: list[Row] = field(default_factory=list)
    grants: list[Row] = field(default_factory=list)

    @property
    def counts(self) -> dict[str, int]:
        """How many of each kind, where there are any."""
        return {kind: len(rows) for kind, rows in asdict(self).items() if rows}


class SurplusOfGraph:
    """Finds the surplus, and takes it out; for the service."""

    def __init__(self, postgres: Postgres, neo4j: Neo4j) -> None:
        self._postgres, self._neo4j = postgres, neo4j

    async def find(self) -> Surplus:
        """All of it. Raises StoreUnavailable."""
        found = Surplus()
        async for page in self._pages("doctor/shells_page", "node_id"):
            registered = await self._registered({row["node_id"] for row in page})
            found.nodes += [row for row in page if row["node_id"] not in registered]
            found.changed_nodes += [
                row for row in page if row["revision"] > registered.get(row["node_id"], row)["revision"]
            ]
        async for page in self._pages("doctor/records_page", "record_id"):
            await self._records(page, found)
        async for page in self._pages("doctor/edges_page", "edge_id"):
            known = await self._known("mend/edges_known", edges=[row["edge_id"] for row in page])
            revisions = {row["edge_id"]: row["revision"] for row in known}
            found.edges += [row for row in page if row["revision"] > revisions.get(row["edge_id"], 0)]
        async for page in self._pages("doctor/grants_page", "grant_id"):
            known = await self._known("mend/grants_known", grants=[UUID(row["grant_id"]) for row in page])
            there = {str(row["grant_id"]) for row in known}
            found.grants += [row for row in page if row["grant_id"] not in there]
        return found

    async def take_out(self, surplus: Surplus, file: Path) -> None:
        """Writes it to a file, then takes it out of the graph; the mending applies there what Postgres still has of it."""
        await asyncio.to_thread(_write, file, asdict(surplus))
        ids = {kind: [row[f"{kind[:-1]}_id"] for row in getattr(surplus, kind)] for kind in KINDS}
        await self._neo4j.write(cypher("lifecycle/forgotten"), **ids)
        nodes = [row["node_id"] for row in surplus.changed_nodes]
        await self._neo4j.write(cypher("lifecycle/rewound"), nodes=nodes)

    async def _pages(self, statement: str, key: str) -> AsyncIterator[list[Row]]:
        after = ""
        while rows := await self._neo4j.read(cypher(statement), after=after, limit=PAGE):
            after = rows[-1][key]
            yield rows

    async def _registered(self, nodes: set[str]) -> dict[str, Row]:
        rows = await self._known("mend/surplus_nodes", nodes=[UUID(node) for node in nodes])
        return {str(row["node_id"]): row for row in rows}

    async def _records(self, page: list[Row], found: Surplus) -> None:
        by_node: dict[str, list[Row]] = defaultdict(list)
        for row in page:
            by_node[row["node_id"]].append(row)
        registered = await self._registered(set(by_node))
        for node, rows in by_node.items():
            if node not in registered:
                found.records += rows
                continue
            try:
                async with self._postgres.as_service() as connection:
                    parameters = {"records": [UUID(row["record_id"]) for row in rows]}
                    statement = sql_in("mend/records_there", registered[node]["schema_name"])
                    there = await (await connection.execute(statement, parameters)).fetchall()
            except TABLES_LOST:  # its tables are missing: whether they held the records is unknown
                continue
            revisions = {str(row["record_id"]): row["revision"] for row in there}
            found.records += [row for row in rows if row["revision"] > revisions.get(row["record_id"], 0)]

    async def _known(self, name: str, **parameters: Any) -> list[Row]:
        async with self._postgres.as_service() as connection:
            return await (await connection.execute(sql_text(name), parameters)).fetchall()


def _write(file: Path, content: Row) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(content, indent=1), encoding="utf-8")
