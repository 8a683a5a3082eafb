"""What the graph has and Postgres has not: an older Postgres was restored. It cannot be restored from the graph; the operator
either restores a newer Postgres or accepts the loss. Then it is written to a file and taken out of the graph."""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict
from collections.abc import AsyncIterator, Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID

from engine.domain.forms import IdText
from engine.stores.limited import TABLES_LOST
from engine.stores.neo4j import Neo4j
from engine.stores.postgres import Postgres
from engine.stores.rows import R
from engine.stores.statements import cypher, sql_in, sql_text
from engine.stores.whole_files import write_whole

PAGE = 1000


@dataclass(frozen=True, slots=True)
class _Shell:
    node_id: IdText
    name: str
    revision: int


@dataclass(frozen=True, slots=True)
class _Record:
    record_id: IdText
    node_id: IdText
    title: str
    file_id: IdText | None
    revision: int


@dataclass(frozen=True, slots=True)
class _Edge:
    edge_id: IdText
    edge_type: str
    revision: int


@dataclass(frozen=True, slots=True)
class _Grant:
    grant_id: IdText


@dataclass(frozen=True, slots=True)
class _Registered:
    node_id: UUID
    schema_name: str
    revision: int
    readable: bool


@dataclass(frozen=True, slots=True)
class _KnownEdge:
    edge_id: str
    revision: int


@dataclass(frozen=True, slots=True)
class _KnownRecord:
    record_id: UUID
    revision: int


@dataclass(slots=True)
class Surplus:
    """Shells, records, edges and grants that Postgres does not know, or knows without their last changes."""

    nodes: list[_Shell] = field(default_factory=list)
    changed_nodes: list[_Shell] = field(default_factory=list)
    records: list[_Record] = field(default_factory=list)
    edges: list[_Edge] = field(default_factory=list)
    grants: list[_Grant] = field(default_factory=list)

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
        async for shells in self._pages("doctor/shells_page", lambda node: node.node_id, row=_Shell):
            registered = await self._registered({shell.node_id for shell in shells})
            found.nodes += [shell for shell in shells if shell.node_id not in registered]
            found.changed_nodes += [
                shell for shell in shells if shell.revision > registered.get(shell.node_id, shell).revision
            ]
        async for records in self._pages("doctor/records_page", lambda record: record.record_id, row=_Record):
            await self._records(records, found)
        async for edges in self._pages("doctor/edges_page", lambda edge: edge.edge_id, row=_Edge):
            known = await self._known("mend/edges_known", row=_KnownEdge, edges=[edge.edge_id for edge in edges])
            revisions = {edge.edge_id: edge.revision for edge in known}
            found.edges += [edge for edge in edges if edge.revision > revisions.get(edge.edge_id, 0)]
        async for grants in self._pages("doctor/grants_page", lambda grant: grant.grant_id, row=_Grant):
            there = await self._known("mend/grants_known", row=UUID, grants=[UUID(grant.grant_id) for grant in grants])
            found.grants += [grant for grant in grants if UUID(grant.grant_id) not in there]
        return found

    async def take_out(self, surplus: Surplus, file: Path) -> None:
        """Writes it to a file, then takes it out of the graph; the mending applies there what Postgres still has of it."""
        content = json.dumps(asdict(surplus), indent=1).encode("utf-8")
        await asyncio.to_thread(write_whole, file, content)
        await self._neo4j.write(
            cypher("lifecycle/forgotten"),
            nodes=[shell.node_id for shell in surplus.nodes],
            records=[record.record_id for record in surplus.records],
            edges=[edge.edge_id for edge in surplus.edges],
            grants=[grant.grant_id for grant in surplus.grants],
        )
        nodes = [shell.node_id for shell in surplus.changed_nodes]
        await self._neo4j.write(cypher("lifecycle/rewound"), nodes=nodes)

    async def _pages(self, statement: str, key: Callable[[R], str], *, row: type[R]) -> AsyncIterator[list[R]]:
        after = ""
        while page := await self._neo4j.read(cypher(statement), row=row, after=after, limit=PAGE):
            after = key(page[-1])
            yield page

    async def _registered(self, nodes: set[str]) -> dict[str, _Registered]:
        known = await self._known("mend/surplus_nodes", row=_Registered, nodes=[UUID(node) for node in nodes])
        return {str(node.node_id): node for node in known}

    async def _records(self, page: list[_Record], found: Surplus) -> None:
        by_node: dict[str, list[_Record]] = defaultdict(list)
        for record in page:
            by_node[record.node_id].append(record)
        registered = await self._registered(set(by_node))
        for node, records in by_node.items():
            if node not in registered:
                found.records += records
                continue
            if not registered[
                node
            ].readable:  # whether it holds the records is unknown, as where its tables are missing
                continue
            parameters = {"records": [UUID(record.record_id) for record in records]}
            statement = sql_in("mend/records_there", registered[node].schema_name)
            try:
                there = await self._postgres.fetch_as_service(statement, parameters, row=_KnownRecord)
            except TABLES_LOST:  # its tables are missing: whether they held the records is unknown
                continue
            revisions = {str(record.record_id): record.revision for record in there}
            found.records += [record for record in records if record.revision > revisions.get(record.record_id, 0)]

    async def _known(self, name: str, *, row: type[R], **parameters: Any) -> list[R]:
        return await self._postgres.fetch_as_service(sql_text(name), parameters, row=row)
